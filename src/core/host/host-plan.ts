import type { Layout } from '../gpu/geometry/geometry.ts';
import type { GpuChange } from '../gpu/plan/gpu-change.ts';
import type { Step } from '../gpu/plan/step.ts';
import { type GpuTarget, judgeChange } from '../gpu/target/plan-target.ts';
import { describeProcess } from '../gpu/state/device-users.ts';
import { DeviceError } from '../gpu/state/device-error.ts';
import { isBusy, type DeviceState, type GpuState, type MigMode } from '../gpu/state/device-state.ts';
import { explainFault, type HostFault } from './host-fault.ts';
import type { NodeLayout } from './host-layout.ts';
import { resolveTargets, type NodeRefusal } from './host-targets.ts';

/** An instance on a GPU, now or after the plan. */
export interface PlannedPlace {
  readonly profile: string;
  /** First memory slice. */
  readonly start: number;
  /** What runs on it: `pid 4242 (python3 train.py)`; absent if nothing does. */
  readonly holders?: readonly string[];
}

export interface HostGpuPlan {
  readonly index: number;
  readonly uuid: string;
  readonly pciBusId: string;
  readonly product: string;
  /** `LeftAlone`: no entry of the layout is for this GPU. `Refused`: it cannot reach its target, or not now. */
  readonly outcome: 'LeftAlone' | 'Unchanged' | 'Change' | 'Refused';
  /** Its target; absent if it is left alone. */
  readonly want?: Layout | 'Disabled';
  /** MIG mode now and after the plan; null for a GPU without MIG, or one that does not report it. */
  readonly mig: { readonly now: MigMode | null; readonly after: MigMode | null };
  readonly keep: readonly PlannedPlace[];
  readonly destroy: readonly PlannedPlace[];
  readonly create: readonly PlannedPlace[];
  /** All operations on instances, in order, including compute instances of instances that stay. */
  readonly steps: readonly Step[];
  /** The GPU is reset after everything on it has been destroyed, since its driver asks for that. */
  readonly resets?: true;
  /** Planned by another table than the GPU's own, which its driver shows once MIG mode is on: `apply` checks it then. */
  readonly isTableUnchecked?: true;
  /** Why it is refused. */
  readonly error?: HostFault;
}

/** What applying a layout to this node would do; the shape of `plan -o json`. */
export interface HostPlan {
  /** `Refused` if a GPU is refused or does not answer, or `reason` is set; GPUs with outcome `Change` may still be changed. */
  readonly state: 'Unchanged' | 'Change' | 'Refused';
  /** Why nothing may be touched at all. */
  readonly reason?: NodeRefusal;
  /** By index. */
  readonly gpus: readonly HostGpuPlan[];
  /** GPUs that do not answer. */
  readonly lost: readonly { readonly pciBusId: string; readonly error: HostFault }[];
  /** Layout entries that apply to no GPU of this node, and why: `layout.yaml:3:5: layouts[1]: GPU 1 (Tesla T4) has no MIG …`. */
  readonly skipped: readonly string[];
}

interface HostLimits {
  /** What pods hold. */
  readonly held?: ReadonlySet<string>;
  /** Whether a GPU may be reset if its driver asks for it. */
  readonly mayReset?: boolean;
}

/** Plans a node from a fresh reading, with the driver's own tables: `apply` does exactly what the plan says. */
export function planHost(
  device: DeviceState,
  layout: NodeLayout,
  { held = new Set(), mayReset = false }: HostLimits = {},
): HostPlan {
  const resolved = resolveTargets(layout, device);
  const targets = 'targets' in resolved ? resolved.targets : [];
  const gpus = device.gpus.map((gpu) => planGpu(gpu, targets, { held, mayReset }, device.driverVersion));
  const lost = device.lost.map(({ pciBusId, fault }) => {
    const details = { tried: 'to read the GPU', found: fault.message, gpu: pciBusId };
    return { pciBusId, error: explainFault(new DeviceError(fault.code, details)) };
  });
  if ('refusal' in resolved) return { state: 'Refused', reason: resolved.refusal, gpus, lost, skipped: [] };
  const { skipped } = resolved;
  const has = (wanted: HostGpuPlan['outcome']) => gpus.some(({ outcome }) => outcome === wanted);
  if (lost.length > 0 || has('Refused')) return { state: 'Refused', gpus, lost, skipped };
  return { state: has('Change') ? 'Change' : 'Unchanged', gpus, lost, skipped };
}

function planGpu(
  gpu: GpuState,
  targets: readonly GpuTarget[],
  { held, mayReset }: Required<HostLimits>,
  driverVersion: string,
): HostGpuPlan {
  const { index, uuid, pciBusId, product } = gpu;
  const now = gpu.mig?.current ?? null;
  const known = { index, uuid, pciBusId, product };
  const idle = { keep: gpu.instances.map((one) => placeOf(gpu, one)), destroy: [], create: [], steps: [] };
  const target = targets.find((one) => one.uuid === uuid);
  if (target === undefined) return { ...known, outcome: 'LeftAlone', mig: { now, after: now }, ...idle };
  const { want } = target;
  const after = now === null ? null : want === 'Disabled' ? 'Disabled' : 'Enabled';
  try {
    const change = judgeChange(gpu, want, { held, mayTouch: () => true }, { driverVersion, mayReset });
    if (change.isDone) return { ...known, outcome: 'Unchanged', want, mig: { now, after }, ...idle };
    const { steps, resets } = change;
    const isTableUnchecked = gpu.tableSource !== 'Own' && want !== 'Disabled';
    const how = { steps, ...(resets && { resets }), ...(isTableUnchecked && { isTableUnchecked }) };
    return { ...known, outcome: 'Change', want, mig: { now, after }, ...listPlaces(gpu, change), ...how };
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return { ...known, outcome: 'Refused', want, mig: { now, after: now }, ...idle, error: explainFault(error) };
  }
}

function listPlaces(gpu: GpuState, { destroy, create }: GpuChange): Pick<HostGpuPlan, 'keep' | 'destroy' | 'create'> {
  const gone = new Set(destroy.map(({ start }) => start));
  return {
    keep: gpu.instances.filter(({ start }) => !gone.has(start)).map((one) => placeOf(gpu, one)),
    destroy: gpu.instances.filter(({ start }) => gone.has(start)).map((one) => placeOf(gpu, one)),
    create: create.map(({ profile, start }) => ({ profile, start })),
  };
}

function placeOf(gpu: GpuState, instance: GpuState['instances'][number]): PlannedPlace {
  const { profile, start, processes } = instance;
  if (!isBusy(gpu, instance)) return { profile, start };
  return { profile, start, holders: [...processes, ...gpu.processes].map(describeProcess) };
}
