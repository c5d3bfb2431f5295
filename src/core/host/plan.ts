import type { Layout, Geometry } from '../gpu/geometry.ts';
import { type GpuChange, type Step, type GpuTarget, judgeChange } from '../gpu/plan.ts';
import { describeProcess, isBusy, type DeviceState, type GpuState, type MigMode } from '../gpu/device-state.ts';
import { DeviceError } from '../gpu/device-error.ts';
import { explainFault, type HostFault, type NodeLayout, resolveTargets, type NodeRefusal } from './layout.ts';
import { countWords } from '../text/words.ts';
import { writeLayout } from '../gpu/layout.ts';
import { drawGpu } from '../gpu/picture.ts';

// The door to plans of one host: what applying a layout would do to each GPU (planHost), and the same in words.

/** An instance on a GPU, now or after the plan. */
interface PlannedPlace {
  readonly profile: string;
  /** The first memory slice. */
  readonly start: number;
  /** Processes that run on it: `pid 4242 (python3 train.py)`; absent if none does. */
  readonly holders?: readonly string[];
}

interface HostGpuPlan {
  readonly index: number;
  readonly uuid: string;
  readonly pciBusId: string;
  readonly product: string;
  /** `LeftAlone`: no entry of the layout is for this GPU. `Refused`: it cannot reach its target, or not now. */
  readonly outcome: 'LeftAlone' | 'Unchanged' | 'Change' | 'Refused';
  /** The GPU's target; absent if it is left alone. */
  readonly want?: Layout | 'Disabled';
  /** MIG mode now and after the plan; null for a GPU without MIG, or one that does not report it. */
  readonly mig: { readonly now: MigMode | null; readonly after: MigMode | null };
  readonly keep: readonly PlannedPlace[];
  readonly destroy: readonly PlannedPlace[];
  readonly create: readonly PlannedPlace[];
  /** Operations on instances, in order, including compute instances of instances that stay. */
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
  /** GPUs by index. */
  readonly gpus: readonly HostGpuPlan[];
  /** GPUs that do not answer. */
  readonly lost: readonly { readonly pciBusId: string; readonly error: HostFault }[];
  /** Layout entries that apply to no GPU of this node, and why: `layout.yaml:3:5: layouts[1]: GPU 1 (Tesla T4) has no MIG …`. */
  readonly skipped: readonly string[];
}

