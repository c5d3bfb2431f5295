import { Counter, Gauge, type Registry } from 'prom-client';
import type { WorkQueue } from './queue.ts';
import type { Reflector } from './reflector.ts';
import type { KubeObject } from './resource.ts';

type Followed = Pick<Reflector<KubeObject>, 'counts' | 'silenceMs' | 'synced'> & {
  readonly store: { readonly size: number };
};

/** Exposes what reflectors do, one series for each, read when the metrics are read. */
export function registerReflectors(registry: Registry, reflectors: Readonly<Record<string, Followed>>): void {
  const each = Object.entries(reflectors);
  addGauge(registry, 'gpu_partition_watch_objects', 'Objects in the store.', () =>
    each.map(([r, f]) => [r, f.store.size]),
  );
  addGauge(registry, 'gpu_partition_watch_synced', 'Whether a complete list came in since the start.', () =>
    each.map(([r, f]) => [r, Number(f.synced)]),
  );
  addGauge(registry, 'gpu_partition_watch_silence_seconds', 'Time since the API server last said something.', () =>
    each.map(([r, f]) => [r, f.silenceMs / 1000]),
  );
  addCounter(registry, 'gpu_partition_watch_lists_total', 'Lists begun.', () =>
    each.map(([r, f]) => [r, f.counts.lists]),
  );
  addCounter(registry, 'gpu_partition_watch_reconnects_total', 'Watches begun after the first.', () =>
    each.map(([r, f]) => [r, f.counts.reconnects]),
  );
  addCounter(registry, 'gpu_partition_watch_events_total', 'Events received.', () =>
    each.map(([r, f]) => [r, f.counts.events]),
  );
  addCounter(registry, 'gpu_partition_watch_failures_total', 'Watches and lists that ended with an error.', () =>
    each.map(([r, f]) => [r, f.counts.failures]),
  );
  addCounter(registry, 'gpu_partition_watch_handler_errors_total', 'Exceptions of handlers of changes.', () =>
    each.map(([r, f]) => [r, f.counts.handlerErrors]),
  );
}

/** Exposes what work queues do, one series for each. */
export function registerQueues(registry: Registry, queues: Readonly<Record<string, WorkQueue>>): void {
  const each = Object.entries(queues);
  addGauge(registry, 'gpu_partition_queue_depth', 'Keys that wait for their turn.', () =>
    each.map(([n, q]) => [n, q.depth]),
  );
  addGauge(registry, 'gpu_partition_queue_longest_run_seconds', 'How long the oldest reconcile has been at work.', () =>
    each.map(([n, q]) => [n, q.longestRunMs / 1000]),
  );
  addCounter(registry, 'gpu_partition_reconciles_total', 'Reconciles that ended well.', () =>
    each.map(([n, q]) => [n, q.counts.succeeded]),
  );
  addCounter(registry, 'gpu_partition_reconcile_failures_total', 'Reconciles that threw.', () =>
    each.map(([n, q]) => [n, q.counts.failed]),
  );
}

type Read = () => readonly (readonly [name: string, value: number])[];

function addGauge(registry: Registry, name: string, help: string, read: Read): void {
  new Gauge({
    name,
    help,
    labelNames: ['name'],
    registers: [registry],
    collect() {
      for (const [series, value] of read()) this.set({ name: series }, value);
    },
  });
}

function addCounter(registry: Registry, name: string, help: string, read: Read): void {
  new Counter({
    name,
    help,
    labelNames: ['name'],
    registers: [registry],
    collect() {
      // The counts are kept elsewhere; a counter can only be set by starting from nothing.
      this.reset();
      for (const [series, value] of read()) this.inc({ name: series }, value);
    },
  });
}
