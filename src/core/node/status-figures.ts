// Room node: what happens on one node: the commands that bring it to its policy, what is remembered and told of it, and what is counted.
// Ask here for what metrics count of a fleet and of its changes, in ms; no figure is of a single node, pod or GPU.
import type { GpuNodePartition, InstanceReport, Phase } from '../../api/types.ts';
import type { Geometry } from '../gpu/geometry.ts';
import { gridOf } from '../gpu/grid.ts';
import { liveGeometry } from '../device/plan.ts';
import { type NodeReason, nodeReasons } from '../../api/names.ts';
import { endings } from './grants.ts';
import type { NodeMemory } from './memory.ts';
import type { NodeStep } from './commands.ts';

/** A count of something, by its distinguishing labels. */
export interface Figure<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

/** A fleet in numbers: none of them is about a single node, pod or GPU. */
interface FleetCounts {
  readonly nodes: readonly Figure<'policy' | 'phase' | 'reason'>[];
  readonly gpus: readonly Figure<'pool' | 'product' | 'state'>[];
  /** GPUs by the action that the driver asks for; they are counted in `gpus` too. */
  readonly unhealthy: readonly Figure<'pool' | 'action'>[];
  readonly instances: readonly Figure<'pool' | 'profile' | 'state'>[];
  /** Slices of GPUs in MIG mode that belong to no instance, so that they cannot be used in this layout. */
  readonly stranded: readonly Figure<'pool' | 'resource'>[];
  /** Nodes whose last grant or reading failed. */
  readonly deviceErrors: readonly Figure<'code'>[];
}

/** Labels that identify node pools, by precedence. */
const poolLabels = [
  'karpenter.sh/nodepool',
  'cloud.google.com/gke-nodepool',
  'eks.amazonaws.com/nodegroup',
  'kubernetes.azure.com/agentpool',
  'pool',
];

type LabelsOfNode = Readonly<Record<string, string>>;

/** The pool of a node; empty if no label names one. */
export function poolOf(labels: LabelsOfNode | undefined): string {
  const key = poolLabels.find((label) => labels?.[label] !== undefined);
  return key === undefined ? '' : (labels?.[key] ?? '');
}

type GpuKind = Pick<GpuPartitionGroup, 'pool' | 'product' | 'state' | 'geometry' | 'instances'>;

interface GpuPartitionGroup {
  readonly pool: string;
  readonly product: string;
  readonly state: 'whole' | 'mig' | 'unreadable';
  readonly geometry: Geometry | undefined;
  readonly instances: readonly InstanceReport[];
  count: number;
}

/**
 * Counts a fleet. GPUs with equal instances share their list in the controller, so that they are counted once.
 *
 * @param labelsOf the labels of a node by its name
 */
export function countFleet(
  partitions: Iterable<GpuNodePartition>,
  labelsOf: (node: string) => LabelsOfNode | undefined,
): FleetCounts {
  const nodes = new Sums<'policy' | 'phase' | 'reason'>();
  const deviceErrors = new Sums<'code'>();
  const unhealthy = new Sums<'pool' | 'action'>();
  const groups = new GpuGroups();
  for (const partition of partitions) {
    const { spec, status, metadata } = partition;
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    const labels = {
      policy: spec.policy?.name ?? '',
      phase: status?.phase ?? 'Pending',
      reason: ready?.reason ?? 'AgentNotReporting',
    };
    nodes.add(labels, 1);
    const { device } = status ?? {};
    if (device?.error) deviceErrors.add({ code: device.error.code }, 1);
    const pool = poolOf(labelsOf(metadata.name));
    for (const gpu of device?.gpus ?? []) {
      if (gpu.health) unhealthy.add({ pool, action: gpu.health.action }, 1);
      const state = gpu.error !== undefined ? 'unreadable' : gpu.mig === 'Enabled' ? 'mig' : 'whole';
      const geometry = state === 'mig' && device ? liveGeometry(device, gpu) : undefined;
      groups.add({ pool, product: gpu.product, state, geometry, instances: gpu.instances });
    }
  }
  return {
    nodes: nodes.list(),
    deviceErrors: deviceErrors.list(),
    unhealthy: unhealthy.list(),
    ...countGpus(groups.list()),
  };
}

function countGpus(groups: readonly GpuPartitionGroup[]): Pick<FleetCounts, 'gpus' | 'instances' | 'stranded'> {
  const gpus = new Sums<'pool' | 'product' | 'state'>();
  const instances = new Sums<'pool' | 'profile' | 'state'>();
  const stranded = new Sums<'pool' | 'resource'>();
  for (const { pool, product, state, geometry, instances: list, count } of groups) {
    gpus.add({ pool, product, state }, count);
    for (const { profile, busy } of list) {
      // 0 is worth knowing: of a profile of which none is free, pods wait.
      instances.add({ pool, profile, state: 'used' }, busy === true ? count : 0);
      instances.add({ pool, profile, state: 'free' }, busy === true ? 0 : count);
    }
    if (geometry === undefined) continue;
    const left = strandedSlices(geometry, list);
    stranded.add({ pool, resource: 'compute' }, count * left.compute);
    stranded.add({ pool, resource: 'memory' }, count * left.memory);
  }
  return { gpus: gpus.list(), instances: instances.list(), stranded: stranded.list() };
}

