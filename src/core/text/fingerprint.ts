const encoder = new TextEncoder();

/**
 * A short name for a text: FNV-1a, 64 bits, as 16 hex digits. It distinguishes two plans or wishes; it guards against
 * mistakes, not against forgery.
 */
export function fingerprint(text: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of encoder.encode(text)) {
    low = (low ^ byte) >>> 0;
    // Times 2^40 + 0x1b3, in halves of 32 bits: a bigint takes ten times as long.
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.trunc(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return toHex(high) + toHex(low);
}

function toHex(half: number): string {
  return half.toString(16).padStart(8, '0');
}

type Fields = Readonly<Record<string, unknown>>;

/** JSON with object keys in order, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  // In a list JSON writes null for a value that it cannot represent.
  if (value === undefined) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = value as Fields;
  const texts = listKeys(fields)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(fields[key])}`);
  return `{${texts.join(',')}}`;
}

/** Whether two JSON values are equal, whatever the order of object keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameJson(item, b[index]))
    );
  }
  const [these, those] = [a as Fields, b as Fields];
  const keys = listKeys(these);
  return keys.length === listKeys(those).length && keys.every((key) => sameJson(these[key], those[key]));
}

/** JSON omits undefined values. */
function listKeys(fields: Fields): string[] {
  return Object.keys(fields).filter((key) => fields[key] !== undefined);
}

/** Orders texts by their UTF-16 units. Not localeCompare: the order must not depend on the machine's language. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
