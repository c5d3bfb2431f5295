// Room node: what happens on one node: the commands that bring it to its policy, what is remembered and told of it, and what is counted.
// Ask here for the status of a node and of a policy as they have to be now, with when to write them, in ms.
import { writeLayoutOf } from '../device/plan.ts';
import type {
  DeviceReport,
  GpuReport,
  GpuNodePartition,
  NodePartitionStatus,
  PolicyStatus,
  GpuPartitionPolicy,
} from '../../api/types.ts';
import { listLosers, listLosses } from '../device/holders.ts';
import { joinWithin, cutText, fitWithin, countWords } from '../text/words.ts';
import { omitUndefined, deepEqual } from '../text/json.ts';
import { statusBounds } from '../../api/generated/gpu-node-partition.bounds.ts';
import { statusBounds as policyBounds } from '../../api/generated/gpu-partition-policy.bounds.ts';
import { storeMemory, type NodeMemory } from './memory.ts';
import type { Verdict } from './commands.ts';
import { writerModeFor } from './rules/labels.ts';
import { isPatient, keepsVerified } from './rules/verify-and-open.ts';
import type { NodeView } from '../kubernetes/node.ts';
import { timeText } from '../text/syntax.ts';
import { listPodCauses } from './rules/users.ts';
import type { PolicyRecord } from '../policy/record.ts';
import { partitionReadyCondition, type PolicyReason } from '../../api/names.ts';
import { conditionOf, removeCondition } from './marks.ts';
import { isUnfinished, type NodeSnapshot } from './snapshot.ts';
import { describeGate } from '../rollout/ledger.ts';
import { type DemandReport, isCleaningUp } from '../policy/spec.ts';

type NodeCounts = PolicyRecord['tally'];
type NodeOutcome = Parameters<NodeCounts['put']>[0];

/** A condition as Kubernetes defines it (`meta/v1.Condition`). */
export interface StatusCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** The time at which the status last changed, RFC 3339. */
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** A condition without the time since when it holds. */
export type ConditionDraft = Omit<StatusCondition, 'lastTransitionTime'>;

/**
 * The conditions with one of them set; others keep their order, a new one comes last. The transition time changes with the status
 * alone, not with reason or message.
 *
 * @param now RFC 3339.
 * @returns the given array itself if nothing changes, so that the caller can skip the write.
 */
export function setCondition(
  conditions: readonly StatusCondition[],
  draft: ConditionDraft,
  now: string,
): readonly StatusCondition[] {
  const before = conditions.find(({ type }) => type === draft.type);
  if (before === undefined) return [...conditions, { ...draft, lastTransitionTime: now }];
  if (isSame(before, draft)) return conditions;
  const lastTransitionTime = before.status === draft.status ? before.lastTransitionTime : now;
  const after = { ...draft, lastTransitionTime };
  return conditions.map((condition) => (condition === before ? after : condition));
}

/** {@link setCondition} for several, one after the other. */
export function setConditions(
  conditions: readonly StatusCondition[],
  drafts: readonly ConditionDraft[],
  now: string,
): readonly StatusCondition[] {
  return drafts.reduce((result, draft) => setCondition(result, draft, now), conditions);
}

function isSame(a: ConditionDraft, b: ConditionDraft): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration
  );
}

/** Most characters of each of three lists in one message, each followed by what becomes of it. */
const longestList = 1250;

/**
 * Names the GPUs that do not work properly, what the host lacks since a change, and pods whose device was destroyed; omitted for a
 * node that never had any of these.
 */
export function judgeDegraded(
  device: Pick<DeviceReport, 'gpus' | 'hostProblems' | 'lostDevices'>,
  current: readonly StatusCondition[],
  observed: Pick<ConditionDraft, 'observedGeneration'>,
): readonly ConditionDraft[] {
  const { gpus = [], hostProblems = [] } = device;
  const losses = describeLosses(device);
  const sick = gpus.flatMap((gpu) => {
    const found = gpu.error ?? gpu.health?.message;
    return found === undefined ? [] : [`GPU ${gpu.index} (${gpu.product}, ${gpu.pciBusId}): ${found}${advise(gpu)}`];
  });
  const messages = [
    ...(sick.length > 0 ? [`${joinWithin(sick, longestList)}. Faulty GPUs are not repartitioned; the others are`] : []),
    ...(hostProblems.length > 0
      ? [`${joinWithin(hostProblems, longestList)}. The agent tries again with each reading`]
      : []),
    ...(losses.length > 0 ? [`${joinWithin(losses, longestList)}. Delete such pods, unless a change evicts them`] : []),
  ];
  if (messages.length > 0) {
    const reason = sick.length > 0 ? 'GpusUnhealthy' : hostProblems.length > 0 ? 'HostNotRestored' : 'DevicesLost';
    return [{ type: 'Degraded', status: 'True', reason, message: messages.join('. '), ...observed }];
  }
  if (!current.some(({ type }) => type === 'Degraded')) return [];
  const message = 'all GPUs work, the host is as it was, and pods hold what exists';
  return [{ type: 'Degraded', status: 'False', reason: 'GpusHealthy', message, ...observed }];
}