interface HostLimits {
  /** UUIDs that pods hold. */
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

/** A plan for people and journals: a block for each GPU that changes or cannot, a line for each of the others. */
export function writeHostPlan(plan: HostPlan, device: DeviceState): readonly string[] {
  const lines = plan.gpus.flatMap((gpu) => {
    const geometry = device.gpus.find(({ uuid }) => uuid === gpu.uuid)?.geometry;
    // If nothing may be touched, the outcome of single GPUs does not matter.
    return plan.reason === undefined ? writeGpu(gpu, geometry) : [];
  });
  return [...lines, ...plan.skipped.map((reason) => `skipped: ${reason}`), summarize(plan)];
}

export function nameGpu({ index, product, pciBusId }: HostGpuPlan): string {
  return `GPU ${index} (${product.replace(/^NVIDIA /, '')}, ${pciBusId})`;
}

/** A GPU's target or current state: `2×1g.5gb + 1×3g.20gb`, `MIG off`. */
function writeWant(want: Layout | 'Disabled' | undefined): string {
  if (want === undefined) return 'as it is';
  return want === 'Disabled' ? 'MIG off' : writeLayout(want);
}

/** Everything that blocks a plan, one sentence each. */
export function listProblems({ reason, gpus, lost }: HostPlan): readonly string[] {
  if (reason !== undefined) return [`${reason.code}: ${reason.message}; nothing was touched`];
  return [
    ...gpus.flatMap((gpu) => (gpu.error === undefined ? [] : [`${nameGpu(gpu)}: ${gpu.error.message}`])),
    ...lost.map(({ pciBusId, error }) => `GPU at ${pciBusId} does not answer: ${error.message}`),
  ];
}

/** How the GPUs differ from the layout of a plan, one sentence each; none if it would do nothing. */
export function listUnmet(plan: HostPlan): readonly string[] {
  if (plan.reason !== undefined) return listProblems(plan);
  return [...plan.gpus.flatMap(describeDifference), ...listProblems({ ...plan, gpus: [] })];
}

function describeDifference(gpu: HostGpuPlan): readonly string[] {
  if (gpu.outcome === 'LeftAlone' || gpu.outcome === 'Unchanged') return [];
  const has = [...gpu.keep, ...gpu.destroy].toSorted((a, b) => a.start - b.start);
  const places = has.map(({ profile, start }) => `${profile} at ${start}`).join(', ') || 'no instances';
  const now = gpu.mig.now === 'Enabled' ? places : gpu.mig.now === 'Disabled' ? 'MIG off' : 'no MIG mode';
  const why = gpu.error === undefined ? '' : `; it cannot be had now: ${gpu.error.message}`;
  return [`${nameGpu(gpu)}: has ${now}; should be ${writeWant(gpu.want)}${why}`];
}

function writeGpu(gpu: HostGpuPlan, geometry: Geometry | undefined): readonly string[] {
  const head = `${nameGpu(gpu)}: ${describe(gpu)}`;
  if (gpu.outcome === 'LeftAlone' || gpu.outcome === 'Unchanged') return [head];
  const draw = (when: 'now' | 'after', places: readonly PlannedPlace[]): readonly string[] => {
    if (geometry === undefined) return [];
    const shown = places.map((place) => ({ ...place, busy: place.holders !== undefined }));
    return [`  ${when.padEnd(5)} ${drawGpu(geometry, gpu.mig[when] === 'Enabled' ? shown : undefined)}`];
  };
  const now = draw('now', [...gpu.keep, ...gpu.destroy]);
  if (gpu.outcome === 'Refused') return [head, ...now];
  const parts = gpu.steps.filter(({ action }) => action.endsWith('ComputeInstances'));
  return [
    head,
    ...now,
    ...draw('after', [...gpu.keep, ...gpu.create]),
    `  keep: ${writePlaces(gpu.keep)}`,
    `  destroy: ${writePlaces(gpu.destroy)}`,
    `  create: ${writePlaces(gpu.create)}`,
    ...parts.map(({ action, profile, start, computeInstances }) => {
      const verb = action === 'CreateComputeInstances' ? 'create' : 'destroy';
      return `  ${verb} on ${profile} at ${start}: ${computeInstances.join(', ')}`;
    }),
    ...(gpu.isTableUnchecked ? ['  unchecked: the driver shows the profiles of this GPU only with MIG mode on'] : []),
  ];
}

function describe({ outcome, want, mig, resets }: HostGpuPlan): string {
  const mode = mig.now === mig.after ? '' : ` (MIG mode ${mig.now ?? 'unknown'} to ${mig.after ?? 'unknown'})`;
  switch (outcome) {
    case 'LeftAlone':
      return mig.now === null ? 'left alone, it has no MIG' : 'left alone, no entry is for it';
    case 'Unchanged':
      return `unchanged, ${writeWant(want)}`;
    case 'Change':
      return `becomes ${writeWant(want)}${mode}${resets === true ? ', with the reset that its driver asks for' : ''}`;
    case 'Refused':
      return `cannot become ${writeWant(want)}`;
  }
}

function writePlaces(places: readonly PlannedPlace[]): string {
  if (places.length === 0) return 'nothing';
  return places
    .toSorted((a, b) => a.start - b.start)
    .map(({ profile, start, holders }) => {
      const who = holders === undefined ? '' : ` (in use by ${holders.join(', ')})`;
      return `${profile} at ${start}${who}`;
    })
    .join(', ');
}

function summarize({ state, reason, gpus, lost }: HostPlan): string {
  if (reason !== undefined) return 'plan: refused, nothing may be touched';
  const count = (outcome: HostGpuPlan['outcome']) => gpus.filter((gpu) => gpu.outcome === outcome).length;
  const places = (kind: 'keep' | 'destroy' | 'create') =>
    gpus.filter(({ outcome }) => outcome === 'Change').reduce((sum, gpu) => sum + gpu[kind].length, 0);
  if (state === 'Unchanged') return 'plan: nothing to do';
  const bad = [
    ...(count('Refused') > 0 ? [`${count('Refused')} refused`] : []),
    ...(lost.length > 0 ? [`${lost.length} not answering`] : []),
  ];
  const change = `${count('Change')} of ${countWords(gpus.length + lost.length, 'GPU')} to change: keep ${places('keep')}, destroy ${places('destroy')}, create ${countWords(places('create'), 'instance')}`;
  return `plan: ${[change, ...bad].join('; ')}`;
}
