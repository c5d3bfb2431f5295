import { defaultSystemNamespaces } from '../pods/system-pods.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { findCap, isCapAssumed } from '../rollout/cap.ts';
import { compareText } from '../text/fingerprint.ts';
import type { NodeRolloutState } from '../rollout/slot.ts';
import type { NodeClaim } from '../policy/claim.ts';
import type { Fleet } from '../policy/fleet.ts';
import { hasAskedSince } from '../policy/history.ts';
import type { PolicyRecord } from '../policy/policy-record.ts';
import { currentOf } from '../policy/versions.ts';
import type { AgentView, NodeSettings } from '../node/snapshot.ts';
import type { ClusterState, ControllerSetup } from './cluster-state.ts';
import type { DemandOutlook } from './demand-outlook.ts';
import { describeEvictions } from './eviction-outlook.ts';
import { type PlanFault, listFaults } from './faults.ts';
import { acceptAll, fillFleet } from './fleet-after.ts';
import { type Involved, listInvolved, locate, type Located } from './involved.ts';
import { forecastNode, type NodeOutlook } from './node-outlook.ts';
import { describeNode, type GivenPolicies, isConcerned, type PlannedNode } from './planned-node.ts';
import { applyPolicies, type PoliciesAfter, type PolicyChange, type PolicyOutlook } from './policy-change.ts';
import { summarizeChange } from './summary.ts';
import { forecastWaves, type Wave, type Waves } from './waves.ts';

/** What a change of policies does to a cluster. */
export interface ChangePlan {
  readonly policies: readonly PolicyOutlook[];
  /** Of policies with a demand, those of others included that share nodes with them. */
  readonly demands: readonly DemandOutlook[];
  /** Nodes that these policies select, or have selected until now; by name. */
  readonly nodes: readonly PlannedNode[];
  /** An estimate: all nodes of a wave finish at the same time. */
  readonly waves: readonly Wave[];
  /** In how many seconds all waves are done, at the pace of earlier changes; absent if none is known. Windows and soaks come on top. */
  readonly seconds?: number;
  readonly findings: readonly PlanFault[];
  readonly summary: string;
}

/** A change of policies before anything is planned for it. */
export interface PreparedChange {
  readonly cluster: ClusterState;
  readonly setup: ControllerSetup;
  /** When it is done. */
  readonly at: number;
  /** With the policies as they are then. It takes in what plans for demands choose. */
  readonly fleet: Fleet;
  /** Policies with a demand whose layouts are to be chosen for it. */
  readonly demands: readonly PolicyRecord[];
  readonly after: PoliciesAfter;
  readonly refusals: ReadonlyMap<string, string | undefined>;
  readonly located: Located;
  readonly involved: Involved;
}

/**
 * What applying policies to a cluster leaves to be planned, with the controller's own decisions. Nothing is written.
 *
 * @param at when it is done: which schedules are in force, and which windows are open. The cluster counts as it is now
 */
export function prepareChange(
  cluster: ClusterState,
  given: readonly GpuPartitionPolicy[],
  setup: ControllerSetup,
  at: number = cluster.now,
): PreparedChange {
  const after = applyPolicies(cluster.policies, given, cluster.now);
  const fleet = fillFleet(cluster, after, setup);
  const names = new Set(after.changes.map(({ policy }) => policy));
  const located = locate(cluster);
  const refusals = acceptAll(fleet, located, names, at);
  const involved = listInvolved(located, fleet, names);
  const demands = [...fleet.policies].filter(
    ({ name, policy, isAccepted, inForce }) =>
      policy.spec.demand !== undefined && (isAccepted || inForce !== undefined) && involved.policies.has(name),
  );
  return { cluster, setup, at, fleet, demands, after, refusals, located, involved };
}

