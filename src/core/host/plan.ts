// Room host: one host without Kubernetes, and the files that people bring or send: what they say, never how they are read or written.
// Ask here for the live layout of a host as a file, and what applying a layout would do to each GPU, also in words.
import { reportDevice } from '../device/agent.ts';
import type { GpuReport, GpuSelector, PolicyLayout, Strategy, GpuWish, PolicySpec } from '../../api/types.ts';
import { canonicalJson } from '../text/json.ts';
import { layoutOf } from '../device/plan.ts';
import {
  type DeviceState,
  type MigMode,
  describeProcess,
  type GpuState,
  DeviceError,
  explainFault,
} from '../gpu/device-state.ts';
import { type GpuTarget, planTargetNow } from '../smi/change.ts';
import { resolveNode } from '../policy/resolve-node.ts';
import type { GpuChange, Step } from '../gpu/plan.ts';
import { countWords } from '../text/words.ts';
import { writeLayout, type Layout, type Geometry } from '../gpu/geometry.ts';
import { drawGpu } from '../gpu/grid.ts';

/** How the entries of an export identify their GPUs: UUIDs only match this machine, indices also match identical ones. */
type ExportBy = 'uuids' | 'indices';

interface ExportedGpu {
  readonly index: number;
  readonly uuid: string;
  readonly pciBusId: string;
  readonly product: string;
  /** Null for a GPU without MIG. */
  readonly mig: MigMode | null;
  readonly instances: readonly {
    readonly profile: string;
    readonly start: number;
    readonly size: number;
    readonly computeInstances: readonly string[];
    readonly busy: boolean;
  }[];
}

/** The live layout; the shape of `export -o json`, which `-f` accepts. */
export interface NodeExport {
  readonly layouts: readonly PolicyLayout[];
  readonly device: { readonly driverVersion: string; readonly gpus: readonly ExportedGpu[] };
}

interface Group {
  readonly gpus: readonly GpuReport[];
  readonly content: PolicyLayout;
}

/** What an export is to look like. */
interface ExportOptions {
  readonly by: ExportBy;
  /** Layouts as in a policy, or a config file of mig-parted. */
  readonly format: 'layouts' | 'mig-parted';
  /** Name of the config in a mig-parted file. */
  readonly config: string;
}

/** Exports the live layout as a file, and tells what the file leaves out. */
export function exportHost(device: DeviceState, { by, format, config }: ExportOptions) {
  const problems = listUnexported(device);
  if (format === 'mig-parted') return { format, file: exportMigParted(device, config), problems };
  return { format, ...exportLayouts(device, by), problems };
}

/** The layouts of the GPUs, with what they do not say as comments: which GPUs these are, and where their instances are. */
function exportLayouts(device: DeviceState, by: ExportBy) {
  const groups = groupGpus(device);
  const others = device.gpus.filter(({ mig }) => mig === undefined);
  const file: NodeExport = {
    layouts: groups.map(({ gpus, content }) => ({ gpus: select(gpus, by), ...content })),
    device: { driverVersion: device.driverVersion, gpus: device.gpus.map(describeGpu) },
  };
  return {
    file,
    /** A line for each GPU of each entry. */
    comments: groups.map(({ gpus }) => gpus.map(({ uuid }) => commentOn(device, uuid))),
    /** A line for each GPU without MIG. */
    others: others.map(({ uuid }) => commentOn(device, uuid)),
  };
}

/** Exports a mig-parted config file; GPUs without MIG are omitted, unless there are no others. */
function exportMigParted(device: DeviceState, config: string): unknown {
  const specs = groupGpus(device).map(({ gpus, content }) => ({
    devices: gpus.length === device.gpus.length ? 'all' : gpus.map(({ index }) => index),
    'mig-enabled': content.mig === undefined,
    'mig-devices': content.profiles ?? {},
  }));
  return { version: 'v1', 'mig-configs': { [config]: specs } };
}

/** What an export leaves out, one sentence each: applying it would destroy such instances. */
function listUnexported({ gpus, lost }: DeviceState): readonly string[] {
  return [
    ...lost.map(({ pciBusId, fault }) => `GPU at ${pciBusId} does not answer: ${fault.message}`),
    ...gpus.flatMap(({ index, fault }) =>
      fault === undefined ? [] : [`GPU ${index} cannot be read: ${fault.code}: ${fault.message}`],
    ),
    ...gpus.flatMap(({ index, instances }) =>
      instances
        .filter(({ computeInstances }) => computeInstances.length === 0)
        .map(({ profile, start }) => `GPU ${index}: ${profile} at ${start} has no compute instance and is left out`),
    ),
  ];
}

