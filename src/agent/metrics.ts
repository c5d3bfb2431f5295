import {
  registerGauge,
  type HealthOptions,
  type HealthServer,
  serveHealth,
  createRegistry,
} from '../process/health.ts';
import { Counter, Histogram, type Registry } from 'prom-client';
import { DeviceError } from '../core/gpu/device-state.ts';
import { registerQueues, registerReflectors } from '../kube/metrics.ts';
import type { QueueObserver, WorkQueue } from '../kube/queue.ts';
import type { Reflector } from '../kube/reflector.ts';
import type { KubeObject } from '../kube/watch.ts';
import type { ServerClock } from '../kube/request.ts';
import { type Clock, systemClock } from '../process/clock.ts';
import type { Device } from './open-device.ts';

/** The sources of an agent's metrics, once they exist. */
export interface AgentSources {
  readonly queue: Pick<WorkQueue, 'depth' | 'longestRunMs'>;
  readonly watch: Pick<Reflector<KubeObject>, 'counts' | 'silenceMs'>;
  readonly serverClock: Pick<ServerClock, 'skewMs'>;
}

const deviceBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
/** What `nvidia-smi` was asked to do, by the option that requests it. */
const operationOf = {
  '-cgi': 'create',
  '-cci': 'create',
  '-dgi': 'destroy',
  '-dci': 'destroy',
  '--gpu-reset': 'reset',
} as const;

/** The metrics of the agent on one node: served only on request, since there is an agent on every node. */
export class AgentMetrics {
  readonly #clock: Clock;
  readonly #observeQueue: (queue: string) => QueueObserver;
  readonly #reads: Counter<'result'>;
  readonly #work: Histogram<'result'>;
  readonly #operations: Counter<'operation'>;
  readonly #failures: Counter<'code'>;
  #sources: AgentSources | undefined;
  #lastReadMs: number | undefined;

  constructor(registry: Registry, clock: Clock) {
    this.#clock = clock;
    this.#observeQueue = registerQueues(registry, () => (this.#sources ? [['node', this.#sources.queue]] : []));
    registerReflectors(registry, () => (this.#sources ? [['gpunodepartitions', this.#sources.watch]] : []));
    const registers = [registry];
    this.#reads = new Counter({
      name: 'gpu_partition_device_reads_total',
      help: 'Readings of the GPUs, by result: success or error.',
      labelNames: ['result'],
      registers,
    });
    this.#work = new Histogram({
      name: 'gpu_partition_device_work_duration_seconds',
      help: 'Time that device work took for one grant, by result: success or error.',
      labelNames: ['result'],
      buckets: deviceBuckets,
      registers,
    });
    this.#operations = new Counter({
      name: 'gpu_partition_device_operations_total',
      help: 'Device operations, by kind: create, destroy, reset, mode.',
      labelNames: ['operation'],
      registers,
    });
    this.#failures = new Counter({
      name: 'gpu_partition_device_failures_total',
      help: 'Failed readings and failed GPUs, by error code (docs/errors.md).',
      labelNames: ['code'],
      registers,
    });
    // Start at 0: Prometheus does not see the first increment of a counter that did not exist before.
    for (const result of ['success', 'error']) this.#reads.inc({ result }, 0);
    for (const operation of new Set(['mode', ...Object.values(operationOf)])) this.#operations.inc({ operation }, 0);
    for (const code of ['Unknown', ...DeviceError.codes]) this.#failures.inc({ code }, 0);
    const age = (): number => (this.#lastReadMs === undefined ? -1 : (clock.monotonicMs() - this.#lastReadMs) / 1000);
    registerGauge(
      registry,
      'gpu_partition_device_read_age_seconds',
      'Time since the GPUs were last read without error; -1 if never.',
      [],
      () => [{ labels: {}, value: age() }],
    );
    registerGauge(
      registry,
      'gpu_partition_clock_skew_seconds',
      'How far the clock of the node is ahead of the API server’s; negative: behind. Precise to two seconds.',
      [],
      () => [{ labels: {}, value: (this.#sources?.serverClock.skewMs ?? 0) / 1000 }],
    );
  }

  observeQueue(): QueueObserver {
    return this.#observeQueue('node');
  }

  attach(sources: AgentSources): void {
    this.#sources = sources;
  }

  /** Why the agent's loop is stuck; undefined if it makes progress. */
  explainStall(longestMs: number): string | undefined {
    const { longestRunMs = 0 } = this.#sources?.queue ?? {};
    if (longestRunMs <= longestMs) return undefined;
    return `a reconcile has been running for ${Math.round(longestRunMs / 1000)} s`;
  }

  /** Counts an operation. @param command line of nvidia-smi */
  operated(command: string): void {
    const words = command.split(' ');
    const [, operation = 'mode'] = Object.entries(operationOf).find(([option]) => words.includes(option)) ?? [];
    this.#operations.inc({ operation });
  }

  /** Wraps the device to record the outcome of its calls. */
  measure(device: Device): Device {
    return {
      hostProblems: () => device.hostProblems(),
      read: async (depth) => {
        try {
          const state = await device.read(depth);
          this.#reads.inc({ result: 'success' });
          this.#lastReadMs = this.#clock.monotonicMs();
          return state;
        } catch (error) {
          this.#reads.inc({ result: 'error' });
          this.#failures.inc({ code: codeOf(error) });
          throw error;
        }
      },
      apply: async (wishes, work, options) => {
        const startedMs = this.#clock.monotonicMs();
        const end = (result: 'success' | 'error'): void =>
          this.#work.observe({ result }, (this.#clock.monotonicMs() - startedMs) / 1000);
        try {
          const outcome = await device.apply(wishes, work, options);
          const errors = outcome.results.flatMap(({ error }) => error ?? []);
          for (const { code } of errors) this.#failures.inc({ code });
          end(errors.length === 0 ? 'success' : 'error');
          return outcome;
        } catch (error) {
          this.#failures.inc({ code: codeOf(error) });
          end('error');
          throw error;
        }
      },
    };
  }
}

function codeOf(error: unknown): string {
  return error instanceof DeviceError ? error.code : 'Unknown';
}

/** A change of many GPUs, each with its undo, takes minutes with a slow driver. */
const stalledMs = 30 * 60_000;

/** Serves an agent's probes and metrics. */
export async function serveAgentHealth(
  options: Omit<HealthOptions, 'registry' | 'live'>,
): Promise<{ readonly metrics: AgentMetrics; readonly server: HealthServer }> {
  const registry = createRegistry({ program: 'agent' });
  const metrics = new AgentMetrics(registry, systemClock);
  const live = { loop: () => metrics.explainStall(stalledMs) };
  const server = await serveHealth({ ...options, registry, live });
  return { metrics, server };
}
