import type { NodeReason } from '../api/names.ts';
import type { Phase } from '../api/types.ts';

/** What the controller found of a node, for its status, its policy's status and its events. */
export interface Verdict {
  readonly phase: Phase;
  readonly reason: NodeReason;
  readonly message: string;
  /** True for a state that normally passes within moments: it is written to status only when it lasts. */
  readonly passing?: boolean;
  /** Milliseconds after which to look again, where no event will tell. */
  readonly again?: number;
}

/**
 * A verdict, and what it was found of: one of an earlier generation of the policy, or of an earlier node of the same
 * name, says nothing about this one.
 */
export interface KnownVerdict extends Verdict {
  readonly nodeUID: string | undefined;
  readonly policy: string | undefined;
  readonly generation: number | undefined;
}