function advise({ error, health }: GpuReport): string {
  if (error !== undefined || health === undefined) return '';
  switch (health.action) {
    case 'Drain':
      return '; drain it of peer-to-peer traffic';
    case 'Reset':
      return '; drain the GPU and reset it (nvidia-smi --gpu-reset), or reboot the node';
    case 'Reboot':
      return '; drain the node and reboot it';
    case 'Replace':
      return '; have the GPU replaced';
    case 'Unknown':
      return '; look it up in NVIDIA’s documentation of this driver';
  }
}

/** A transient state is written to the status if it lasts longer than this, in ms, and its message changes no more often. */
const transientMs = 2000;

/** The leader's part of a partition's status. */
type NodeStatusFields = Required<Pick<NodePartitionStatus, 'phase' | 'layout' | 'writerMode'>> &
  Pick<NodePartitionStatus, 'conditions' | 'closed' | 'waits'>;

export interface NodeReport {
  /** What to write; undefined if the status already matches, or must not change yet. */
  readonly status: NodeStatusFields | undefined;
  /** Milliseconds until the node is looked at again if nothing happens before. */
  readonly requeueAfterMs: number | undefined;
}

/**
 * Composes the status of a node, and when to write it.
 *
 * @param writtenAt when its status was last written, in ms since the epoch, if that is known
 */
export function reportNode(
  node: NodeView,
  partition: GpuNodePartition,
  verdict: Verdict,
  memory: NodeMemory,
  now: number,
  writtenAt = -Infinity,
): NodeReport {
  const current = partition.status;
  const lastsMs = now - (memory.waits.Reason?.since ?? now);
  const told = current?.conditions?.find(({ type }) => type === 'Ready');
  // Clients that wait for Ready must not see it while the layout is being removed. Until a new wish is planned, nothing is removed.
  const isLeaving = told?.status === 'True' && verdict.phase !== 'Ready' && verdict.reason !== 'AwaitingPlan';
  const isTold = current?.phase === verdict.phase && told?.reason === verdict.reason;
  const left = transientMs - Math.min(lastsMs, isTold ? now - writtenAt : Infinity);
  const isPending = verdict.transient === true && left > 0;
  const soon = Math.min(verdict.requeueAfterMs ?? Infinity, left + 10);
  if (isPending && !isLeaving) return { status: undefined, requeueAfterMs: soon };
  const status = describe(partition, verdict, memory, writerModeFor({ node, partition }), now);
  const { phase, layout, conditions = [], writerMode: mode, waits = [], closed } = current ?? {};
  const isSame = deepEqual({ phase, layout, conditions, writerMode: mode, waits, closed }, { waits: [], ...status });
  return { status: isSame ? undefined : status, requeueAfterMs: isPending ? soon : verdict.requeueAfterMs };
}

function describe(
  partition: GpuNodePartition,
  { phase, reason, message }: Verdict,
  memory: NodeMemory,
  writerMode: NodeStatusFields['writerMode'],
  now: number,
): NodeStatusFields {
  const observed = omitUndefined({ observedGeneration: partition.metadata.generation });
  const text = cutText(message, 4096);
  const isWaiting = phase === 'Waiting';
  const conditions = setConditions(
    partition.status?.conditions ?? [],
    [
      { type: 'Ready', status: phase === 'Ready' ? 'True' : 'False', reason, message: text, ...observed },
      {
        type: 'Waiting',
        status: isWaiting ? 'True' : 'False',
        reason: isWaiting ? reason : 'NoPodsUseGpus',
        message: isWaiting ? text : 'the node waits for no pod',
        ...observed,
      },
      ...judgeDegraded(partition.status?.device ?? {}, partition.status?.conditions ?? [], observed),
    ],
    timeText(now),
  );
  // A node that is Ready waits for nothing, whatever the decision that found it so waited for.
  const { waits, ...closed } = storeMemory(memory);
  const fields: NodeStatusFields = {
    phase,
    layout: cutText(deviceText(partition.status?.device?.gpus ?? []), 512),
    writerMode,
    conditions: [...conditions],
    ...closed,
    ...(phase !== 'Ready' && waits && { waits }),
  };
  return fitWithin(fields, statusBounds);
}

