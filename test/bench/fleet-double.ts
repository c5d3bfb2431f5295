import { KubeConfig } from '@kubernetes/client-node';
import { nodePartitions, nodes, pods, policies } from '../../src/api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import type { WatchedCluster } from '../../src/controller/cluster.ts';
import { type NodeObject, GpuPartitionOperator } from '../../src/controller/operator.ts';
import type { JsonPatchOperation } from '../../src/core/text/json.ts';
import { defaultSystemNamespaces, type PodView } from '../../src/core/kubernetes/pod.ts';
import { defaultClients } from '../../src/core/node/plugin-pods.ts';
import { trimPolicy } from '../../src/controller/watched-objects.ts';
import { trimAgentPod } from '../../src/controller/watched-objects.ts';
import { trimNode, trimPartition } from '../../src/controller/watched-objects.ts';
import { planWish } from '../../src/core/device/plan.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import type { WorkQueue, QueueOptions } from '../../src/kube/queue.ts';
import type { ApiRequest } from '../../src/kube/request.ts';
import { type KubeObject, ObjectStore } from '../../src/kube/watch.ts';
import type { WatchReader } from '../../src/kube/operator.ts';
import { silentLogger } from '../../src/process/log.ts';
import { fleetNames, fleetNode, fleetPartition, fleetPolicy, fleetReport } from './fleet-objects.ts';
import { threadMs } from './thread-time.ts';

type Json = Record<string, unknown>;
type Stored = KubeObject & { readonly spec?: Json; readonly status?: Json };

/**
 * The controller's operator with an API server in memory: what it writes comes back through its watches after it has yielded, and every
 * node's agent plans a wish at once. Not for tests, which have a real one: here the time of the API server must not be in the figures.
 */
export class FleetDouble extends GpuPartitionOperator {
  /** As text: as objects they would make collecting the controller's garbage slower. */
  readonly #objects = new Map<string, string>();
  readonly #watches: MemoryWatches;
  readonly #queues: WorkQueue[];
  reconciles = 0;
  failures = 0;
  #version = 1_000;
  /** Wishes that were written. */
  wishes = 0;
  /** What went into being the API server and the agents, in ms: not the controller's. */
  readonly aside = { clockMs: 0, cpuMs: 0 };

  private constructor(client: MemoryClient, watches: MemoryWatches) {
    super({
      client,
      logger: silentLogger,
      instance: 'bench',
      watches,
      rollout: { maxConcurrentNodes: '100%', deleteDeadlineMs: 1_800_000 },
      settings: {
        settleMs: 300,
        deadlineMs: 600_000,
        waitingPollMs: 5000,
        refreshAfterMs: 1000,
        pluginRefresh: 'Signal',
        nodeStatus: 'Wait',
        tidyNodeStatus: false,
        nodeCondition: false,
        advertiseDeadlineMs: 300_000,
        gpuClients: defaultClients,
        clientsDeadlineMs: 300_000,
        systemNamespaces: defaultSystemNamespaces,
      },
    });
    this.#watches = watches;
    this.#queues = [];
    client.answer = (request) => this.#aside(() => this.#answer(request));
  }

  /** Runs when all nodes are there, with their partitions and agents. */
  static async start(count: number, layout: Readonly<Record<string, number>>): Promise<FleetDouble> {
    const double = new FleetDouble(new MemoryClient(), new MemoryWatches());
    await double.start();
    for (const name of fleetNames(count)) {
      const uid = `node-${name}`;
      double.#keep(nodes.plural, fleetNode(name), uid);
      double.#keep(nodePartitions.plural, fleetPartition(name, uid, `${policies.plural}-fleet`));
      double.change(nodePartitions.plural, name, { status: { device: fleetReport(name) } });
      double.deliver(pods.plural, JSON.stringify(agentPod(name)));
      double.change(nodes.plural, name, {});
    }
    double.addPolicy(fleetPolicy(layout));
    return double;
  }

  find(plural: string, name: string): Stored {
    const found = this.#objects.get(`${plural}/${name}`);
    if (found === undefined) throw new Error(`there is no ${plural}/${name}`);
    return JSON.parse(found) as Stored;
  }

  addPolicy(policy: KubeObject & { readonly spec: Json }): void {
    this.#keep(policies.plural, policy);
    this.change(policies.plural, policy.metadata.name, { metadata: { generation: 1 } });
  }

  /** Whether nothing waits and all that was begun has ended. */
  get isIdle(): boolean {
    return this.#queues.every(({ depth, longestRunMs }) => depth === 0 && longestRunMs === 0);
  }

  /** An object is changed by somebody else. */
  change(plural: string, name: string, fields: Json): void {
    this.deliver(plural, this.prepare(plural, name, fields));
  }

  /** As {@link change}, but its event is the caller's to {@link deliver}. @returns the event's object as it comes over the wire */
  prepare(plural: string, name: string, fields: Json): string {
    return this.#aside(() => this.#put(plural, merge(this.find(plural, name), fields) as Stored));
  }

  deliver(plural: string, text: string): void {
    this.#watches.deliver(plural, text);
  }

  protected override createQueue(options: Omit<QueueOptions, 'logger'>): WorkQueue {
    const ended = (result: 'success' | 'error'): void => {
      if (result === 'success') this.reconciles += 1;
      else this.failures += 1;
    };
    const queue = super.createQueue({ ...options, observer: { started: () => undefined, ended } });
    this.#queues.push(queue);
    return queue;
  }

