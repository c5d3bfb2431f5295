import { sameJson } from './fingerprint.ts';
import { isFields } from './fields.ts';

type Patch = Readonly<Record<string, unknown>>;

/** JSON merge patch (RFC 7396) that makes one object equal to another: what is new or different, and null for what is too much. */
export function mergePatchOf(before: object, after: object): Patch {
  return patchOf(before, after, sameJson);
}

/** As {@link mergePatchOf}, with all fields: they are set even if somebody else has changed them since. */
export function overwriteOf(before: object, after: object): Patch {
  return patchOf(before, after, () => false);
}

function patchOf(before: object, after: object, isKept: (old: unknown, wanted: unknown) => boolean): Patch {
  const [old, wanted] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const patch: [string, unknown][] = [];
  for (const key of old.keys()) if (!wanted.has(key)) patch.push([key, null]);
  for (const [key, value] of wanted) {
    const known: unknown = old.get(key);
    if (isKept(known, value)) continue;
    patch.push([key, isFields(known) && isFields(value) ? patchOf(known, value, isKept) : value]);
  }
  return Object.fromEntries(patch);
}