/** What becomes of the condition GpuPartitionReady of a Node. */
interface ConditionReport {
  /** An item to merge into the Node's conditions by its type; undefined if the condition already matches, or must not change yet. */
  readonly patch: ReturnType<typeof removeCondition> | Omit<StatusCondition, 'lastTransitionTime'>;
  /** Milliseconds until it may change; undefined if nothing is held back. */
  readonly requeueAfterMs: number | undefined;
}

/** Whoever watches Nodes gets each write: while the status stays, what is said of it changes no more often than this, in ms. */
const conditionRestMs = 10_000;
/** Most characters of the message on a Node. */
const longestOnNode = 1024;

/**
 * Composes the condition GpuPartitionReady of a Node: whether pods may come to its slices, for programs that look at Nodes only, with what
 * its own object says of it. A node that waits for its slot keeps the layout that was verified. A policy that changes nothing, as its mode
 * is Plan or no generation of it was accepted, gives no node a condition.
 *
 * @param partition as its status was last written
 * @param verdict of now, which that status need not tell yet
 * @param writtenAt when the condition was last written, in ms since the epoch, if that is known
 */
export function reportCondition(
  snapshot: Pick<NodeSnapshot, 'node' | 'claim' | 'settings' | 'slices' | 'hasSlices'>,
  partition: GpuNodePartition | undefined,
  verdict: Verdict,
  now: number,
  writtenAt = -Infinity,
): ConditionReport {
  const { node, claim, settings } = snapshot;
  const nothing = { patch: undefined, requeueAfterMs: undefined };
  const decides = claim.winner !== undefined && claim.isInForce && claim.winner.spec.mode !== 'Plan';
  // Like the labels, it goes once the node is open.
  const isToGo = !settings.nodeCondition || (!decides && !isUnfinished(node));
  if (isToGo) return { ...nothing, patch: removeCondition(node) };
  const isOfThisNode = partition !== undefined && partition.spec.nodeUID === node.metadata.uid;
  if (!isOfThisNode) return nothing;
  const told = partition.status?.conditions?.find(({ type }) => type === 'Ready');
  if (told === undefined) return nothing;
  const status = told.status === 'True' || keepsVerified({ ...snapshot, partition }, verdict) ? 'True' : 'False';
  // A node is told of a state of moments later, or not at all: what its object says may be over.
  const isOver = status === told.status ? isPatient(told) && verdict.phase === 'Updating' : !isPatient(told);
  const { reason, message: text } = isOver ? verdict : told;
  const message = cutText(text, longestOnNode);
  const known = conditionOf(node);
  const stays = known?.status === status;
  if (stays && known.reason === reason && known.message === message) return nothing;
  const leftMs = stays ? writtenAt + conditionRestMs - now : 0;
  if (leftMs > 0) return { ...nothing, requeueAfterMs: leftMs };
  const at = timeText(now);
  // Left out, the time of its last transition stays.
  const times = { lastHeartbeatTime: at, ...(!stays && { lastTransitionTime: at }) };
  return { ...nothing, patch: { type: partitionReadyCondition, status, reason, message, ...times } };
}

/** What is on the GPUs of a node, equal GPUs counted: `8 × (2×1g.5gb + 1×3g.20gb)`, `1 × whole`. */
export function deviceText(gpus: readonly GpuReport[]): string {
  const counts = new Map<string, number>();
  for (const gpu of gpus) {
    const text = gpu.error ?? (gpu.mig === 'Enabled' ? writeLayoutOf(gpu) : 'whole');
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => `${count} GPU${count === 1 ? '' : 's'}: ${text}`).join('; ');
}

const mostCauses = 5;
const mostNames = 3;
/** Most characters of a condition's message. */
const longest = 4096;

/**
 * The nodes of a group, joined by what they have in common: `n1: MESSAGE` for one, and for several how many, their reason, the first
 * names, and one message as an example.
 */
