import type { PolicyRecord } from '../core/policy/policy-record.ts';
import { listPodPools, listPool, type PoolCluster, type PoolPast } from '../core/supply/demand-pool.ts';
import type { Member } from '../core/supply/member.ts';
import type { Waiter } from '../core/supply/pod-demand.ts';
import type { PodPool } from '../core/supply/pod-pool.ts';
import { type PoolShare, sharing, type Uncounted } from '../core/supply/waiting-share.ts';
import { Turn } from './turn.ts';

/** {@link listPool}, without blocking the event loop. */
export async function readMembers(
  cluster: PoolCluster,
  record: PolicyRecord,
  past: PoolPast,
): Promise<readonly Member[]> {
  const turn = new Turn();
  const members: Member[] = [];
  for (const found of listPool(record, cluster, past)) {
    members.push(...found);
    await turn.pause();
  }
  return members;
}

/** {@link listPodPools}, without blocking the event loop. */
async function readPodPools(cluster: PoolCluster, record: PolicyRecord, now: number): Promise<readonly PodPool[]> {
  const turn = new Turn();
  const reading = listPodPools(record, cluster, now);
  let step = reading.next();
  while (step.done !== true) {
    await turn.pause();
    step = reading.next();
  }
  return step.value;
}

/** What pods that wait ask of a policy's pool. */
interface WaitingReading extends PoolShare {
  readonly uncounted: readonly Uncounted[];
}

const asksNothing: PoolShare = { waiting: new Map(), missing: new Map(), stranded: new Map(), takers: undefined };

/** Shares pods that wait among pools, without blocking the event loop. @param now in ms since the epoch */
export async function readWaiting(
  cluster: PoolCluster,
  record: PolicyRecord,
  waiters: readonly Waiter[],
  now: number,
): Promise<WaitingReading> {
  const turn = new Turn();
  const uncounted: Uncounted[] = [];
  const shares = sharing(waiters, await readPodPools(cluster, record, now), (left) => uncounted.push(left));
  let step = shares.next();
  while (step.done !== true) {
    await turn.pause();
    step = shares.next();
  }
  return { ...(step.value.get(record.name) ?? asksNothing), uncounted };
}
