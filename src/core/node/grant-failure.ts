import type { GpuReport, Grant, NodePartitionStatus, Wish } from '../../api/types.ts';
import { retryAnnotation } from '../../api/names.ts';
import { type Backoff, doubledMs } from '../text/duration.ts';
import { canonicalJson, fingerprint } from '../text/fingerprint.ts';
import { codeEndings } from './endings.ts';
import { recallMemory, type Wait } from './memory.ts';
import { isUnanswered, observedEpochOf } from './observed-epoch.ts';
import { retryMs } from '../report/report-fields.ts';
import { isRevocation } from './revocation.ts';
import type { Situation } from './outcome.ts';
import { wishHash } from '../wish/wish.ts';

/** What failed grants of a node have in common. */
export interface GrantFailure {
  /** Of the policy and its generation that the last grant that failed was written for. */
  readonly generation: string;
  /** Of the last grant that failed. */
  readonly epoch: number;
  /** What failed, on which GPU, on the way to which wish, with the device as it was then. */
  readonly fault: string;
  /** How often this has failed in a row. */
  readonly equal: number;
  /** Grants of this generation that failed. */
  readonly count: number;
  /** Whether any of them makes the node a failed one. */
  readonly counts: boolean;
  /** When the last one failed, in ms since the epoch. */
  readonly since: number;
}

/** The device was never worked on: a retry may well succeed. */
const transient: readonly string[] = ['PlanChanged', 'Stale', 'Expired', 'Stopped'];
/** Nothing was touched because somebody must leave first: retried at once within this time, in ms. */
const longestSoonMs = 5_000;
/** The same failure is retried quickly once, then rests. */
const mostQuick = 2;

/** What is known of failed grants, the last one included; undefined if none has failed. */
export function grantFailureOf(situation: Situation): GrantFailure | undefined {
  const known = parse(situation.memory.waits.GrantFailed);
  const failed = failedGrant(situation);
  if (failed === undefined || failed.epoch === known?.epoch) return known;
  const generation = grantedGeneration(situation);
  const fault = faultOf(situation, situation.partition.spec.granted);
  const isEqual =
    known?.fault === fault && !isTransient({ code: failed.code, gpu: situation.partition.status?.device?.error?.gpu });
  const before = known?.generation === generation ? known : undefined;
  return {
    generation,
    epoch: failed.epoch,
    fault,
    equal: isEqual ? known.equal + 1 : 1,
    count: (before?.count ?? 0) + 1,
    counts: before !== undefined || codeEndings[failed.code]?.counts !== 'Repeated',
    since: situation.now,
  };
}

/**
 * How long, in ms, the grant that has failed still rests; 0 if it may be tried again. Counted from when it was seen to have failed;
 * the same failure again rests longer each time.
 */
export function restLeftMs({ partition, now }: Situation, failure: GrantFailure): number {
  const { epoch, count, equal, since } = failure;
  const { error } = partition.status?.device ?? {};
  if (epoch !== partition.spec.granted?.epoch || error === undefined) return 0;
  const quickMs = error.code === 'InUse' ? Math.min(longestSoonMs, retryMs(count) / 5) : retryMs(count);
  const restMs = isRepeated(failure) ? growingRestMs(equal - mostQuick + 1) : quickMs;
  return Math.max(0, since + restMs - now);
}

/** Whether quick attempts have failed in the same way. */
export function isRepeated({ equal }: GrantFailure): boolean {
  return equal >= mostQuick;
}

/** Whether anything that may make a difference has changed since the failure. */
export function hasChangedSince(situation: Situation, { fault, generation }: GrantFailure): boolean {
  const wish = wishIn(situation) ?? situation.partition.spec.granted;
  return fault !== faultOf(situation, wish) || generation !== generationOf(situation);
}

export function keepFailure({ generation, epoch, fault, equal, count, counts, since }: GrantFailure): Wait {
  return { since, of: [generation, epoch, fault, equal, ...(counts ? [] : ['passing'])].join('|'), count };
}

/** What is known of failed grants from a node's status. */
export function recallFailure(status: NodePartitionStatus | undefined): GrantFailure | undefined {
  return parse(recallMemory(status).waits.GrantFailed);
}