/** Slices of a GPU in MIG mode that belong to no instance. */
export function strandedSlices(
  geometry: Geometry,
  instances: readonly Pick<InstanceReport, 'profile'>[],
): { readonly compute: number; readonly memory: number } {
  const grid = gridOf(geometry);
  const held = instances.flatMap(({ profile }) => grid.profiles[grid.indexOf.get(profile) ?? -1] ?? []);
  const sum = (key: 'computeSlices' | 'memorySlices'): number => held.reduce((all, one) => all + one[key], 0);
  return {
    compute: Math.max(0, geometry.computeSlices - sum('computeSlices')),
    memory: Math.max(0, geometry.memorySlices - sum('memorySlices')),
  };
}

/** Groups GPUs by everything that is counted of them. */
class GpuGroups {
  readonly #byInstances = new Map<readonly InstanceReport[], GpuPartitionGroup[]>();

  add(kind: GpuKind): void {
    const alike = this.#byInstances.get(kind.instances) ?? [];
    const group = alike.find(
      ({ pool, product, state, geometry }) =>
        pool === kind.pool && product === kind.product && state === kind.state && geometry === kind.geometry,
    );
    if (group) group.count += 1;
    else alike.push({ ...kind, count: 1 });
    if (!group) this.#byInstances.set(kind.instances, alike);
  }

  list(): readonly GpuPartitionGroup[] {
    return [...this.#byInstances.values()].flat();
  }
}

class Sums<Label extends string> {
  readonly #sums = new Map<string, { readonly labels: Readonly<Record<Label, string>>; value: number }>();

  add(labels: Readonly<Record<Label, string>>, amount: number): void {
    const key = Object.values(labels).join('\n');
    const known = this.#sums.get(key);
    if (known) known.value += amount;
    else this.#sums.set(key, { labels, value: amount });
  }

  list(): readonly Figure<Label>[] {
    return [...this.#sums.values()];
  }
}

/** The steps on which a change spends its time, in order; `other` is anything else that delays it. */
const changeSteps = ['plan', 'slot', 'drain', 'device', 'refresh', 'other'] as const;
type ChangeStep = (typeof changeSteps)[number];

/** A change of one node, from its wish until the node is Ready. Times in ms. */
interface NodeChangeClock {
  readonly since: number;
  readonly step: ChangeStep;
  readonly stepSince: number;
  readonly spent: Readonly<Partial<Record<ChangeStep, number>>>;
  /** A wish that the device already matches is not a change. */
  readonly isGranted: boolean;
  /** An earlier leader saw its beginning: how long it took as a whole is not known. */
  readonly isPartial?: true;
}

/** The result of one look at a node. */
export interface ChangeLook {
  readonly phase: Phase;
  readonly reason: string;
  readonly hasWish: boolean;
  readonly hasGrant: boolean;
}

interface ChangeAdvance {
  /** The clock of the change; undefined if none is under way. */
  readonly clock: NodeChangeClock | undefined;
  /** The times of a change that ended with this look: the total, and each step that took part. */
  readonly ended?: { readonly totalMs: number; readonly spent: NodeChangeClock['spent'] };
}

const stepOfReason: Readonly<Record<string, ChangeStep>> = {
  AwaitingPlan: 'plan',
  BackendUnknown: 'plan',
  AwaitingSlot: 'slot',
  Paused: 'slot',
  PlanOnly: 'slot',
  PolicyInvalid: 'slot',
  NodeNotReady: 'slot',
  ForeignCordon: 'slot',
  AwaitingGrant: 'drain',
  Draining: 'drain',
  EvictionBlocked: 'drain',
  DrainLoop: 'drain',
  DrainTimeout: 'drain',
  PodsUseGpus: 'drain',
  ProcessesUseGpus: 'drain',
  ClientsStay: 'drain',
  DriverUpgrade: 'drain',
  Applying: 'device',
  NodeRestarted: 'device',
  AdvertisePending: 'refresh',
  RefreshBlocked: 'refresh',
  LabelsStale: 'refresh',
  NoDevicePlugin: 'refresh',
  NoDraDriver: 'refresh',
  NoDraApi: 'refresh',
  BackendMismatch: 'refresh',
};

/** Takes in one look at a node. A new wish restarts the change; a node without a policy has none. */
export function advanceChange(before: NodeChangeClock | undefined, look: ChangeLook, now: number): ChangeAdvance {
  if (look.hasWish) {
    return { clock: { since: now, step: 'plan', stepSince: now, spent: {}, isGranted: look.hasGrant } };
  }
  const step = stepOf(look);
  if (before === undefined) {
    if (look.phase !== 'Updating' && look.phase !== 'Waiting') return { clock: undefined };
    return { clock: { since: now, step, stepSince: now, spent: {}, isGranted: look.hasGrant, isPartial: true } };
  }
  if (look.phase === 'Unmanaged') return { clock: undefined };
  const isGranted = before.isGranted || look.hasGrant;
  const spent = { ...before.spent, [before.step]: (before.spent[before.step] ?? 0) + now - before.stepSince };
  if (look.phase === 'Ready') {
    const isKnown = isGranted && before.isPartial !== true;
    return { clock: undefined, ...(isKnown && { ended: { totalMs: now - before.since, spent } }) };
  }
  if (step === before.step) return { clock: { ...before, isGranted } };
  return { clock: { ...before, step, stepSince: now, spent, isGranted } };
}

/** Milliseconds for which a change has been under way, without its wait for a slot; undefined while it waits for one. */
export function timeUnderWay({ since, step, spent }: NodeChangeClock, now: number): number | undefined {
  return step === 'slot' ? undefined : now - since - (spent.slot ?? 0);
}

/** The step that a reason belongs to. Nothing changes on a node that cannot take its policy. */
function stepOf({ phase, reason }: ChangeLook): ChangeStep {
  return phase === 'Invalid' ? 'slot' : (stepOfReason[reason] ?? 'other');
}

/** What is to be counted of one look at a node. */
interface StepFigures extends Pick<ChangeAdvance, 'ended'> {
  readonly hasGrant: boolean;
  /** One for each eviction that was asked for. */
  readonly evictions: readonly ('evicted' | 'blocked')[];
  /** The reason for which the node has come to count as Failed. */
  readonly failure: NodeReason | undefined;
  /** How long the node was closed, if it has just been opened. */
  readonly closedSeconds: number | undefined;
}

/** Where a fleet is read. */
interface FleetSource {
  readonly partitions: { list(): readonly GpuNodePartition[] };
  readonly nodes: { get(name: string): { readonly metadata: { readonly labels?: LabelsOfNode } } | undefined };
}

/** Milliseconds for which counts are kept: one scrape asks several metrics for the same ones. */
const countsAgeMs = 1000;

/** What is counted of a fleet: how it is, and the changes that are under way in it, look by look. Times in ms since the epoch. */
export class FleetFigures {
  /** The reasons with which a node may count as Failed. */
  static readonly failureReasons: readonly NodeReason[] = nodeReasons.filter((reason) => endings[reason] !== undefined);
  #counted: { readonly at: number; readonly counts: FleetCounts } | undefined;
  readonly #clocks = new Map<string, NodeChangeClock>();
  readonly #failed = new Map<string, string>();
  /** Nodes that are closed, and since when. */
  readonly #closedSince = new Map<string, number>();