export function listNodes(
  tally: NodeCounts,
  group: Parameters<NodeCounts['size']>[0],
  say: (outcome: NodeOutcome) => string = ({ message }) => message,
): string {
  const causes = tally.causes(group, mostNames);
  const named = causes.slice(0, mostCauses).map((cause) => describeCause(cause, say));
  const sayRest = (shown: number): string => {
    const left = causes.slice(shown).reduce((sum, { count }) => sum + count, 0);
    return left > 0 ? `and ${countWords(left, 'more node')}` : '';
  };
  return joinWithin(named, longest, '; ', sayRest);
}

function describeCause(
  { count, first }: ReturnType<NodeCounts['causes']>[number],
  say: (outcome: NodeOutcome) => string,
): string {
  const [example] = first;
  if (example === undefined) return '';
  if (count === 1) return `${example.node}: ${say(example)}`;
  const names = first.map(({ node }) => node).join(', ');
  const more = count > first.length ? ` and ${count - first.length} more` : '';
  const many = countWords(count, 'node');
  // Nodes that another policy has won have nothing else in common.
  if (example.wonBy !== undefined) return `${many} (${names}${more}): ${say(example)}`;
  return `${many} ${example.reason} (${names}${more}), for example ${example.node}: ${say(example)}`;
}

/** Describes all pods that hold a device that no longer exists. */
function describeLosses(device: Pick<DeviceReport, 'lostDevices'>): readonly string[] {
  const pods = listLosers(device).map((loser) => {
    const [namespace = '', name = ''] = loser.split('/');
    return { metadata: { namespace, name } };
  });
  return listPodCauses(listLosses(device, pods));
}

/** The condition Ready of a policy. */
interface PolicyJudgement {
  readonly state: 'ready' | 'progressing' | 'stalled';
  readonly reason: PolicyReason;
  readonly message: string;
}

/** Says for which nodes a policy that is being deleted stays, and what ends that. */
function judgeDeletion({ goesAt }: PolicyFacts, tally: NodeCounts): PolicyJudgement {
  const groups = ['failed', 'waiting', 'unfinished', 'unseen'] as const;
  const group = groups.find((one) => tally.size(one) > 0);
  const left = group === undefined ? '' : `; ${listNodes(tally, group)}`;
  const end = goesAt === undefined ? '' : `It goes without the rest at ${timeText(goesAt)}; `;
  const done = `${tally.inPhase('Ready')} of ${countWords(tally.own, 'node')} done`;
  const message =
    `the policy is being deleted, and makes its GPUs whole first (onDelete: DisableMig): ${done}${left}. ` +
    `${end}spec.onDelete: Keep lets it go now`;
  return { state: 'progressing', reason: 'Deleting', message };
}

function judgePolicy({ policy, gate }: PolicyFacts, tally: NodeCounts): PolicyJudgement {
  if (tally.matched === 0) {
    const message = 'no node matches spec.nodeSelector; nodes that join later are partitioned';
    return { state: 'ready', reason: 'NoNodes', message };
  }
  if (policy.spec.mode === 'Plan') {
    const message = 'mode Plan: status.plan shows what would be done; nothing changes';
    return { state: 'ready', reason: 'PlanOnly', message };
  }
  if (gate?.reason === 'Halted') return { state: 'stalled', reason: 'Halted', message: describeGate(gate) };
  if (tally.size('failed') > 0) return { state: 'stalled', reason: 'Failed', message: listNodes(tally, 'failed') };
  if (tally.size('conflicted') > 0) {
    const lost = listNodes(tally, 'conflicted', ({ wonBy }) => `won by policy ${wonBy}`);
    const message = `${lost}; at equal priority the older policy wins, then the name: change a priority or a selector`;
    return { state: 'stalled', reason: 'Conflicted', message };
  }
  if (tally.size('waiting') > 0)
    return { state: 'progressing', reason: 'Waiting', message: listNodes(tally, 'waiting') };
  if (gate) return { state: 'progressing', reason: gate.reason, message: describeGate(gate) };
  const unfinished = tally.size('unfinished') + tally.size('unseen');
  // Only nodes that cannot take the policy are left: no work is under way.
  if (unfinished > 0 && unfinished === tally.size('invalid')) {
    return { state: 'stalled', reason: 'Invalid', message: listNodes(tally, 'invalid') };
  }
  if (unfinished > 0) {
    const group = tally.size('unfinished') > 0 ? 'unfinished' : 'unseen';
    return { state: 'progressing', reason: 'Reconciling', message: listNodes(tally, group) };
  }
  const reason = tally.size('outranked') > 0 ? 'Outranked' : 'Ready';
  return { state: 'ready', reason, message: describeReady(tally) };
}

