import { nodePartitions, nodes, pods, policies } from '../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import type { PodView } from '../core/pods/pod-view.ts';
import { projectNode } from '../core/projection/project-node.ts';
import { keepWriter } from '../core/policy/as-written.ts';
import { projectPartition } from '../core/projection/project-partition.ts';
import { projectAgentPod } from '../core/projection/project-pod.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Stoppable } from '../kube/operator.ts';
import type { KubeObject } from '../kube/resource.ts';
import { WarmWatch } from '../kube/warm-watch.ts';
import type { Logger } from '../process/logger.ts';
import type { WatchFigures } from './metrics.ts';
import type { NodeObject } from './node-object.ts';

const agentSelector = 'app.kubernetes.io/name=gpu-partition-agent';

/** What a term of leadership needs of a watch. */
type Watched<T extends KubeObject> = Pick<WarmWatch<T>, 'store' | 'attach'>;

/** The watches of a term of leadership. */
export interface WatchedCluster {
  readonly policies: Watched<GpuPartitionPolicy & KubeObject>;
  readonly nodes: Watched<NodeObject>;
  readonly partitions: Watched<GpuNodePartition & KubeObject>;
  readonly agents: Watched<PodView>;
  /** Resolves when all stores are complete and at least as new as the API server is now. @param client of the term */
  catchUp(client: KubeClient, signal: AbortSignal): Promise<void>;
}

/** The watches of a controller, from its start to its end: a standby keeps them up to date and acts on nothing. */
export class ClusterWatches implements WatchedCluster, Stoppable {
  readonly policies: WarmWatch<GpuPartitionPolicy & KubeObject>;
  readonly nodes: WarmWatch<NodeObject>;
  readonly partitions: WarmWatch<GpuNodePartition & KubeObject>;
  readonly agents: WarmWatch<PodView>;

  /** @param parts.agentNamespace the namespace of the agents' pods */
  constructor(parts: { readonly client: KubeClient; readonly logger: Logger; readonly agentNamespace: string }) {
    const { client, logger, agentNamespace } = parts;
    const common = { client, logger };
    this.policies = new WarmWatch({ ...common, resource: policies, strip: keepWriter });
    this.nodes = new WarmWatch({ ...common, resource: nodes, strip: projectNode });
    this.partitions = new WarmWatch({ ...common, resource: nodePartitions, strip: projectPartition });
    this.agents = new WarmWatch({
      ...common,
      resource: pods,
      namespace: agentNamespace,
      labelSelector: agentSelector,
      strip: projectAgentPod,
    });
  }

  /** By the plural of the resource. */
  get figures(): ReadonlyMap<string, WatchFigures> {
    return new Map<string, WatchFigures>([
      [policies.plural, this.policies],
      [nodes.plural, this.nodes],
      [nodePartitions.plural, this.partitions],
      [pods.plural, this.agents],
    ]);
  }

  start(): this {
    for (const watch of this.#all) watch.start();
    return this;
  }

  async catchUp(client: KubeClient, signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all.map((watch) => watch.catchUp(client, signal)));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((watch) => watch.stop()));
  }

  get #all() {
    return [this.policies, this.nodes, this.partitions, this.agents] as const;
  }
}
