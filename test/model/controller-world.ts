import type { Decision } from '../../src/core/node/decide.ts';
import type { NodeMemory } from '../../src/core/node/memory.ts';
import type { NodeSettings, NodeSnapshot } from '../../src/core/node/snapshot.ts';
import type { LedgerSnapshot, LedgerStep } from '../../src/core/rollout/ledger.ts';
import type { Limit } from '../../src/core/rollout/budget.ts';
import type { Policy } from './api.ts';
import type { DemandWorld } from './follow-demand.ts';
import type { ShellWorld } from './shell.ts';
import type { Workplace } from './worker.ts';

/** A decision that needs nothing more to be read. */
export type SettledDecision = Exclude<Decision, { readonly needs: unknown }>;

/** The world in which a controller process runs: of one node, or of a fleet. */
export interface ControllerWorld extends ShellWorld, Workplace {
  readonly timeline: ShellWorld['timeline'] & Workplace['timeline'];
  /** The administrator's, for processes that start now. */
  readonly settings: NodeSettings;
  /** `--max-concurrent-nodes`. */
  readonly cap: Limit;
  readonly checks: { isDecided(by: string, snapshot: NodeSnapshot, settled: SettledDecision): void };
  /** The product's, with the planted bug if there is one. */
  decide(snapshot: NodeSnapshot, memory: NodeMemory): Decision;
  stepLedger(snapshot: LedgerSnapshot): LedgerStep;
  hasBug(name: string): boolean;
  /** Absent where no policy has a demand. */
  readonly demands?: DemandWorld | undefined;
  /** @returns undefined if the policy disappeared with its last finalizer */
  setFinalizers(
    name: string,
    finalizers: readonly string[],
    version: string | undefined,
    by: string,
  ): Policy | undefined;
}
