import type { LedgerSnapshot } from './ledger.ts';
import { isFor, type Pace, type Slot } from './slot.ts';

/** How fast nodes change at a generation, with those that have given their slots back just now because they are verified. */
export function notePace({ policy, standingOf, now }: LedgerSnapshot, released: readonly Slot[]): Pace | undefined {
  const { generation = 0, name } = policy.metadata;
  const known = policy.status?.pace;
  const took = released.flatMap((slot): readonly number[] => {
    const standing = standingOf(slot.node);
    const isDone = standing?.isVerified === true && standing.policy === name && isFor(slot, standing);
    const startedAt = Date.parse(slot.startTime ?? '');
    // One that was found changing began at a time that nobody knows.
    const counts = isDone && slot.generation === generation && slot.kind !== 'Found' && Number.isFinite(startedAt);
    return counts ? [Math.max(0, Math.round((now - startedAt) / 1000))] : [];
  });
  // That of an earlier generation stays until then: a new one alone is no write.
  if (took.length === 0) return known;
  const { nodes, seconds } = known?.generation === generation ? known : { nodes: 0, seconds: 0 };
  return { generation, nodes: nodes + took.length, seconds: took.reduce((sum, one) => sum + one, seconds) };
}
