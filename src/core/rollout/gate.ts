import type { PolicyReason } from '../../api/names.ts';
import type { GpuPartitionPolicy } from '../../api/types.ts';
import { countWords } from '../text/cut-text.ts';
import { timeText } from '../text/duration.ts';
import type { SlotHolder } from './cap.ts';
import { countLimit } from './limit.ts';
import type { NodeRolloutState } from './slot.ts';
import { stateOfWindows } from './windows.ts';

/**
 * Why nodes that request a slot do not get one, other than that others have it. Points in time rather than remaining time: otherwise
 * every look would be a write.
 */
export type RolloutGate =
  | { readonly reason: 'Frozen'; readonly why: string }
  | { readonly reason: 'Paused' }
  | { readonly reason: 'Held' }
  | {
      readonly reason: 'Halted';
      readonly failed: ReadonlySet<string>;
      readonly threshold: number;
      readonly isCanary: boolean;
    }
  | { readonly reason: 'WindowClosed'; readonly opensAt: number | undefined }
  | { readonly reason: 'Capped'; readonly most: number; readonly others: readonly SlotHolder[] }
  | {
      readonly reason: 'NodesUnavailable';
      readonly most: number;
      readonly count: number;
      /** The first of them. */
      readonly nodes: readonly NodeRolloutState[];
      /** Nodes in flight besides those: they take places too. */
      readonly changing: number;
    }
  | { readonly reason: 'CanarySoak'; readonly nodes: readonly string[]; readonly endsAt: number | undefined };

/** How many of the nodes that keep others waiting are named. */
export const mostNames = 5;

/** How the words for a frozen cluster begin: they end the message of every policy. */
export const frozenWords = 'the whole cluster is frozen';

/** For conditions: why, and what to do. */
export function describeGate(gate: RolloutGate): string {
  switch (gate.reason) {
    case 'Frozen':
      return `${frozenWords}: ${gate.why}. No node starts to change; restart the controller without --freeze to continue`;
    case 'Paused':
      return 'the rollout is paused; set spec.rollout.paused to false to continue';
    case 'Held':
      return 'spec.rollout.maxUnavailable is 0: no node starts to change; raise it to continue';
    case 'Halted': {
      const names = listNames([...gate.failed]);
      const limit = gate.isCanary ? 'a canary must not fail' : `spec.rollout.failureThreshold is ${gate.threshold}`;
      return `${gate.failed.size} failed (${names}), and ${limit}: no new node starts. Failed nodes are retried; the rollout continues when they are Ready, or when the policy changes`;
    }
    case 'WindowClosed':
      return gate.opensAt === undefined
        ? 'no window in spec.rollout.windows ever opens'
        : `outside spec.rollout.windows; the next window opens at ${timeText(gate.opensAt)}`;
    case 'Capped': {
      const most = countWords(gate.most, 'node');
      return `--max-concurrent-nodes of the controller allows ${most} of all policies at a time, and others change now: ${listHolders(gate.others)}`;
    }
    case 'NodesUnavailable': {
      const { count, nodes, changing } = gate;
      const beside = changing === 0 ? '' : ` beside ${changing} that ${changing === 1 ? 'changes' : 'change'}`;
      const names = nodes.map(({ node, isReady }) => `${node} (${isReady ? 'cordoned' : 'not Ready'})`);
      const most = countWords(gate.most, 'unavailable node');
      return `spec.rollout.maxUnavailable allows ${most}, and there ${count === 1 ? 'is' : 'are'} ${count} already${beside}: ${listNames(names, count)}. The rollout continues when fewer are`;
    }
    case 'CanarySoak': {
      const names = listNames(gate.nodes);
      return gate.endsAt === undefined
        ? `waiting for the canary: ${names}`
        : `the canary is Ready (${names}); the rest follows at ${timeText(gate.endsAt)}`;
    }
  }
}

/** What keeps every node of a policy from starting, whichever asks. */
export interface RolloutStop {
  readonly reason: PolicyReason;
  /** With what to do. */
  readonly message: string;
}

/**
 * Finds what stops the whole rollout of a policy, by what its author wrote and by its status; undefined if nothing does.
 *
 * @param now in ms since the epoch; undefined: what depends on the time is not told
 */
export function findStop({ spec, status }: GpuPartitionPolicy, now: number | undefined): RolloutStop | undefined {
  if (spec.mode === 'Plan') return { reason: 'PlanOnly', message: 'mode Plan changes nothing: set mode: Enforce' };
  const { paused, maxUnavailable = 1, windows } = spec.rollout ?? {};
  if (paused === true) return stopBy({ reason: 'Paused' });
  if (countLimit(maxUnavailable, 1) === 0) return stopBy({ reason: 'Held' });
  const window = now === undefined ? undefined : stateOfWindows(windows, now);
  if (window?.isOpen === false) return stopBy({ reason: 'WindowClosed', opensAt: window.opensAt });
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const reason = (['Frozen', 'Halted'] as const).find((one) => one === ready?.reason);
  return ready?.status === 'False' && reason !== undefined ? { reason, message: ready.message } : undefined;
}

function stopBy(gate: RolloutGate): RolloutStop {
  return { reason: gate.reason, message: describeGate(gate) };
}

function listHolders(holders: readonly SlotHolder[]): string {
  const named = holders.slice(0, mostNames);
  const more = holders.length - named.length;
  const groups = [...Map.groupBy(named, ({ policy }) => policy)].map(([policy, nodes]) => {
    const words = nodes.map(({ node, since }) => (since === undefined ? node : `${node} (since ${since})`));
    return `policy ${policy} ${words.join(', ')}`;
  });
  return [...groups, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** @param count if these are only the first of so many */
function listNames(names: readonly string[], count = names.length): string {
  const more = count - mostNames;
  return more > 0 ? `${names.slice(0, mostNames).join(', ')} and ${more} more` : names.join(', ');
}
