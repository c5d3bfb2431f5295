import type { PolicyReason } from '../../api/names.ts';
import type { PolicyTally } from '../policy/tally.ts';
import { describeGate } from '../rollout/gate.ts';
import { countWords } from '../text/cut-text.ts';
import { timeText } from '../text/duration.ts';
import { listNodes } from './node-causes.ts';
import type { PolicyFacts } from './policy-status.ts';

/** What is said of a policy in its condition Ready. */
export interface PolicyJudgement {
  readonly state: 'ready' | 'progressing' | 'stalled';
  readonly reason: PolicyReason;
  readonly message: string;
}

/** Who waits for a policy to be gone needs to know for which nodes it stays, and what ends that. */
export function judgeDeletion({ goesAt }: PolicyFacts, tally: PolicyTally): PolicyJudgement {
  const groups = ['failed', 'waiting', 'unfinished', 'unseen'] as const;
  const group = groups.find((one) => tally.size(one) > 0);
  const left = group === undefined ? '' : `; ${listNodes(tally, group)}`;
  const end = goesAt === undefined ? '' : `It goes without the rest at ${timeText(goesAt)}; `;
  const done = `${tally.inPhase('Ready')} of ${countWords(tally.own, 'node')} done`;
  const message =
    `the policy is being deleted, and makes its GPUs whole first (onDelete: DisableMig): ${done}${left}. ` +
    `${end}spec.onDelete: Keep lets it go now`;
  return { state: 'progressing', reason: 'Deleting', message };
}

export function judgePolicy({ policy, gate }: PolicyFacts, tally: PolicyTally): PolicyJudgement {
  if (tally.matched === 0) {
    const message = 'no node matches spec.nodeSelector; nodes that join later are partitioned';
    return { state: 'ready', reason: 'NoNodes', message };
  }
  if (policy.spec.mode === 'Plan') {
    const message = 'mode Plan: status.plan shows what would be done; nothing changes';
    return { state: 'ready', reason: 'PlanOnly', message };
  }
  if (gate?.reason === 'Halted') return { state: 'stalled', reason: 'Halted', message: describeGate(gate) };
  if (tally.size('failed') > 0) return { state: 'stalled', reason: 'Failed', message: listNodes(tally, 'failed') };
  if (tally.size('conflicted') > 0) {
    const lost = listNodes(tally, 'conflicted', ({ wonBy }) => `won by policy ${wonBy}`);
    const message = `${lost}; at equal priority the older policy wins, then the name: change a priority or a selector`;
    return { state: 'stalled', reason: 'Conflicted', message };
  }
  if (tally.size('waiting') > 0)
    return { state: 'progressing', reason: 'Waiting', message: listNodes(tally, 'waiting') };
  if (gate) return { state: 'progressing', reason: gate.reason, message: describeGate(gate) };
  const unfinished = tally.size('unfinished') + tally.size('unseen');
  // Only nodes that cannot take the policy are left: no work is under way.
  if (unfinished > 0 && unfinished === tally.size('invalid')) {
    return { state: 'stalled', reason: 'Invalid', message: listNodes(tally, 'invalid') };
  }
  if (unfinished > 0) {
    const group = tally.size('unfinished') > 0 ? 'unfinished' : 'unseen';
    return { state: 'progressing', reason: 'Reconciling', message: listNodes(tally, group) };
  }
  const reason = tally.size('outranked') > 0 ? 'Outranked' : 'Ready';
  return { state: 'ready', reason, message: describeReady(tally) };
}

/** What is true of the nodes of a policy of which none is left to change. */
function describeReady(tally: PolicyTally): string {
  const outranked = tally.size('outranked');
  const lost = listNodes(tally, 'outranked', ({ wonBy }) => `policy ${wonBy}`);
  return [
    ...(tally.own > 0 ? [describeOwn(tally)] : []),
    ...(outranked > 0
      ? [`a policy of higher priority decides over ${countWords(outranked, 'selected node')}: ${lost}`]
      : []),
  ].join('; ');
}

function describeOwn(tally: PolicyTally): string {
  const skipped = tally.size('skipped');
  const all = countWords(tally.own, 'selected node');
  if (skipped === 0) return tally.own === 1 ? 'the selected node matches the policy' : `all ${all} match the policy`;
  const which = listNodes(tally, 'skipped');
  if (skipped === tally.own) return `no layout of the policy applies to a GPU of the ${all}: ${which}`;
  return `${tally.own - skipped} of ${all} match the policy; no layout of it applies to a GPU of the others: ${which}`;
}
