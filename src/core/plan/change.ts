// Room plan: what a change of policies would do to a cluster, foreseen with the controller's own decisions; nothing is written.
// Ask here for the nodes, waves and findings of a change, for the waves of rollouts, and for the moves that free slices.
import { Fleet, type NodePolicy } from '../policy/fleet.ts';
import type { PolicyRecord } from '../policy/record.ts';
import type { GpuNodePartition, GpuPartitionPolicy, DemandState } from '../../api/types.ts';
import { type PodView, defaultSystemNamespaces } from '../kubernetes/pod.ts';
import { fillDefaults } from '../policy/schema.ts';
import { compareText, deepEqual } from '../text/json.ts';
import { timeText } from '../text/syntax.ts';
import { findCap, type NodeRolloutState } from '../rollout/budget.ts';
import { describeGate, RolloutPlay } from '../rollout/ledger.ts';
import type { NodeSnapshot } from '../node/snapshot.ts';
import { forecastNode, type NodePreview } from '../node/decide.ts';
import { foreseeNodes, type PlannedNode } from './node.ts';
import { judgePlan, type PlanFault, writeChangePlan } from './text.ts';
import type { ClusterFacts } from '../cluster/facts.ts';
import type { BudgetView } from '../node/eviction.ts';

import type { NodeView } from '../kubernetes/node.ts';
import type { DemandReport } from '../policy/spec.ts';
import type { PlannedPool, PlanQuestion } from '../demand/plan-pool.ts';
import { ForeseenDemand, reportFailure } from '../demand/state.ts';
import type { KueueReading } from '../demand/kueue.ts';
import type { Layout } from '../gpu/geometry.ts';

function fillFleet(cluster: ClusterState, after: PoliciesAfter, setup: ControllerSetup): Fleet {
  const fleet = new Fleet({ sharing: setup.pluginConfigMap !== undefined });
  // An edit leaves in force what was: the fleet has to know it.
  for (const policy of [...cluster.policies, ...after.policies]) fleet.setPolicy(policy);
  for (const { metadata } of cluster.nodes) fleet.setNode(metadata.name, metadata.labels ?? {});
  for (const partition of cluster.partitions) fleet.review(partition.metadata.name, partition);
  return fleet;
}

/**
 * Accepts what the controller would accept; of the given policies also what it would not because of some nodes: the plan is for the
 * others, once those are gone.
 *
 * @returns why policies are not accepted, by name
 */
function acceptAll(
  fleet: Fleet,
  { partitionOf }: Located,
  given: ReadonlySet<string>,
  at: number,
): ReadonlyMap<string, string | undefined> {
  const refusals = new Map([...fleet.policies].map(({ name, refusal }) => [name, refusal?.message]));
  for (const record of fleet.policies) {
    if (!record.awaitsAcceptance) {
      switchSchedule(fleet, record, at);
      continue;
    }
    for (const node of record.unchecked) fleet.check(record, node, partitionOf.get(node));
    refusals.set(record.name, record.whyRefused);
    if (record.refused.size === 0 || given.has(record.name)) fleet.accept(record);
    switchSchedule(fleet, record, at);
  }
  return refusals;
}

function switchSchedule(fleet: Fleet, record: PolicyRecord, at: number): void {
  const times = record.timesAt(at);
  if (times) fleet.switch(record, times.mark);
}

/** A cluster with everything that belongs to a node indexed by its name. */
interface Located {
  readonly cluster: ClusterState;
  readonly nodeOf: ReadonlyMap<string, NodeView>;
  readonly partitionOf: ReadonlyMap<string, GpuNodePartition>;
  /** Pods without a node are under undefined. */
  readonly podsOf: ReadonlyMap<string | undefined, readonly PodView[]>;
}

function locate(cluster: ClusterState): Located {
  return {
    cluster,
    nodeOf: new Map(cluster.nodes.map((one) => [one.metadata.name, one])),
    partitionOf: new Map(cluster.partitions.map((one) => [one.metadata.name, one])),
    podsOf: Map.groupBy(cluster.pods, ({ spec }) => spec?.nodeName),
  };
}

