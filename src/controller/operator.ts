import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import type { NodeSnapshot } from '../core/node/snapshot.ts';
import { decide } from '../core/node/decide.ts';
import { stepLedger } from '../core/rollout/ledger.ts';
import type { PolicyRecord } from '../core/policy/record.ts';
import { DemandMemory } from '../core/demand/state.ts';
import { think } from '../planner/questions.ts';
import { Fleet } from '../core/policy/fleet.ts';
import { deepEqual } from '../core/text/json.ts';
import type { KubeClient, KubeVerbs } from '../kube/client.ts';
import { EventRecorder } from '../kube/events.ts';
import { ResilientOperator, type WarmWatch, type WatchReader } from '../kube/operator.ts';
import type { QueueOptions, WorkQueue } from '../kube/queue.ts';
import type { KubeObject, Change } from '../kube/watch.ts';
import { type Clock, steadyMs, systemClock } from '../process/clock.ts';
import type { Logger } from '../process/log.ts';
import { AgentPods, NodeNotifier } from './node-notifier.ts';
import { Cluster, type WatchedCluster, ConfigMapFiles } from './cluster.ts';
import type { ControllerMetrics } from './metrics.ts';
import { DeviceClassReconciler } from './device-classes.ts';
import { QuotaReconciler } from './kueue-quotas.ts';
import { readForDemands, DemandReconciler, PreviewPlanner } from './follow-demand.ts';
import { Executor } from './execute.ts';
import { Forecast, PolicyReconciler, type RolloutSettings } from './reconcile-policy.ts';
import { Gatherer } from './gather.ts';
import type { PodView } from '../core/kubernetes/pod.ts';
import { NodeReconciler, NodeReporter } from './reconcile-node.ts';
import { SliceWatch } from './slice-watch.ts';
import type { NodeView } from '../core/kubernetes/node.ts';
import { hasSameLabels } from './watched-objects.ts';

interface GpuPartitionOperatorOptions {
  readonly client: KubeClient;
  readonly logger: Logger;
  readonly settings: NodeSnapshot['settings'];
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

interface WorkParts {
  readonly client: KubeVerbs;
  readonly cluster: Cluster;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly slices: Pick<SliceWatch, 'api' | 'hasSlices' | 'follow'>;
  readonly logger: Logger;
  readonly settings: NodeSnapshot['settings'];
  readonly rollout: RolloutSettings;
  readonly metrics?: ControllerMetrics | undefined;
  readonly createQueue: (options: Omit<QueueOptions, 'logger'>) => WorkQueue;
  /** What is decided of a node, of a ledger and of a pool. */
  readonly decide: typeof decide;
  readonly stepLedger: typeof stepLedger;
  readonly think: typeof think;
  readonly newMemory: (record: PolicyRecord) => DemandMemory;
  readonly clock: Clock;
  /** The time of a clock that is never set, in ms since the epoch. */
  readonly steadyMs: () => number;
  /** The API server's time, in ms since the epoch: deadlines and times in objects are read by others, and compared with those that it writes. */
  readonly now: () => number;
}

/** The work of a term: what is heard through the watches, which nodes and policies it concerns, and who looks at them. */
export class TermWork {
  readonly #parts: WorkParts;
  readonly #notifier: NodeNotifier;
  readonly #quotas: QuotaReconciler;
  readonly queues: { readonly [Name in 'nodes' | 'policies' | 'demands' | 'classes' | 'quotas']: WorkQueue };

