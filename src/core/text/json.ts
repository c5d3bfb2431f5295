// Room text: how values are compared, read and written: JSON, names, quantities, times and sentences. Nothing in it knows of GPUs.
// Ask here whether JSON values are equal, what patches one to the other, what shape a value has, and for one object of many equal ones.
type Defined<T> = { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/** The fields that have a value: JSON has no undefined, and an absent field is not one that is undefined. */
export function omitUndefined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** A JSON object of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

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
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => deepEqual(item, b[index]))
    );
  }
  const [these, those] = [a as Fields, b as Fields];
  const keys = listKeys(these);
  return keys.length === listKeys(those).length && keys.every((key) => deepEqual(these[key], those[key]));
}

/** JSON omits undefined values. */
function listKeys(fields: Fields): string[] {
  return Object.keys(fields).filter((key) => fields[key] !== undefined);
}

/** Orders texts by their UTF-16 units. Not localeCompare: the order must not depend on the machine's language. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type Patch = Readonly<Record<string, unknown>>;

/**
 * JSON merge patch (RFC 7396) that makes one object equal to another: what is new or different, and null for what is too much.
 *
 * @param sets `All`: the others too, which are set even if somebody else has changed them since
 */
export function mergePatchOf(before: object, after: object, sets: 'Changed' | 'All' = 'Changed'): Patch {
  const [old, wanted] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const patch: [string, unknown][] = [];
  for (const key of old.keys()) if (!wanted.has(key)) patch.push([key, null]);
  for (const [key, value] of wanted) {
    const known: unknown = old.get(key);
    if (sets === 'Changed' && deepEqual(known, value)) continue;
    patch.push([key, isFields(known) && isFields(value) ? mergePatchOf(known, value, sets) : value]);
  }
  return Object.fromEntries(patch);
}

/** The function, called once for each object: what it makes of one is kept as long as the object lives. */
export function memoize<Key extends object, Made extends object | string>(
  make: (key: Key) => Made,
): (key: Key) => Made {
  const known = new WeakMap<Key, Made>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}

/** Maximum number of values that are remembered; a fleet has few distinct ones, and an agent may report anything. */
const mostValues = 4096;

/**
 * Gives equal values the same object, so that a fleet keeps one profile table and not one per node. The values are never
 * modified; forgotten values stay as they are.
 */
export class SharedValues {
  readonly #most: number;
  readonly #known = new Map<string, unknown>();

  constructor(most = mostValues) {
    this.#most = most;
  }

  /** @returns the first value that was equal, in its fields and in their order */
  share<T>(value: T): T {
    const key = typeof value === 'string' ? value : JSON.stringify(value);
    const known = this.#known.get(key);
    // A string may look like the JSON of something else.
    return known !== undefined && typeof known === typeof value ? (known as T) : this.#keep(key, value);
  }

  /** An object of which some fields, if they are there, have shared values. */
  shareFields<T extends object>(object: T, ...fields: readonly (keyof T)[]): T {
    const copy = { ...object };
    for (const field of fields) if (copy[field] !== undefined) copy[field] = this.share(copy[field]);
    return copy;
  }

  /**
   * Shares a value like {@link share}, for a caller who knows it by a text and makes it only if it is new. Such texts and {@link share} do
   * not mix.
   */
  shareAs<T extends object>(text: string, make: () => T): T {
    return (this.#known.get(text) as T | undefined) ?? this.#keep(text, make());
  }

  #keep<T>(key: string, value: T): T {
    if (this.#known.size >= this.#most) this.#known.clear();
    this.#known.set(key, value);
    return value;
  }
}

/** An operation of RFC 6902. */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  readonly path: string;
  readonly value?: unknown;
}
