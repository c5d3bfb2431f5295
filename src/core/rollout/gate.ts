import { timeText } from '../text/time.ts';

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
  | { readonly reason: 'CanarySoak'; readonly nodes: readonly string[]; readonly endsAt: number | undefined };

const mostNames = 5;

/** For conditions: why, and what to do. */
export function describeGate(gate: RolloutGate): string {
  switch (gate.reason) {
    case 'Frozen':
      return `the whole cluster is frozen: ${gate.why}. No node starts to change; restart the controller without --freeze to continue`;
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
    case 'CanarySoak': {
      const names = listNames(gate.nodes);
      return gate.endsAt === undefined
        ? `waiting for the canary: ${names}`
        : `the canary is Ready (${names}); the rest follows at ${timeText(gate.endsAt)}`;
    }
  }
}

function listNames(names: readonly string[]): string {
  const more = names.length - mostNames;
  return more > 0 ? `${names.slice(0, mostNames).join(', ')} and ${more} more` : names.join(', ');
}
