import type { Decision } from '../../src/core/node/decide.ts';
import type { NodeMemory } from '../../src/core/node/memory.ts';
import type { NodeSnapshot } from '../../src/core/node/snapshot.ts';

type Settled = Exclude<Decision, { readonly look: unknown }>;

/** A mistake that is made on purpose, around `decide`, to see that the model test finds it. */
export interface Bug {
  readonly name: string;
  readonly what: string;
  readonly see?: (snapshot: NodeSnapshot) => NodeSnapshot;
  readonly remember?: (memory: NodeMemory) => NodeMemory;
  readonly say?: (decision: Settled, snapshot: NodeSnapshot) => Partial<Settled>;
}

export const bugs: readonly Bug[] = [];
