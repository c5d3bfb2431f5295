import { deployLabelPrefix, migConfigStateLabel } from '../../src/api/names.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import { borrowedLabelsOf, metadataOf } from '../../src/core/node/node-patch.ts';
import { pausedForMigChange } from '../../src/core/node/plugin-pods.ts';
import { type NodeSnapshot, isUnfinished } from '../../src/core/node/snapshot.ts';
import { devicePluginConfigLabel } from '../../src/core/nvidia/labels.ts';
import type { SettledDecision } from './controller.ts';

// What the onlookers of both models ask.

/** Slots that a node is given within a minute: edits come more often than that only in a few stories. */
export const mostAdmissions = 10;
/** The deadlines of a grant, of its answer and of a device plugin, and the time until somebody looks, in ms. */
export const longestDeadMs = 600_000;

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

/**
 * Labels of others are changed on loan only, and given back as they were. What somebody else keeps away is theirs: it is neither paused
 * nor brought back.
 *
 * @returns the label that was changed otherwise
 */
export function findUnlent(before: NodeObject, after: NodeObject): string | undefined {
  const [loansBefore, loansAfter] = [borrowedLabelsOf(metadataOf(before)), borrowedLabelsOf(metadataOf(after))];
  const keys = new Set(Object.keys({ ...before.metadata.labels, ...after.metadata.labels }).filter(isBorrowed));
  for (const key of keys) {
    const [was, is] = [before.metadata.labels?.[key], after.metadata.labels?.[key]];
    if (was === is) continue;
    const isTaken = loansAfter[key]?.set === is && (is !== pausedForMigChange || was === 'true');
    const loan = loansBefore[key];
    const isReturned = loan !== undefined && loan.set === was && (loan.was ?? undefined) === is;
    const isLeft = loan === undefined && (was === pausedForMigChange || was === 'pending' || was === 'rebooting');
    const isCleared = isLeft && is === (was === pausedForMigChange ? 'true' : undefined);
    if (!isTaken && !isReturned && !isCleared) return `label ${key} was changed from ${was} to ${is} without a loan`;
  }
  return undefined;
}

export function isBorrowed(key: string): boolean {
  return key.startsWith(deployLabelPrefix) || key === migConfigStateLabel || key === devicePluginConfigLabel;
}
