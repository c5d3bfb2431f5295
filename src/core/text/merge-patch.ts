import { sameJson } from './fingerprint.ts';

/** JSON merge patch (RFC 7396) that makes one object equal to another: what is new or different, and null for what is too much. */
export function mergePatchOf(before: object, after: object): Readonly<Record<string, unknown>> {
  const [old, wanted] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const patch: [string, unknown][] = [];
  for (const key of old.keys()) if (!wanted.has(key)) patch.push([key, null]);
  for (const [key, value] of wanted) {
    const known: unknown = old.get(key);
    if (sameJson(known, value)) continue;
    patch.push([key, isFields(known) && isFields(value) ? mergePatchOf(known, value) : value]);
  }
  return Object.fromEntries(patch);
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