  #keep(plural: string, object: Stored, uid = `${plural}-${object.metadata.name}`): void {
    this.#put(plural, { ...object, metadata: { ...object.metadata, uid, generation: 1 } });
  }

  /** @returns the object as text */
  #put(plural: string, object: Stored): string {
    this.#version += 1;
    const text = JSON.stringify({
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(this.#version) },
    });
    this.#objects.set(`${plural}/${object.metadata.name}`, text);
    return text;
  }

  #answer({ method, path, body, contentType }: ApiRequest): unknown {
    const [, plural = '', name, subresource] = /\/([a-z]+)(?:\/([^/]+))?(?:\/([a-z]+))?$/.exec(
      path.replace(/^\/apis?\/([\w.]+\/)?v\w+/, ''),
    ) ?? [''];
    if (name === undefined) return { metadata: { resourceVersion: String(this.#version) }, items: [] };
    if (method === 'GET') return this.find(plural, name);
    const before = this.find(plural, name);
    const patched =
      contentType === 'application/json-patch+json'
        ? applyPatch(before, body as readonly JsonPatchOperation[])
        : merge(before, { [subresource ?? 'spec']: (body as Json)[subresource ?? 'spec'] });
    const text = this.#put(plural, patched as Stored);
    setImmediate(() => {
      this.deliver(plural, text);
      if (plural === nodePartitions.plural && subresource === undefined) this.#plan(name);
    });
    if (isObject(body) && isObject(body['spec']) && 'wish' in body['spec']) this.wishes += 1;
    return plural === nodes.plural ? { metadata: { resourceVersion: String(this.#version) } } : JSON.parse(text);
  }

  #aside<T>(work: () => T): T {
    const [clock, cpu] = [performance.now(), threadMs()];
    const result = work();
    this.aside.clockMs += performance.now() - clock;
    this.aside.cpuMs += threadMs() - cpu;
    return result;
  }

  /** The agent's part. */
  #plan(name: string): void {
    const { spec, status } = this.#aside(() => this.find(nodePartitions.plural, name)) as unknown as GpuNodePartition;
    if (spec.wish === undefined || status?.device === undefined) return;
    const { device } = status;
    const { wish } = spec;
    const { report } = this.#aside(() => planWish(device, wish));
    this.change(nodePartitions.plural, name, { status: { device: { plan: report } } });
  }
}

/** A watch that is fed by hand. */
class MemoryWatch<T extends KubeObject> {
  readonly store = new ObjectStore<T>();
  readonly #strip: (object: T) => T;
  #reader: WatchReader<T> | undefined;

  constructor(strip: (object: T) => T) {
    this.#strip = strip;
  }

  attach(reader: WatchReader<T>): () => void {
    this.#reader = reader;
    return () => undefined;
  }

  deliver(text: string): void {
    for (const change of this.store.upsert(this.#strip(JSON.parse(text) as T))) this.#reader?.onChange?.(change);
  }
}

class MemoryWatches implements WatchedCluster {
  readonly policies = new MemoryWatch<GpuPartitionPolicy & KubeObject>(trimPolicy);
  readonly nodes = new MemoryWatch<NodeObject>(trimNode);
  readonly partitions = new MemoryWatch<GpuNodePartition & KubeObject>(trimPartition);
  readonly agents = new MemoryWatch<PodView>(trimAgentPod);
  readonly #byPlural: ReadonlyMap<string, { deliver(text: string): void }> = new Map<
    string,
    { deliver(text: string): void }
  >([
    [policies.plural, this.policies],
    [nodes.plural, this.nodes],
    [nodePartitions.plural, this.partitions],
    [pods.plural, this.agents],
  ]);

  async catchUp(): Promise<void> {}

  deliver(plural: string, text: string): void {
    this.#byPlural.get(plural)?.deliver(text);
  }
}

class MemoryClient extends KubeClient {
  answer: (request: ApiRequest) => unknown = () => undefined;

  constructor() {
    super(new PooledKubeConfig(nowhere), 'bench');
  }

  override async request(request: ApiRequest): Promise<unknown> {
    if (request.path.includes('/events')) return request.body;
    await new Promise((resolve) => setImmediate(resolve));
    return this.answer(request);
  }
}

function nowhere(): KubeConfig {
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: 'none', server: 'http://127.0.0.1:1', skipTLSVerify: false }, { name: 'none' });
  return config;
}

function agentPod(node: string) {
  return {
    metadata: { name: `agent-${node}`, namespace: 'agents', uid: `agent-${node}`, resourceVersion: '1' },
    spec: { nodeName: node },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

/** RFC 7396. */
function merge(before: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Json = { ...(isObject(before) ? before : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value);
  }
  return merged;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** RFC 6902 as far as patches of Nodes go. */
function applyPatch(object: Stored, patch: readonly JsonPatchOperation[]): Stored {
  const copy = { ...object, metadata: { ...object.metadata }, spec: { ...object.spec } } as unknown as Json;
  for (const { op, path, value } of patch) {
    const keys = path
      .slice(1)
      .split('/')
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop() ?? '';
    const parent = keys.reduce<Json>((at, key) => (at[key] = { ...(at[key] as Json) }), copy);
    if (op === 'remove') delete parent[last];
    else if (op !== 'test') parent[last] = value;
  }
  return copy as unknown as Stored;
}
