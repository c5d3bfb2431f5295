import { nodePartitions } from '../api/resources.ts';
import type { GpuNodePartition } from '../api/types.ts';
import type { NodeSnapshot } from '../core/node/snapshot.ts';
import { planBeside } from '../core/plan/plan-beside.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Cluster } from './cluster.ts';

interface Parts {
  readonly client: KubeClient;
  readonly cluster: Cluster;
  /** Called with each policy whose status has changed. */
  readonly onNews: (policy: string) => void;
}

/**
 * Works out what policies of mode Plan would do to a node over which another policy decides. Its agent plans the wish of that one
 * alone, so this is done in memory.
 */
export class BesidePlanner {
  readonly #parts: Parts;
  /** The version of the partition that was planned last, by node. */
  readonly #planned = new Map<string, string | undefined>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async plan({ node, claim }: NodeSnapshot): Promise<void> {
    const { name } = node.metadata;
    const { fleet, partitions } = this.#parts.cluster;
    const version = partitions.get(name)?.metadata.resourceVersion;
    const isSame = this.#planned.get(name) === version;
    const due = claim.beside.filter(
      ({ metadata }) => !isSame || fleet.policy(metadata.name)?.tally.unseen.has(name) === true,
    );
    if (claim.beside.length === 0) this.#planned.delete(name);
    if (due.length === 0) return;
    // The watch keeps no pods of slices.
    const partition = await this.#parts.client.find<GpuNodePartition & KubeObject>({ resource: nodePartitions, name });
    this.#planned.set(name, version);
    for (const policy of due) {
      const outcome = planBeside(name, fleet.claimBeside(policy, partition), partition);
      for (const told of fleet.count(policy, outcome)) this.#parts.onNews(told);
    }
  }

  /** Call this when the node is gone. */
  forget(node: string): void {
    this.#planned.delete(node);
  }
}
