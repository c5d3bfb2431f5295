import { nodePartitions, nodes, policies } from '../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import { EventRecorder } from '../kube/events.ts';
import { ResilientOperator } from '../kube/operator.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Logger } from '../process/logger.ts';
import { type NodeObject, stripManagedFields, stripNode } from './cluster-objects.ts';
import { NodeReconciler, type NodeSettings } from './reconcile-node.ts';
import { PolicyReconciler } from './reconcile-policy.ts';
import { NodeReporter } from './report-node.ts';
import { World } from './world.ts';

export interface GpuPartitionOperatorOptions {
  readonly client: KubeClient;
  readonly logger: Logger;
  readonly settings: NodeSettings;
  /** Name of this process in Events, usually the pod's. */
  readonly instance: string;
}

/** Status of a policy is written at most this often, in ms: many nodes change at a time. */
const policyPaceMs = 100;
/** Nodes at work at a time. */
const nodeConcurrency = 16;

/** The controller: follows policies, nodes and node partitions, and brings each node in line. */
export class GpuPartitionOperator extends ResilientOperator {
  readonly #options: GpuPartitionOperatorOptions;

  constructor(options: GpuPartitionOperatorOptions) {
    super(options.client, options.logger);
    this.#options = options;
  }

  protected override async init(): Promise<void> {
    const { client, logger, settings, instance } = this.#options;
    const events = this.own(new EventRecorder({ client, logger, controller: 'gpupartition.dev/controller', instance }));
    // 1. Watches. Nothing is decided before all three are complete: what is absent then really is absent.
    const known: { world?: World } = {};
    const onNode = (name: string): void => {
      known.world?.changed();
      nodeQueue.add(name);
    };
    const policyWatch = this.watch<GpuPartitionPolicy & KubeObject>({
      resource: policies,
      strip: stripManagedFields,
      onChange: ({ key }) => {
        known.world?.changed();
        // Its nodes first: what is found of them is what its status says.
        policyQueue.addAfter(key, policyPaceMs);
        for (const { metadata } of known.world?.nodes.list() ?? []) nodeQueue.add(metadata.name);
      },
    });
    const nodeWatch = this.watch<NodeObject>({
      resource: nodes,
      strip: stripNode,
      onRewind: () => known.world?.forgetWrites(),
      onChange: (change) => {
        onNode(change.key);
        // A node that comes, goes or changes its labels may have left a policy, which then has to count anew.
        const hasMoved =
          change.type === 'delete' || !sameJson(change.previous?.metadata.labels, change.object.metadata.labels);
        if (!hasMoved) return;
        for (const { metadata } of known.world?.policies.list() ?? [])
          policyQueue.addAfter(metadata.name, policyPaceMs);
      },
    });
    const partitionWatch = this.watch<GpuNodePartition & KubeObject>({
      resource: nodePartitions,
      strip: stripManagedFields,
      onRewind: () => known.world?.forgetWrites(),
      onChange: ({ key }) => onNode(key),
    });
    // 2. Work.
    const isReady = Promise.withResolvers<void>();
    const nodeQueue = this.createQueue({
      concurrency: nodeConcurrency,
      reconcile: async (name) => {
        await isReady.promise;
        return nodeReconciler.reconcile(name);
      },
    });
    const policyQueue = this.createQueue({
      concurrency: 4,
      reconcile: async (name) => {
        await isReady.promise;
        await policyReconciler.reconcile(name);
      },
    });
    await this.waitForSync();
    const world = new World({
      policies: policyWatch.store,
      nodes: nodeWatch.store,
      partitions: partitionWatch.store,
      support: { sharing: settings.pluginConfigMap !== undefined },
    });
    known.world = world;
    const reporter = new NodeReporter(client, world, events, (node) => {
      const { winner, losers = [] } = world.fleet.nodes.get(node) ?? {};
      for (const policy of winner ? [winner, ...losers] : losers)
        policyQueue.addAfter(policy.metadata.name, policyPaceMs);
    });
    const nodeReconciler = new NodeReconciler({ client, world, reporter, settings, log: logger });
    const policyReconciler = new PolicyReconciler({
      client,
      world,
      events,
      requeueNodes: (names) => names.forEach((name) => nodeQueue.add(name)),
    });
    logger.info('watches are complete', {
      policies: policyWatch.store.size,
      nodes: nodeWatch.store.size,
      partitions: partitionWatch.store.size,
    });
    isReady.resolve();
  }
}
