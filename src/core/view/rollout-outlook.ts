import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { hasGpus } from '../rollout/gpu-nodes.ts';
import { countLimit } from '../rollout/limit.ts';
import { countWords } from '../text/count-words.ts';
import { describeDuration } from '../text/duration.ts';

/** What is left of a policy's rollout. */
export interface RolloutOutlook {
  /** Nodes that do not match the policy yet, and are to. */
  readonly left: number;
  /** In so many rounds of as many as may change at a time; undefined if none may. */
  readonly waves: number | undefined;
  /** In how many seconds all of them will match; undefined if unknown. */
  readonly seconds: number | undefined;
  /** How long a change of this generation takes, in seconds, as a mean over how many; undefined if none has ended. */
  readonly pace: { readonly seconds: number; readonly nodes: number } | undefined;
  /** `7 nodes left in 3 waves of at most 3, done in about 4 min (a change took 80 s, mean of 5)` */
  readonly words: string;
}

type Figures = Omit<RolloutOutlook, 'words'>;

/**
 * Undefined if nothing is left to do. The time assumes that the rest goes as fast as what is done, and that nothing delays it; if
 * something does, it is unknown.
 *
 * @param partitions of the nodes that the policy decides over
 */
export function foreseeRollout(
  policy: GpuPartitionPolicy,
  partitions: readonly GpuNodePartition[],
  now: number,
): RolloutOutlook | undefined {
  const { metadata, spec, status } = policy;
  if (spec.mode === 'Plan') return undefined;
  const left = partitions.filter(({ status: node }) => isLeft(node?.phase)).length;
  if (left === 0) return undefined;
  const { most: width, isCapped } = widthOf(policy, partitions);
  const known = status?.pace?.generation === metadata.generation ? status?.pace : undefined;
  const pace = known && { seconds: Math.round(known.seconds / known.nodes), nodes: known.nodes };
  const waves = width === 0 ? undefined : Math.ceil(left / width);
  const reason = status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
  const isGoingOn = reason === 'Reconciling' || reason === 'Deleting';
  const begun = (status?.inFlight ?? []).map(({ startTime }) => (now - Date.parse(startTime ?? '')) / 1000);
  const isKnown = pace !== undefined && width > 0 && isGoingOn;
  const seconds = isKnown ? Math.round(playThrough(left, width, pace.seconds, begun)) : undefined;
  const figures = { left, waves, seconds, pace };
  return { ...figures, words: describeRollout(figures, width, isCapped) };
}

/** How many nodes a rollout changes at a time. */
export interface RolloutWidth {
  readonly most: number;
  /** The cap over all policies is what limits it. */
  readonly isCapped: boolean;
}

/** What the leader has written; of a policy that none has looked at yet, its own budget. @param partitions of its nodes */
export function widthOf({ spec, status }: GpuPartitionPolicy, partitions: readonly GpuNodePartition[]): RolloutWidth {
  const budget = countLimit(spec.rollout?.maxUnavailable ?? 1, partitions.filter(hasGpus).length);
  const { maxUnavailable = budget, maxConcurrentNodes = Infinity } = status?.limits ?? {};
  return { most: Math.min(maxUnavailable, maxConcurrentNodes), isCapped: maxConcurrentNodes < maxUnavailable };
}

/** A node that cannot take its policy, or has failed too often, is not waited for. */
function isLeft(phase: string | undefined): boolean {
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

function describeRollout({ left, waves, seconds, pace }: Figures, most: number, isCapped: boolean): string {
  const cap = isCapped ? ' (--max-concurrent-nodes of the controller)' : '';
  const turns = waves === undefined || waves < 2 ? '' : ` in ${waves} waves of at most ${most}${cap}`;
  const end = seconds === undefined ? '' : `, done in about ${describeDuration(seconds)}`;
  const basis = pace === undefined ? '' : ` (a change took ${describeDuration(pace.seconds)}, mean of ${pace.nodes})`;
  return `${countWords(left, 'node')} left${turns}${end}${basis}`;
}
