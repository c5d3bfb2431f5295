import type { NodeSnapshot } from '../core/node/snapshot.ts';
import { forecastRolloutState } from '../core/plan/forecast-rollout-state.ts';
import type { PolicyRecord } from '../core/policy/policy-record.ts';
import { describeError, type Logger } from '../process/logger.ts';
import { Turn } from '../process/turn.ts';
import type { Cluster } from './cluster.ts';
import type { NodeObject } from './node-object.ts';

interface Parts {
  readonly cluster: Cluster;
  readonly known: (node: NodeObject) => NodeSnapshot;
  readonly log: Logger;
}

/**
 * Works out what a policy's nodes will request at its new generation, from what is known of them: the first ones start before a whole
 * fleet has its wishes and has planned them.
 */
export class Forecast {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Call this when the policy's generation has been accepted. @returns whether it is known how each of its nodes stands */
  async forecast(record: PolicyRecord): Promise<boolean> {
    const { fleet } = this.#parts.cluster;
    const { name } = record.policy.metadata;
    const turn = new Turn();
    for (const node of record.tally.unseen) {
      if (fleet.policy(name) !== record || !this.#forecastNode(node)) return false;
      await turn.pause();
    }
    return true;
  }

  #forecastNode(name: string): boolean {
    const { rollout, nodes } = this.#parts.cluster;
    const node = nodes.get(name);
    if (!node) return false;
    try {
      const rolloutState = forecastRolloutState(rollout.rolloutStateOf(name), this.#parts.known(node));
      if (rolloutState) rollout.put(rolloutState);
      return rolloutState !== undefined;
    } catch (error) {
      // It is looked at like all others, which reports what is wrong.
      this.#parts.log.warn('what this node will request cannot be forecast', {
        node: name,
        error: describeError(error),
      });
      return false;
    }
  }
}
