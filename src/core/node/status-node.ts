import type { DeviceReport, GpuReport, GpuNodePartition, NodePartitionStatus } from '../../api/types.ts';
import { listLosers, listLosses } from '../device/kubelet.ts';
import { joinWithin, cutText, fitWithin, countWords } from '../text/words.ts';
import { omitUndefined, deepEqual } from '../text/json.ts';
import { statusBounds } from '../../api/generated/gpu-node-partition.bounds.ts';
import { closedStatus, lastingWaits, type NodeMemory } from './memory.ts';
import type { Verdict, Drain } from './commands.ts';
import { type WriterMode, writerModeFor } from './rules/labels.ts';
import type { NodeView } from '../kubernetes/node.ts';
import { timeText } from '../text/syntax.ts';
import { deviceText } from '../policy/resolve-node.ts';
import { listPodCauses, namePods } from './rules/users.ts';
import type { NodeOutcome, NodeCounts } from '../policy/record.ts';

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
  writerMode: WriterMode,
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
  const waits = phase === 'Ready' ? [] : lastingWaits(memory);
  const fields: NodeStatusFields = {
    phase,
    layout: cutText(deviceText(partition.status?.device?.gpus ?? []), 512),
    writerMode,
    conditions: [...conditions],
    ...omitUndefined({ closed: closedStatus(memory) }),
    ...(waits.length > 0 && { waits }),
  };
  return fitWithin(fields, statusBounds);
}

const mostPods = 10;
const mostPlaces = 7;

/** Names the pods that are about to be evicted, and what they hold: `2 pods: team/a, team/b (GPU 0: 2g.10gb at 0, 3g.20gb at 4)`. */
export function describeDrain({ pods, places = [] }: Drain, gpus: readonly GpuReport[]): string {
  const names = namePods(
    pods.map((metadata) => ({ metadata })),
    mostPods,
  );
  const held = describePlaces(places, gpus);
  return `${countWords(pods.length, 'pod')}: ${names}${held === '' ? '' : ` (${held})`}`;
}

/** @param places as in `status.device.plan.drains`: `UUID` or `UUID PROFILE@START` */
function describePlaces(places: readonly string[], gpus: readonly GpuReport[]): string {
  const shown = places.slice(0, mostPlaces).map((place) => place.split(' '));
  const texts = [...Map.groupBy(shown, ([uuid = '']) => uuid)].map(([uuid, held]) => {
    const index = gpus.find((gpu) => gpu.uuid === uuid)?.index;
    const slices = held.flatMap(([, slice]) => slice?.replace('@', ' at ') ?? []);
    return `GPU ${index ?? uuid}${slices.length > 0 ? `: ${slices.join(', ')}` : ''}`;
  });
  const rest = places.length - mostPlaces;
  return rest > 0 ? `${texts.join('; ')}; and ${rest} more` : texts.join('; ');
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
