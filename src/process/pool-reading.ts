import type { PolicyRecord } from '../core/policy/policy-record.ts';
import { listPodPools, listPool, type PoolCluster } from '../core/supply/demand-pool.ts';
import type { Member } from '../core/supply/member.ts';
import type { Waiter } from '../core/supply/pod-demand.ts';
import type { PodPool } from '../core/supply/pod-pool.ts';
import { sharing, type WaitingSlices } from '../core/supply/waiting-share.ts';
import { Turn } from './turn.ts';

/** {@link listPool}, without blocking the event loop. */
export async function readMembers(
  cluster: PoolCluster,
  record: PolicyRecord,
  isResting: (id: string) => boolean,
): Promise<readonly Member[]> {
  const turn = new Turn();
  const members: Member[] = [];
  for (const found of listPool(record, cluster, isResting)) {
    members.push(...found);
    await turn.pause();
  }
  return members;
}

/** {@link listPodPools}, without blocking the event loop. */
async function readPodPools(cluster: PoolCluster, record: PolicyRecord): Promise<readonly PodPool[]> {
  const turn = new Turn();
  const reading = listPodPools(record, cluster);
  let step = reading.next();
  while (step.done !== true) {
    await turn.pause();
    step = reading.next();
  }
  return step.value;
}

/** The slices that are waited for and that a policy's pool is to offer, by resource; without blocking the event loop. */
export async function readWaiting(
  cluster: PoolCluster,
  record: PolicyRecord,
  waiters: readonly Waiter[],
): Promise<WaitingSlices> {
  const turn = new Turn();
  const shares = sharing(waiters, await readPodPools(cluster, record));
  let step = shares.next();
  while (step.done !== true) {
    await turn.pause();
    step = shares.next();
  }
  return step.value.get(record.name) ?? new Map<string, number>();
}
