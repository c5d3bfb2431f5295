import { generationOf, isDrifting } from './grants.ts';
import { type WaitName, type Waits, type NodeMemory, recallMemory } from './memory.ts';
import type { NodeView } from '../kubernetes/node.ts';
import { isUnanswered, isGrantLive } from '../device/grants.ts';
import { changeKey, clientsAnnotation } from './marks.ts';
import { untouchedKey } from './rules/plugin.ts';
import { findMoved } from './rules/policy.ts';
import type { RuleInput, Verdict } from './commands.ts';
import type { NodePartitionStatus } from '../../api/types.ts';
import { adoptRests } from './rest.ts';
import { isClosed } from './node-state.ts';

/**
 * Waits that last as long as their cause, whichever rule decides: none has to remember them. A text is what the wait must be about;
 * undefined: the cause is over.
 */
const causes: {
  readonly [Name in WaitName]?: (situation: RuleInput, verdict: Verdict) => string | boolean | undefined;
} = {
  Closed: ({ node }) => isClosed(node),
  Untouched: (situation) => isClosed(situation.node) && untouchedKey(situation),
  // Time for a drain counts from its first eviction, separately in each slot: what precedes it takes none of it.
  Drain: ({ slot }) => slot?.startTime,
  // The next rest is longer until the node is Ready, whatever it waits for in between.
  DrainRest: (_, { phase }) => phase !== 'Ready',
  HoldersRest: (_, { phase }) => phase !== 'Ready',
  GpusGone: (situation) => findMoved(situation) !== undefined,
  Drift: ({ partition, now }) => isDrifting(partition, now),
  ChangeFailed: (situation, { phase }) => phase !== 'Ready' && generationOf(situation),
  Granted: ({ partition }) => isGrantLive(partition) && String(partition.spec.granted?.epoch),
  Revoked: ({ partition, node }) => isUnanswered(partition) && isClosed(node) && String(partition.spec.granted?.epoch),
  HoldersRestarted: ({ node }) => node.metadata.annotations?.[clientsAnnotation],
  // What somebody brings back is left alone until the device changes.
  Tidied: ({ partition }) => changeKey(partition),
};

/** The earlier waits that continue without a rule that returns them. */
export function keepWaits(situation: RuleInput, verdict: Verdict): Waits {
  const kept = Object.entries(situation.memory.waits).filter(([name, { of }]) => {
    const about = causes[name as WaitName]?.(situation, verdict);
    return about === true || (typeof about === 'string' && about === of);
  });
  return Object.fromEntries(kept);
}

/** The number of consecutive throws, in gathering or deciding, after which other nodes no longer wait for the node. */
const mostThrows = 3;

/** Another node of the same name has another uid. */
type Which = Pick<NodeView['metadata'], 'name' | 'uid'>;

interface RememberedNode {
  readonly uid: string | undefined;
  /** What the node waits for; undefined if no decision has been carried out yet. */
  readonly memory: NodeMemory | undefined;
  /** How many times in a row no decision could be made. */
  readonly throws: number;
}

/**
 * What is remembered of all nodes between two decisions. It is all that a leader keeps of its decisions outside of the API: losing it
 * only prolongs waits.
 */
export class FleetMemory {
  readonly #nodes = new Map<string, RememberedNode>();

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

  /** Looks a node up; an earlier node of the same name has another uid and counts for nothing. */
  #known({ name, uid }: Which): RememberedNode {
    const known = this.#nodes.get(name);
    return known?.uid === uid && known !== undefined ? known : { uid, memory: undefined, throws: 0 };
  }
}
