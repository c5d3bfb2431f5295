import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { forecastWaves, type Waves } from '../plan/waves.ts';
import { findCap } from '../rollout/cap.ts';
import { hasGpus, countLimit } from '../rollout/limit.ts';
import type { NodeRolloutState } from '../rollout/slot.ts';
import { countWords } from '../text/cut-text.ts';
import { describeDuration } from '../text/duration.ts';

/** What is left of a policy's rollout. */
export interface RolloutOutlook {
  /** Nodes that do not match the policy yet, and are to. */
  readonly left: number;
  /** Of them, those that change now. */
  readonly changing: number;
  /** In how many waves the nodes that only wait for a slot follow; undefined if something holds them. */
  readonly waves: number | undefined;
  /** When the first of them can start, RFC 3339, if a window or a canary's soak delays it. */
  readonly notBefore: string | undefined;
  /** In how many seconds all of them will match; undefined if unknown. */
  readonly seconds: number | undefined;
  /** How long a change of this generation takes, in seconds, as a mean over how many; undefined if none has ended. */
  readonly pace: { readonly seconds: number; readonly nodes: number } | undefined;
  /** `7 nodes left: 3 change now, 4 follow in 2 waves of at most 3, done in about 4 min (a change took 80 s, mean of 5)` */
  readonly words: string;
}

/** Reasons of nodes that start as soon as they get a slot. */
const inLine: ReadonlySet<string> = new Set(['AwaitingSlot', 'AwaitingPlan', 'Paused']);

/**
 * The rollouts of a fleet, by policy: only of those that have something left to do. The waves are those of `plan`, by the same
 * simulation: all policies share the cap. The time assumes that the rest goes as fast as what is done, and that nothing delays it; if
 * something does, it is unknown.
 */
export function forecastRollouts(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  now: number,
): ReadonlyMap<string, RolloutOutlook> {
  const enforcing = policies.filter(({ spec }) => spec.mode !== 'Plan');
  const byPolicy = Map.groupBy(partitions, ({ spec }) => spec.policy?.name);
  const left = enforcing.filter(({ metadata }) => (byPolicy.get(metadata.name) ?? []).some(isLeft));
  if (left.length === 0) return new Map();
  const rolloutStates = enforcing.flatMap((policy) =>
    (byPolicy.get(policy.metadata.name) ?? []).map((partition) => rolloutStateOf(partition, policy)),
  );
  const cap = findCap(policies, partitions);
  const waves = { ...forecastWaves({ policies: enforcing, others: [], rolloutStates, cap, now }), cap };
  return new Map(
    left.map((policy) => {
      const { name } = policy.metadata;
      return [name, forecast(policy, byPolicy.get(name) ?? [], waves, now)];
    }),
  );
}

/** As the controller last found the node, by what it has written. */
function rolloutStateOf({ metadata, spec, status }: GpuNodePartition, policy: GpuPartitionPolicy): NodeRolloutState {
  const { phase, device } = status ?? {};
  const reason = status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? '';
  const { destroy = 0, affectedPods = [], morePods = 0 } = device?.plan ?? {};
  const slot = policy.status?.inFlight?.find(({ node }) => node === metadata.name);
  return {
    node: metadata.name,
    nodeUID: spec.nodeUID,
    policy: policy.metadata.name,
    isReady: reason !== 'NodeNotReady',
    isCordoned: reason === 'ForeignCordon',
    hasGpus: hasGpus({ metadata, spec, status } as GpuNodePartition),
    hasFailed: phase === 'Failed',
    isVerified: phase === 'Ready',
    isClosedAnyway: false,
    isUnderWay: phase === 'Updating',
    wishGeneration: spec.policy?.generation ?? 0,
    slot: slot?.startTime,
    ...(inLine.has(reason) && {
      request: {
        kind: 'New',
        isClosedAnyway: false,
        failedDrains: 0,
        evictions: affectedPods.length + morePods,
        destroys: destroy,
      },
    }),
  };
}

