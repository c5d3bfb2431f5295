import type { SlotRequest } from '../rollout/slot.ts';
import type { Command } from './commands.ts';
import type { NodeMemory, Waits } from './memory.ts';
import type { Needed, NodeSnapshot } from './snapshot.ts';
import type { NodeReason } from '../../api/names.ts';
import type { GpuNodePartition, Phase } from '../../api/types.ts';

/** What the rules see. */
export interface Situation extends NodeSnapshot {
  readonly partition: GpuNodePartition;
  readonly memory: NodeMemory;
}

/** What a rule decides for a node. */
export type Outcome =
  /** It cannot tell until more has been read. */
  { readonly needs: Needed } | Ruling;

export interface Ruling {
  readonly verdict: Verdict;
  /** In this order. */
  readonly commands?: readonly Command[];
  /** What it waits for; see {@link waitFor}. */
  readonly waits?: Waits | undefined;
  /** GPU holders that were told to go stay away: a grant or its follow-up needs it. */
  readonly keepsHoldersAway?: boolean;
  /** `Stays`: a change is under way, or what a closed node would offer is unknown. */
  readonly ifClosed: 'Opens' | 'Stays';
  /** Nothing on an open node is written, not even its state: what is asked of it does not concern it yet. */
  readonly leavesAlone?: boolean;
  /** The node wants to change and has no slot. */
  readonly request?: SlotRequest;
}

/** On what normally passes within moments: until then a closed node stays closed. */
export function passing(
  phase: 'Pending' | 'Updating',
  reason: NodeReason,
  message: string,
  requeueAfterMs?: number,
): Ruling {
  const again = requeueAfterMs !== undefined && { requeueAfterMs };
  return { verdict: { phase, reason, message, transient: true, ...again }, ifClosed: 'Stays' };
}

/** On what may last: the node is open meanwhile. */
export function leaveOpen(phase: Phase, reason: NodeReason, message: string, requeueAfterMs?: number): Ruling {
  const again = requeueAfterMs !== undefined && { requeueAfterMs };
  return { verdict: { phase, reason, message, ...again }, ifClosed: 'Opens' };
}

/** Waits for whoever uses the GPUs, with the node open. */
export function awaitUsers(
  message: string,
  requeueAfterMs: number,
  reason: 'PodsUseGpus' | 'ProcessesUseGpus' = 'PodsUseGpus',
): Ruling {
  return leaveOpen('Waiting', reason, message, requeueAfterMs);
}

/** Leaves a node alone, whatever is asked of it. */
export function refuse(reason: NodeReason, message: string): Ruling {
  return {
    ...leaveOpen('Failed', reason, `${message}. Nothing is touched until then`, lookAgainMs),
    leavesAlone: true,
  };
}

/** A ruling that does something more, after all else. */
export function alsoDoes(ruling: Ruling, ...more: readonly Command[]): Ruling {
  return { ...ruling, commands: [...(ruling.commands ?? []), ...more] };
}

/** A ruling that waits for something more. */
export function alsoWaits(ruling: Ruling, waits: Waits | undefined): Ruling {
  return waits === undefined ? ruling : { ...ruling, waits: { ...waits, ...ruling.waits } };
}

/** Undefined: the rule does not apply, and the next one is asked. */
export type Rule = (situation: Situation) => Outcome | undefined;

/** Asks rules in order; the first with an outcome decides. */
export function askInOrder(rules: readonly Rule[], situation: Situation): Outcome | undefined {
  for (const rule of rules) {
    const outcome = rule(situation);
    if (outcome) return outcome;
  }
  return undefined;
}

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

/** How often, in ms, whatever is not watched is checked again. */
export const lookAgainMs = 15_000;
