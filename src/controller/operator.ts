import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import type { NodeSettings } from '../core/node/snapshot.ts';
import { Fleet } from '../core/policy/fleet.ts';
import { deepEqual } from '../core/text/json.ts';
import type { KubeClient } from '../kube/client.ts';
import { EventRecorder } from '../kube/events.ts';
import { ResilientOperator, type WarmWatch, type WatchReader } from '../kube/operator.ts';
import type { KubeObject, Change } from '../kube/watch.ts';
import type { Logger } from '../process/log.ts';
import { AgentPods, NodeNotifier } from './node-notifier.ts';
import { Cluster, type WatchedCluster, ConfigMapFiles } from './cluster.ts';
import type { ControllerMetrics } from './metrics.ts';
import { DeviceClassReconciler } from './device-classes.ts';
import { readForDemands, DemandReconciler, PreviewPlanner } from './follow-demand.ts';
import { Executor } from './execute.ts';
import { Forecast, PolicyReconciler, type RolloutSettings } from './reconcile-policy.ts';
import { Gatherer } from './gather.ts';
import type { PodView } from '../core/kubernetes/pod.ts';
import { NodeReconciler, NodeReporter } from './reconcile-node.ts';
import { SliceWatch } from './slice-watch.ts';
import type { Command, Verdict } from '../core/node/commands.ts';
import type { NodeMemory } from '../core/node/memory.ts';
import { hasSameLabels, type NodeView } from '../core/kubernetes/node.ts';

interface GpuPartitionOperatorOptions {
  readonly client: KubeClient;
  readonly logger: Logger;
  readonly settings: NodeSettings;
  readonly rollout: RolloutSettings;
  /** Watches that are started before a term and outlive it. */
  readonly watches: WatchedCluster;
  /** Name of this process in Events, usually the pod's. */
  readonly instance: string;
  readonly metrics?: ControllerMetrics | undefined;
}

/** How long news of a policy's nodes is collected before the policy is processed, in ms: many nodes change at the same time. */
const policyPaceMs = 25;
/** How long news of a policy's nodes is collected before layouts are chosen for its demand, in ms. */
const demandPaceMs = 250;
/** How many nodes are processed in parallel: a tenth of 1,000 nodes may finish in the same moment, and each waits for the API server. */
const nodeConcurrency = 32;
/** The most nodes at a time that are not urgent: usually, and while those with a slot go before them. */
const patientConcurrency = { usually: 16, besideSlots: 2 };

/** A term of the controller: acts on policies, nodes, node partitions and agents, and brings each node in line. */
export class GpuPartitionOperator extends ResilientOperator {
  readonly #options: GpuPartitionOperatorOptions;

  constructor(options: GpuPartitionOperatorOptions) {
    super(options.logger);
    this.#options = options;
  }