function groupGpus(device: DeviceState): readonly Group[] {
  const groups = new Map<string, Group>();
  const readable = (reportDevice(device).gpus ?? []).filter(({ error }) => error === undefined);
  const capable = readable.filter(({ mig }) => mig !== undefined);
  // No file may be without an entry.
  for (const gpu of capable.length > 0 ? capable : readable) {
    const content = contentOf(gpu);
    const key = canonicalJson(content);
    groups.set(key, { content, gpus: [...(groups.get(key)?.gpus ?? []), gpu] });
  }
  return [...groups.values()];
}

function contentOf(gpu: GpuReport): PolicyLayout {
  if (gpu.mig !== 'Enabled') return { mig: 'Disabled' };
  const profiles = layoutOf(gpu);
  return Object.keys(profiles).length === 0 ? { preset: 'all-enabled' } : { profiles };
}

function select(gpus: readonly GpuReport[], by: ExportBy): GpuSelector {
  return by === 'uuids' ? { uuids: gpus.map(({ uuid }) => uuid) } : { indices: gpus.map(({ index }) => index) };
}

function describeGpu({ index, uuid, pciBusId, product, mig, instances }: DeviceState['gpus'][number]): ExportedGpu {
  return {
    index,
    uuid,
    pciBusId,
    product,
    mig: mig?.current ?? null,
    instances: instances.map(({ profile, start, size, computeInstances, processes }) => ({
      profile,
      start,
      size,
      computeInstances: computeInstances.map((part) => part.profile),
      busy: processes.length > 0,
    })),
  };
}

function commentOn({ gpus }: DeviceState, uuid: string): string {
  const gpu = gpus.find((one) => one.uuid === uuid);
  if (gpu === undefined) return uuid;
  const places = gpu.instances.map(({ profile, start }) => `${profile} at ${start}`).join(', ');
  const state =
    gpu.mig === undefined ? 'no MIG' : gpu.mig.current === 'Disabled' ? 'MIG off' : places || 'no instances';
  return `GPU ${gpu.index}, ${gpu.product}, ${gpu.pciBusId}: ${state}`;
}

/** What the GPUs of this node should become, from whatever file. */
export interface NodeLayout {
  /** Layouts as in a policy's spec: for each GPU the first matching entry decides. */
  readonly layouts: readonly PolicyLayout[];
  /** The strategy; undefined if the file does not say how the node advertises its slices: that is then not checked. */
  readonly strategy: Strategy | undefined;
  /** Position of an entry or the strategy: `layout.yaml:3:5: layouts[0]`. */
  readonly locate: (place: { readonly entry: number } | 'strategy') => string;
}

/** Why no part of a layout may be applied to this node, with the numbers. */
export interface NodeRefusal {
  /** `NoGpuMatches`, or the reason that a policy's condition would give. */
  readonly code: string;
  /** Starts with the position in the file. */
  readonly message: string;
}

type NodeTargets =
  | {
      readonly targets: readonly GpuTarget[];
      /** Entries that apply to no GPU of this node, and why; each starts with the position in the file. */
      readonly skipped: readonly string[];
    }
  | { readonly refusal: NodeRefusal };

/** The target of each GPU, by the rules of a policy; a refusal is about the whole node and nothing is touched. */
export function resolveTargets(layout: NodeLayout, device: DeviceState): NodeTargets {
  // The user of the command is responsible for the host: no instance is foreign to it.
  const allow = { replaceForeignInstances: true };
  const spec: PolicySpec = { nodeSelector: {}, strategy: layout.strategy ?? 'none', layouts: layout.layouts, allow };
  const resolved = resolveNode(spec, reportDevice(device), undefined);
  if ('wish' in resolved) {
    // For mig-parted a filter without a match is a success; the node would then not match the file.
    if (resolved.wish.gpus.length === 0) return { refusal: refuseNothing(layout, device) };
    const skipped = resolved.skipped.map(({ entry, message }) => `${layout.locate({ entry })}: ${message}`);
    return { targets: resolved.wish.gpus.map(toTarget), skipped };
  }
  const { entry, refusal } = resolved;
  const place = layout.locate(entry === undefined ? 'strategy' : { entry });
  return { refusal: { code: refusal.reason, message: `${place}: ${refusal.message}` } };
}

function toTarget({ uuid, mig, profiles }: GpuWish): GpuTarget {
  return { uuid, want: mig === 'Disabled' ? 'Disabled' : (profiles ?? {}) };
}

function refuseNothing({ locate }: NodeLayout, { gpus }: DeviceState): NodeRefusal {
  const names = gpus.map(({ index, product, pciDeviceId, migCapable }) => {
    return `GPU ${index} (${product}, ${pciDeviceId ?? 'unknown PCI id'}${migCapable ? '' : ', without MIG'})`;
  });
  const found = names.length === 0 ? 'it has no GPU' : `it has ${names.join(', ')}`;
  return { code: 'NoGpuMatches', message: `${locate({ entry: 0 })}: no entry applies to a GPU of this node: ${found}` };
}

