import type { Geometry } from '../gpu/geometry/geometry.ts';
import { computeInstanceSlices, isProfileNameError, parseProfile } from '../gpu/geometry/profile-name.ts';
import type { ComputeInstanceRow, InstanceRow } from './instance-table.ts';

/** Why rows of `-lgi` cannot all be true; undefined if they can. */
export function findImpossible(rows: readonly InstanceRow[]): string | undefined {
  for (const [at, row] of rows.entries()) {
    for (const other of rows.slice(0, at)) {
      if (other.gpuIndex !== row.gpuIndex) continue;
      if (other.id === row.id) return `GPU instance ${row.id} twice`;
      if (other.start < row.start + row.size && row.start < other.start + other.size)
        return `GPU instances ${other.id} and ${row.id} at the same place`;
      if ((other.profileId === row.profileId) !== (other.profile === row.profile))
        return `profile ${row.profileId} is called ${other.profile} and ${row.profile}`;
    }
  }
  return undefined;
}

/** Like {@link findImpossible}, for rows of `-lci`. */
export function findImpossibleParts(rows: readonly ComputeInstanceRow[]): string | undefined {
  for (const [at, row] of rows.entries()) {
    const others = rows.filter(({ gpuIndex, instance }) => gpuIndex === row.gpuIndex && instance === row.instance);
    if (others.some((other) => other.id === row.id && rows.indexOf(other) < at))
      return `compute instance ${row.id} of GPU instance ${row.instance} twice`;
    const parsed = parseProfile(row.profile);
    if (isProfileNameError(parsed)) continue;
    const slices = others.reduce((sum, { profile }) => sum + computeInstanceSlices(profile, parsed.gpuSlices), 0);
    if (slices > parsed.gpuSlices) return `${slices} slices on GPU instance ${row.instance} (${row.profile})`;
  }
  return undefined;
}

/** Why rows of `-lgi` and of `-lci` of one GPU contradict each other; undefined if they do not. */
export function findDisagreement(
  instances: readonly InstanceRow[],
  parts: readonly Pick<ComputeInstanceRow, 'instance' | 'id' | 'profile'>[],
): string | undefined {
  for (const { instance, id, profile } of parts) {
    const whole = instances.find((row) => row.id === instance);
    if (whole === undefined) return `compute instance ${id} of GPU instance ${instance}, which -lgi does not list`;
    if (!isPartOf(profile, whole.profile))
      return `a ${profile} on GPU instance ${instance}, which is a ${whole.profile}`;
  }
  return undefined;
}

/** True if the compute instances leave no room on any GPU instance: then none can be missing. */
export function fillAll(instances: readonly InstanceRow[], parts: readonly ComputeInstanceRow[]): boolean {
  return instances.every(({ id, profile }) => {
    const whole = parseProfile(profile);
    if (isProfileNameError(whole)) return false;
    const mine = parts.filter(({ instance }) => instance === id);
    return mine.reduce((sum, part) => sum + computeInstanceSlices(part.profile, whole.gpuSlices), 0) >= whole.gpuSlices;
  });
}

/** Why rows of `-lgi` contradict `-lgip` and `-lgipp`; undefined if they do not. */
export function findStranger(rows: readonly InstanceRow[], { profiles }: Geometry): string | undefined {
  for (const { id, profile, profileId, start, size } of rows) {
    const known = profiles.find((candidate) => candidate.id === profileId);
    // A profile whose name is outside the grammar is not in the planner's table.
    if (known === undefined && isProfileNameError(parseProfile(profile))) continue;
    const isThere =
      known?.name === profile &&
      (known.starts.length === 0 || (known.memorySlices === size && known.starts.includes(start)));
    if (!isThere)
      return `GPU instance ${id} is a ${profile} (ID ${profileId}) at ${start}:${size}, which -lgip does not offer`;
  }
  return undefined;
}

/** Some drivers omit the attributes of the whole: the compute instance of a `1g.5gb+me` is then a `1g.5gb`. */
function isPartOf(part: string, whole: string): boolean {
  const base = (name: string): string => name.replace(/^\d+c\./, '').replace(/[+-].*$/, '');
  return base(part) === base(whole);
}
