import type { PolicyRecord } from '../core/policy/policy-record.ts';
import { listPodPools, listPool, type PoolCluster, type RestOf } from '../core/supply/demand-pool.ts';
import type { Member } from '../core/supply/member.ts';
import type { Waiter } from '../core/supply/pod-demand.ts';
import type { PodPool } from '../core/supply/pod-pool.ts';
import { sharing, type Uncounted } from '../core/supply/waiting-share.ts';
import { Turn } from './turn.ts';

/** {@link listPool}, without blocking the event loop. */
export async function readMembers(
  cluster: PoolCluster,
  record: PolicyRecord,
  restOf: RestOf,
): Promise<readonly Member[]> {
  const turn = new Turn();
  const members: Member[] = [];
  for (const found of listPool(record, cluster, restOf)) {
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

/** What pods wait for. */
interface WaitingReading {
  /** The slices that a policy's pool is to offer, by resource. */
  readonly waiting: ReadonlyMap<string, number>;
  readonly uncounted: readonly Uncounted[];
}

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
  return { waiting: step.value.get(record.name) ?? new Map<string, number>(), uncounted };
}
