import { joinWords } from '../gpu/search/layout-words.ts';
import type { DemandOutlook } from './demand-outlook.ts';
import type { PlannedNode } from './planned-node.ts';
import type { PolicyOutlook } from './policy-change.ts';

/** Something in a plan that will go wrong or will not happen at all. */
export interface PlanFault {
  readonly code:
    | 'PolicyInvalid'
    | 'PolicyNotAccepted'
    | 'NodeRefused'
    | 'PodStays'
    | 'EvictionBlocked'
    | 'DemandUnmet'
    | 'DemandUnread';
  readonly policy?: string;
  readonly node?: string;
  /** `NAMESPACE/NAME` */
  readonly pod?: string;
  readonly message: string;
}

const mostNames = 5;

/** Faults that this change causes: what was wrong before, and stays so, is not one. */
export function listFaults(
  policies: readonly PolicyOutlook[],
  demands: readonly DemandOutlook[],
  nodes: readonly PlannedNode[],
): readonly PlanFault[] {
  const changed = policies.filter(({ change }) => change !== 'Unchanged');
  return [
    ...changed.flatMap((policy) => judgePolicy(policy, nodes)),
    ...demands.filter((one) => changed.some(({ policy }) => policy === one.policy)).flatMap(judgeDemand),
    ...nodes.filter(({ isAffected }) => isAffected).flatMap(judgeNode),
  ];
}

function judgePolicy({ policy, refusal }: PolicyOutlook, nodes: readonly PlannedNode[]): readonly PlanFault[] {
  if (refusal === undefined) return [];
  const refused = nodes.filter((node) => node.policy === policy && node.fate === 'Refused');
  const isInvalid = refused.length === 0 || refused.some(({ reason }) => reason === 'PolicyInvalid');
  if (isInvalid) return [{ code: 'PolicyInvalid', policy, message: `policy ${policy} is not valid: ${refusal}` }];
  const names = refused.slice(0, mostNames).map(({ node }) => node);
  const more = refused.length - names.length;
  const words = joinWords(more > 0 ? [...names, `${more} more`] : names);
  const message = `policy ${policy} is not accepted, and none of it starts, while it selects nodes that cannot take it: ${words}`;
  return [{ code: 'PolicyNotAccepted', policy, message }];
}

function judgeDemand({ policy, slices, reason, message }: DemandOutlook): readonly PlanFault[] {
  const isUnmet = reason === 'PlannerFailed' || slices.some(({ unmet }) => unmet > 0);
  const found = { policy, message: `demand of policy ${policy}: ${message}` };
  if (reason === 'KueueUnavailable') return [{ code: 'DemandUnread', ...found }];
  return isUnmet ? [{ code: 'DemandUnmet', ...found }] : [];
}

function judgeNode({ node, fate, reason, message, evictions }: PlannedNode): readonly PlanFault[] {
  if (fate === 'Refused' && reason !== 'PolicyInvalid') {
    return [{ code: 'NodeRefused', node, message: `node ${node}: ${message}` }];
  }
  return evictions.flatMap(({ pod, fate: end, message: why = '' }): readonly PlanFault[] => {
    if (end === 'Blocked')
      return [{ code: 'EvictionBlocked', node, pod, message: `pod ${pod} is not evicted now: ${why}` }];
    if (end === 'Stays') return [{ code: 'PodStays', node, pod, message: `pod ${pod} cannot be evicted: ${why}` }];
    return [];
  });
}
