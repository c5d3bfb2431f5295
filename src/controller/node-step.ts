import type { Command } from '../core/node/commands.ts';
import type { NodeMemory } from '../core/node/memory.ts';
import type { Verdict } from '../core/node/outcome.ts';

/** The result of one look at a node. */
export interface NodeStep {
  readonly node: string;
  readonly verdict: Verdict;
  /** The commands that were carried out. */
  readonly commands: readonly Command[];
  readonly memory: NodeMemory;
}
