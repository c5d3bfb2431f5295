import { registerGauge } from '../process/metrics.ts';
import { Counter, Histogram, type Registry } from 'prom-client';
import { nodeReasons } from '../api/names.ts';
import { endings } from '../core/node/endings.ts';
import type { ClosedTime } from '../core/node/memory.ts';
import type { Command } from '../core/node/commands.ts';
import { advanceChange, type ChangeAdvance, type NodeChangeClock, timeUnderWay } from '../core/status/change-steps.ts';
import type { Figure } from '../core/status/fleet-figures.ts';
import { registerQueues, registerReflectors } from '../kube/metrics.ts';
import type { QueueObserver, WorkQueue } from '../kube/queue.ts';
import type { Reflector } from '../kube/reflector.ts';
import type { KubeObject } from '../kube/resource.ts';
import { type FleetSources, registerFleet } from './fleet-metrics.ts';
import type { NodeStep } from './node-step.ts';

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
  readonly #clocks = new Map<string, NodeChangeClock>();
  readonly #failed = new Map<string, string>();
  readonly #closed: Histogram;
  /** Nodes that are closed, and since when, in ms since the epoch. */
  readonly #closedSince = new Map<string, number>();
  readonly #watches: () => ReadonlyMap<string, WatchFigures>;
  #sources: ControllerSources | undefined;

  /** @param watches of this process, whether or not it leads */
  constructor(registry: Registry, now: () => number, watches: () => ReadonlyMap<string, WatchFigures>) {
    this.#now = now;
    this.#watches = watches;
    this.observeQueue = registerQueues(registry, () => this.#sources?.queues ?? []);
    registerReflectors(registry, watches);
    const registers = [registry];
    registerFleet(registry, now, () => this.#sources);
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
    for (const reason of nodeReasons) if (endings[reason] !== undefined) this.#failures.inc({ reason }, 0);
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
      () => this.#oldestOf([...this.#clocks.values()].map((clock) => timeUnderWay(clock, this.#now()) ?? 0)),
    );
    registerGauge(
      registry,
      'gpu_partition_longest_closed_seconds',
      'How long the longest-closed node has taken no new GPU pods because its GPUs change; 0 if none is closed.',
      [],
      () => this.#oldestOf([...this.#closedSince.values()].map((since) => this.#now() - since)),
    );
  }

  /** From now on this process leads, with these parts. */
  attach(sources: ControllerSources): void {
    this.#sources = sources;
  }

  /** This process no longer leads: its successor reports the fleet. */
  detach(): void {
    this.#sources = undefined;
    this.#clocks.clear();
    this.#failed.clear();
    this.#closedSince.clear();
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
  record({ node, verdict, commands, memory }: NodeStep): void {
    const has = (name: Command['name']): boolean => commands.some((command) => command.name === name);
    const { phase, reason } = verdict;
    const hasWish = commands.some((command) => command.name === 'WriteWish' && command.fields.wish !== null);
    const hasGrant = has('WriteGrant');
    if (hasGrant) this.#grants.inc();
    for (const command of commands) {
      if (command.name !== 'EvictPod') continue;
      const refusal = memory.evictions[command.pod.uid]?.refusal;
      this.#evictions.inc({ result: refusal === undefined ? 'evicted' : 'blocked' });
    }
    if (phase === 'Failed' && this.#failed.get(node) !== reason) this.#failures.inc({ reason });
    if (phase === 'Failed') this.#failed.set(node, reason);
    else this.#failed.delete(node);
    this.#noteClosed(node, memory.closed);
    this.#keepClock(node, advanceChange(this.#clocks.get(node), { phase, reason, hasWish, hasGrant }, this.#now()));
  }

  /** Call this when a node is gone. */
  forget(node: string): void {
    this.#clocks.delete(node);
    this.#failed.delete(node);
    this.#closedSince.delete(node);
  }

  #noteClosed(node: string, { since, lastSeconds }: ClosedTime = {}): void {
    if (since !== undefined) {
      this.#closedSince.set(node, since);
    } else if (this.#closedSince.delete(node)) {
      this.#closed.observe(lastSeconds ?? 0);
    }
  }

  #keepClock(node: string, { clock, ended }: ChangeAdvance): void {
    if (clock) this.#clocks.set(node, clock);
    else this.#clocks.delete(node);
    if (!ended) return;
    this.#changes.observe(ended.totalMs / 1000);
    for (const [step, ms] of Object.entries(ended.spent)) this.#steps.observe({ step }, ms / 1000);
  }

  /** @param ages in ms */
  #oldestOf(ages: readonly number[]): readonly Figure<never>[] {
    return [{ labels: {}, value: Math.max(0, ...ages) / 1000 }];
  }
}
