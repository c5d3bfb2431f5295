import type { Geometry } from '../gpu/geometry.ts';
import { computeInstanceSlices, isProfileNameError, parseProfile } from '../gpu/profiles.ts';
import { deepEqual } from '../text/json.ts';
import type { ComputeInstanceRow, InstanceRow, ListedMigDevice } from './tables.ts';
import type { ReportedGpu, ReportedMigDevice, ReportedProcess } from './report.ts';
import type { ComputeInstanceState, GpuInstanceState, ProcessState } from '../gpu/device-state.ts';

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

/** Finds rows of `-lci` that cannot all be true, like {@link findImpossible}. */
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

/**
 * Whether a compute instance's name is part of its GPU instance's. Some drivers omit the attributes of the whole: the compute instance of a
 * `1g.5gb+me` is then a `1g.5gb`.
 */
function isPartOf(part: string, whole: string): boolean {
  const base = (name: string): string => name.replace(/^\d+c\./, '').replace(/[+-].*$/, '');
  return base(part) === base(whole);
}

/** The parts of one GPU, read by different commands. */
export interface GpuParts {
  readonly report: ReportedGpu;
  readonly instances: readonly InstanceRow[];
  /** MIG devices of `-L` by their index. */
  readonly listed: ReadonlyMap<number, ListedMigDevice>;
  /** `-lci`; absent if {@link namesProfiles} holds. */
  readonly computeInstances?: readonly ComputeInstanceRow[];
}

/** A compute instance and its GPU instance. */
type Part = Pick<ComputeInstanceRow, 'instance' | 'id' | 'profile'>;

/**
 * True if `-L` has the profile of every compute instance, so that `-lci` adds nothing: `-q -x` has the ids, by the same index
 * that joins the UUIDs. If a name matches neither the GPU instance nor a part of it, something changed in between, or this
 * driver has other names than 550, which prints the same in both (`1g.5gb+me`, `1c.3g.20gb`).
 */
export function namesProfiles({ report, instances, listed }: GpuParts): boolean {
  return report.migDevices.every(({ index, instance }) => {
    const name = listed.get(index)?.profile;
    const whole = instances.find(({ id }) => id === instance)?.profile;
    return name !== undefined && name.replace(/^\d+c\./, '') === whole;
  });
}

/**
 * Combines the instances of one GPU; undefined if the parts contradict each other: then the GPU changed between two
 * commands, or one of them was cut off.
 */
export function assembleInstances(parts: GpuParts): readonly GpuInstanceState[] | undefined {
  const { report, instances, listed, computeInstances = listParts(parts) } = parts;
  const devices = new Map(report.migDevices.map((device) => [`${device.instance}/${device.computeInstance}`, device]));
  const ids = new Set(instances.map(({ id }) => id));
  if (computeInstances.length !== devices.size || listed.size !== devices.size) return undefined;
  if (report.migDevices.some(({ instance, index }) => !ids.has(instance) || !listed.has(index))) return undefined;
  if (computeInstances.some(({ instance, id }) => !devices.has(`${instance}/${id}`))) return undefined;
  if (findDisagreement(instances, computeInstances) !== undefined) return undefined;
  // A driver may have other names in -L than in -lci, but then they have none in common.
  const names = new Set(computeInstances.map(({ profile }) => profile));
  const isCrossed = computeInstances.some(({ instance, id, profile }) => {
    const name = listed.get(devices.get(`${instance}/${id}`)?.index ?? -1)?.profile;
    return name !== undefined && name !== profile && names.has(name);
  });
  if (isCrossed) return undefined;
  return buildInstances(instances, computeInstances, (part) => {
    const device = devices.get(`${part.instance}/${part.id}`);
    return device && { device, uuid: listed.get(device.index)?.uuid };
  }).map((instance) => ({ ...instance, processes: listProcesses(report, instance.id) }));
}

function listParts({ report, listed }: GpuParts): readonly Part[] {
  return report.migDevices.flatMap(({ index, instance, computeInstance }) => {
    const profile = listed.get(index)?.profile;
    return profile === undefined ? [] : [{ instance, id: computeInstance, profile }];
  });
}

/** Instances by start, from the two tables alone or with the details of each MIG device. */
export function buildInstances(
  instances: readonly InstanceRow[],
  computeInstances: readonly Part[],
  find: (part: Part) => { readonly device: ReportedMigDevice; readonly uuid: string | undefined } | undefined = () =>
    undefined,
): readonly GpuInstanceState[] {
  return instances
    .map(({ profile, profileId, id, start, size }) => ({
      profile,
      profileId,
      id,
      start,
      size,
      computeInstances: computeInstances
        .filter(({ instance }) => instance === id)
        .map((part): ComputeInstanceState => {
          const found = find(part);
          return {
            id: part.id,
            profile: part.profile,
            uuid: found?.uuid,
            attributes: found && describeDevice(profile, part.profile, found.device),
          };
        })
        .toSorted((a, b) => a.id - b.id),
      processes: [],
    }))
    .toSorted((a, b) => a.start - b.start);
}

/** Processes of one GPU instance. */
export function listProcesses(report: ReportedGpu, instance: number): readonly ProcessState[] {
  return strip(report.processes.filter((process) => process.instance === instance));
}

/**
 * True if a report shows the same MIG devices on a GPU as an earlier one, and a device on each GPU instance known since: then nothing
 * was made or destroyed that a report can show. Used memory may differ.
 */
export function showsSameDevices(now: ReportedGpu, before: ReportedGpu, known: readonly GpuInstanceState[]): boolean {
  const { mig, migDevices } = now;
  const tell = ({ usedMiB: _used, ...device }: ReportedMigDevice): unknown => device;
  return (
    now.uuid === before.uuid &&
    now.pciBusId === before.pciBusId &&
    now.product === before.product &&
    now.fault === undefined &&
    mig?.current === before.mig?.current &&
    mig?.pending === before.mig?.pending &&
    deepEqual(migDevices.map(tell), before.migDevices.map(tell)) &&
    known.every(({ id }) => migDevices.some(({ instance }) => instance === id))
  );
}

/** Processes of a GPU that run on none of these instances: none is overlooked, whatever id the driver gives. */
export function listOtherProcesses(
  report: ReportedGpu,
  instances: readonly { readonly id: number }[],
): readonly ProcessState[] {
  return strip(report.processes.filter((process) => !instances.some(({ id }) => id === process.instance)));
}

function strip(processes: readonly ReportedProcess[]): readonly ProcessState[] {
  return processes.map(({ instance: _instance, ...process }) => process);
}

function describeDevice(
  profile: string,
  computeProfile: string,
  device: ReportedMigDevice,
): NonNullable<ComputeInstanceState['attributes']> {
  const parsed = parseProfile(profile);
  const gpuInstance = isProfileNameError(parsed) ? 0 : parsed.gpuSlices;
  return {
    memoryMiB: device.memoryMiB,
    multiprocessors: device.multiprocessors,
    engines: device.engines,
    slices: { gpuInstance, computeInstance: computeInstanceSlices(computeProfile, gpuInstance) },
  };
}