  protected override async init(): Promise<void> {
    const { client, logger, settings, rollout, instance, watches, metrics } = this.#options;
    const events = this.own(new EventRecorder({ client, logger, controller: 'gpupartition.dev/controller', instance }));
    const fleet = new Fleet({ sharing: settings.pluginConfigMap !== undefined });
    const agents = new AgentPods();
    const cluster = new Cluster({
      policies: watches.policies.store,
      nodes: watches.nodes.store,
      partitions: watches.partitions.store,
      fleet,
      agents,
    });
    // 1. Work.
    const nodeQueue = this.createQueue({
      concurrency: nodeConcurrency,
      // A node that waits for a slot can wait.
      isUrgent: (name) => cluster.isUrgent(name),
      patientConcurrency: () => (cluster.favorsSlots ? patientConcurrency.besideSlots : patientConcurrency.usually),
      observer: metrics?.observeQueue('nodes'),
      reconcile: (name) => nodeReconciler.reconcile(name),
    });
    const policyQueue = this.createQueue({
      concurrency: 4,
      observer: metrics?.observeQueue('policies'),
      reconcile: async (name) => {
        const result = await policyReconciler.reconcile(name);
        tellDemands([name]);
        if (classReconciler.isAsked(name)) classQueue.addAfter('all', policyPaceMs);
        return result;
      },
    });
    const demandQueue = this.createQueue({
      observer: metrics?.observeQueue('demands'),
      reconcile: (name, signal) => demandReconciler.reconcile(name, signal),
    });
    const classQueue = this.createQueue({
      observer: metrics?.observeQueue('classes'),
      reconcile: () => classReconciler.reconcile(),
    });
    const requeueNodes = (names: Iterable<string>): void => {
      for (const name of names) nodeQueue.add(name);
    };
    const tellPolicy = (name: string): void => policyQueue.addAfter(name, policyPaceMs);
    const tellDemands = (names: Iterable<string>): void => {
      for (const name of names)
        if (fleet.policy(name)?.policy.spec.demand !== undefined) demandQueue.addAfter(name, demandPaceMs);
    };
    const sliceWatch = this.own(new SliceWatch({ client, logger, fleet, onNode: (name) => nodeQueue.add(name) }));
    const onPolicy = (change: Change<GpuPartitionPolicy & KubeObject>): void => {
      if (change.type === 'delete') {
        cluster.rollout.dropPolicy(change.key);
        const left = fleet.removePolicy(change.key);
        // What is remembered of its demand goes too.
        demandQueue.add(change.key);
        sliceWatch.follow();
        return requeueNodes(left);
      }
      const affected = fleet.setPolicy(change.object);
      sliceWatch.follow();
      // Only its status: our own write came back, or somebody else changed it, which is repaired.
      if (affected === undefined && cluster.policies.isOwn(change.object)) return undefined;
      policyQueue.add(change.key);
      // It may take nodes from the pool of another.
      if (affected !== undefined) tellDemands([...fleet.policies].map(({ name }) => name));
      return requeueNodes(affected ?? []);
    };
    const onPartition = ({ key, object }: Change<GpuNodePartition & KubeObject>): void => {
      if (cluster.partitions.isOwn(object)) return;
      nodeQueue.add(key);
      tellDemands(fleet.policiesOf(key));
    };
    const onAgent = (change: Change<PodView>): void => {
      const node = agents.update(change);
      if (node !== undefined) nodeQueue.add(node);
    };
    // Twice: when it goes, as another of its name may be there soon; and by its worker, which may have been busy with it.
    const forgetNode = (name: string): void => {
      metrics?.forget(name);
      notifier.forget(name);
    };
    const onNode = (change: Change<NodeObject>): void => {
      const { key } = change;
      if (change.type === 'delete') {
        for (const policy of fleet.removeNode(key)) tellPolicy(policy);
        forgetNode(key);
        return nodeQueue.add(key);
      }
      const { object, previous } = change;
      const hasNewLabels = previous === undefined || !hasSameLabels(previous, object);
      if (previous && !hasNewLabels && deepEqual(partsBesideLabels(previous), partsBesideLabels(object)))
        return undefined;
      if (hasNewLabels) {
        for (const policy of fleet.setNode(key, object.metadata.labels ?? {})) tellPolicy(policy);
      }
      // A cordon, a taint or a silent kubelet takes its slices from new pods.
      tellDemands(fleet.policiesOf(key));
      return nodeQueue.add(key);
    };
    // Deadlines and times in objects are read by others, and compared with times that the API server writes.
    const now = (): number => client.config.serverClock.nowMs();
    const configFiles = settings.pluginConfigMap && new ConfigMapFiles(client, settings.pluginConfigMap, now);
    const notifier = new NodeNotifier({ cluster, events, log: logger });
    const reporter = new NodeReporter({ client, cluster, events, onNews: tellPolicy, now });
    const gatherer = new Gatherer({ client, cluster, settings, configFiles, slices: sliceWatch, now });
    const nodeReconciler = new NodeReconciler({
      cluster,
      gatherer,
      executor: new Executor({ client, cluster, configFiles, log: logger, now }),
      reporter,
      preview: new PreviewPlanner({ client, cluster, onNews: tellPolicy }),
      onStep: (step) => {
        metrics?.record(step);
        notifier.notify(step);
      },
      onGone: forgetNode,
      now,
    });
    const policyReconciler = new PolicyReconciler({
      client,
      cluster,
      events,
      forecast: new Forecast({ cluster, known: (node) => gatherer.known(node), log: logger }),
      settings: rollout,
      requeueNodes,
      tellPolicy,
      now,
    });
    const demandReconciler = new DemandReconciler({
      cluster,
      ...readForDemands(client),
      log: logger,
      requeueNodes,
      tellPolicy,
      now,
    });
    const classReconciler = new DeviceClassReconciler({
      client,
      cluster,
      events,
      slices: sliceWatch,
      log: logger,
      now,
    });
    metrics?.attach({
      queues: new Map([
        ['nodes', nodeQueue],
        ['policies', policyQueue],
        ['demands', demandQueue],
        ['classes', classQueue],
      ]),
      fleet,
      partitions: watches.partitions.store,
      nodes: watches.nodes.store,
    });
    // 2. Watches. Nothing is decided before all are complete, only then does absent mean absent, and as new as the last leader's last write.
    await watches.catchUp(client, this.ending);
    const onRewind = (): void => cluster.forgetWrites();
    // The ledgers first, and all that makes a node urgent before the nodes: those in flight go first.
    this.#follow(watches.policies, { onChange: onPolicy, onRewind });
    this.#follow(watches.partitions, { onChange: onPartition, onRewind });
    this.#follow(watches.agents, { onChange: onAgent });
    this.#follow(watches.nodes, { onChange: onNode, onRewind });
    logger.info('watches are complete', {
      policies: watches.policies.store.size,
      nodes: watches.nodes.store.size,
      partitions: watches.partitions.store.size,
    });
  }

  #follow<T extends KubeObject>(watch: Pick<WarmWatch<T>, 'attach'>, reader: WatchReader<T>): void {
    const detach = watch.attach(reader);
    this.own({ stop: async () => detach() });
  }
}

/** What the kubelet, which writes a Node all the time, does not change. The labels are compared by themselves. */
function partsBesideLabels({ metadata, spec, status }: NodeObject): readonly unknown[] {
  const { uid, annotations, deletionTimestamp } = metadata;
  return [uid, annotations, deletionTimestamp, spec, status];
}

/** The result of one look at a node. */
export interface NodeStep {
  readonly node: string;
  readonly verdict: Verdict;
  /** The commands that were carried out. */
  readonly commands: readonly Command[];
  readonly memory: NodeMemory;
}

/** A Node from the API server, without its unused parts. */
export type NodeObject = KubeObject & NodeView;
