/** How many instances there are, by profile. */
export function countPresent(instances: readonly { readonly profile: string }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { profile } of instances) counts.set(profile, (counts.get(profile) ?? 0) + 1);
  return counts;
}
