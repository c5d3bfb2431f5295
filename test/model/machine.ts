import type { OwnRecord } from '../../src/agent/own-partition.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import type { PodHolding } from '../../src/core/device/kubelet.ts';
import { AgentProcess, type DeviceWork } from './agent.ts';
import type { Api, Pod, StoredPartition } from './api.ts';
import type { ModelCluster } from './cluster.ts';
import type { ModelConfigMap } from './config-map.ts';
import type { ModelDaemon } from './daemons.ts';
import type { Gpu, ModelDevice, Slice } from './device.ts';
import { nodeOf } from './pods.ts';
import type { Random } from './random.ts';
import type { Operation } from './smi.ts';
import type { VirtualTime } from './timeline.ts';

/** A machine of a cluster: its Node, its GPUs, what its kubelet says, and the agent on it. */
export abstract class ModelMachine {
  readonly name: string;
  readonly device: ModelDevice;
  readonly timeline: VirtualTime;
  readonly api: Api;
  /** Of its Node. */
  uid: string;
  boot = 1;
  isUp = true;
  agent: AgentProcess | undefined;
  /** The agent's record of its own work, on disk. */
  record: OwnRecord | undefined;
  /** The agent's watch delivers nothing. */
  isBlind = false;
  /** How far its clock is ahead of the API server's, in ms. */
  aheadMs = 0;
  readonly #cluster: ModelCluster;
  /** Resources that its kubelet has known. */
  readonly #known = new Set<string>();
  #statusRound = 0;
  #agentRound = 0;

  constructor(cluster: ModelCluster, name: string, uid: string, device: ModelDevice) {
    this.#cluster = cluster;
    this.name = name;
    this.uid = uid;
    this.device = device;
    this.timeline = cluster.timeline;
    this.api = cluster.api;
  }

  /** Like a real one, a UUID, it differs from others in its first eight characters: marks keep no more. */
  get bootID(): string {
    return `${String(this.boot).padStart(8, '0')}-${this.uid}`;
  }

  get random(): Random {
    return this.#cluster.random;
  }

  get node(): NodeObject | undefined {
    const node = this.api.find('nodes', this.name);
    return node?.metadata.uid === this.uid ? node : undefined;
  }

  get partition(): StoredPartition | undefined {
    return this.api.find('partitions', this.name);
  }

  get configMap(): ModelConfigMap {
    return this.#cluster.configMap;
  }

  pods(): readonly Pod[] {
    return this.api.list('pods').filter((pod) => nodeOf(pod) === this.name);
  }

  hasBug(name: string): boolean {
    return this.#cluster.hasBug(name);
  }

  fail(error: unknown): void {
    this.#cluster.fail(error);
  }

  later(from: number, to: number, run: () => void): void {
    this.#cluster.later(from, to, run);
  }

  edit(by: string, change: (node: NodeObject) => NodeObject): void {
    if (this.node) this.api.update('nodes', this.name, by, change);
  }

  /** It joins the cluster. @param labels beside those of all GPU nodes, and those that deploy what runs on it */
  protected register(labels: Readonly<Record<string, string>>, hasStartupTaint: boolean): void {
    const deployed = this.deployLabels.map((key) => [key, 'true']);
    const node: NodeObject = {
      metadata: {
        name: this.name,
        uid: this.uid,
        labels: { 'nvidia.com/gpu.present': 'true', ...labels, ...Object.fromEntries(deployed) },
        annotations: { 'example.com/owner': 'b' },
      },
      spec: {
        taints: [
          { key: 'example.com/ours', effect: 'PreferNoSchedule' },
          ...(hasStartupTaint ? [{ key: 'gpupartition.dev/uninitialized', effect: 'NoSchedule' }] : []),
        ],
      },
      status: this.#statusOfStart,
    };
    this.api.create('nodes', this.name, node, 'cluster');
  }

  /** Labels of its Node that keep pods of DaemonSets on it. */
  get deployLabels(): readonly string[] {
    return this.listDaemons().flatMap(({ deployLabel }) => deployLabel ?? []);
  }

  /** The object of a Node that is gone goes after it. */
  protected collectGarbage(old: StoredPartition | undefined): void {
    const { uid } = old?.metadata ?? {};
    if (uid !== undefined && this.partition?.metadata.uid === uid)
      this.api.delete('partitions', this.name, 'cluster', uid);
  }

