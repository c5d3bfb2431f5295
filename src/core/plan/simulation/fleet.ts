// Room plan: what a change of policies would do to a cluster, foreseen with the controller's own decisions; nothing is written.
// Ask here for the nodes of a snapshot as they are simulated, and how policies and their schedules begin with them.
import type { Geometry, Layout } from '../../gpu/geometry.ts';
import { type Random, DAY } from './trace.ts';
import type { SimulatedPod } from './pods.ts';
import { WHOLE } from '../../gpu/profiles.ts';
import type { GpuPartitionPolicy } from '../../../api/types.ts';
import { readMembers } from '../../demand/recommend.ts';
import { type ClusterFacts, type GpuNode, listGpuNodes } from '../../cluster/facts.ts';
import { type LabelSelection, meetsSelection } from '../../kubernetes/node.ts';
import { byPrecedence, selectsNode, isPlanned, judgeSchedules, specUnder } from '../../policy/spec.ts';
import { resolveNode } from '../../policy/resolve-node.ts';
import { findCap } from '../../rollout/budget.ts';

/** A GPU of a snapshot. */
interface StartGpu {
  readonly uuid: string;
  readonly product: string;
  readonly geometry: Geometry;
  readonly instances: readonly { readonly profile: string; readonly start: number; readonly busy: boolean }[];
  /** True if nothing changes on the GPU: it is unhealthy, somebody else's, or used by what no eviction moves. */
  readonly isFixed: boolean;
  /** True if the GPU stays whole, or stays partitioned: its MIG mode may not change. */
  readonly keepsMode: boolean;
}

export interface StartNode {
  readonly name: string;
  readonly gpus: readonly StartGpu[];
}

/** A slice that exists. */
export interface SimulatedSlice {
  readonly gpu: FleetGpu;
  readonly profile: string;
  readonly start: number;
  task: SimulatedPod | undefined;
  /** Place in the list of idle slices; -1 if it is not there. */
  place: number;
}

export interface FleetGpu {
  readonly id: string;
  readonly node: FleetNode;
  readonly uuid: string;
  readonly product: string;
  readonly geometry: Geometry;
  readonly isFixed: boolean;
  readonly keepsMode: boolean;
  /** The GPU's slices, ordered by start; a GPU without MIG mode has one, which is whole. */
  slices: SimulatedSlice[];
  /** Counts changes of its slices and their use. */
  version: number;
}

interface FleetNode {
  readonly name: string;
  readonly gpus: FleetGpu[];
  /** Whether it takes new pods: not while its GPUs change. */
  isOpen: boolean;
}

/** GPUs whose slices are used and freed, made and destroyed. */
export class SimulationFleet {
  readonly nodes: readonly FleetNode[];
  readonly gpus: readonly FleetGpu[];
  /** Slices that a pod may take, by profile. */
  readonly #idle = new Map<string, SimulatedSlice[]>();

  constructor(nodes: readonly StartNode[]) {
    this.nodes = nodes.map(({ name, gpus }) => {
      const node: FleetNode = { name, gpus: [], isOpen: true };
      for (const { instances, ...gpu } of gpus) {
        const made: FleetGpu = { ...gpu, id: `${name}/${gpu.uuid}`, node, slices: [], version: 0 };
        node.gpus.push(made);
        this.relay(made, [], instances);
      }
      return node;
    });
    this.gpus = this.nodes.flatMap(({ gpus }) => gpus);
  }

  /** The slices that were in use when the snapshot was taken. */
  listInUse(nodes: readonly StartNode[]): readonly SimulatedSlice[] {
    const busy = new Set(
      nodes.flatMap(({ name, gpus }) =>
        gpus.flatMap(({ uuid, instances }) =>
          instances.flatMap((one) => (one.busy ? [`${name}/${uuid}@${one.start}`] : [])),
        ),
      ),
    );
    return this.gpus.flatMap(({ id, slices }) => slices.filter(({ start }) => busy.has(`${id}@${start}`)));
  }

  /** Picks an idle slice of a profile at random: the scheduler does not prefer one. */
  pick(profile: string, random: Random): SimulatedSlice | undefined {
    const list = this.#idle.get(profile) ?? [];
    return list.length === 0 ? undefined : list[random.integer(list.length)];
  }