function parse(wait: Wait | undefined): GrantFailure | undefined {
  const [generation, epoch, fault, equal, passing] = wait?.of?.split('|') ?? [];
  if (wait === undefined || generation === undefined || fault === undefined) return undefined;
  const { since, count = 1 } = wait;
  return { generation, epoch: Number(epoch), fault, equal: Number(equal), count, counts: passing === undefined, since };
}

function failedGrant({ partition }: Situation): { readonly epoch: number; readonly code: string } | undefined {
  const { granted } = partition.spec;
  const { device } = partition.status ?? {};
  if (!granted) return undefined;
  if (isUnanswered(partition)) {
    return isRevocation(granted) ? { epoch: granted.epoch, code: 'Unanswered' } : undefined;
  }
  const isAnswer = observedEpochOf(device, granted) === granted.epoch;
  if (!isAnswer || device?.step !== 'Failed' || !device.error) return undefined;
  const { code } = device.error;
  return codeEndings[code]?.counts === 'Never' ? undefined : { epoch: granted.epoch, code };
}

/**
 * What is currently asked of the node: the policy's generation, what that makes of the node, and a retry. A schedule or a demand makes
 * another wish of the same generation.
 */
export function askedOf(situation: Situation): string {
  const { annotations } = situation.node.metadata;
  const wish = wishIn(situation);
  return fingerprint(canonicalJson([generationOf(situation), annotations?.[retryAnnotation], wish && wishHash(wish)]));
}

function wishIn({ claim }: Situation): Wish | undefined {
  return claim.wish && 'wish' in claim.wish ? claim.wish.wish : undefined;
}

/** The policy that decides over the node, and its generation. */
export function generationOf({ claim }: Situation): string {
  return writeGeneration(claim.winner?.metadata ?? {});
}

/** What the grant was written for: an edit since then has not failed. A grant of an earlier version does not say it; its wish may. */
function grantedGeneration({ partition }: Situation): string {
  const { granted, policy } = partition.spec;
  return writeGeneration(granted?.policy ?? policy ?? {});
}

function writeGeneration({ uid = '', generation = 0 }: NonNullable<Grant['policy']>): string {
  return `${uid.slice(0, 8)}.${generation}`;
}

/** Users that a reading shows are waited for and drained. What only the device itself shows to be in use stays so until somebody acts. */
export function isTransient({ code, gpu }: { readonly code: string; readonly gpu?: string | undefined }): boolean {
  return (code === 'InUse' && gpu === undefined) || transient.includes(code);
}

function faultOf(situation: Situation, wish: Parameters<typeof wishHash>[0] | undefined): string {
  const { partition, node } = situation;
  const { error, driverVersion, bootID, gpus = [] } = partition.status?.device ?? {};
  const asked = node.metadata.annotations?.[retryAnnotation];
  const use = error?.code === 'InUse' ? useOf(situation) : [];
  return fingerprint(
    canonicalJson([
      error?.code,
      error?.gpu,
      wish && wishHash(wish),
      driverVersion,
      bootID,
      gpus.map(layoutOf),
      asked,
      ...use,
    ]),
  );
}

/** What tells that a GPU is in use by others than at its failure: the pods that would have to go, and processes of no pod. */
function useOf({ partition }: Situation): readonly unknown[] {
  const { error, plan, gpus = [] } = partition.status?.device ?? {};
  const isRunning = ({ busy, pods = [] }: Pick<GpuReport, 'busy' | 'pods'>): boolean =>
    busy === true && pods.length === 0;
  const gpu = gpus.find(({ uuid }) => uuid === error?.gpu);
  return [plan?.hash, gpu && [gpu, ...gpu.instances].map(isRunning)];
}

/** Recreated instances count as the same, whatever their ids. */
function layoutOf({ uuid, mig, error, instances }: GpuReport): unknown {
  return [uuid, mig, error !== undefined, instances.map(({ profile, start }) => `${profile}@${start}`).sort()];
}

const rest: Backoff = { baseMs: 60_000, maxMs: 3600_000 };

/**
 * How long what has failed rests before the next attempt, in ms: a minute, twice as long each further time, at most an hour. There is
 * no last attempt. Nodes need no jitter: each waits for its slot after its rest.
 *
 * @param count how often it has failed, from 1
 */
export function growingRestMs(count: number): number {
  return doubledMs(rest, count);
}
