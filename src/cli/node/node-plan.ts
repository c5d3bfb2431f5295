import type { Layout } from '../../core/gpu/geometry/geometry.ts';
import type { Step } from '../../core/gpu/plan/step.ts';
import type { GpuTarget } from '../../device/apply/apply-options.ts';
import type { DeviceDriver } from '../../device/command/driver.ts';
import { DeviceError } from '../../device/errors.ts';
import { GpuApply } from '../../device/apply/gpu-apply.ts';
import { planEmptying, planSteps } from '../../device/apply/gpu-plan.ts';
import { isBusy, type DeviceState, type GpuState, type MigMode } from '../../device/reading/state.ts';
import { explainFault, type HostFault } from './host-fault.ts';
import type { NodeLayout } from './node-layout.ts';
import { resolveTargets, type NodeRefusal } from './node-targets.ts';

/** An instance on a GPU, now or once the plan is done. */
export interface PlannedPlace {
  readonly profile: string;
  /** First memory slice. */
  readonly start: number;
  /** Who runs on it: `pid 4242 (python3 train.py)`; only where somebody does. */
  readonly holders?: readonly string[];
}

export interface GpuPlan {
  readonly index: number;
  readonly uuid: string;
  readonly pciBusId: string;
  readonly product: string;
  /** `LeftAlone`: no entry of the layout is for this GPU. `Refused`: it cannot become what it shall be, or not now. */
  readonly outcome: 'LeftAlone' | 'Unchanged' | 'Change' | 'Refused';
  /** What it shall be; absent where it is left alone. */
  readonly want?: Layout | 'Disabled';
  /** MIG mode now and after the plan; null for a GPU without MIG, or that does not say. */
  readonly mig: { readonly now: MigMode | null; readonly after: MigMode | null };
  readonly keep: readonly PlannedPlace[];
  readonly destroy: readonly PlannedPlace[];
  readonly create: readonly PlannedPlace[];
  /** All operations on instances, in their order, compute instances of instances that stay included. */
  readonly steps: readonly Step[];
  /** Why it is refused. */
  readonly error?: HostFault;
}

/** What applying a layout to this node would do; the shape of `plan -o json`. */
export interface NodePlan {
  /** `Refused` if a GPU is refused or does not answer, or `reason` is given; GPUs with outcome `Change` may still be changed. */
  readonly state: 'Unchanged' | 'Change' | 'Refused';
  /** Why nothing at all may be touched. */
  readonly reason?: NodeRefusal;
  /** By index. */
  readonly gpus: readonly GpuPlan[];
  /** GPUs that do not answer. */
  readonly lost: readonly { readonly pciBusId: string; readonly error: HostFault }[];
}

/** Plans a node on what was just read, with the driver's own planner: what it says is what `apply` does. */
export function planNode(driver: DeviceDriver, device: DeviceState, layout: NodeLayout): NodePlan {
  const resolved = resolveTargets(layout, device);
  const targets = 'targets' in resolved ? resolved.targets : [];
  const gpus = device.gpus.map((gpu) => planGpu(driver, gpu, targets));
  const lost = device.lost.map(({ pciBusId, fault }) => {
    const details = { tried: 'to read the GPU', found: fault.message, gpu: pciBusId };
    return { pciBusId, error: explainFault(new DeviceError(fault.code, details)) };
  });
  if ('refusal' in resolved) return { state: 'Refused', reason: resolved.refusal, gpus, lost };
  if (lost.length > 0 || gpus.some(({ outcome }) => outcome === 'Refused')) return { state: 'Refused', gpus, lost };
  return { state: gpus.some(({ outcome }) => outcome === 'Change') ? 'Change' : 'Unchanged', gpus, lost };
}

function planGpu(driver: DeviceDriver, gpu: GpuState, targets: readonly GpuTarget[]): GpuPlan {
  const { index, uuid, pciBusId, product } = gpu;
  const now = gpu.mig?.current ?? null;
  const known = { index, uuid, pciBusId, product };
  const idle = { keep: gpu.instances.map((one) => placeOf(gpu, one)), destroy: [], create: [], steps: [] };
  const target = targets.find((one) => one.uuid === uuid);
  if (target === undefined) return { ...known, outcome: 'LeftAlone', mig: { now, after: now }, ...idle };
  const { want } = target;
  const after = now === null ? null : want === 'Disabled' ? 'Disabled' : 'Enabled';
  try {
    const work = new GpuApply({ driver, options: {}, disrupted: false }, gpu, target, new Set());
    if (!work.judge()) return { ...known, outcome: 'Unchanged', want, mig: { now, after }, ...idle };
    const steps =
      want === 'Disabled' ? planEmptying(gpu, new Set(), () => true) : planSteps(gpu, want, new Set(), () => true);
    return { ...known, outcome: 'Change', want, mig: { now, after }, ...sortSteps(gpu, steps), steps };
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return { ...known, outcome: 'Refused', want, mig: { now, after: now }, ...idle, error: explainFault(error) };
  }
}

function sortSteps(gpu: GpuState, steps: readonly Step[]): Pick<GpuPlan, 'keep' | 'destroy' | 'create'> {
  const gone = new Set(steps.flatMap(({ action, start }) => (action === 'DestroyInstance' ? [start] : [])));
  return {
    keep: gpu.instances.filter(({ start }) => !gone.has(start)).map((one) => placeOf(gpu, one)),
    destroy: gpu.instances.filter(({ start }) => gone.has(start)).map((one) => placeOf(gpu, one)),
    create: steps
      .flatMap(({ action, profile, start }) => (action === 'CreateInstance' ? [{ profile, start }] : []))
      .toSorted((a, b) => a.start - b.start),
  };
}

function placeOf(gpu: GpuState, instance: GpuState['instances'][number]): PlannedPlace {
  const { profile, start, processes } = instance;
  if (!isBusy(gpu, instance)) return { profile, start };
  return { profile, start, holders: processes.map(({ pid, name }) => `pid ${pid} (${name})`) };
}
