import type { PlanReport } from '../../api/types.ts';
import { countWords } from '../text/cut-text.ts';

/** What a plan does beside its instances, which may be all that it does; follows their numbers. */
export function describeModeChanges({ modeChanges = 0 }: Partial<Pick<PlanReport, 'modeChanges'>> = {}): string {
  return modeChanges === 0 ? '' : `, with a change of MIG mode or a reset of ${countWords(modeChanges, 'GPU')}`;
}
