import type { SlotRequest } from '../rollout/slot.ts';
import type { Command } from './commands.ts';
import type { Look, Situation } from './snapshot.ts';
import type { Verdict } from './verdict.ts';

/** What a rule says of a node. */
export type Outcome =
  /** It cannot tell before more has been read. */
  { readonly look: Look } | Ruling;

export interface Ruling {
  readonly verdict: Verdict;
  /** In this order. */
  readonly commands?: readonly Command[];
  /** GPU holders that were told to go stay away: a grant needs it, or what follows it. */
  readonly keepsHoldersAway?: boolean;
  /** The node stays closed if it is: something is on the way on it. Otherwise it is opened. */
  readonly keepsClosed?: boolean;
  /** The node wants to change, and holds no slot. */
  readonly request?: SlotRequest;
}

/** Undefined: it has nothing to say, and the next rule is asked. */
export type Rule = (situation: Situation) => Outcome | undefined;

/** Asks rules in order; the first that has something to say decides. */
export function askInOrder(rules: readonly Rule[], situation: Situation): Outcome | undefined {
  for (const rule of rules) {
    const outcome = rule(situation);
    if (outcome) return outcome;
  }
  return undefined;
}
