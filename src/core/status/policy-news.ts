import type { PolicyStatus } from '../../api/types.ts';
import { sameJson } from '../text/fingerprint.ts';

/** Whether a policy's status changes in more than the node counts, which change with every node. */
export function isNews(before: PolicyStatus | undefined, after: PolicyStatus): boolean {
  return !sameJson(gistOf(before), gistOf(after));
}

function gistOf(status: PolicyStatus | undefined): unknown {
  const { observedGeneration, acceptedGeneration, schedule, defrag, failures = [], conditions = [] } = status ?? {};
  return [
    observedGeneration,
    acceptedGeneration,
    schedule,
    defrag,
    failures,
    conditions.map(({ type, status: holds, reason }) => [type, holds, reason]),
  ];
}