  constructor(parts: WorkParts) {
    this.#parts = parts;
    const { client, cluster, events, logger, settings, metrics, slices, clock, now } = parts;
    this.#notifier = new NodeNotifier({ cluster, events, log: logger });
    const tellPolicy = (name: string): void => this.#tellPolicy(name);
    const requeueNodes = (names: Iterable<string>): void => this.#requeueNodes(names);
    const configFiles = settings.pluginConfigMap && new ConfigMapFiles(client, settings.pluginConfigMap, now);
    const gatherer = new Gatherer({ client, cluster, settings, configFiles, slices, now });
    const nodeReconciler = new NodeReconciler({
      cluster,
      gatherer,
      executor: new Executor({ client, cluster, configFiles, log: logger, now }),
      reporter: new NodeReporter({ client, cluster, events, onNews: tellPolicy, now }),
      preview: new PreviewPlanner({ client, cluster, onNews: tellPolicy }),
      decide: parts.decide,
      onStep: (step) => {
        metrics?.record(step);
        this.#notifier.notify(step);
      },
      onGone: (name) => this.#forgetNode(name),
      now,
    });
    const quotas = new QuotaReconciler({ client, cluster, tellPolicy, log: logger, clock, now });
    this.#quotas = quotas;
    const policyReconciler = new PolicyReconciler({
      client,
      cluster,
      quotas,
      events,
      forecast: new Forecast({ cluster, known: (node) => gatherer.known(node), log: logger, clock }),
      settings: parts.rollout,
      stepLedger: parts.stepLedger,
      requeueNodes,
      tellPolicy,
      clock,
      now,
    });
    const demandReconciler = new DemandReconciler({
      cluster,
      ...readForDemands(client, parts.steadyMs),
      log: logger,
      requeueNodes,
      tellPolicy,
      think: parts.think,
      newMemory: parts.newMemory,
      clock,
      now,
    });
    const classReconciler = new DeviceClassReconciler({ client, cluster, events, slices, log: logger, now });
    this.queues = {
      nodes: parts.createQueue({
        concurrency: nodeConcurrency,
        // A node that waits for a slot can wait.
        isUrgent: (name) => cluster.isUrgent(name),
        patientConcurrency: () => (cluster.favorsSlots ? patientConcurrency.besideSlots : patientConcurrency.usually),
        observer: metrics?.observeQueue('nodes'),
        reconcile: (name) => nodeReconciler.reconcile(name),
      }),
      policies: parts.createQueue({
        concurrency: 4,
        observer: metrics?.observeQueue('policies'),
        reconcile: async (name) => {
          const result = await policyReconciler.reconcile(name);
          this.#tellPools([name]);
          if (classReconciler.isAsked(name)) this.queues.classes.addAfter('all', policyPaceMs);
          return result;
        },
      }),
      demands: parts.createQueue({
        observer: metrics?.observeQueue('demands'),
        reconcile: (name, signal) => demandReconciler.reconcile(name, signal),
      }),
      classes: parts.createQueue({
        observer: metrics?.observeQueue('classes'),
        reconcile: () => classReconciler.reconcile(),
      }),
      quotas: parts.createQueue({
        observer: metrics?.observeQueue('quotas'),
        reconcile: () => quotas.reconcile(),
      }),
    };
  }

  #requeueNodes(names: Iterable<string>): void {
    for (const name of names) this.queues.nodes.add(name);
  }

