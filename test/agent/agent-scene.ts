import { type AgentOptions, NodeAgent } from '../../src/agent/agent.ts';
import { type KubeletWord, readKubelet } from '../../src/core/device/kubelet.ts';
import { deviceOf } from '../../src/agent/open-device.ts';
import type { Partition } from '../../src/agent/own-partition.ts';
import { nodePartitions } from '../../src/api/resources.ts';
import type { DeviceReport, Grant, GpuWish, PlanReport } from '../../src/api/types.ts';
import { nextGrant } from '../../src/core/device/grants.ts';
import { placeOf } from '../../src/core/gpu/grid.ts';
import type { HostLoans } from '../../src/device/host/loans.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import type { ReconcileResult } from '../../src/kube/queue.ts';
import { silentLogger } from '../../src/process/log.ts';
import { createKubeClient, uniqueName, useSharedCluster } from '../support/cluster.ts';
import { InProcessNode } from '../device/simulated-node.ts';

export const signal = new AbortController().signal;
export const later = (): string => new Date(Date.now() + 60_000).toISOString();

/** Registers the hooks of a suite that has the CRDs on the real API server. @returns an agent's client, within its tests and hooks */
export function useAgentClient(): () => KubeClient {
  const cluster = useSharedCluster();
  let client: KubeClient | undefined;
  before(async () => {
    client = await createKubeClient(cluster(), { fieldManager: 'gpu-partition-agent' });
  });
  return () => {
    if (!client) throw new Error('the client is there only within tests and hooks of the suite');
    return client;
  };
}

/** An agent on one simulated GPU or several, and its object on the real API server, of which the test plays the controller. */
export class AgentScene {
  readonly name = uniqueName('agent');
  readonly node: InProcessNode;
  rebootsAsked = 0;
  /** What the kubelet says, or says when it is asked; undefined: it does not tell. An error: it does not answer. */
  word: KubeletWord | Error | (() => KubeletWord) | undefined;
  /** Devices that pods hold, by `NAMESPACE/NAME`: the kubelet says so, and nothing else. */
  holdings: ReadonlyMap<string, readonly string[]> | undefined;
  readonly #client: KubeClient;
  #agent: NodeAgent;

  constructor(client: KubeClient, gpus: readonly string[] = ['A100-SXM4-40GB']) {
    this.node = new InProcessNode(gpus);
    this.#client = client;
    this.#agent = this.newAgent('boot-1');
  }

  newAgent(
    bootID: string,
    settings: Partial<
      Pick<
        AgentOptions,
        'client' | 'clock' | 'readIntervalMs' | 'record' | 'signalPods' | 'endRegistration' | 'driverLoad'
      >
    > = {},
    host?: HostLoans,
  ): NodeAgent {
    const journal = { begin: () => Promise.resolve(), finish: () => undefined };
    const lock = { explainLoss: () => undefined };
    const parts = { journal, lock, logger: silentLogger, ...(host && { host }) };
    const device = deviceOf(this.node.openDriver(), parts);
    this.#agent = new NodeAgent({
      client: this.#client,
      device,
      kubelet: { ask: (report) => this.#ask(report) },
      bootID,
      signalPods: () => Promise.resolve([]),
      endRegistration: () => Promise.resolve(true),
      logger: silentLogger,
      nodeName: this.name,
      agentVersion: 'test',
      machine: undefined,
      askForReboot: () => {
        this.rebootsAsked += 1;
        return Promise.resolve();
      },
      readIntervalMs: 0,
      ...settings,
    });
    return this.#agent;
  }

  async #ask(report: DeviceReport): Promise<KubeletWord | undefined> {
    const word = typeof this.word === 'function' ? this.word() : this.word;
    if (word instanceof Error) throw word;
    if (!this.holdings) return word;
    const holdings = [...this.holdings].map(([pod, ids]) => {
      const [namespace = '', name = ''] = pod.split('/');
      return { namespace, name, devices: ids.map((id) => ({ resource: 'nvidia.com/gpu', id })) };
    });
    return { ...readKubelet(report, holdings, undefined, {}), advertised: { stale: 0 } };
  }

  get ref() {
    return { resource: nodePartitions, name: this.name };
  }

  read(): Promise<Partition> {
    return this.#client.get<Partition>(this.ref);
  }

  async create(): Promise<void> {
    await this.#client.create(nodePartitions, { metadata: { name: this.name }, spec: { nodeUID: 'uid' } } as never);
  }

  async set(spec: Record<string, unknown>): Promise<void> {
    await this.#client.merge(this.ref, { spec });
  }

  async annotate(annotations: Readonly<Record<string, string>>): Promise<void> {
    await this.#client.merge(this.ref, { metadata: { annotations } });
  }

  /** What the controller does: writes the wish, lets the agent plan, and grants that plan. */
  async wish(want: Omit<GpuWish, 'uuid'>): Promise<GpuWish> {
    const wish = { uuid: this.node.uuid(0), ...want };
    await this.set({ wish: { gpus: [wish] } });
    await this.run();
    return wish;
  }

  async grant(wish: GpuWish, overrides: Partial<Grant> = {}): Promise<void> {
    const partition = await this.read();
    const { epoch } = nextGrant(partition);
    const planHash = partition.status?.device?.plan?.hash ?? '';
    await this.set({
      granted: { gpus: [wish], epoch, planHash, deadline: later(), allowGpuReset: true, ...overrides },
    });
  }

  /** The plan that is reported, or none. */
  async plan(): Promise<Partial<PlanReport>> {
    return (await this.read()).status?.device?.plan ?? {};
  }

  /** The MIG device at `PROFILE@START`, as its UUID. */
  async uuidAt(place: string, index = 0): Promise<string> {
    const { status } = await this.read();
    const instance = status?.device?.gpus?.[index]?.instances.find((one) => placeOf(one) === place);
    return instance?.uuid ?? '';
  }

  /** What the controller writes before it evicts the pods of the plan. */
  async drain(): Promise<void> {
    const { hash = '', drains = [], affectedPods = [] } = await this.plan();
    const pods = affectedPods.map((pod) => {
      const [namespace = '', name = ''] = pod.split('/');
      return { namespace, name, uid: `uid-${name}` };
    });
    await this.set({ drain: { planHash: hash, places: drains, pods } });
    await this.run();
  }

  /** What an administrator does with nvidia-smi; `19:0` is a 1g.5gb at 0, `9:4` a 3g.20gb at 4. */
  createByHand(...placements: readonly string[]): void {
    this.node.state = 'gpu 0 mig 1 pending 1\n';
    for (const placement of placements) this.node.run(['mig', '-i', '0', '-cgi', placement, '-C']);
    this.node.takeChanges();
  }

  async run(): Promise<ReconcileResult | void> {
    return this.reconcile(await this.read());
  }

  /** As {@link run}, with what a watch may have brought instead. */
  async reconcile(watched: Partition | undefined): Promise<ReconcileResult | void> {
    return this.#agent.reconcile(watched, signal);
  }
}

/** An agent's client whose reads get no answer while it is cut. */
export class CutClient {
  readonly client: KubeClient;
  isCut = false;

  constructor(client: KubeClient) {
    const get = (...args: Parameters<KubeClient['get']>): Promise<unknown> =>
      this.isCut ? Promise.reject(new Error('no route to the API server')) : client.get(...args);
    this.client = new Proxy(client, {
      get: (target, key) => {
        if (key === 'get') return get;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}
