import type { PolicyLayout } from '../../api/types.ts';
import { canonicalJson, fingerprint } from '../text/fingerprint.ts';

/**
 * What names each entry of `layouts` from one edit of the policy to the next: a hash of its selector, `count` included, by which
 * an entry is found again when its layout is edited, or entries are put before it or taken away. Of entries with the same selector
 * the second and later ones carry their number.
 */
export function nameEntries(layouts: readonly PolicyLayout[]): readonly string[] {
  const known = named.get(layouts) ?? hashSelectors(layouts);
  named.set(layouts, known);
  return known;
}

// One policy is asked for on thousands of nodes.
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