  #tellPolicy(name: string): void {
    this.queues.policies.addAfter(name, policyPaceMs);
  }

  #tellDemands(names: Iterable<string>): void {
    const { fleet } = this.#parts.cluster;
    for (const name of names)
      if (fleet.policy(name)?.policy.spec.demand !== undefined) this.queues.demands.addAfter(name, demandPaceMs);
  }

  /** The nodes of policies have changed: what they offer, or what they may be asked for. */
  #tellPools(names: readonly string[]): void {
    this.#tellDemands(names);
    if (names.some((name) => this.#quotas.isAsked(name))) this.queues.quotas.addAfter('all', demandPaceMs);
  }

  onPolicy(change: Change<GpuPartitionPolicy & KubeObject>): void {
    const { cluster, slices } = this.#parts;
    const { fleet } = cluster;
    if (change.type === 'delete') {
      cluster.rollout.dropPolicy(change.key);
      const left = fleet.removePolicy(change.key);
      // What is remembered of its demand goes too.
      this.queues.demands.add(change.key);
      this.#tellPools([change.key]);
      slices.follow();
      return this.#requeueNodes(left);
    }
    const affected = fleet.setPolicy(change.object);
    slices.follow();
    // Only its status: our own write came back, or somebody else changed it, which is repaired.
    if (affected === undefined && cluster.policies.isOwn(change.object)) return undefined;
    this.queues.policies.add(change.key);
    // It may take nodes from the pool of another.
    if (affected !== undefined) this.#tellDemands([...fleet.policies].map(({ name }) => name));
    return this.#requeueNodes(affected ?? []);
  }

  onPartition({ key, object }: Change<GpuNodePartition & KubeObject>): void {
    const { partitions, fleet } = this.#parts.cluster;
    if (partitions.isOwn(object)) return;
    this.queues.nodes.add(key);
    this.#tellPools(fleet.policiesOf(key));
  }

  onAgent(change: Change<PodView>): void {
    const node = this.#parts.cluster.agents.update(change);
    if (node !== undefined) this.queues.nodes.add(node);
  }

  onNode(change: Change<NodeObject>): void {
    const { key } = change;
    const { fleet } = this.#parts.cluster;
    if (change.type === 'delete') {
      for (const policy of fleet.removeNode(key)) this.#tellPolicy(policy);
      this.#forgetNode(key);
      return this.queues.nodes.add(key);
    }
    const { object, previous } = change;
    const hasNewLabels = previous === undefined || !hasSameLabels(previous, object);
    if (previous && !hasNewLabels && deepEqual(partsBesideLabels(previous), partsBesideLabels(object)))
      return undefined;
    if (hasNewLabels) {
      for (const policy of fleet.setNode(key, object.metadata.labels ?? {})) this.#tellPolicy(policy);
    }
    // A cordon, a taint or a silent kubelet takes its slices from new pods.
    this.#tellPools(fleet.policiesOf(key));
    return this.queues.nodes.add(key);
  }

  /** The slices that a DRA driver publishes of a node have changed. */
  onSlices(node: string): void {
    this.queues.nodes.add(node);
  }

  /** Twice: when it goes, as another of its name may be there soon; and by its worker, which may have been busy with it. */
  #forgetNode(name: string): void {
    this.#parts.metrics?.forget(name);
    this.#notifier.forget(name);
  }
}

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
    const cluster = new Cluster({
      policies: watches.policies.store,
      nodes: watches.nodes.store,
      partitions: watches.partitions.store,
      fleet,
      agents: new AgentPods(),
    });
    // 1. Work.
    const slices = this.own(new SliceWatch({ client, logger, fleet, onNode: (name) => work.onSlices(name) }));
    const work = new TermWork({
      client,
      cluster,
      events,
      slices,
      logger,
      settings,
      rollout,
      metrics,
      createQueue: (options) => this.createQueue(options),
      decide,
      stepLedger,
      think,
      newMemory: () => new DemandMemory(),
      clock: systemClock,
      steadyMs,
      now: () => client.config.serverClock.nowMs(),
    });
    metrics?.attach({
      queues: new Map(Object.entries(work.queues)),
      fleet,
      partitions: watches.partitions.store,
      nodes: watches.nodes.store,
    });
    // 2. Watches. Nothing is decided before all are complete, only then does absent mean absent, and as new as the last leader's last write.
    await watches.catchUp(client, this.ending);
    const onRewind = (): void => cluster.forgetWrites();
    // The ledgers first, and all that makes a node urgent before the nodes: those in flight go first.
    this.#follow(watches.policies, { onChange: (change) => work.onPolicy(change), onRewind });
    this.#follow(watches.partitions, { onChange: (change) => work.onPartition(change), onRewind });
    this.#follow(watches.agents, { onChange: (change) => work.onAgent(change) });
    this.#follow(watches.nodes, { onChange: (change) => work.onNode(change), onRewind });
    // Quotas of a policy that went while nobody led.
    work.queues.quotas.add('all');
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

/** A Node from the API server, without its unused parts. */
export type NodeObject = KubeObject & NodeView;
