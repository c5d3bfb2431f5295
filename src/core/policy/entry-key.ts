import type { PolicyLayout } from '../../api/types.ts';
import { canonicalJson, fingerprint } from '../text/fingerprint.ts';

/**
 * Names each entry of `layouts` across edits of the policy: a hash of its selector, including `count`, which still identifies an
 * entry when its layout is edited, or entries are inserted before it or removed. Among entries with the same selector the second and
 * later ones get a number.
 */
export function nameEntries(layouts: readonly PolicyLayout[]): readonly string[] {
  const known = named.get(layouts) ?? hashSelectors(layouts);
  named.set(layouts, known);
  return known;
}

// One policy is looked up on thousands of nodes.
const named = new WeakMap<readonly PolicyLayout[], readonly string[]>();

function hashSelectors(layouts: readonly PolicyLayout[]): readonly string[] {
  const seen = new Map<string, number>();
  return layouts.map(({ gpus = {} }) => {
    const name = fingerprint(canonicalJson(gpus));
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return number === 1 ? name : `${name}-${number}`;
  });
}
