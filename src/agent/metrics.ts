import {
  registerGauge,
  type HealthOptions,
  type HealthServer,
  serveHealth,
  createRegistry,
} from '../process/health.ts';
import type { GpuNodePartition } from '../api/types.ts';
import { Counter, Histogram, type Registry } from 'prom-client';
import { listMigDevices } from '../core/device/plan.ts';
import { DeviceError, type DeviceState } from '../core/gpu/device-state.ts';
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
  /** The node's object as it was seen last. */
  readonly partition: () => GpuNodePartition | undefined;
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
  readonly #hasSlices: boolean;
  /** The ids of compute instances by the UUIDs of their MIG devices, of the last reading: the report has none. */
  #computeInstanceIds: ReadonlyMap<string, number> = new Map();
  #lastReadMs: number | undefined;

  /** @param hasSlices whether each slice of the node, and each pod on one, has a series */
  constructor(registry: Registry, clock: Clock, hasSlices = false) {
    this.#clock = clock;
    this.#hasSlices = hasSlices;
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
    if (hasSlices) this.#registerSlices(registry);
  }

  #registerSlices(registry: Registry): void {
    registerGauge(
      registry,
      'gpu_partition_slice_info',
      'With --slice-metrics: 1 for each MIG device of the node, with its GPU, the ids of GPU instance and compute instance, the profile of the former, and the policy of the node.',
      ['gpu_uuid', 'mig_uuid', 'profile', 'gi', 'ci', 'policy'],
      () =>
        listSlices(this.#sources?.partition()).map(({ labels: { policy, ...labels }, gi }) => {
          // Empty, as if it were absent, until the agent has read the device.
          const ci = String(this.#computeInstanceIds.get(labels.mig_uuid) ?? '');
          return { labels: { ...labels, gi: String(gi), ci, policy }, value: 1 };
        }),
    );
    registerGauge(
      registry,
      'gpu_partition_slice_gpus',
      'With --slice-metrics: the share of its GPU, 0 to 1, that each MIG device takes: memory slices of those of the GPU (compute slices on Thor). Compute instances divide that of their GPU instance.',
      ['gpu_uuid', 'mig_uuid', 'profile', 'policy'],
      () =>
        listSlices(this.#sources?.partition()).flatMap(({ labels, share }) =>
          share === undefined ? [] : [{ labels, value: share }],
        ),
    );
    registerGauge(
      registry,
      'gpu_partition_slice_pod',
      'With --slice-metrics: 1 for each pod that holds a MIG device of the node.',
      ['mig_uuid', 'namespace', 'pod'],
      () =>
        listSlices(this.#sources?.partition()).flatMap(({ labels: { mig_uuid }, pods }) =>
          pods.map((name) => {
            const [namespace = '', pod = ''] = name.split('/');
            return { labels: { mig_uuid, namespace, pod }, value: 1 };
          }),
        ),
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
          this.#keepIds(state);
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
          if (outcome.device) this.#keepIds(outcome.device);
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

  /** An agent without series of slices keeps nothing of what it reads. */
  #keepIds(state: DeviceState): void {
    if (this.#hasSlices) this.#computeInstanceIds = listComputeInstanceIds(state);
  }
}

function listComputeInstanceIds({ gpus }: DeviceState): ReadonlyMap<string, number> {
  const parts = gpus.flatMap(({ instances }) => instances.flatMap(({ computeInstances }) => computeInstances));
  return new Map(parts.flatMap(({ uuid, id }) => (uuid === undefined ? [] : [[uuid, id] as const])));
}

function codeOf(error: unknown): string {
  return error instanceof DeviceError ? error.code : 'Unknown';
}

/** The MIG devices of a node as its agent reports them, and the labels by which they are known. */
function listSlices(partition: GpuNodePartition | undefined) {
  const policy = partition?.spec?.policy?.name ?? '';
  return listMigDevices(partition?.status?.device ?? {}).map(({ gpu, uuid, profile, ...rest }) => ({
    ...rest,
    labels: { gpu_uuid: gpu, mig_uuid: uuid, profile, policy },
  }));
}

/** A change of many GPUs, each with its undo, takes minutes with a slow driver. */
const stalledMs = 30 * 60_000;

/** Serves an agent's probes and metrics. */
export async function serveAgentHealth({
  hasSlices,
  ...options
}: Omit<HealthOptions, 'registry' | 'live'> & { readonly hasSlices: boolean | undefined }): Promise<{
  readonly metrics: AgentMetrics;
  readonly server: HealthServer;
}> {
  const registry = createRegistry({ program: 'agent' });
  const metrics = new AgentMetrics(registry, systemClock, hasSlices);
  const live = { loop: () => metrics.explainStall(stalledMs) };
  const server = await serveHealth({ ...options, registry, live });
  return { metrics, server };
}
