import type { Layout, Profile } from '../gpu/geometry.ts';
import { layoutOf } from '../device/plan.ts';
import { planTarget } from '../gpu/plan.ts';
import { reportDevice } from '../device/report.ts';
import { type DeviceState, type GpuState, isBusy, listUuids, type MigMode } from '../gpu/device-state.ts';
import { placeOf } from '../gpu/grid.ts';
import { DeviceError } from '../gpu/device-error.ts';

/** Why changes cannot be tried on a GPU; undefined if they can. */
export function refuseTest(gpu: GpuState, device: DeviceState, held: ReadonlySet<string>): string | undefined {
  const { fault, health, mig, processes, instances } = gpu;
  if (fault !== undefined) return `it cannot be read: ${fault.code}: ${fault.message}`;
  if (mig === undefined) return 'it has no MIG';
  if (health !== undefined) return `it is not well: ${health.message}`;
  if (mig.current !== mig.pending) return `MIG mode ${mig.pending} is pending: a reset or a reboot ends that`;
  const busy = instances.filter((instance) => isBusy(gpu, instance, held));
  if (processes.length > 0 || busy.length > 0 || held.has(gpu.uuid)) {
    const where = busy.map(({ profile, start }) => `${profile} at ${start}`).join(', ');
    return `somebody uses it${where === '' ? '' : ` (${where})`}: choose a GPU that nobody uses`;
  }
  const stranger = [...held].find((id) => !id.startsWith('GPU-') && !listUuids(device).has(id));
  if (stranger !== undefined) return `a pod holds ${stranger}, which cannot be located: it may be on this GPU`;
  if (instances.length === 0) return undefined;
  const layout = layoutBefore(gpu, device);
  const isWhole = layout !== undefined && instances.every(({ computeInstances }) => computeInstances.length > 0);
  if (isWhole && planTarget(gpu, layout, { held, mayTouch: () => false }).isDone) return undefined;
  return 'it has instances that no layout describes, so that they could not be put back as they are';
}

/** The GPU's current state as a layout. */
export function layoutBefore({ uuid }: GpuState, device: DeviceState): Layout | undefined {
  const report = reportDevice(device).gpus?.find((one) => one.uuid === uuid);
  return report && layoutOf(report);
}

/** The outcome for one profile. */
export interface ProfileTest {
  readonly profile: string;
  readonly start: number;
  readonly outcome: 'Passed' | 'Failed';
  /** Milliseconds to create it, including reading it back. */
  readonly makeMs: number;
  /** Milliseconds to read the GPU once more, table by table. */
  readonly verifyMs: number;
  /** Milliseconds to destroy it, including reading it back. */
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

/** The result for a GPU on which nothing was tried. */
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

/** Describes the mode and the instances: `MIG mode Enabled, 3g.20gb@4 (3g.20gb)`; equal for the original and the restored state. */
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
