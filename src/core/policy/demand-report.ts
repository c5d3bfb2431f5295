import type { PolicyReason } from '../../api/names.ts';
import type { DemandState } from '../../api/types.ts';

/** How a policy's demand stands: its part of the status. */
export interface DemandReport {
  readonly states: readonly DemandState[];
  readonly condition: {
    readonly type: 'DemandMet';
    readonly status: 'True' | 'False';
    readonly reason: PolicyReason;
    readonly message: string;
  };
}
