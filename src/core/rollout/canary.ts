import { durationMs, timeText } from '../text/duration.ts';
import type { LedgerSnapshot } from './ledger.ts';
import type { Canary, NodeRolloutState } from './slot.ts';

export interface CanaryState {
  /** To be kept in the status; undefined if the policy asks for no canary. */
  readonly record: Canary | undefined;
  /** How many more nodes may start as canaries; undefined if the rest may follow. */
  readonly places: number | undefined;
  /** When the rest may follow, in ms since the epoch; undefined if the canaries are not ready. */
  readonly endsAt?: number | undefined;
}

/** Progress of a generation's canary. @param held nodes with a slot */
export function judgeCanary(snapshot: LedgerSnapshot, held: ReadonlySet<string>): CanaryState {
  const { policy, now, rolloutStateOf, hasAskedSince } = snapshot;
  const spec = policy.spec.rollout?.canary;
  if (!spec) return { record: undefined, places: undefined };
  const { generation = 0 } = policy.metadata;
  const { canary: known, schedule } = policy.status ?? {};
  // Each switch has its own: what was right by day says nothing about the night.
  const of = { generation, ...(schedule?.name !== undefined && { schedule: schedule.name }) };
  // One that only looks starts nothing: what was found of the generation in force still holds when that continues.
  if (known && policy.spec.mode === 'Plan') return { record: known, places: 0 };
  // A pause, a resumption and a change of pace ask for nothing new.
  const isSame = known !== undefined && known.schedule === schedule?.name && hasAskedSince(known.generation);
  const before = isSame ? { ...known, generation } : { ...of, nodes: [] };
  // What happens to its nodes later no longer affects it.
  if (before.passedTime !== undefined) return { record: before, places: undefined };
  const nodes = before.nodes.filter((node) => isCanary(node, snapshot, held));
  const places = Math.max(0, spec.nodes - nodes.length);
  // A new leader has not seen all of them yet: do not start over because of that.
  const isUnknown = nodes.some((node) => rolloutStateOf(node) === undefined);
  if (isUnknown && nodes.length === before.nodes.length) return { record: before, places };
  const areReady = places === 0 && nodes.every((node) => isWell(rolloutStateOf(node)));
  if (!areReady) return { record: { ...of, nodes }, places };
  const readySince = before.readySince ?? timeText(now);
  const endsAt = Date.parse(readySince) + durationMs(spec.soak ?? '0s');
  const record = { ...of, nodes, readySince };
  if (endsAt > now) return { record, places: 0, endsAt };
  return { record: { ...record, passedTime: timeText(now) }, places: undefined };
}

/** A node whose kubelet is gone says nothing about the new layout, however well it was before. */
function isWell(rolloutState: NodeRolloutState | undefined): boolean {
  return rolloutState?.isVerified === true && rolloutState.isReady;
}

/** A canary node that is gone is replaced, and so is one that gave up its slot and waits for another: its pods did not go. */
function isCanary(node: string, { policy, rolloutStateOf, uidOf }: LedgerSnapshot, held: ReadonlySet<string>): boolean {
  if (uidOf(node) === undefined) return false;
  const rolloutState = rolloutStateOf(node);
  if (rolloutState === undefined || held.has(node)) return true;
  return rolloutState.policy === policy.metadata.name && rolloutState.request?.kind !== 'New';
}