/** @param demands how the demands stand for which `prepareChange` asked: what was chosen for them is in its fleet */
export function planPrepared(prepared: PreparedChange, demands: readonly DemandOutlook[] = []): ChangePlan {
  const { cluster, setup, at, fleet, after, refusals, located, involved } = prepared;
  const names = new Set(after.changes.map(({ policy }) => policy));
  const changed = after.changes.flatMap(({ policy, change }) => (change === 'Unchanged' ? [] : [policy]));
  const own: GivenPolicies = { all: names, changed: new Set(changed) };
  const outlooks = forecastNodes(located, fleet, involved, names, setup);
  const concerns = (node: string): boolean => involved.affected.has(node) && isConcerned(outlooks.get(node), own);
  const waves = pickWaves(forecast(cluster, fleet, outlooks, setup, at), concerns);
  const nodes = [...outlooks]
    .filter(([node]) => involved.affected.has(node))
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([node, outlook]) => {
      const evictions = describeEvictions(outlook, located.podsOf.get(node) ?? [], cluster.budgets);
      return describeNode(outlook, evictions, waves, own);
    });
  const policies = after.changes.map((change) => describePolicy(change, fleet, refusals, waves));
  const findings = listFaults(policies, demands, nodes);
  const isAssumed = isCapAssumed(cluster.policies, setup.maxConcurrentNodes);
  const seconds = estimateSeconds(waves.waves, nodes, cluster.policies);
  const cap = waves.cap === undefined ? undefined : { most: waves.cap, isAssumed };
  const summary = summarizeChange(nodes, findings, cap, seconds);
  return { policies, demands, nodes, waves: waves.waves, ...(seconds !== undefined && { seconds }), findings, summary };
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
): ReadonlyMap<string, NodeOutlook> {
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
): NodeClaim {
  const claim = fleet.claimOf(node, partition);
  const planning = claim.beside.find(({ metadata }) => given.has(metadata.name));
  const isGiven = claim.winner !== undefined && given.has(claim.winner.metadata.name);
  return planning && !isGiven ? fleet.claimBeside(planning, partition) : claim;
}

function forecast(
  cluster: ClusterState,
  fleet: Fleet,
  outlooks: ReadonlyMap<string, NodeOutlook>,
  setup: ControllerSetup,
  at: number,
): Waves {
  const rolloutStates = [...outlooks].map(([node, { snapshot, rolloutState }]): NodeRolloutState => {
    const { uid = '' } = snapshot.node.metadata;
    return { ...rolloutState, node, nodeUID: uid, policy: snapshot.claim.winner?.metadata.name };
  });
  const deciding = new Set(rolloutStates.map(({ policy }) => policy));
  const policies = [...fleet.policies];
  const own = policies.flatMap((record) => (deciding.has(record.name) ? [inSchedule(record)] : []));
  const others = policies.flatMap(({ name, policy }) => (deciding.has(name) ? [] : [policy]));
  const cap = findCap(cluster.policies, cluster.partitions, setup.maxConcurrentNodes);
  return forecastWaves({ policies: own, others, rolloutStates, cap, now: at });
}

/** Its canary is that of the schedule in force, and of an edit that asks for nothing new the one that it has. */
function inSchedule({ policy, versions }: PolicyRecord): GpuPartitionPolicy {
  const { schedule } = versions;
  const { canary, history = [] } = policy.status ?? {};
  const { generation = 0 } = policy.metadata;
  const isKept = canary !== undefined && hasAskedSince(currentOf(versions), history, canary.generation);
  const status = {
    ...policy.status,
    ...(schedule && { schedule }),
    ...(isKept && { canary: { ...canary, generation } }),
  };
  return { ...policy, status };
}

/** Only the nodes that this change concerns; others share their rollouts, and the cap. */
function pickWaves({ waves, held, cap }: Waves, concerns: (node: string) => boolean): Waves {
  const picked = waves.map((wave) => ({ ...wave, nodes: wave.nodes.filter(concerns) }));
  return { waves: picked.filter(({ nodes }) => nodes.length > 0), held, cap };
}

function describePolicy(
  change: PolicyChange,
  fleet: Fleet,
  refusals: ReadonlyMap<string, string | undefined>,
  { held }: Waves,
): PolicyOutlook {
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

/** As the controller judges an agent that it does not hear from; an object carries no other sign of life. */
function viewAgent({ partition }: { readonly partition: NodeOutlook['snapshot']['partition'] }): AgentView {
  const ready = partition?.status?.conditions?.find(({ type }) => type === 'Ready');
  return { state: ready?.reason === 'AgentNotReporting' && partition?.status?.device?.gpus ? 'Missing' : 'Ready' };
}

/** Times do not matter, as nothing is carried out. */
function settingsOf({ gpuHolders, pluginSelector, pluginConfigMap }: ControllerSetup): NodeSettings {
  return {
    settleMs: 0,
    deadlineMs: 600_000,
    waitingPollMs: 5000,
    refreshAfterMs: 1000,
    advertiseDeadlineMs: 300_000,
    pluginRefresh: 'Signal',
    nodeStatus: 'Wait',
    tidyNodeStatus: false,
    holdersDeadlineMs: 300_000,
    gpuHolders,
    systemNamespaces: defaultSystemNamespaces,
    pluginSelector,
    pluginConfigMap,
  };
}
