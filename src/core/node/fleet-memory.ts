import type { NodePartitionStatus } from '../../api/types.ts';
import { type NodeMemory, recallMemory } from './memory.ts';
import type { NodeView } from './node-view.ts';
import { adoptRests } from './rest.ts';

/** After this many consecutive throws in gathering or deciding, others no longer wait for the node. */
const mostThrows = 3;

/** Another node of the same name has another uid. */
type Which = Pick<NodeView['metadata'], 'name' | 'uid'>;

interface Remembered {
  readonly uid: string | undefined;
  /** Undefined if no decision has been carried out yet. */
  readonly memory: NodeMemory | undefined;
  /** How many times in a row no decision could be made. */
  readonly throws: number;
}

/**
 * What is remembered of all nodes between two decisions. It is all that a leader keeps of its decisions outside of the API: losing it
 * only prolongs waits.
 */
export class FleetMemory {
  readonly #nodes = new Map<string, Remembered>();

  /** @param status of the node's own partition: on the first look, memory starts with what an earlier leader left there */
  of(node: Which, status: NodePartitionStatus | undefined): NodeMemory {
    return this.#known(node).memory ?? recallMemory(status);
  }

  /** A decision is about to be carried out, and perhaps no answer will tell whether it was. @param before what it rests on */
  tries(node: Which, before: NodeMemory, decided: NodeMemory): void {
    this.put(node, adoptRests(before, decided));
  }

  /** A decision was carried out, and left this. */
  put({ name, uid }: Which, memory: NodeMemory): void {
    this.#nodes.set(name, { uid, memory, throws: 0 });
  }

  /** A decision was made, whatever becomes of it. */
  decided(node: Which): void {
    if (this.#nodes.has(node.name)) this.#nodes.set(node.name, { ...this.#known(node), throws: 0 });
  }

  /** No decision could be made. @returns why others no longer wait for the node; undefined if they still do */
  threw(node: Which, why: string): string | undefined {
    const known = this.#known(node);
    const throws = known.throws + 1;
    this.#nodes.set(node.name, { ...known, throws });
    if (throws < mostThrows) return undefined;
    // The same text on every retry: otherwise each retry would be a write.
    return `the controller could not process this node ${mostThrows} times in a row: ${why}. Other nodes proceed; it is retried`;
  }

  forget(name: string): void {
    this.#nodes.delete(name);
  }

  /** Nothing of an earlier node. */
  #known({ name, uid }: Which): Remembered {
    const known = this.#nodes.get(name);
    return known?.uid === uid && known !== undefined ? known : { uid, memory: undefined, throws: 0 };
  }
}