/** Nodes and policies that a change of policies concerns. */
interface Involved {
  /** Nodes that the given policies select, or serve now. */
  readonly affected: ReadonlySet<string>;
  /** The affected nodes, and all that share a rollout with them. */
  readonly nodes: ReadonlySet<string>;
  /** All policies that select these nodes. */
  readonly policies: ReadonlySet<string>;
}

function listInvolved({ cluster, partitionOf }: Located, fleet: Fleet, names: ReadonlySet<string>): Involved {
  const affected = cluster.nodes
    .map(({ metadata }) => metadata.name)
    .filter((node) => {
      const served = partitionOf.get(node)?.spec.policy?.name;
      return fleet.policiesOf(node).some((name) => names.has(name)) || (served !== undefined && names.has(served));
    });
  const policies = new Set(affected.flatMap((node) => fleet.policiesOf(node)));
  const sharing = [...policies].flatMap((name) => [...(fleet.policy(name)?.nodes ?? [])]);
  return { affected: new Set(affected), nodes: new Set([...affected, ...sharing]), policies };
}

/** How a policy in a file differs from that of the cluster. */
interface PolicyChange {
  readonly policy: string;
  readonly change: 'New' | 'Changed' | 'Unchanged';
}

interface PolicyPreview extends PolicyChange {
  /** True if no node matches its selector. Absent otherwise. */
  readonly selectsNothing?: true;
  /** Why nothing of it starts: it is invalid, or a node that it selects cannot take it. */
  readonly refusal?: string;
  /** Why no more nodes start: paused, no window, halted. */
  readonly held?: string;
}

interface PoliciesAfter {
  readonly policies: readonly GpuPartitionPolicy[];
  /** The changes of the given policies, by name. */
  readonly changes: readonly PolicyChange[];
}

/** The policies of a cluster once the given ones are applied: they replace those of the same name, the others stay. */
function applyPolicies(
  present: readonly GpuPartitionPolicy[],
  given: readonly GpuPartitionPolicy[],
  now: number,
): PoliciesAfter {
  const applied = given
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name))
    .map((policy) =>
      applyPolicy(
        present.find(({ metadata }) => metadata.name === policy.metadata.name),
        policy,
        now,
      ),
    );
  const names = new Set(applied.map(({ policy }) => policy.metadata.name));
  return {
    policies: [...present.filter(({ metadata }) => !names.has(metadata.name)), ...applied.map(({ policy }) => policy)],
    changes: applied.map(({ policy, change }) => ({ policy: policy.metadata.name, change })),
  };
}

interface Applied {
  readonly policy: GpuPartitionPolicy;
  readonly change: PolicyChange['change'];
}

function applyPolicy(before: GpuPartitionPolicy | undefined, given: GpuPartitionPolicy, now: number): Applied {
  const spec = fillDefaults(given.spec);
  if (!before) {
    const { apiVersion, kind, metadata } = given;
    const { name } = metadata;
    const made = { name, uid: `new-${name}`, generation: 1, creationTimestamp: timeText(now) };
    return { policy: { apiVersion, kind, metadata: made, spec }, change: 'New' };
  }
  if (deepEqual(fillDefaults(before.spec), spec)) return { policy: before, change: 'Unchanged' };
  const generation = (before.metadata.generation ?? 0) + 1;
  return { policy: { ...before, metadata: { ...before.metadata, generation }, spec }, change: 'Changed' };
}

/** The effects of a change of policies on a cluster. */
export interface ChangePlan {
  readonly policies: readonly PolicyPreview[];
  /** Demands of these policies, and of others that share nodes with them. */
  readonly demands: readonly DemandPreview[];
  /** Nodes that these policies select, or have selected until now; by name. */
  readonly nodes: readonly PlannedNode[];
  /** An estimate: all nodes of a wave finish at the same time. */
  readonly waves: readonly Wave[];
  /** Seconds until all waves are done, at the pace of earlier changes; absent if none is known. Windows and soaks come on top. */
  readonly seconds?: number;
  readonly findings: readonly PlanFault[];
  readonly summary: string;
}

