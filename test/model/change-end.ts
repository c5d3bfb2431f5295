import { type NodeSnapshot, isUnfinished } from '../../src/core/node/snapshot.ts';
import type { SettledDecision } from './controller.ts';

/** Of changes that end: docs/rollout.md lists them. */
const countingReasons: readonly string[] = [
  'ClientsStay',
  'LabelsStale',
  'AdvertisePending',
  'RefreshBlocked',
  'DeviceUnreadable',
];

/** A change that ends because of the node is one that failed, whatever the reason. @returns the reason that does not count */
export function findUncounted(
  { node, slot }: NodeSnapshot,
  { verdict, rolloutState }: SettledDecision,
): string | undefined {
  const ends = verdict.phase === 'Failed' && slot !== undefined && isUnfinished(node);
  return ends && countingReasons.includes(verdict.reason) && !rolloutState.hasFailed ? verdict.reason : undefined;
}
