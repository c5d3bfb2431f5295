import type { NodeReason } from '../../api/names.ts';
import type { Phase } from '../../api/types.ts';

/** The finding on a node, for its status, its policy's status and its Events. */
export interface Verdict {
  readonly phase: Phase;
  readonly reason: NodeReason;
  readonly message: string;
  /** True for a state that normally passes within moments: it is reported only if it lasts. */
  readonly transient?: boolean;
  /** When to look again, in ms, if no event will trigger it. */
  readonly requeueAfterMs?: number;
}
