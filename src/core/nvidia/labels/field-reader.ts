import { type Fields, isFields } from '../../text/fields.ts';

/** One thing that is wrong with hand-written input. */
export interface FieldProblem {
  /** `gpus[0].migDevices[2].attributes["slices.gi"]`; `$` for the input as a whole. */
  readonly path: string;
  readonly message: string;
}

/**
 * Reads fields of parsed JSON and collects every problem, so that a user can fix all of them at once. An invalid field reads as an
 * empty value: use nothing of what was read while there are problems.
 */
export class FieldReader {
  readonly #problems: FieldProblem[] = [];

  get problems(): readonly FieldProblem[] {
    return this.#problems;
  }

  report(path: string, message: string): void {
    this.#problems.push({ path: path === '' ? '$' : path, message });
  }

  object(value: unknown, path: string, known: readonly string[]): Fields {
    const nothing = Object.fromEntries(known.map((key) => [key, READ_NOTHING]));
    if (value === READ_NOTHING) return nothing;
    if (!isFields(value)) {
      this.report(path, `must be an object, but is ${value === undefined ? 'missing' : nameType(value)}`);
      return nothing;
    }
    for (const key of Object.keys(value)) {
      if (!known.includes(key)) this.report(pathOf(path, key), `is not a known field; known: ${known.join(', ')}`);
    }
    return value;
  }

  list(parent: Fields, key: string, path: string): readonly unknown[] {
    const value = parent[key];
    if (value === READ_NOTHING) return [];
    if (Array.isArray(value)) return value;
    return this.#refuse(parent, key, path, 'a list', []);
  }

  string(parent: Fields, key: string, path: string): string {
    const value = parent[key];
    if (value === READ_NOTHING) return '';
    return typeof value === 'string' ? value : this.#refuse(parent, key, path, 'a string', '');
  }

  boolean(parent: Fields, key: string, path: string): boolean {
    const value = parent[key];
    if (value === READ_NOTHING) return false;
    return typeof value === 'boolean' ? value : this.#refuse(parent, key, path, 'true or false', false);
  }

  /** A whole number, 0 or more. */
  count(parent: Fields, key: string, path: string): number {
    const value = parent[key];
    if (value === READ_NOTHING) return 0;
    return isCount(value) ? value : this.#refuse(parent, key, path, 'a whole number, 0 or more', 0);
  }

  /** A version of two numbers: `[8, 0]`. */
  pair(parent: Fields, key: string, path: string): readonly [number, number] {
    const value = parent[key];
    if (value === READ_NOTHING) return [0, 0];
    if (Array.isArray(value)) {
      const [major, minor]: readonly unknown[] = value;
      if (value.length === 2 && isCount(major) && isCount(minor)) return [major, minor];
    }
    return this.#refuse(parent, key, path, 'two whole numbers [major, minor]', [0, 0]);
  }

  #refuse<T>(parent: Fields, key: string, path: string, wanted: string, empty: T): T {
    const found = Object.hasOwn(parent, key) ? `is ${nameType(parent[key])}` : 'is missing';
    this.report(pathOf(path, key), `must be ${wanted}, but ${found}`);
    return empty;
  }
}

/** Stands for the fields of a value that was not an object: one problem is enough for all of them. */
const READ_NOTHING = Symbol('empty');

/** Path of a field, in the notation of jq and JavaScript. */
export function pathOf(parent: string, key: string): string {
  if (!/^[A-Za-z_]\w*$/.test(key)) return `${parent}[${JSON.stringify(key)}]`;
  return parent === '' ? key : `${parent}.${key}`;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function nameType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  return JSON.stringify(value) ?? typeof value;
}
