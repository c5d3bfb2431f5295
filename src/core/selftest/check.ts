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
