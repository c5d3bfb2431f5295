import { computeInstanceSlices, isProfileNameError, parseProfile } from '../gpu/geometry/profile-name.ts';
import type { ListedMigDevice } from './gpu-list.ts';
import { findDisagreement } from './instance-check.ts';
import type { ComputeInstanceRow, InstanceRow } from './instance-table.ts';
import type { ReportedGpu, ReportedMigDevice, ReportedProcess } from './report-parser.ts';
import type { ComputeInstanceState, GpuInstanceState, ProcessState } from '../gpu/state/device-state.ts';

/** The parts of one GPU, read by different commands. */
export interface GpuParts {
  readonly report: ReportedGpu;
  readonly instances: readonly InstanceRow[];
  /** By index of the MIG device. */
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
