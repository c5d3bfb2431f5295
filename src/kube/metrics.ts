import { registerGauge } from '../process/health.ts';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { QueueObserver, WorkQueue } from './queue.ts';
import type { Reflector } from './reflector.ts';
import type { KubeObject } from './watch.ts';

type AnyReflector = Pick<Reflector<KubeObject>, 'counts' | 'silenceMs'>;
type Named<T> = Iterable<readonly [string, T]>;

/** Milliseconds up to many minutes: work that waits for an API server takes either. */
const secondsBuckets = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Metrics of work queues. @param list the current queues, by name @returns the observer for the queue of a name */
export function registerQueues(
  registry: Registry,
  list: () => Named<Pick<WorkQueue, 'depth' | 'longestRunMs'>>,
): (queue: string) => QueueObserver {
  const labelNames = ['queue'] as const;
  const registers = [registry];
  const waits = new Histogram({
    name: 'gpu_partition_queue_wait_seconds',
    help: 'Time that a key waits in the queue.',
    labelNames,
    buckets: secondsBuckets,
    registers,
  });
  const runs = new Histogram({
    name: 'gpu_partition_reconcile_duration_seconds',
    help: 'Duration of a reconcile, whatever its result.',
    labelNames,
    buckets: secondsBuckets,
    registers,
  });
  const reconciles = new Counter({
    name: 'gpu_partition_reconciles_total',
    help: 'Finished reconciles, by result: success or error.',
    labelNames: ['queue', 'result'],
    registers,
  });
  registerGauge(registry, 'gpu_partition_queue_depth', 'Keys that wait in the queue.', labelNames, () =>
    [...list()].map(([queue, { depth }]) => ({ labels: { queue }, value: depth })),
  );
  registerGauge(
    registry,
    'gpu_partition_queue_longest_run_seconds',
    'Running time of the longest reconcile in progress; 0 if there is none.',
    labelNames,
    () => [...list()].map(([queue, { longestRunMs }]) => ({ labels: { queue }, value: longestRunMs / 1000 })),
  );
  return (queue) => {
    // Start at 0: Prometheus does not see the first increment of a counter that did not exist before.
    for (const result of ['success', 'error']) reconciles.inc({ queue, result }, 0);
    return {
      started: (waitedMs) => waits.observe({ queue }, waitedMs / 1000),
      ended: (result, tookMs) => {
        runs.observe({ queue }, tookMs / 1000);
        reconciles.inc({ queue, result });
      },
    };
  };
}

const watchCounters = [
  ['lists', 'gpu_partition_watch_lists_total', 'Complete lists read.'],
  ['reconnects', 'gpu_partition_watch_restarts_total', 'Watches restarted.'],
  ['events', 'gpu_partition_watch_events_total', 'Watch events received.'],
  ['failures', 'gpu_partition_watch_failures_total', 'Failed lists and watches.'],
] as const;

/** Metrics of watches. @param list the current reflectors, by the plural of their resource */
export function registerReflectors(registry: Registry, list: () => Named<AnyReflector>): void {
  const labelNames = ['resource'] as const;
  const registers = [registry];
  for (const [key, name, help] of watchCounters) {
    new Counter({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const [resource, { counts }] of list()) this.inc({ resource }, counts[key]);
      },
    });
  }
  registerGauge(
    registry,
    'gpu_partition_watch_silence_seconds',
    'Time since the API server last sent something on a watch; it sends something about every minute.',
    labelNames,
    () => [...list()].map(([resource, { silenceMs }]) => ({ labels: { resource }, value: silenceMs / 1000 })),
  );
}
