import { registerGauge } from '../process/health.ts';
import { type Registry, Counter, Histogram } from 'prom-client';
import type { GpuNodePartition } from '../api/types.ts';
import type { Fleet } from '../core/policy/fleet.ts';
import type { PolicyRecord } from '../core/policy/record.ts';
import { countLimit } from '../core/rollout/budget.ts';
import { type Figure, FleetFigures } from '../core/node/status-figures.ts';
import type { NodeObject } from './operator.ts';
import { registerQueues, registerReflectors } from '../kube/metrics.ts';
import type { QueueObserver, WorkQueue } from '../kube/queue.ts';
import type { Reflector } from '../kube/reflector.ts';
import type { KubeObject } from '../kube/watch.ts';
import type { NodeStep } from '../core/node/commands.ts';

/** The sources of what a leader knows of the fleet. */
interface FleetSources {
  readonly fleet: Pick<Fleet, 'policies'>;
  readonly partitions: { list(): readonly GpuNodePartition[] };
  readonly nodes: { get(name: string): NodeObject | undefined };
}

type FleetCounts = ReturnType<FleetFigures['count']>;

/** Registers what a leader tells of its fleet. @param leading its sources; undefined in a standby @param count how its fleet is */
function registerFleet(
  registry: Registry,
  leading: () => FleetSources | undefined,
  count: (sources: FleetSources) => FleetCounts,
): void {
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    list: () => readonly Figure<Label>[],
  ): void => registerGauge(registry, name, help, labelNames, list);
  gauge('gpu_partition_leader', '1 in the leading controller, 0 in a standby.', [], () => [
    { labels: {}, value: leading() ? 1 : 0 },
  ]);
  const figures =
    <Key extends keyof FleetCounts>(key: Key) =>
    (): FleetCounts[Key] | readonly [] => {
      const sources = leading();
      return sources === undefined ? [] : count(sources)[key];
    };
  gauge(
    'gpu_partition_nodes',
    'GPU nodes by policy (empty: none applies), phase, and the reason of their condition Ready (docs/errors.md).',
    ['policy', 'phase', 'reason'],
    figures('nodes'),
  );
  gauge(
    'gpu_partition_gpus',
    'GPUs by node pool, product and state: whole, mig, or unreadable.',
    ['pool', 'product', 'state'],
    figures('gpus'),
  );
  gauge(
    'gpu_partition_unhealthy_gpus',
    'GPUs that their driver reports as unhealthy, by node pool and remedy.',
    ['pool', 'action'],
    figures('unhealthy'),
  );
  gauge(
    'gpu_partition_instances',
    'GPU instances by node pool, profile and state: free or used.',
    ['pool', 'profile', 'state'],
    figures('instances'),
  );
  gauge(
    'gpu_partition_stranded_slices',
    'Slices of GPUs in MIG mode that belong to no instance, by node pool and resource: compute or memory.',
    ['pool', 'resource'],
    figures('stranded'),
  );
  gauge(
    'gpu_partition_device_errors',
    'Nodes whose last grant or reading of the GPUs failed, by code (docs/errors.md).',
    ['code'],
    figures('deviceErrors'),
  );
  const policies = (count: (record: PolicyRecord) => number) => (): readonly Figure<'policy'>[] =>
    [...(leading()?.fleet.policies ?? [])].map((record) => ({
      labels: { policy: record.policy.metadata.name },
      value: count(record),
    }));
  gauge(
    'gpu_partition_policy_in_flight',
    'Nodes in flight for a policy: admitted, and neither verified nor given up. The used part of its budget.',
    ['policy'],
    policies(({ policy }) => policy.status?.inFlight?.length ?? 0),
  );
  gauge(
    'gpu_partition_policy_max_unavailable',
    'Nodes of a policy that may be unavailable at a time, from rollout.maxUnavailable: its budget.',
    ['policy'],
    policies(
      ({ policy: { spec, status }, tally }) =>
        status?.limits?.maxUnavailable ?? countLimit(spec.rollout?.maxUnavailable ?? 1, tally.own),
    ),
  );
}

export type WatchFigures = Pick<Reflector<KubeObject>, 'counts' | 'silenceMs' | 'synced'>;

/** The sources of a leader's metrics. */
export interface ControllerSources extends FleetSources {
  readonly queues: ReadonlyMap<string, Pick<WorkQueue, 'depth' | 'longestRunMs'>>;
}

/** A change takes a second, or hours if it waits for pods. */
const changeBuckets = [0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 900, 3600, 14_400];

