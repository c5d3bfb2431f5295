import type { NodeSnapshot } from '../core/node/snapshot.ts';
import { foreseeStanding } from '../core/plan/foresee-standing.ts';
import type { PolicyRecord } from '../core/policy/fleet.ts';
import { describeError, type Logger } from '../process/logger.ts';
import { Turn } from '../process/turn.ts';
import type { Cluster } from './cluster.ts';
import type { NodeObject } from './node-object.ts';

/**
 * Works out what a policy's nodes will request at its new generation, from what is known of them: the first ones start before a whole
 * fleet has been told its wishes and has planned them.
 */
export class Foresight {
  readonly #cluster: Cluster;
  readonly #known: (node: NodeObject) => NodeSnapshot;
  readonly #log: Logger;

  constructor(parts: {
    readonly cluster: Cluster;
    readonly known: (node: NodeObject) => NodeSnapshot;
    readonly log: Logger;
  }) {
    this.#cluster = parts.cluster;
    this.#known = parts.known;
    this.#log = parts.log;
  }

  /** Call this when the policy's generation has been accepted. */
  async foresee(record: PolicyRecord): Promise<void> {
    const { fleet } = this.#cluster;
    const { name } = record.policy.metadata;
    const turn = new Turn();
    for (const node of record.tally.unseen) {
      if (fleet.policy(name) !== record) return;
      this.#foreseeNode(name, node);
      await turn.pause();
    }
  }

  #foreseeNode(policy: string, name: string): void {
    const { rollout, nodes } = this.#cluster;
    const node = nodes.get(name);
    const before = rollout.standingOf(name);
    if (!node || before?.policy !== policy || before.nodeUID !== node.metadata.uid) return;
    try {
      rollout.put(foreseeStanding(before, this.#known(node)));
    } catch (error) {
      // It is looked at like all others, which reports what is wrong.
      this.#log.warn('what this node will request cannot be foreseen', { node: name, error: describeError(error) });
    }
  }
}