/** What is true of the nodes of a policy of which none is left to change. */
function describeReady(tally: NodeCounts): string {
  const outranked = tally.size('outranked');
  const lost = listNodes(tally, 'outranked', ({ wonBy }) => `policy ${wonBy}`);
  return [
    ...(tally.own > 0 ? [describeOwn(tally)] : []),
    ...(outranked > 0
      ? [`a policy of higher priority decides over ${countWords(outranked, 'selected node')}: ${lost}`]
      : []),
  ].join('; ');
}

function describeOwn(tally: NodeCounts): string {
  const skipped = tally.size('skipped');
  const all = countWords(tally.own, 'selected node');
  if (skipped === 0) return tally.own === 1 ? 'the selected node matches the policy' : `all ${all} match the policy`;
  const which = listNodes(tally, 'skipped');
  if (skipped === tally.own) return `no layout of the policy applies to a GPU of the ${all}: ${which}`;
  return `${tally.own - skipped} of ${all} match the policy; no layout of it applies to a GPU of the others: ${which}`;
}

/** A condition before it is merged with the existing one. */
interface PolicyConditionDraft {
  readonly type: 'Ready' | 'Reconciling' | 'Stalled' | 'Valid' | 'DemandMet' | 'KueueQuota';
  readonly status: 'True' | 'False';
  readonly reason: PolicyReason;
  readonly message: string;
  /** The generation that the condition is about, if not the newest. */
  readonly observedGeneration?: number;
}

/** The status of a policy without what other field managers write: the ledger and the history. */
type PolicyStatusDraft = Omit<PolicyStatus, 'conditions' | 'inFlight' | 'canary' | 'pace' | 'history'> & {
  readonly conditions: readonly PolicyConditionDraft[];
};

const maxFailures = 50;

/** Facts about a policy besides its nodes. */
interface PolicyFacts {
  /** The policy as its author last wrote it. */
  readonly policy: GpuPartitionPolicy;
  /** Why it is invalid, regardless of nodes. */
  readonly refusal?: PolicyRecord['refusal'];
  /** Newest generation that its nodes could take. */
  readonly acceptedGeneration?: number | undefined;
  /** The version that decides over nodes; undefined if there is none. */
  readonly inForce?: GpuPartitionPolicy | undefined;
  /** What of these the status keeps. */
  readonly stored?: Pick<PolicyStatus, 'acceptedGeneration' | 'inForce'>;
  /** The first of the nodes that keep its generation from being accepted, and the message for all of them. */
  readonly refusedBy?: PolicyRecord['refusal'];
  /** The gate that keeps nodes from starting. */
  readonly gate?: Parameters<typeof describeGate>[0] | undefined;
  readonly limits?: PolicyStatus['limits'] | undefined;
  /** Why the whole cluster is frozen, which holds for a policy without waiting nodes as well; undefined if it is not. */
  readonly frozen?: string | undefined;
  /** How its demand stands, if it has one for which a plan was made. */
  readonly demand?: DemandReport | undefined;
  /** How its quotas in Kueue stand. */
  readonly quota?: PolicyRecord['quota'];
  /** The demand as it was last reported, which stays until there is a newer report. */
  readonly knownDemand?: PolicyStatus['demand'];
  /** What pods have asked for long enough, by slice of its demand. */
  readonly steady?: PolicyStatus['steady'];
  /** The state of a request to free slices. */
  readonly defrag?: PolicyStatus['defrag'];
  /** The schedule in force, and the one that follows; undefined if the policy has none. */
  readonly schedule?: PolicyStatus['schedule'];
  /** The time at which the policy goes whatever its nodes are, in ms since the epoch; absent if it is not being deleted. */
  readonly goesAt?: number | undefined;
}

/** What a look at a policy has found beside its nodes. */
interface PolicyLook extends Pick<PolicyFacts, 'gate' | 'limits' | 'frozen' | 'goesAt'> {
  /** Whether the newest generation is accepted with this status. */
  readonly accepts: boolean;
  /** The schedule in force and the next one; undefined for a policy without schedules. */
  readonly times: ReturnType<PolicyRecord['timesAt']>;
}

