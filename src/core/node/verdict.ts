import type { NodeReason } from '../../api/names.ts';
import type { Phase } from '../../api/types.ts';

/** What was found of a node, for its status, its policy's status and its Events. */
export interface Verdict {
  readonly phase: Phase;
  readonly reason: NodeReason;
  readonly message: string;
  /** True for a state that normally passes within moments: it is told only when it lasts. */
  readonly transient?: boolean;
  /** When to look again, in ms, where no event will tell. */
  readonly requeueAfterMs?: number;
}
