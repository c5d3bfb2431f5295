import type { DemandState } from '../../api/types.ts';
import type { DemandReport } from '../policy/demand-report.ts';

/** How the demand of a policy stands with the layouts that were chosen for it. */
export interface DemandOutlook {
  readonly policy: string;
  /** `offered` is what exists now. */
  readonly slices: readonly DemandState[];
  /** As in the condition DemandMet. */
  readonly reason: DemandReport['condition']['reason'];
  readonly message: string;
}
