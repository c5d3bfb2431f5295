/**
 * A short name for a text: FNV-1a, 64 bits, as 16 hex digits. It tells two plans or wishes apart; it guards against
 * mistakes, not against forgery.
 */
export function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, '0');
}

/** JSON with object keys in order, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : item,
  );
}

/** Whether two JSON values are the same, whatever the order of object keys. */
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
  return hasFieldsOf(a, b) && countFields(a) === countFields(b);
}

function hasFieldsOf(whole: object, part: object): boolean {
  const fields = whole as Readonly<Record<string, unknown>>;
  return Object.entries(part).every(([key, value]) => value === undefined || sameJson(fields[key], value));
}

/** JSON leaves out what is undefined. */
function countFields(object: object): number {
  return Object.values(object).filter((value) => value !== undefined).length;
}