/** The metrics of the controller: counters are incremented as things happen. No label identifies a single node, pod or GPU. */
export class ControllerMetrics {
  readonly #now: () => number;
  readonly observeQueue: (queue: string) => QueueObserver;
  readonly #grants: Counter;
  readonly #evictions: Counter<'result'>;
  readonly #failures: Counter<'reason'>;
  readonly #changes: Histogram;
  readonly #steps: Histogram<'step'>;
  readonly #closed: Histogram;
  #fleet = new FleetFigures();
  readonly #watches: () => ReadonlyMap<string, WatchFigures>;
  #sources: ControllerSources | undefined;

  /** @param watches of this process, whether or not it leads */
  constructor(registry: Registry, now: () => number, watches: () => ReadonlyMap<string, WatchFigures>) {
    this.#now = now;
    this.#watches = watches;
    this.observeQueue = registerQueues(registry, () => this.#sources?.queues ?? []);
    registerReflectors(registry, watches);
    const registers = [registry];
    registerFleet(
      registry,
      () => this.#sources,
      (sources) => this.#fleet.count(sources, now()),
    );
    this.#grants = new Counter({
      name: 'gpu_partition_grants_total',
      help: 'Grants written: permissions for an agent to change its node.',
      registers,
    });
    this.#evictions = new Counter({
      name: 'gpu_partition_evictions_total',
      help: 'Evictions requested, by result: evicted, or blocked by a disruption budget.',
      labelNames: ['result'],
      registers,
    });
    for (const result of ['evicted', 'blocked']) this.#evictions.inc({ result }, 0);
    this.#failures = new Counter({
      name: 'gpu_partition_node_failures_total',
      help: 'Transitions of nodes to phase Failed, by reason.',
      labelNames: ['reason'],
      registers,
    });
    // Start at 0: Prometheus does not see the first increment of a counter that did not exist before.
    for (const reason of FleetFigures.failureReasons) this.#failures.inc({ reason }, 0);
    this.#changes = new Histogram({
      name: 'gpu_partition_change_duration_seconds',
      help: 'Time from the wish for a node until it is Ready again, for changes that needed a grant.',
      buckets: changeBuckets,
      registers,
    });
    this.#steps = new Histogram({
      name: 'gpu_partition_change_step_duration_seconds',
      help: 'Time that each step of a change took: plan, slot (waiting for one), drain, device, refresh (until advertised), other.',
      labelNames: ['step'],
      buckets: changeBuckets,
      registers,
    });
    this.#closed = new Histogram({
      name: 'gpu_partition_node_closed_seconds',
      help: 'Time for which a node took no new GPU pods because its GPUs changed.',
      buckets: changeBuckets,
      registers,
    });
    registerGauge(
      registry,
      'gpu_partition_oldest_change_seconds',
      'For how long the oldest change has been under way, without its wait for a slot; 0 if none is.',
      [],
      () => [{ labels: {}, value: this.#fleet.oldestMs(this.#now()) / 1000 }],
    );
    registerGauge(
      registry,
      'gpu_partition_longest_closed_seconds',
      'How long the longest-closed node has taken no new GPU pods because its GPUs change; 0 if none is closed.',
      [],
      () => [{ labels: {}, value: this.#fleet.longestClosedMs(this.#now()) / 1000 }],
    );
  }

  /** Begins to report the fleet: this process leads, with these parts. */
  attach(sources: ControllerSources): void {
    this.#sources = sources;
  }

  /** Ends the report of the fleet: this process no longer leads, and its successor reports it. */
  detach(): void {
    this.#sources = undefined;
    this.#fleet = new FleetFigures();
  }

  /** Why the leader's loops are stuck; undefined if they make progress, and in a standby. */
  explainStall(longestMs: number): string | undefined {
    const stalled = [...(this.#sources?.queues ?? [])].find(([, { longestRunMs }]) => longestRunMs > longestMs);
    return (
      stalled && `a reconcile of ${stalled[0]} has been running for ${Math.round(stalled[1].longestRunMs / 1000)} s`
    );
  }

  /** Watches without a complete list. */
  get unsynced(): readonly string[] {
    return [...this.#watches()].flatMap(([resource, { synced }]) => (synced ? [] : [resource]));
  }

  /** Records what was found and done on a node. */
  record(step: NodeStep): void {
    const { hasGrant, evictions, failure, closedSeconds, ended } = this.#fleet.take(step, this.#now());
    if (hasGrant) this.#grants.inc();
    for (const result of evictions) this.#evictions.inc({ result });
    if (failure !== undefined) this.#failures.inc({ reason: failure });
    if (closedSeconds !== undefined) this.#closed.observe(closedSeconds);
    if (!ended) return;
    this.#changes.observe(ended.totalMs / 1000);
    for (const [name, ms] of Object.entries(ended.spent)) this.#steps.observe({ step: name }, ms / 1000);
  }

  /** Call this when a node is gone. */
  forget(node: string): void {
    this.#fleet.forget(node);
  }
}