  use(slice: SimulatedSlice, task: SimulatedPod): void {
    this.#hide(slice);
    slice.task = task;
    slice.gpu.version += 1;
  }

  free(slice: SimulatedSlice): void {
    slice.task = undefined;
    slice.gpu.version += 1;
    this.#show(slice);
  }

  close(node: FleetNode): void {
    node.isOpen = false;
    for (const slice of node.gpus.flatMap(({ slices }) => slices)) this.#hide(slice);
  }

  /** @returns the profiles of its slices */
  open(node: FleetNode): ReadonlySet<string> {
    node.isOpen = true;
    const slices = node.gpus.flatMap((gpu) => gpu.slices);
    for (const slice of slices) this.#show(slice);
    return new Set(slices.map(({ profile }) => profile));
  }

  /** Makes a GPU's slices others. Those that go must not be in use. */
  relay(
    gpu: FleetGpu,
    destroy: readonly { readonly start: number }[],
    create: readonly { readonly profile: string; readonly start: number }[],
  ): void {
    const gone = new Set(destroy.map(({ start }) => start));
    for (const slice of gpu.slices) if (gone.has(slice.start)) this.#hide(slice);
    const made = create.map(({ profile, start }): SimulatedSlice => ({
      gpu,
      profile,
      start,
      task: undefined,
      place: -1,
    }));
    gpu.slices = [...gpu.slices.filter(({ start }) => !gone.has(start)), ...made].toSorted((a, b) => a.start - b.start);
    gpu.version += 1;
    for (const slice of made) this.#show(slice);
  }

  #show(slice: SimulatedSlice): void {
    if (slice.place !== -1 || slice.task !== undefined || !slice.gpu.node.isOpen) return;
    const list = this.#idle.get(slice.profile) ?? [];
    this.#idle.set(slice.profile, list);
    slice.place = list.push(slice) - 1;
  }

  #hide(slice: SimulatedSlice): void {
    if (slice.place === -1) return;
    const list = this.#idle.get(slice.profile) ?? [];
    const last = list.pop();
    if (last !== undefined && last !== slice) {
      list[slice.place] = last;
      last.place = slice.place;
    }
    slice.place = -1;
  }
}

/** The layout of a GPU with MIG mode off. */
const wholeLayout: Layout = { [WHOLE]: 1 };

/** What policies want from a time on, until a schedule begins or ends. */
interface SchedulePhase {
  /** Seconds from the start of the simulation. */
  readonly at: number;
  /** The policy that decides over each node, as it is then. */
  readonly policyOf: ReadonlyMap<string, GpuPartitionPolicy>;
  /** What policies with layouts make of GPUs, by node and UUID. */
  readonly layouts: ReadonlyMap<string, Layout>;
}

/** One way to partition a fleet. */
export interface SideStart {
  readonly nodes: readonly StartNode[];
  /** What policies want, switch by switch: the first from the beginning. */
  readonly phases: readonly SchedulePhase[];
  /** Seconds for which a node takes no pods while its GPUs change, by policy. */
  readonly changeSeconds: ReadonlyMap<string, number>;
  /** Nodes of all policies that may change at a time. */
  readonly cap: number;
}

interface SimulatedTime {
  /** Ms since the epoch. */
  readonly startMs: number;
  readonly days: number;
}

/** The times at which a schedule of any policy begins or ends, in seconds from the start, which is the first of them. */
function listSwitches(policies: readonly GpuPartitionPolicy[], time: SimulatedTime): readonly number[] {
  const times = new Set([0, ...policies.flatMap((policy) => switchesOf(policy, time))]);
  return [...times].toSorted((a, b) => a - b);
}

function switchesOf({ spec }: GpuPartitionPolicy, { startMs, days }: SimulatedTime): readonly number[] {
  const switches: number[] = [];
  const end = startMs + days * DAY * 1000;
  for (let at: number | undefined = startMs; at !== undefined && at < end;) {
    const times = judgeSchedules(spec, undefined, at);
    const next = times?.next === undefined ? times?.judgeAt : Date.parse(times.next.time);
    if (next !== undefined && next < end) switches.push((next - startMs) / 1000);
    at = next;
  }
  return switches;
}

