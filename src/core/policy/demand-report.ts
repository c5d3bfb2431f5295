import type { PolicyReason } from '../../api/names.ts';
import type { DemandState, PolicyStatus } from '../../api/types.ts';

/** How a policy's demand stands: its part of the status. */
export interface DemandReport {
  /** Of the version of the policy that is in force, which may be an earlier one than the newest. */
  readonly generation?: number | undefined;
  readonly states: readonly DemandState[];
  /** What pods have asked for long enough, by slice. */
  readonly steady?: PolicyStatus['steady'];
  /** What becomes of a request to free slices; absent if there is none. */
  readonly defrag?: PolicyStatus['defrag'];
  readonly condition: {
    readonly type: 'DemandMet';
    readonly status: 'True' | 'False';
    readonly reason: PolicyReason;
    readonly message: string;
  };
}
