import { durationMs } from '../text/duration.ts';
import { timeText } from '../text/time.ts';
import type { LedgerSnapshot } from './ledger.ts';
import type { Canary } from './slot.ts';

export interface CanaryState {
  /** To be kept in status; undefined where the policy asks for none. */
  readonly record: Canary | undefined;
  /** How many more nodes may start as canaries; undefined where the rest may follow. */
  readonly places: number | undefined;
  /** When the rest may follow, in ms since the epoch; undefined where the canaries are not ready. */
  readonly endsAt?: number | undefined;
}

/** How far the canary of a generation has come. @param held nodes with a slot */
export function judgeCanary(snapshot: LedgerSnapshot, held: ReadonlySet<string>): CanaryState {
  const { policy, now, standingOf } = snapshot;
  const spec = policy.spec.rollout?.canary;
  if (!spec) return { record: undefined, places: undefined };
  const { generation = 0 } = policy.metadata;
  const known = policy.status?.canary;
  const before = known?.generation === generation ? known : { generation, nodes: [] };
  const soakMs = durationMs(spec.soak ?? '0s');
  // Once it has passed, what becomes of its nodes later is no news of the canary.
  if (before.readySince !== undefined && Date.parse(before.readySince) + soakMs <= now) {
    return { record: before, places: undefined };
  }
  const nodes = before.nodes.filter((node) => isCanary(node, snapshot, held));
  const places = Math.max(0, spec.nodes - nodes.length);
  // A new leader has not looked at all of them yet: that is no reason to begin anew.
  const isUnknown = nodes.some((node) => standingOf(node) === undefined);
  if (isUnknown && nodes.length === before.nodes.length) return { record: before, places };
  const areReady = places === 0 && nodes.every((node) => standingOf(node)?.isVerified === true);
  if (!areReady) return { record: { generation, nodes }, places };
  const readySince = before.readySince ?? timeText(now);
  const endsAt = Date.parse(readySince) + soakMs;
  const record = { generation, nodes, readySince };
  return endsAt > now ? { record, places: 0, endsAt } : { record, places: undefined };
}

/** One that is gone is replaced, and so is one that has given its slot back and waits for another: its pods did not go. */
function isCanary(node: string, { policy, standingOf, uidOf }: LedgerSnapshot, held: ReadonlySet<string>): boolean {
  if (uidOf(node) === undefined) return false;
  const standing = standingOf(node);
  if (standing === undefined || held.has(node)) return true;
  return standing.policy === policy.metadata.name && standing.request?.kind !== 'New';
}