/** Policies as they are at a time, in the same order; one that is the same at two times is the same object. */
class ScheduledPolicies {
  readonly #policies: readonly GpuPartitionPolicy[];
  readonly #variants = new Map<GpuPartitionPolicy, Map<string | undefined, GpuPartitionPolicy>>();

  constructor(policies: readonly GpuPartitionPolicy[]) {
    this.#policies = policies;
  }

  /** @param now in ms since the epoch */
  at(now: number): readonly GpuPartitionPolicy[] {
    return this.#policies.map((policy) => {
      const mark = judgeSchedules(policy.spec, undefined, now)?.mark;
      if (mark === undefined) return policy;
      const variants = this.#variants.get(policy) ?? new Map<string | undefined, GpuPartitionPolicy>();
      this.#variants.set(policy, variants);
      const known = variants.get(mark.name);
      if (known) return known;
      // Its canary is that of this schedule.
      const made = { ...policy, spec: specUnder(policy.spec, mark.name), status: { ...policy.status, schedule: mark } };
      variants.set(mark.name, made);
      return made;
    });
  }
}

/** A node that cannot take the layouts of its policy, and stays as it is. */
interface RefusedNode {
  readonly node: string;
  readonly policy: string;
  readonly message: string;
}

/** The GPU nodes of a snapshot under the policies of each side. */
interface SimulatedStart {
  readonly gpuNodes: readonly GpuNode[];
  readonly sides: readonly SideStart[];
  /** Nodes that cannot take the layouts of a policy. */
  readonly refused: readonly RefusedNode[];
  /** What policies say and no simulation does, in words. */
  readonly ignored: readonly string[];
}

/**
 * How a fleet starts under the policies of its snapshot, and those given before them, side by side.
 *
 * @param given policies of each side
 * @param time when it starts, and for how long schedules continue; on which nodes: if absent, on all with GPUs
 */
export function startSides(
  facts: ClusterFacts,
  given: readonly (readonly GpuPartitionPolicy[])[],
  { selection, ...time }: SimulatedTime & { readonly selection?: LabelSelection | undefined },
): SimulatedStart {
  const gpuNodes = listGpuNodes(facts).filter(
    ({ labels }) => selection === undefined || meetsSelection(selection, labels),
  );
  const starts = given.map((policies) => startSide(facts, gpuNodes, policies, time));
  return {
    gpuNodes,
    sides: starts.map(({ side }) => side),
    refused: starts.flatMap(({ refused }) => refused),
    ignored: [...new Set(starts.flatMap(({ ignored }) => ignored))],
  };
}

/** How a fleet starts under the policies of its snapshot, and given ones before them, and how their schedules continue. */
function startSide(
  facts: ClusterFacts,
  gpuNodes: readonly GpuNode[],
  given: readonly GpuPartitionPolicy[],
  time: SimulatedTime,
): { readonly side: SideStart; readonly refused: readonly RefusedNode[]; readonly ignored: readonly string[] } {
  const policies = withGenerations(facts.policies, given);
  const scheduled = new ScheduledPolicies(policies);
  const wants = new Map<string, Wanted>();
  const phases = listSwitches(policies, time).map((at) => {
    const then = scheduled.at(time.startMs + at * 1000);
    const key = then.map(({ status }) => status?.schedule?.name ?? '').join('\n');
    const known = wants.get(key) ?? readWanted(gpuNodes, then);
    wants.set(key, known);
    return { at, policyOf: known.policyOf, layouts: known.layouts };
  });
  const policyOf = phases[0]?.policyOf;
  const side = {
    nodes: gpuNodes.map((one) => readNode(one, policyOf?.get(one.name))),
    phases,
    changeSeconds: new Map(policies.flatMap((policy) => paceOf(policy, facts.policies))),
    cap: findCap(facts.policies, facts.partitions),
  };
  const played = new Set([...wants.values()].flatMap(({ policyOf }) => [...policyOf.values()]));
  return {
    side,
    refused: [...wants.values()].flatMap(({ refused }) => refused),
    ignored: [...listIdle(given, [...played]), ...new Set([...played].flatMap(listIgnored))],
  };
}