/** An instance on a GPU, now or after the plan. */
interface PlannedPlace {
  readonly profile: string;
  /** The first memory slice. */
  readonly start: number;
  /** Processes that run on it: `pid 4242 (python3 train.py)`; absent if none does. */
  readonly holders?: readonly string[];
}

/** Why a GPU is refused, or does not answer. */
type HostFault = ReturnType<typeof explainFault>;

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
  /** Whether no GPU may change if one cannot. Strategy single implies it. */
  readonly allOrNothing?: boolean;
}

/** A plan, what follows from it, and the same for people. */
interface PlannedHost {
  readonly plan: HostPlan;
  /** Whether all GPUs have to change, or none. */
  readonly allOrNothing: boolean;
  /** The GPUs to change; none if nothing may be touched. Instances that appeared after the plan are in no plan and are not destroyed. */
  readonly targets: readonly GpuTarget[];
  /** The plan for people and journals: a block for each GPU that changes or cannot, a line for each of the others. */
  readonly lines: readonly string[];
  /** Everything that blocks the plan, one sentence each. */
  readonly problems: readonly string[];
  /** How the GPUs differ from the layout, one sentence each; none if the plan would do nothing. */
  readonly unmet: readonly string[];
  /** The name of a GPU in messages. */
  readonly nameOf: (uuid: string) => string;
}

/** Plans a node from a fresh reading, with the driver's own tables: `apply` does exactly what the plan says. */
export function planHost(device: DeviceState, layout: NodeLayout, limits: HostLimits = {}): PlannedHost {
  const plan = planGpus(device, layout, limits);
  const allOrNothing = limits.allOrNothing === true || layout.strategy === 'single';
  const mayStart = plan.reason === undefined && (plan.state !== 'Refused' || !allOrNothing);
  const changing = plan.gpus.filter(({ outcome }) => mayStart && outcome === 'Change');
  return {
    plan,
    allOrNothing,
    targets: changing.map(({ uuid, want = {}, steps, resets }) => ({ uuid, want, steps, resets: resets === true })),
    lines: writeHostPlan(plan, device),
    problems: listProblems(plan),
    unmet: listUnmet(plan),
    nameOf: (uuid) => {
      const gpu = plan.gpus.find((one) => one.uuid === uuid);
      return gpu === undefined ? uuid : nameGpu(gpu);
    },
  };
}

function planGpus(
  device: DeviceState,
  layout: NodeLayout,
  { held = new Set(), mayReset = false }: HostLimits,
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
  { held, mayReset }: Required<Omit<HostLimits, 'allOrNothing'>>,
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
    const change = planTargetNow(gpu, want, { held, mayTouch: () => true }, { driverVersion, mayReset });
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
  // On a GPU in MIG mode, a process whose instance the driver does not report may be on any.
  const holders = [...processes, ...gpu.processes].map(describeProcess);
  return { profile, start, ...(holders.length > 0 && { holders }) };
}

function writeHostPlan(plan: HostPlan, device: DeviceState): readonly string[] {
  const lines = plan.gpus.flatMap((gpu) => {
    const geometry = device.gpus.find(({ uuid }) => uuid === gpu.uuid)?.geometry;
    // If nothing may be touched, the outcome of single GPUs does not matter.
    return plan.reason === undefined ? writeGpu(gpu, geometry) : [];
  });
  return [...lines, ...plan.skipped.map((reason) => `skipped: ${reason}`), summarize(plan)];
}

function nameGpu({ index, product, pciBusId }: HostGpuPlan): string {
  return `GPU ${index} (${product.replace(/^NVIDIA /, '')}, ${pciBusId})`;
}

/** A GPU's target or current state: `2×1g.5gb + 1×3g.20gb`, `MIG off`. */
function writeWant(want: Layout | 'Disabled' | undefined): string {
  if (want === undefined) return 'as it is';
  return want === 'Disabled' ? 'MIG off' : writeLayout(want);
}

function listProblems({ reason, gpus, lost }: HostPlan): readonly string[] {
  if (reason !== undefined) return [`${reason.code}: ${reason.message}; nothing was touched`];
  return [
    ...gpus.flatMap((gpu) => (gpu.error === undefined ? [] : [`${nameGpu(gpu)}: ${gpu.error.message}`])),
    ...lost.map(({ pciBusId, error }) => `GPU at ${pciBusId} does not answer: ${error.message}`),
  ];
}

function listUnmet(plan: HostPlan): readonly string[] {
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