  /** Its kubelet knows of no device yet. */
  get #statusOfStart(): NonNullable<NodeObject['status']> {
    return {
      allocatable: Object.fromEntries([...this.#known].map((name) => [name, '0'])),
      nodeInfo: { bootID: this.bootID },
      conditions: [{ type: 'Ready', status: 'True' }],
    };
  }

  /** The kubelet of a machine that has started writes what it has, and that it is ready. */
  tellStart(): void {
    this.#statusRound += 1;
    this.edit('kubelet', (node) => ({ ...node, status: this.#statusOfStart }));
  }

  /** How many devices of a resource its kubelet offers. */
  countOf(resource: string): string {
    return String(this.offered.get(resource)?.length ?? 0);
  }

  /** What the kubelet offers has changed: it writes that a moment later. */
  tellOfferSoon(): void {
    const round = (this.#statusRound += 1);
    this.later(10, this.slowestStatusMs, () => {
      if (round === this.#statusRound && this.isUp) this.tellOffer();
    });
  }

  tellOffer(): void {
    for (const name of this.offered.keys()) this.#known.add(name);
    const allocatable = Object.fromEntries([...this.#known].map((name) => [name, this.countOf(name)]));
    this.edit('kubelet', (node) => ({ ...node, status: { ...node.status, allocatable } }));
  }

  // --- the agent --------------------------------------------------------------------------------------------------

  /** A request of the agent. */
  call<Answer>(kind: 'Read' | 'Write', act: () => Answer): Generator<number, Answer, undefined> {
    return this.#cluster.call('agent', kind, act, () => this.restartAgent(5000));
  }

  /** The agent waits for a while, and may be killed then. */
  *wait<Answer>(from: number, to: number, act: () => Answer): Generator<number, Answer, undefined> {
    yield this.random.between(from, to);
    this.mayCrash();
    return act();
  }

  /** @throws Error if the agent is killed at this moment */
  mayCrash(): void {
    this.#cluster.mayCrash('agent', () => this.restartAgent(5000));
  }

  /** Starts it, unless it is started otherwise until then. */
  startAgent(withinMs: number): void {
    const round = (this.#agentRound += 1);
    this.later(100, withinMs, () => {
      if (round !== this.#agentRound || !this.isUp || this.agent || !this.node) return;
      if (this.isAgentHeld) return this.startAgent(5000);
      this.agent = new AgentProcess(this);
      this.#setAgentPod(true);
    });
  }

  endAgent(): void {
    this.agent?.stop();
    this.agent = undefined;
    this.#setAgentPod(false);
  }

  restartAgent(withinMs: number): void {
    this.endAgent();
    this.startAgent(withinMs);
  }

  /** The watch of its agent delivers news. */
  tellAgent(): void {
    if (!this.isBlind) this.agent?.see(this.partition);
  }

  #setAgentPod(isReady: boolean): void {
    const key = `agent-${this.name}`;
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] };
    if (this.api.find('agents', key)) this.api.update('agents', key, 'kubelet', (pod) => ({ ...pod, status }));
    else {
      const metadata = { name: key, uid: `${key}-${this.uid}` };
      this.api.create('agents', key, { metadata, spec: { nodeName: this.name }, status }, 'kubelet');
    }
  }

  /** Whether nothing starts the agent. */
  abstract readonly isAgentHeld: boolean;
  /** `--gpus-at-once`, for an agent that starts now. */
  abstract drawGpusAtOnce(): number;
  /** `--read-interval-ms` */
  abstract readonly readIntervalMs: number;
  /** Called when an agent sees a grant that it has not answered. */
  grantIsTaken(_agent: AgentProcess, _partition: StoredPartition): void {}
  /** Called before each operation. */
  abstract deviceIsChanged(work: DeviceWork, gpu: Gpu, operation: Operation): void;
  /** Called when the API server has a report. */
  isReported(_partition: StoredPartition): void {}

  // --- the driver -------------------------------------------------------------------------------------------------

  /** nvidia-smi does not answer. */
  abstract readonly isDown: boolean;
  /** Whether a program keeps the GPUs open. */
  abstract readonly isGpuOpen: boolean;
  /** Whether a change of MIG mode takes effect with a boot only, as in a virtual machine, which can reset no GPU. */
  abstract readonly modeNeedsBoot: boolean;
  /** How much longer each operation takes, in ms. */
  abstract readonly slowMs: number;
  /** Whether the driver refuses the next operation. */
  abstract failsNow(): boolean;
  deviceIsMade(_gpu: Gpu, _instance: Pick<Slice, 'profile' | 'start'>): void {}
  /** Whoever follows the devices may look. */
  abstract devicesChanged(): void;

  /** Somebody else is about to make these instances of it disappear. */
  abstract instancesAreLost(uuids: readonly string[]): void;

  // --- the kubelet ------------------------------------------------------------------------------------------------

  abstract listDaemons(): readonly ModelDaemon[];
  /** Asks a pod to terminate. */
  abstract terminate(pod: Pod): void;
  /** UUIDs of what pods hold. */
  abstract heldUuids(): ReadonlySet<string>;

  /** Whether the kubelet will miss the end of a resource that is registered again now. */
  missesEnd(): boolean {
    return false;
  }

  /** How long the kubelet takes at most until it writes what it offers, in ms. */
  abstract readonly slowestStatusMs: number;
  /** Pods of GPU Feature Discovery label the node no more. */
  abstract readonly isDiscoveryDead: boolean;
  /** Devices that the kubelet offers, by resource. */
  abstract readonly offered: ReadonlyMap<string, readonly string[]>;
  /** Whether its kubelet has no PodResources, and need not have any. */
  abstract readonly ignoresPods: boolean;
  /** @throws KubeletError */
  abstract listHoldings(): readonly PodHolding[];
  /** As the kubelet says it. @throws KubeletError */
  abstract listOffered(): ReadonlyMap<string, readonly string[]>;
  /** @returns whether a program in this pod was reached */
  abstract signal(uid: string): boolean;
  /** @returns false if a plugin serves it */
  abstract endRegistration(resource: string, partition: StoredPartition): boolean;
}