/** A wrong node selector looks like a policy that is as good as none. */
function listIdle(given: readonly GpuPartitionPolicy[], played: readonly GpuPartitionPolicy[]): readonly string[] {
  const nameOf = ({ metadata }: GpuPartitionPolicy) => metadata.name;
  const names = given.map(nameOf);
  if (names.length === 0 || played.some((policy) => names.includes(nameOf(policy)))) return [];
  return [`these nodes are not those of policy ${names.join(', ')}: what is there now is played`];
}

/** What a policy says and a simulation does not do, in words. */
function listIgnored({ metadata: { name }, spec }: GpuPartitionPolicy): readonly string[] {
  const { sharing, demand: { rest = 'Keep' } = {} } = spec;
  return [
    ...(rest === 'Keep' ? [] : [`demand.rest: ${rest} of policy ${name} is not played: idle GPUs stay as they are`]),
    ...(sharing === undefined ? [] : [`sharing of policy ${name} is not played: each slice takes one pod`]),
  ];
}

interface Wanted extends Omit<SchedulePhase, 'at'> {
  readonly refused: readonly RefusedNode[];
}

function readWanted(gpuNodes: readonly GpuNode[], policies: readonly GpuPartitionPolicy[]): Wanted {
  const refused: RefusedNode[] = [];
  const policyOf = new Map<string, GpuPartitionPolicy>();
  const layouts = new Map<string, Layout>();
  for (const { name, labels, partition } of gpuNodes) {
    const policy = policies.find(({ spec }) => selectsNode(spec.nodeSelector, labels));
    if (policy === undefined) continue;
    policyOf.set(name, policy);
    const { device } = partition?.status ?? {};
    if (device === undefined || policy.spec.layouts === undefined) continue;
    const resolved = resolveNode(policy.spec, device, partition?.spec.wish);
    if ('refusal' in resolved)
      refused.push({ node: name, policy: policy.metadata.name, message: resolved.refusal.message });
    for (const gpu of 'wish' in resolved ? resolved.wish.gpus : [])
      layouts.set(`${name}/${gpu.uuid}`, gpu.mig === 'Disabled' ? wholeLayout : (gpu.profiles ?? {}));
  }
  return { policyOf, layouts, refused };
}

/** Orders policies by precedence: the given ones before those of the snapshot, of which the ones that only plan do not count. */
function withGenerations(
  present: readonly GpuPartitionPolicy[],
  given: readonly GpuPartitionPolicy[],
): readonly GpuPartitionPolicy[] {
  const names = new Set(given.map(({ metadata }) => metadata.name));
  const edited = given.map((policy) => {
    const before = present.find(({ metadata }) => metadata.name === policy.metadata.name);
    const generation = (before?.metadata.generation ?? 0) + 1;
    return { ...policy, metadata: { ...policy.metadata, generation } };
  });
  const kept = present.filter((policy) => !names.has(policy.metadata.name) && !isPlanned(policy));
  return [...edited.toSorted(byPrecedence), ...kept.toSorted(byPrecedence)];
}

/** The pace of a policy's last changes; for a policy that has changed nothing yet, that of the others. */
function paceOf(
  { metadata }: GpuPartitionPolicy,
  present: readonly GpuPartitionPolicy[],
): readonly (readonly [string, number])[] {
  const known = present.flatMap(({ metadata: { name }, status }) =>
    status?.pace !== undefined && status.pace.nodes > 0
      ? [{ name, seconds: Math.max(1, Math.round(status.pace.seconds / status.pace.nodes)) }]
      : [],
  );
  const [first] = [...known.filter(({ name }) => name === metadata.name), ...known];
  return first === undefined ? [] : [[metadata.name, first.seconds]];
}

/** @param policy that decides over it here, which may be another than in the cluster */
function readNode({ name, partition }: GpuNode, policy: GpuPartitionPolicy | undefined): StartNode {
  if (partition === undefined) return { name, gpus: [] };
  // What a change was about to make of it does not happen: the simulation starts from what is there.
  const { granted: _granted, wish: _wish, ...spec } = partition.spec;
  const gpus = readMembers(policy, { partition: { ...partition, spec } }, 'IfNeeded', true).map(
    ({ gpu, product, present, wish }) => ({
      uuid: wish.uuid,
      product,
      geometry: gpu.geometry,
      instances: present,
      isFixed: gpu.isResting === true,
      keepsMode: gpu.keepsMode === true,
    }),
  );
  return { name, gpus };
}
