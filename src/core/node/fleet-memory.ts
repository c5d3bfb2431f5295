import type { NodePartitionStatus } from '../../api/types.ts';
import { type NodeMemory, recallMemory } from './memory.ts';
import { adoptRests } from './rest.ts';

/** After this many consecutive throws in gathering or deciding, others no longer wait for the node. */
const mostThrows = 3;

interface Remembered {
  /** Undefined if no decision has been carried out yet. */
  readonly memory: NodeMemory | undefined;
  /** How many times in a row no decision could be made. */
  readonly throws: number;
}

const nothing: Remembered = { memory: undefined, throws: 0 };

/**
 * What is remembered of all nodes between two decisions. It is all that a leader keeps of its decisions outside of the API: losing it
 * only prolongs waits.
 */
export class FleetMemory {
  readonly #nodes = new Map<string, Remembered>();

  /** @param status of the node's partition: on the first look, memory starts with what an earlier leader left there */
  of(node: string, status: NodePartitionStatus | undefined): NodeMemory {
    return this.#nodes.get(node)?.memory ?? recallMemory(status);
  }

  /** A decision is about to be carried out, and perhaps no answer will tell whether it was. @param before what it rests on */
  tries(node: string, before: NodeMemory, decided: NodeMemory): void {
    this.#nodes.set(node, { memory: adoptRests(before, decided), throws: 0 });
  }

  /** A decision was carried out, and left this. */
  put(node: string, memory: NodeMemory): void {
    this.#nodes.set(node, { memory, throws: 0 });
  }

  /** A decision was made, whatever becomes of it. */
  decided(node: string): void {
    const known = this.#nodes.get(node);
    if (known !== undefined) this.#nodes.set(node, { ...known, throws: 0 });
  }

  /** No decision could be made. @returns why others no longer wait for the node; undefined if they still do */
  threw(node: string, why: string): string | undefined {
    const known = this.#nodes.get(node) ?? nothing;
    const throws = known.throws + 1;
    this.#nodes.set(node, { ...known, throws });
    if (throws < mostThrows) return undefined;
    // The same text on every retry: otherwise each retry would be a write.
    return `the controller could not process this node ${mostThrows} times in a row: ${why}. Other nodes proceed; it is retried`;
  }

  forget(node: string): void {
    this.#nodes.delete(node);
  }
}
