/**
 * As many slices of a profile count as a policy may write: more than a GPU of today holds, for each of ten thousand. A queue can ask for
 * any number.
 */
export const mostSlices = 100_000;

/** How many instances there are, by profile. */
export function countPresent(instances: readonly { readonly profile: string }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { profile } of instances) counts.set(profile, (counts.get(profile) ?? 0) + 1);
  return counts;
}