  /** The fleet as it is, or was a moment ago. */
  count({ partitions, nodes }: FleetSource, now: number): FleetCounts {
    if (this.#counted === undefined || now - this.#counted.at > countsAgeMs) {
      this.#counted = { at: now, counts: countFleet(partitions.list(), (node) => nodes.get(node)?.metadata.labels) };
    }
    return this.#counted.counts;
  }

  /** Takes in one look at a node. */
  take({ node, verdict, commands, memory }: NodeStep, now: number): StepFigures {
    const { phase, reason } = verdict;
    const hasGrant = commands.some(({ name }) => name === 'WriteGrant');
    const hasWish = commands.some((command) => command.name === 'WriteWish' && command.fields.wish !== null);
    const { clock, ended } = advanceChange(this.#clocks.get(node), { phase, reason, hasWish, hasGrant }, now);
    if (clock) this.#clocks.set(node, clock);
    else this.#clocks.delete(node);
    const isNew = phase === 'Failed' && this.#failed.get(node) !== reason;
    if (phase === 'Failed') this.#failed.set(node, reason);
    else this.#failed.delete(node);
    return {
      hasGrant,
      evictions: commands.flatMap((command) => {
        if (command.name !== 'EvictPod') return [];
        return memory.evictions[command.pod.uid]?.refusal === undefined ? ['evicted'] : ['blocked'];
      }),
      failure: isNew ? reason : undefined,
      closedSeconds: this.#takeClosed(node, memory.closed),
      ...(ended && { ended }),
    };
  }

  #takeClosed(node: string, { since, lastSeconds = 0 }: NonNullable<NodeMemory['closed']> = {}): number | undefined {
    if (since === undefined) return this.#closedSince.delete(node) ? lastSeconds : undefined;
    this.#closedSince.set(node, since);
    return undefined;
  }

  /** The age of the oldest change that is under way, in ms, without its wait for a slot; 0 if none is. */
  oldestMs(now: number): number {
    return Math.max(0, ...[...this.#clocks.values()].map((clock) => timeUnderWay(clock, now) ?? 0));
  }

  /** The age of the longest closing of a node that is closed, in ms; 0 if none is. */
  longestClosedMs(now: number): number {
    return Math.max(0, ...[...this.#closedSince.values()].map((since) => now - since));
  }

  /** Call this when a node is gone. */
  forget(node: string): void {
    for (const known of [this.#clocks, this.#failed, this.#closedSince]) known.delete(node);
  }
}