function forecast(
  policy: GpuPartitionPolicy,
  partitions: readonly GpuNodePartition[],
  { waves, held, cap }: Waves & { readonly cap: number },
  now: number,
): RolloutOutlook {
  const { metadata, status } = policy;
  const { most, isCapped } = widthOf(policy, partitions, cap);
  const own = new Set(partitions.map((partition) => partition.metadata.name));
  const ahead = waves.filter(({ nodes }) => nodes.some((node) => own.has(node)));
  const left = partitions.filter(isLeft).length;
  const changing = partitions.filter((partition) => partition.status?.phase === 'Updating').length;
  const following = ahead.flatMap(({ nodes }) => nodes.filter((node) => own.has(node))).length;
  const reason = status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
  const isHeld = held.has(metadata.name) || reason === 'Frozen' || reason === 'Halted';
  const known = status?.pace?.generation === metadata.generation ? status?.pace : undefined;
  const pace = known && { seconds: Math.round(known.seconds / known.nodes), nodes: known.nodes };
  const notBefore = ahead[0]?.notBefore;
  const isComplete = changing + following === left && notBefore === undefined && !isHeld;
  const isGoingOn = (reason === 'Reconciling' || reason === 'Deleting') && isComplete;
  const begun = (status?.inFlight ?? []).map(({ startTime }) => (now - Date.parse(startTime ?? '')) / 1000);
  const seconds = pace && isGoingOn && most > 0 ? Math.round(playThrough(left, most, pace.seconds, begun)) : undefined;
  const figures = { left, changing, waves: isHeld ? undefined : ahead.length, notBefore, seconds, pace };
  return { ...figures, words: describeRollout({ ...figures, following: isHeld ? 0 : following }, most, isCapped) };
}

/** How many nodes a rollout changes at a time. */
export interface RolloutWidth {
  readonly most: number;
  /** The cap over all policies is what limits it. */
  readonly isCapped: boolean;
}

/**
 * What the leader has written; of a policy that none has looked at yet, its own budget.
 *
 * @param partitions of its nodes
 * @param cap over all policies
 */
export function widthOf(
  { spec, status }: GpuPartitionPolicy,
  partitions: readonly GpuNodePartition[],
  cap: number,
): RolloutWidth {
  const budget = countLimit(spec.rollout?.maxUnavailable ?? 1, partitions.filter(hasGpus).length);
  const { maxUnavailable = budget, maxConcurrentNodes = cap } = status?.limits ?? {};
  return { most: Math.min(maxUnavailable, maxConcurrentNodes), isCapped: maxConcurrentNodes < maxUnavailable };
}

/** A node that cannot take its policy, or has failed too often, is not waited for. */
function isLeft({ status }: GpuNodePartition): boolean {
  const phase = status?.phase;
  return phase === undefined || phase === 'Pending' || phase === 'Waiting' || phase === 'Updating';
}

/** Each place takes the next node when it has finished one. @param begun seconds since the admission of nodes in flight */
function playThrough(left: number, width: number, seconds: number, begun: readonly number[]): number {
  const rests = begun.map((since) =>
    Number.isFinite(since) ? Math.min(seconds, Math.max(0, seconds - since)) : seconds,
  );
  const places = [...rests, ...Array.from({ length: Math.max(0, width - rests.length) }, () => 0)].toSorted(
    (a, b) => a - b,
  );
  const waiting = Math.max(0, left - rests.length);
  return Math.max(
    0,
    ...places.map((rest, at) => rest + Math.max(0, Math.ceil((waiting - at) / places.length)) * seconds),
  );
}

interface Figures extends Omit<RolloutOutlook, 'words'> {
  /** Nodes in the waves. */
  readonly following: number;
}

function describeRollout(figures: Figures, most: number, isCapped: boolean): string {
  const { left, seconds, pace, notBefore } = figures;
  const delay = notBefore === undefined ? '' : `, not before ${notBefore}`;
  // It takes longer than the others did.
  const soon = seconds === 0 ? ', done any moment' : '';
  const end = seconds === undefined || seconds === 0 ? soon : `, done in about ${describeDuration(seconds)}`;
  const basis = pace === undefined ? '' : ` (a change took ${describeDuration(pace.seconds)}, mean of ${pace.nodes})`;
  return `${countWords(left, 'node')} left${describeTurns(figures, most, isCapped)}${delay}${end}${basis}`;
}

function describeTurns({ left, changing, following, waves = 0 }: Figures, most: number, isCapped: boolean): string {
  const cap = isCapped ? ' (--max-concurrent-nodes of the controller)' : '';
  const inWaves = waves === 0 ? '' : ` in ${countWords(waves, 'wave')}${waves > 1 ? ` of at most ${most}${cap}` : ''}`;
  if (following === left) return waves > 1 ? inWaves : '';
  const rest = left - changing - following;
  const parts = [
    ...(changing > 0 ? [`${changing} change${changing === 1 ? 's' : ''} now`] : []),
    ...(following > 0 ? [`${following} follow${following === 1 ? 's' : ''}${inWaves}`] : []),
    ...(rest > 0 && rest < left ? [`${rest} held up`] : []),
  ];
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}
