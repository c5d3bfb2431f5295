import type { PolicyLayout } from '../../api/types.ts';
import { canonicalJson, fingerprint } from '../text/fingerprint.ts';
import { onceEach } from '../text/once-each.ts';

/**
 * Names each entry of `layouts` across edits of the policy: a hash of its selector, including `count`, which still identifies an
 * entry when its layout is edited, or entries are inserted before it or removed. Among entries with the same selector the second and
 * later ones get a number. One policy is looked up on thousands of nodes.
 */
export const nameEntries = onceEach((layouts: readonly PolicyLayout[]): readonly string[] => {
  const seen = new Map<string, number>();
  return layouts.map(({ gpus = {} }) => {
    const name = fingerprint(canonicalJson(gpus));
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return number === 1 ? name : `${name}-${number}`;
  });
});
