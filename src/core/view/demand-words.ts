import type { PolicyStatus } from '../../api/types.ts';

type DemandStatus = NonNullable<PolicyStatus['demand']>[number];

/** A slice of a policy's demand as people see it. */
export interface DemandView extends DemandStatus {
  /** `small: 36 of 40 offered, 30 in use, 2 requested by waiting pods; 4 unmet: every GPU is in use` */
  readonly words: string;
}

export function viewDemand(status: PolicyStatus | undefined): readonly DemandView[] {
  return (status?.demand ?? []).map((slice) => ({ ...slice, words: describeDemand(slice) }));
}

function describeDemand({ name, wanted, offered, used, waiting = 0, unmet, why }: DemandStatus): string {
  const asked = waiting > 0 ? `, ${waiting} requested by waiting pods` : '';
  const missing = unmet > 0 ? `; ${unmet} unmet${why === undefined ? '' : `: ${why}`}` : '';
  return `${name}: ${offered} of ${wanted} offered, ${used} in use${asked}${missing}`;
}
