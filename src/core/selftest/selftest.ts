import type { ChangeTest } from './change-test.ts';

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

/**
 * `Note`: good, and worth knowing. `Unknown`: could not be determined, or cannot be shown on this node in its current state, and
 * prevents trust in it.
 */
export type CheckVerdict = 'Good' | 'Note' | 'Finding' | 'Unknown';

/** What a self-test checks, in order. */
export const checkAreas = ['Tool', 'Commands', 'Tables', 'Idle', 'Health', 'Reset'] as const;
type CheckArea = (typeof checkAreas)[number];

/** One check. */
export interface SelftestCheck {
  readonly area: CheckArea;
  readonly verdict: CheckVerdict;
  /** One sentence. */
  readonly message: string;
  /** What a bundle says instead if the message names a program of this host. */
  readonly redacted?: string;
  /** How long nvidia-smi took, in ms, if it was one command. */
  readonly ms?: number;
}
