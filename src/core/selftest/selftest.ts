import type { ChangeTest } from './change-test.ts';
import type { SelftestCheck } from './check.ts';

/** The result of a self-test; the shape of `selftest -o json`. */
export interface Selftest {
  /** `Unknown` if something could not be determined, and nothing else is wrong. */
  readonly state: 'Good' | 'Findings' | 'Unknown';
  readonly versions: { readonly driver: string | null; readonly cuda: string | null };
  /** By index, as nvidia-smi names them. */
  readonly products: readonly string[];
  readonly checks: readonly SelftestCheck[];
  readonly change?: ChangeTest;
}

/** The state of a self-test. */
export function judgeSelftest(checks: readonly SelftestCheck[], change: ChangeTest | undefined): Selftest['state'] {
  const has = (verdict: SelftestCheck['verdict']): boolean => checks.some((check) => check.verdict === verdict);
  if (has('Finding') || (change !== undefined && change.state !== 'Passed')) return 'Findings';
  return has('Unknown') ? 'Unknown' : 'Good';
}
