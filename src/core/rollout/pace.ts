import type { LedgerSnapshot } from './ledger.ts';
import { isFor, type Pace, type Slot } from './slot.ts';

/** How fast nodes change at a generation, including those that have just released their slots because they are verified. */
export function notePace({ policy, rolloutStateOf, now }: LedgerSnapshot, released: readonly Slot[]): Pace | undefined {
  const { generation = 0, name } = policy.metadata;
  const known = policy.status?.pace;
  const took = released.flatMap((slot): readonly number[] => {
    const rolloutState = rolloutStateOf(slot.node);
    const isDone = rolloutState?.isVerified === true && rolloutState.policy === name && isFor(slot, rolloutState);
    const startedAt = Date.parse(slot.startTime ?? '');
    // A node that was found changing began at an unknown time.
    const counts = isDone && slot.generation === generation && slot.kind !== 'Found' && Number.isFinite(startedAt);
    return counts ? [Math.max(0, Math.round((now - startedAt) / 1000))] : [];
  });
  // The pace of an earlier generation stays until then: a new generation alone causes no write.
  if (took.length === 0) return known;
  const { nodes, seconds } = known?.generation === generation ? known : { nodes: 0, seconds: 0 };
  return { generation, nodes: nodes + took.length, seconds: took.reduce((sum, one) => sum + one, seconds) };
}
