import type { Profile } from '../gpu/geometry/geometry.ts';
import { placeOf } from '../gpu/search/instance.ts';
import { DeviceError } from '../gpu/state/device-error.ts';
import type { GpuState, MigMode } from '../gpu/state/device-state.ts';

/** The outcome for one profile. */
export interface ProfileTest {
  readonly profile: string;
  readonly start: number;
  readonly outcome: 'Passed' | 'Failed';
  /** To create it, including reading it back. */
  readonly makeMs: number;
  /** To read the GPU once more, table by table. */
  readonly verifyMs: number;
  /** To destroy it, including reading it back. */
  readonly undoMs: number;
  readonly error?: string;
}

/** What was tried on one GPU; a part of `selftest -o json`. */
export interface ChangeTest {
  readonly index: number;
  readonly uuid: string;
  readonly product: string;
  /** `Refused`: nothing was touched. `Stopped`: not every profile was tried. */
  readonly state: 'Passed' | 'Failed' | 'Refused' | 'Stopped';
  /** Why it is not `Passed`. */
  readonly reason?: string;
  /** MIG mode before, and after. */
  readonly mig: MigMode | null;
  readonly profiles: readonly ProfileTest[];
  /** Whether the GPU is restored: mode, placements, compute instances. */
  readonly isPutBack: boolean;
  /** MIG devices that were restored but now have another UUID. */
  readonly otherUuids: number;
  /** What on this host does not follow the restored instances, and what to do. */
  readonly notes?: readonly string[];
}

/** Nothing was tried. */
export function refuseChange({ index, uuid, product, mig }: GpuState, reason: string): ChangeTest {
  const untouched = { profiles: [], isPutBack: true, otherUuids: 0 };
  return { index, uuid, product, state: 'Refused', reason, mig: mig?.current ?? null, ...untouched };
}

/** @throws DeviceError if a GPU does not have exactly this instance, with one MIG device over the whole of it */
export function verifyProfile(gpu: GpuState, { name, multiprocessors }: Profile, start: number): void {
  const [instance, ...others] = gpu.instances;
  const [part, ...parts] = instance?.computeInstances ?? [];
  const tried = `to make ${name} at ${start}`;
  const refuse = (found: string): DeviceError => new DeviceError('NothingDone', { tried, found, gpu: gpu.pciBusId });
  if (instance === undefined || others.length > 0 || instance.profile !== name || instance.start !== start)
    throw refuse(gpu.instances.map(placeOf).join(', ') || 'no instance');
  if (part?.uuid === undefined || parts.length > 0) throw refuse('it has no MIG device, or several');
  const counted = part.attributes?.multiprocessors;
  if (multiprocessors !== undefined && counted !== undefined && counted !== multiprocessors)
    throw refuse(`its MIG device has ${counted} multiprocessors, and -lgip says ${multiprocessors}`);
}

/** Its mode and its instances: `MIG mode Enabled, 3g.20gb@4 (3g.20gb)`; equal for the original and the restored state. */
export function describeGpuState({ mig, instances }: GpuState): string {
  const places = instances.map((one) => {
    const parts = one.computeInstances.map(({ profile }) => profile).toSorted();
    return `${placeOf(one)} (${parts.join(', ')})`;
  });
  const pending = mig === undefined || mig.pending === mig.current ? [] : [`${mig.pending} pending`];
  return [`MIG mode ${mig?.current ?? 'unknown'}`, ...pending, ...places].join(', ');
}

export function listMigUuids({ instances }: GpuState): readonly string[] {
  return instances.flatMap(({ computeInstances }) => computeInstances.flatMap(({ uuid }) => uuid ?? []));
}
