import { disruptionBudgets, nodePartitions, pods } from '../api/resources.ts';
import type { GpuNodePartition } from '../api/types.ts';
import { selectedKeys } from '../core/metadata/label-selector.ts';
import type { BudgetView } from '../core/pods/disruption-budget.ts';
import { projectHolder, projectHoldings } from '../core/projection/project-holder.ts';
import type { ListedPod } from '../core/projection/project-pod.ts';
import { indexHolders, type PoolHolders } from '../core/supply/eviction-weight.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/resource.ts';
import { projectBudget } from './drain-reads.ts';
import { PacedReading } from './paced-reading.ts';

const bound = 'spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed';

/**
 * Who holds slices, and what their eviction costs: read for a plan that may evict. The watch of partitions does not keep the names of
 * pods.
 */
export class SliceHolders {
  readonly #client: KubeClient;
  readonly #reading: PacedReading<PoolHolders>;

  constructor(client: KubeClient) {
    this.#client = client;
    this.#reading = new PacedReading(() => this.#list());
  }

  read(): Promise<PoolHolders> {
    return this.#reading.get();
  }

  async #list(): Promise<PoolHolders> {
    const { items: budgets } = await this.#client.list<BudgetView & KubeObject>(
      disruptionBudgets,
      {},
      { project: projectBudget },
    );
    const labelKeys = new Set(budgets.flatMap(({ spec }) => (spec?.selector ? selectedKeys(spec.selector) : [])));
    const project = (pod: ListedPod): ListedPod => projectHolder(pod, labelKeys);
    const [partitions, found] = await Promise.all([
      this.#client.list<GpuNodePartition & KubeObject>(nodePartitions, {}, { project: projectHoldings }),
      this.#client.list<ListedPod>(pods, { fieldSelector: bound }, { project }),
    ]);
    return indexHolders({ partitions: partitions.items, pods: found.items, budgets });
  }
}
