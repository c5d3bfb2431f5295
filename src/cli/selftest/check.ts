/**
 * `Note`: good, and worth knowing. `Unknown`: could not be found out, or cannot be shown on this node as it is now, and that is in the
 * way of trusting it.
 */
export type CheckVerdict = 'Good' | 'Note' | 'Finding' | 'Unknown';

/** What a self-test looks at, in its order. */
export const checkAreas = ['Tool', 'Commands', 'Tables', 'Idle', 'Health', 'Reset'] as const;
type CheckArea = (typeof checkAreas)[number];

/** One thing that was looked at. */
export interface SelftestCheck {
  readonly area: CheckArea;
  readonly verdict: CheckVerdict;
  /** One sentence. */
  readonly message: string;
  /** What a bundle says instead, where the message names a program of this host. */
  readonly redacted?: string;
  /** How long nvidia-smi took, in ms, where it was one command. */
  readonly ms?: number;
}
