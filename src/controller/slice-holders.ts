import { disruptionBudgets, nodePartitions, pods } from '../api/resources.ts';
import type { GpuNodePartition } from '../api/types.ts';
import { selectedKeys } from '../core/metadata/label-selector.ts';
import type { BudgetView } from '../core/pods/disruption-budget.ts';
import { podName } from '../core/pods/gpu-pods.ts';
import { projectHolder, projectHoldings } from '../core/projection/project-holder.ts';
import type { ListedPod } from '../core/projection/project-pod.ts';
import type { PoolHolders, WeighedPod } from '../core/supply/eviction-weight.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/resource.ts';
import { projectBudget } from './drain-reads.ts';

/** Reading takes at most this part of the time. */
const mostShare = 0.1;
const bound = 'spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed';

/**
 * Who holds slices, and what their eviction costs: read for a plan that may evict, but not again within a while. The watch of partitions
 * does not keep the names of pods.
 */
export class SliceHolders {
  readonly #client: KubeClient;
  readonly #now: () => number;
  #read: { readonly untilMs: number; readonly holders: PoolHolders } | undefined;

  constructor(client: KubeClient, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  async read(): Promise<PoolHolders> {
    const startedMs = this.#now();
    if (this.#read && startedMs < this.#read.untilMs) return this.#read.holders;
    const holders = await this.#list();
    const atMs = this.#now();
    this.#read = { untilMs: atMs + (atMs - startedMs) / mostShare, holders };
    return holders;
  }

  async #list(): Promise<PoolHolders> {
    const { items: budgets } = await this.#client.list<BudgetView & KubeObject>(
      disruptionBudgets,
      {},
      { project: projectBudget },
    );
    const labelKeys = new Set(budgets.flatMap(({ spec }) => (spec?.selector ? selectedKeys(spec.selector) : [])));
    const project = (pod: ListedPod & WeighedPod): ListedPod & WeighedPod => projectHolder(pod, labelKeys);
    const [partitions, found] = await Promise.all([
      this.#client.list<GpuNodePartition & KubeObject>(nodePartitions, {}, { project: projectHoldings }),
      this.#client.list<ListedPod & WeighedPod & KubeObject>(pods, { fieldSelector: bound }, { project }),
    ]);
    const byNode = new Map(partitions.items.map((one) => [one.metadata.name, one]));
    const byName = new Map(found.items.map((pod) => [podName(pod), pod]));
    return { budgets, partitionOf: (node) => byNode.get(node), podOf: (name) => byName.get(name) };
  }
}