/**
 * The status of a policy as it has to be now, without what other field managers write of it; undefined if it is so already.
 *
 * @param stored the policy as the API server has it
 * @param tally of its nodes, under the version that is in force with this status
 * @param now in ms since the epoch
 */
export function nextStatus(
  record: PolicyRecord,
  stored: GpuPartitionPolicy,
  look: PolicyLook,
  tally: NodeCounts,
  now: number,
): PolicyStatus | undefined {
  const { conditions: drafts, failures = [], ...draft } = policyStatus(factsOf(record, stored, look), tally);
  const { inFlight: _ledgers, canary: _alsoLedgers, pace: _ledgersToo, history: _kept, ...known } = stored.status ?? {};
  const time = timeText(now);
  const observed = omitUndefined({ observedGeneration: stored.metadata.generation });
  // Of a demand, or of quotas, that the policy no longer has.
  const { demand, kueue } = record.policy.spec;
  const kept = (known.conditions ?? []).filter(
    ({ type }) => (type !== 'DemandMet' || demand) && (type !== 'KueueQuota' || kueue),
  );
  const conditions = setConditions(
    kept,
    drafts.map((condition) => ({ ...observed, ...condition })),
    time,
  );
  // A failure keeps its time while it stays the same failure: otherwise every look at it would be a write.
  const before = ({ node, reason }: (typeof failures)[number]) =>
    known.failures?.find((one) => one.node === node && one.reason === reason);
  const timed = failures.map((failure) => ({ ...failure, time: before(failure)?.time ?? time }));
  const status = fitWithin({ ...draft, conditions: [...conditions], failures: timed }, policyBounds);
  return deepEqual(status, { failures: [], ...known }) ? undefined : status;
}

function factsOf(
  record: PolicyRecord,
  { status: known }: GpuPartitionPolicy,
  { accepts, times, ...look }: PolicyLook,
): PolicyFacts {
  const { newest, refusal, refused, demand, quota, policy } = record;
  const { acceptedGeneration, inForce } = record.versionsIf(accepts);
  const [first] = refused.values();
  const words = record.whyRefused;
  return {
    ...look,
    policy: newest,
    refusal,
    acceptedGeneration,
    inForce,
    stored: record.storedIf(accepts),
    demand,
    ...(policy.spec.kueue && { quota }),
    ...(policy.spec.demand && { knownDemand: known?.demand }),
    // What was done once is not forgotten with the leader.
    defrag: demand ? demand.defrag : known?.defrag,
    // A new leader continues with it; a schedule with layouts in between ends it.
    steady: demand ? demand.steady : policy.spec.demand && known?.steady,
    ...(times && { schedule: { ...times.mark, ...(times.next && { next: times.next }) } }),
    ...(first && words !== undefined && { refusedBy: { reason: first.reason, message: words } }),
  };
}

/** Status of a policy from what is known of its nodes; kstatus conditions. Pure: times are the caller's. */
export function policyStatus(facts: PolicyFacts, tally: NodeCounts): PolicyStatusDraft {
  const { policy, stored, limits, schedule, defrag, demand, steady } = facts;
  const skipped = tally.size('skipped');
  const nodes = {
    matched: tally.matched,
    ready: tally.inPhase('Ready') - skipped,
    updating: tally.inPhase('Updating'),
    pending: tally.inPhase('Pending', 'Waiting', 'Invalid', 'Unmanaged') + tally.size('unseen'),
    failed: tally.inPhase('Failed'),
    outranked: tally.size('outranked'),
    conflicted: tally.size('conflicted'),
    skipped,
  };
  const { keep, destroy, create, evict, gpusChanging } = tally.plans;
  const generation = policy.metadata.generation;
  return {
    ...omitUndefined({ observedGeneration: generation }),
    ...stored,
    summary: [
      summarise(nodes, tally.size('waiting')),
      ...(facts.frozen === undefined ? [] : ['frozen']),
      ...(isCleaningUp(policy) ? ['deleting'] : []),
    ].join(', '),
    conditions: [...conditionsOf(facts, tally), ...conditionOfDemand(facts), ...(facts.quota ? [facts.quota] : [])],
    ...omitUndefined({ limits, schedule, defrag, steady, demand: demand?.states ?? facts.knownDemand }),
    nodes,
    plan: {
      gpusChanging,
      instancesKept: keep,
      instancesDestroyed: destroy,
      instancesCreated: create,
      podsToEvict: evict,
    },
    failures: tally
      .first('failed', maxFailures)
      .map(({ node, reason, message }) => ({ node, reason, message: cutText(message, 1024) })),
  };
}