/** A change of policies, foreseen with the controller's own decisions. Layouts are chosen for its demands, one after the other, before it is planned. */
export class ForeseenChange {
  /** Policies with a demand whose layouts are to be chosen for it. */
  readonly demands: readonly PolicyRecord[];
  readonly #cluster: ClusterState;
  readonly #setup: ControllerSetup;
  readonly #at: number;
  /** The fleet with the policies as they are after the change, and with what was chosen for demands. */
  readonly #fleet: Fleet;
  readonly #after: PoliciesAfter;
  readonly #refusals: ReadonlyMap<string, string | undefined>;
  readonly #located: Located;
  readonly #involved: Involved;
  /** How the demands stand, by policy. */
  readonly #reports = new Map<string, DemandReport>();

  /** @param at when it is done: which schedules are in force, and which windows are open. The cluster counts as it is now */
  constructor(
    cluster: ClusterState,
    given: readonly GpuPartitionPolicy[],
    setup: ControllerSetup,
    at: number = cluster.now,
  ) {
    const after = applyPolicies(cluster.policies, given, cluster.now);
    const fleet = fillFleet(cluster, after, setup);
    const names = new Set(after.changes.map(({ policy }) => policy));
    const located = locate(cluster);
    this.#cluster = cluster;
    this.#setup = setup;
    this.#at = at;
    this.#fleet = fleet;
    this.#after = after;
    this.#located = located;
    this.#refusals = acceptAll(fleet, located, names, at);
    const involved = listInvolved(located, fleet, names);
    this.#involved = involved;
    this.demands = [...fleet.policies].filter(
      ({ name, policy, isAccepted, inForce }) =>
        policy.spec.demand !== undefined && (isAccepted || inForce !== undefined) && involved.policies.has(name),
    );
  }

