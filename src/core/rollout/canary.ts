import type { PolicySpec } from '../../api/types.ts';
import { durationMs } from '../text/duration.ts';
import { timeText } from '../text/time.ts';
import type { Canary } from './slot.ts';
import type { Standings } from './standings.ts';

type CanarySpec = NonNullable<NonNullable<PolicySpec['rollout']>['canary']>;

export interface CanaryState {
  /** To be kept in status; undefined where the policy asks for none. */
  readonly record: Canary | undefined;
  /** How many more nodes may start as canaries; undefined where the rest may follow. */
  readonly places: number | undefined;
  /** Time left until the rest may follow, in ms; undefined where the canaries are not ready. */
  readonly leftMs?: number | undefined;
}

/** How far the canary of a generation has come. */
export function judgeCanary(
  spec: CanarySpec | undefined,
  known: Canary | undefined,
  generation: number,
  standings: Standings,
  now: number,
): CanaryState {
  if (!spec) return { record: undefined, places: undefined };
  const before = known?.generation === generation ? known : { generation, nodes: [] };
  const soakMs = durationMs(spec.soak ?? '0s');
  // Once it has passed, what becomes of its nodes later is no news of the canary.
  if (before.readySince !== undefined && Date.parse(before.readySince) + soakMs <= now) {
    return { record: before, places: undefined };
  }
  const nodes = before.nodes.filter((node) => standings.get(node) !== undefined);
  const places = Math.max(0, spec.nodes - nodes.length);
  const areReady = places === 0 && nodes.every((node) => standings.get(node)?.isVerified === true);
  if (!areReady) return { record: { generation, nodes }, places };
  const readySince = before.readySince ?? timeText(now);
  const leftMs = Date.parse(readySince) + soakMs - now;
  const record = { generation, nodes, readySince };
  return leftMs > 0 ? { record, places: 0, leftMs } : { record, places: undefined };
}