/** @param waiting pending nodes whose cause of waiting does not resolve itself */
function summarise(nodes: NonNullable<PolicyStatus['nodes']>, waiting: number): string {
  if (nodes.matched === 0) return 'no nodes';
  const counts = { ...nodes, waiting, pending: (nodes.pending ?? 0) - waiting };
  const parts = (['updating', 'waiting', 'pending', 'failed', 'outranked', 'conflicted', 'skipped'] as const)
    .filter((state) => (counts[state] ?? 0) > 0)
    .map((state) => `${counts[state]} ${state}`);
  return [`${nodes.ready}/${nodes.matched} ready`, ...parts].join(', ');
}

function conditionsOf(facts: PolicyFacts, tally: NodeCounts): readonly PolicyConditionDraft[] {
  const refusal = facts.refusal ?? facts.refusedBy;
  const valid: PolicyConditionDraft = refusal
    ? { type: 'Valid', status: 'False', reason: refusal.reason, message: cutText(refusal.message, 4096) }
    : { type: 'Valid', status: 'True', reason: 'Valid', message: describeValid(tally) };
  const found: PolicyJudgement = isCleaningUp(facts.policy)
    ? judgeDeletion(facts, tally)
    : refusal
      ? { state: 'stalled', reason: refusal.reason, message: describeRefused(facts, refusal) }
      : judgePolicy(facts, tally);
  const { state, reason } = found;
  const message = addFreeze(found, facts.frozen);
  // Conditions that are false need their own message: Ready's would contradict them.
  return [
    { type: 'Ready', status: state === 'ready' ? 'True' : 'False', reason, message },
    state === 'progressing'
      ? { type: 'Reconciling', status: 'True', reason, message }
      : { type: 'Reconciling', status: 'False', reason: 'NotReconciling', message: describeRest(tally) },
    state === 'stalled'
      ? { type: 'Stalled', status: 'True', reason, message }
      : { type: 'Stalled', status: 'False', reason: 'NotStalled', message: 'nothing blocks the policy' },
    valid,
  ];
}

function conditionOfDemand({ demand, policy }: PolicyFacts): readonly PolicyConditionDraft[] {
  if (demand === undefined) return [];
  const { generation, condition } = demand;
  const isOlder = generation !== undefined && generation !== policy.metadata.generation;
  const about = isOlder ? `generation ${generation} is in force: ` : '';
  const message = cutText(`${about}${condition.message}`, 4096);
  return [{ ...condition, message, ...(isOlder && { observedGeneration: generation }) }];
}

/** A policy that is stalled starts no change, and lets those under way end. */
function describeRest(tally: NodeCounts): string {
  const updating = tally.inPhase('Updating');
  if (updating === 0) return 'no change is in progress';
  return `no node starts to change; ${countWords(updating, 'node')} that had started before will finish`;
}

/** What a refused generation means for the nodes. */
function describeRefused(
  { policy, acceptedGeneration, inForce }: PolicyFacts,
  { message }: Pick<PolicyJudgement, 'message'>,
): string {
  const { generation } = policy.metadata;
  if (inForce === undefined) return `nothing is touched: ${message}`;
  if (acceptedGeneration === generation) return `no change starts, and nodes stay as they are: ${message}`;
  return `generation ${generation} is not accepted and touches nothing; generation ${inForce.metadata.generation} stays in force: ${message}`;
}

function addFreeze(
  { reason, message }: { readonly reason: PolicyReason; readonly message: string },
  why: string | undefined,
): string {
  const isConfirmed = why === undefined || reason === 'Frozen';
  const freeze = isConfirmed ? '' : `; ${cutText(describeGate({ reason: 'Frozen', why }), 1024)}`;
  return `${cutText(message, 4096 - freeze.length)}${freeze}`;
}

function describeValid(tally: NodeCounts): string {
  const refused = tally.size('invalid');
  if (refused > 0) return `accepted; ${listNodes(tally, 'invalid')}`;
  if (tally.size('skipped') > 0) return `accepted; skipped: ${listNodes(tally, 'skipped')}`;
  return 'every layout fits the GPUs that it can match';
}