  #foresee(record: PolicyRecord): ForeseenDemand {
    const { nodeOf: nodes, partitionOf: partitions } = this.#located;
    return new ForeseenDemand(record, { fleet: this.#fleet, nodes, partitions }, this.#cluster);
  }

  /** Chooses layouts for a demand, as the controller would now. @param held what Kueue holds back, if any demand follows that */
  *choose(
    record: PolicyRecord,
    held: KueueReading | undefined,
  ): Generator<PlanQuestion | undefined, void, PlannedPool> {
    const { wishes, report } = yield* this.#foresee(record).choose(held, this.#at);
    this.#fleet.choose(record.policy, wishes);
    this.#reports.set(record.name, report);
  }

  /** No layouts could be chosen for a demand. */
  fail({ name }: PolicyRecord, why: string): void {
    this.#reports.set(name, reportFailure('PlannerFailed', why));
  }

  /**
   * The cheapest moves after which slices are idle on the nodes of a policy.
   *
   * @param seconds that each plan may take
   * @returns in words why no GPU can have the slices, if so; undefined if the policy is being deleted
   */
  *free(policy: string, free: Layout, seconds: number) {
    const record = this.#fleet.policy(policy);
    if (!record) return undefined;
    const found = yield* this.#foresee(record).free(free, seconds);
    const hasDemand = record.policy.spec.demand !== undefined;
    return typeof found === 'string' ? found : { policy, hasDemand, free, ...found };
  }

  /** What the change does, with what was chosen for its demands: as data, and in 80 columns without faults and summary. */
  plan(): { readonly plan: ChangePlan; readonly lines: readonly string[] } {
    const { policies: present } = this.#cluster;
    const demands = [...this.#reports].map(
      ([
        policy,
        {
          states,
          condition: { reason, message },
        },
      ]): DemandPreview => ({ policy, slices: states, reason, message }),
    );
    const { changes } = this.#after;
    const names = new Set(changes.map(({ policy }) => policy));
    const changed = changes.flatMap(({ policy, change }) => (change === 'Unchanged' ? [] : [policy]));
    const own = { all: names, changed: new Set(changed) };
    const { affected } = this.#involved;
    const outlooks = forecastNodes(this.#located, this.#fleet, this.#involved, names, this.#setup);
    const { nodes, waves } = foreseeNodes(
      { outlooks, affected },
      forecast(this.#cluster, this.#fleet, outlooks, this.#setup, this.#at),
      own,
    );
    const policies = changes.map((change) => describePolicy(change, this.#fleet, this.#refusals, waves));
    // No option says otherwise, and no leader has written its own.
    const isToldOf = present.some(({ status }) => status?.limits?.maxConcurrentNodes !== undefined);
    const isAssumed = this.#setup.maxConcurrentNodes === undefined && !isToldOf;
    const seconds = estimateSeconds(waves.waves, nodes, present);
    const cap = waves.cap === undefined ? undefined : { most: waves.cap, isAssumed };
    const pace = seconds === undefined ? {} : { seconds };
    const found = { policies, demands, nodes, waves: waves.waves, ...pace };
    const plan = { ...found, ...judgePlan(found, cap) };
    return { plan, lines: writeChangePlan(plan) };
  }
}

/** A node takes as long as those of its policy did before, or of all policies where its own has changed none yet. */
function estimateSeconds(
  waves: readonly Wave[],
  nodes: readonly PlannedNode[],
  policies: readonly GpuPartitionPolicy[],
): number | undefined {
  const paces = policies.flatMap(({ metadata, status }) =>
    status?.pace ? [{ of: metadata.name, ...status.pace }] : [],
  );
  const known = paces.reduce((sum, pace) => sum + pace.nodes, 0);
  if (known === 0 || waves.length === 0) return undefined;
  const usual = paces.reduce((sum, pace) => sum + pace.seconds, 0) / known;
  const policyOf = new Map(nodes.map(({ node, policy }) => [node, policy]));
  const secondsOf = (node: string): number => {
    const own = paces.find(({ of }) => of === policyOf.get(node));
    return own === undefined ? usual : own.seconds / own.nodes;
  };
  return Math.round(waves.reduce((sum, wave) => sum + Math.max(...wave.nodes.map(secondsOf)), 0));
}

function forecastNodes(
  { cluster, partitionOf, podsOf }: Located,
  fleet: Fleet,
  { nodes }: Involved,
  given: ReadonlySet<string>,
  setup: ControllerSetup,
): ReadonlyMap<string, NodePreview> {
  const settings = settingsOf(setup);
  const involved = cluster.nodes.filter(({ metadata }) => nodes.has(metadata.name));
  return new Map(
    involved.map((node) => {
      const { name } = node.metadata;
      const partition = partitionOf.get(name);
      const claim = claimOf(fleet, name, partition, given);
      const { now, budgets } = cluster;
      const start = { now, node, partition, claim, settings, pods: podsOf.get(name) ?? [], budgets };
      return [name, forecastNode({ ...start, agent: viewAgent(start) })];
    }),
  );
}

/** What decides over a node; a given policy that only plans decides over none, but its plan is asked for. */
function claimOf(
  fleet: Fleet,
  node: string,
  partition: GpuNodePartition | undefined,
  given: ReadonlySet<string>,
): NodePolicy {
  const claim = fleet.claimOf(node, partition);
  const planning = claim.planning.find(({ metadata }) => given.has(metadata.name));
  const isGiven = claim.winner !== undefined && given.has(claim.winner.metadata.name);
  return planning && !isGiven ? fleet.previewClaim(planning, partition) : claim;
}

function forecast(
  cluster: ClusterState,
  fleet: Fleet,
  outlooks: ReadonlyMap<string, NodePreview>,
  setup: ControllerSetup,
  at: number,
): Waves {
  const rolloutStates = [...outlooks.values()].map(({ rolloutState }) => rolloutState);
  const deciding = new Set(rolloutStates.map(({ policy }) => policy));
  const policies = [...fleet.policies];
  const own = policies.flatMap((record) => (deciding.has(record.name) ? [inSchedule(record)] : []));
  const others = policies.flatMap(({ name, policy }) => (deciding.has(name) ? [] : [policy]));
  const cap = findCap(cluster.policies, cluster.partitions, setup.maxConcurrentNodes);
  return forecastWaves({ policies: own, others, rolloutStates, cap, now: at });
}

/** A policy with the canary of the schedule in force; an edit that asks for nothing new keeps the canary that it has. */
function inSchedule(record: PolicyRecord): GpuPartitionPolicy {
  const { policy } = record;
  const { schedule } = record.versions;
  const { canary, history } = policy.status ?? {};
  const { generation = 0 } = policy.metadata;
  const isKept = canary !== undefined && record.hasAskedSince(canary.generation, history);
  const status = {
    ...policy.status,
    ...(schedule && { schedule }),
    ...(isKept && { canary: { ...canary, generation } }),
  };
  return { ...policy, status };
}

function describePolicy(
  change: PolicyChange,
  fleet: Fleet,
  refusals: ReadonlyMap<string, string | undefined>,
  { held }: Waves,
): PolicyPreview {
  const refusal = refusals.get(change.policy);
  const hold = held.get(change.policy);
  const selectsNothing = fleet.policy(change.policy)?.tally.matched === 0;
  return {
    ...change,
    ...(selectsNothing && { selectsNothing }),
    ...(refusal !== undefined && { refusal }),
    ...(hold !== undefined && { held: hold }),
  };
}

/** Judges an agent as the controller judges one that it does not hear from; an object carries no other sign of life. */
function viewAgent({ partition }: { readonly partition: NodePreview['snapshot']['partition'] }): NodeSnapshot['agent'] {
  const ready = partition?.status?.conditions?.find(({ type }) => type === 'Ready');
  return { state: ready?.reason === 'AgentNotReporting' && partition?.status?.device?.gpus ? 'Missing' : 'Ready' };
}

/** Times do not matter, as nothing is carried out. */
function settingsOf({ pluginSelector, pluginConfigMap }: ControllerSetup): NodeSnapshot['settings'] {
  return {
    settleMs: 0,
    deadlineMs: 600_000,
    waitingPollMs: 5000,
    refreshAfterMs: 1000,
    advertiseDeadlineMs: 300_000,
    pluginRefresh: 'Signal',
    nodeStatus: 'Wait',
    tidyNodeStatus: false,
    nodeCondition: false,
    clientsDeadlineMs: 300_000,
    systemNamespaces: defaultSystemNamespaces,
    pluginSelector,
    pluginConfigMap,
  };
}

/** A cluster at one moment, read from the API server or from a file, of which everything is known that a plan depends on. */
export interface ClusterState extends ClusterFacts {
  readonly now: number;
  readonly pods: readonly PodView[];
  readonly budgets: readonly BudgetView[];
}

/** The controller's settings, as far as they affect a plan. */
export interface ControllerSetup extends Pick<NodeSnapshot['settings'], 'pluginSelector' | 'pluginConfigMap'> {
  /** The cap on nodes that change at a time; absent: what the controller says in the status of its policies, else its default. */
  readonly maxConcurrentNodes?: number | string | undefined;
}

/** How the demand of a policy stands with the layouts that were chosen for it. */
interface DemandPreview {
  readonly policy: string;
  /** The slices of the demand; their `offered` is what exists now. */
  readonly slices: readonly DemandState[];
  /** The reason that the condition DemandMet would have. */
  readonly reason: DemandReport['condition']['reason'];
  readonly message: string;
}

/** Nodes that change at the same time. */
interface Wave {
  /** The nodes, in the order in which they start. */
  readonly nodes: readonly string[];
  /** The time at which the wave can start, RFC 3339, if a window or a canary's soak delays it. */
  readonly notBefore?: string;
}

export interface Waves {
  readonly waves: readonly Wave[];
  /** Why the rest of a policy's nodes do not start, by policy. */
  readonly held: ReadonlyMap<string, string>;
  /** The cap over all policies, if a policy's own budget would allow more; else undefined. */
  readonly cap: number | undefined;
}

interface Rollouts {
  readonly policies: readonly GpuPartitionPolicy[];
  /** Policies whose nodes are not known: of them only what is in flight counts, until the first wave has ended. */
  readonly others: readonly GpuPartitionPolicy[];
  readonly rolloutStates: readonly NodeRolloutState[];
  /** How many nodes of all policies together may be in flight. */
  readonly cap: number;
  readonly now: number;
}

/** A number of jumps in time that exceeds what any canary and its windows need. */
const mostJumps = 32;

/**
 * Simulates the rollouts of policies with their own ledgers: admitted nodes become ready, all of a wave together, and nothing else
 * happens meanwhile.
 */
export function forecastWaves(rollouts: Rollouts): Waves {
  const play = new Play(rollouts);
  const waves: Wave[] = [];
  let notBefore: string | undefined;
  for (let jumps = 0; jumps <= mostJumps;) {
    const nodes = play.admit();
    if (nodes.length > 0) {
      waves.push({ nodes, ...(notBefore !== undefined && { notBefore }) });
      notBefore = undefined;
    } else if (play.isUnderWay) {
      // Nodes that are changing now finish first.
    } else if (play.skipTime()) {
      jumps += 1;
      notBefore = timeText(play.now);
    } else break;
    play.finish();
  }
  return { waves, held: play.held(), cap: play.isCapped ? rollouts.cap : undefined };
}

class Play {
  now: number;
  readonly #rollout: RolloutPlay;
  readonly #policies: readonly GpuPartitionPolicy[];
  readonly #others: readonly string[];
  readonly #steps = new Map<string, ReturnType<RolloutPlay['step']>>();

  constructor({ policies, others, rolloutStates, cap, now }: Rollouts) {
    this.now = now;
    this.#rollout = new RolloutPlay(cap);
    this.#policies = policies.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
    for (const { metadata, status } of [...policies, ...others])
      this.#rollout.begin(metadata.name, status?.canary, status?.inFlight);
    this.#others = others.map(({ metadata }) => metadata.name);
    for (const rolloutState of rolloutStates) this.#rollout.nodes.put(rolloutState);
  }

  get isUnderWay(): boolean {
    return this.#policies.some(({ metadata }) => this.#rollout.nodes.of(metadata.name).underWay.size > 0);
  }

  /** Takes one step of each ledger. @returns nodes that start */
  admit(): readonly string[] {
    // A slot that one policy releases may go to another.
    for (const policy of this.#policies) this.#rollout.step(policy, this.now, 'Nobody');
    return this.#policies.flatMap((policy) => {
      const { name } = policy.metadata;
      const { underWay } = this.#rollout.nodes.of(name);
      const step = this.#rollout.step(policy, this.now, 'Everybody');
      this.#steps.set(name, step);
      return step.admitted.filter((node) => !underWay.has(node));
    });
  }

  /** Whether the cap allows less than some policy does. */
  get isCapped(): boolean {
    return [...this.#steps.values()].some(({ limits }) => limits.maxConcurrentNodes < limits.maxUnavailable);
  }

  /** Makes all nodes with a slot ready. */
  finish(): void {
    for (const other of this.#others) this.#rollout.release(other);
    for (const { node, startTime } of this.#rollout.inFlight) {
      const rolloutState = this.#rollout.nodes.rolloutStateOf(node);
      if (rolloutState === undefined) continue;
      const { request: _request, ...rest } = rolloutState;
      const done = { isVerified: true, isUnderWay: false, hasFailed: false, isReady: true, slot: startTime };
      this.#rollout.nodes.put({ ...rest, ...done });
    }
  }

  /** Jumps to when the rollout continues by itself. @returns false if it never does */
  skipTime(): boolean {
    const left = [...this.#steps.values()].flatMap(({ gate, requeueAfterMs }) =>
      gate !== undefined && requeueAfterMs !== undefined ? [requeueAfterMs] : [],
    );
    if (left.length === 0) return false;
    this.now += Math.min(...left);
    return true;
  }

  held(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#steps].flatMap(([name, { gate }]) => (gate === undefined ? [] : [[name, describeGate(gate)] as const])),
    );
  }
}
