import type { PodHolding } from '../../src/core/device/kubelet.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import type { OwnRecord } from '../../src/agent/own-partition.ts';
import { deepEqual } from '../../src/core/text/json.ts';
import { type AgentHost, AgentProcess, type DeviceWork } from '../model/agent.ts';
import type { Api } from '../model/api.ts';
import { type Gpu, ModelDevice } from '../model/device.ts';
import { resourceOf, uuidOf } from '../model/plugin.ts';
import type { Random } from '../model/random.ts';
import type { Operation } from '../model/smi.ts';
import type { VirtualTime } from '../model/timeline.ts';
import { MachinePods } from './machine-pods.ts';
import type { FleetWorld } from './fleet-world.ts';

/** The outcome of a node's next grants. */
export type Fate = 'Well' | 'FailOnce' | 'FailAlways';

/** A machine with its kubelet, its agent, and its device plugin, which follows changes by itself. */
export class FleetMachine implements AgentHost {
  readonly name: string;
  readonly uid: string;
  readonly timeline: VirtualTime;
  readonly api: Api;
  readonly device: ModelDevice;
  readonly #world: FleetWorld;
  /** Devices of pods, by pod uid. */
  readonly allocations = new Map<string, { readonly resource: string; readonly id: string }>();
  #offered: ReadonlyMap<string, readonly string[]> = new Map();
  readonly #known = new Set<string>();
  /** Those of its DaemonSets; undefined if its device plugin follows changes. */
  readonly pods: MachinePods | undefined;
  boot = 1;
  isUp = true;
  /** The machine no longer exists. */
  isGone = false;
  fate: Fate = 'Well';
  /** When it went down, in ms; undefined while it is up. */
  diedAt: number | undefined;
  /** Since when pods of it that were told to go stay, in ms; undefined if they go. */
  stuckAt: number | undefined;
  /** When instances last disappeared without being asked to. */
  lostAt = -Infinity;
  agent: AgentProcess | undefined;
  /** The agent's record of its own work, on the machine's disk. */
  record: OwnRecord | undefined;
  readonly isDown = false;
  readonly isGpuOpen = false;
  readonly modeNeedsBoot = false;
  readonly ignoresPods = false;
  readonly slowMs: number;
  readonly gpusAtOnce = 1;
  readonly readIntervalMs: number;
  /** Its agent's watch delivers nothing. */
  isBlind = false;
  /** How far its clock is ahead of the API server's, in ms. */
  aheadMs = 0;
  #pluginRound = 0;

  constructor(world: FleetWorld, name: string, uid: string) {
    this.#world = world;
    this.name = name;
    this.uid = uid;
    this.timeline = world.timeline;
    this.api = world.api;
    // Demands count what is in use by what agents read: with the usual minute, pods that come and go within it count as one that stays.
    this.readIntervalMs = world.setup.hasDemands === true ? 15_000 : 60_000;
    this.slowMs = world.setup.slowMs ?? 0;
    this.device = new ModelDevice(world.setup.product, 1, false);
    for (const gpu of this.device.gpus) gpu.mig = 'Enabled';
    if (world.setup.plugin !== undefined) this.pods = new MachinePods(world, this, () => this.#offerHasChanged());
  }

  get bootID(): string {
    return `${this.uid}-${this.boot}`;
  }

  get node(): NodeObject | undefined {
    const node = this.#world.api.find('nodes', this.name);
    return node?.metadata.uid === this.uid ? node : undefined;
  }

  edit(change: (node: NodeObject) => NodeObject): void {
    if (this.node) this.#world.api.update('nodes', this.name, 'kubelet', change);
  }

  start(): void {
    this.#lookAtDevices();
    this.pods?.start();
    this.startAgent(3000);
  }

  // --- device plugin ----------------------------------------------------------------------------------------------

  devicesChanged(): void {
    this.#lookAtDevices();
  }

  #offerHasChanged(): void {
    this.#offered = this.pods?.plugin.offered ?? new Map();
    for (const name of this.#offered.keys()) this.#known.add(name);
    const round = (this.#pluginRound += 1);
    this.#world.later(10, 1000, () => {
      if (round === this.#pluginRound && this.isUp && !this.isGone) this.#tellOffer();
    });
  }

  #lookAtDevices(): void {
    if (this.pods) return this.pods.plugin.devicesChanged();
    const round = (this.#pluginRound += 1);
    this.#world.later(50, 2500, () => {
      if (round !== this.#pluginRound || !this.isUp || this.isGone) return;
      const offer = new Map<string, string[]>();
      for (const gpu of this.device.gpus) {
        const devices =
          gpu.mig === 'Disabled'
            ? [['nvidia.com/gpu', gpu.uuid] as const]
            : gpu.slices.map(({ profile, uuid }) => [resourceOf(profile), uuid] as const);
        for (const [resource, id] of devices) offer.set(resource, [...(offer.get(resource) ?? []), id]);
      }
      this.#offered = offer;
      for (const name of offer.keys()) this.#known.add(name);
      this.#world.later(10, 1000, () => {
        if (round !== this.#pluginRound || !this.isUp || this.isGone) return;
        this.#tellOffer();
      });
    });
  }

  #tellOffer(): void {
    const allocatable = Object.fromEntries(
      [...this.#known].map((name) => [name, String(this.#offered.get(name)?.length ?? 0)]),
    );
    if (deepEqual(this.node?.status?.allocatable, allocatable)) return;
    this.edit((node) => ({ ...node, status: { ...node.status, allocatable } }));
  }

  // --- pods -------------------------------------------------------------------------------------------------------

  /** Allocates a device to a pod; undefined if none is free. */
  admit(uid: string, resource: string): string | undefined {
    const taken = new Set([...this.allocations.values()].map(({ id }) => id));
    const id = (this.#offered.get(resource) ?? []).find((one) => !taken.has(one));
    if (id === undefined || !this.isUp) return undefined;
    this.allocations.set(uid, { resource, id });
    return id;
  }

  release(uid: string): void {
    this.allocations.delete(uid);
  }

  /** Pods that hold a device, by the device's UUID. */
  holders(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, readonly string[]>();
    for (const [uid, { id }] of this.allocations) {
      const uuid = uuidOf(id);
      found.set(uuid, [...(found.get(uuid) ?? []), `default/${uid}`]);
    }
    return found;
  }

  // --- the agent --------------------------------------------------------------------------------------------------

  /** The watch of its agent delivers news. */
  seePartition(): void {
    this.agent?.see(this.api.find('partitions', this.name));
  }

  get nodeUID(): string {
    return this.uid;
  }

  get random(): Random {
    return this.#world.random;
  }

  hasBug(name: string): boolean {
    return this.#world.hasBug(name);
  }

  fail(error: unknown): void {
    this.#world.fail(error);
  }

  call<Answer>(by: string, kind: 'Read' | 'Write', act: () => Answer): Generator<number, Answer, undefined> {
    return this.#world.call(by, kind, act);
  }

  mayCrash(): void {}

  failsNow(): boolean {
    const { fate } = this;
    if (fate === 'FailOnce') this.fate = 'Well';
    return fate !== 'Well';
  }

  grantIsTaken(): void {}

  deviceIsMade(): void {}

  isReported(): void {}

  deviceIsChanged(work: DeviceWork, gpu: Gpu, operation: Operation): void {
    this.#world.checks.deviceIsChanged(this, work, gpu, operation);
  }

  listHoldings(): readonly PodHolding[] {
    return [...this.allocations].map(([name, device]) => ({ namespace: 'default', name, devices: [device] }));
  }

  listOffered(): ReadonlyMap<string, readonly string[]> {
    return this.#offered;
  }

  /** Plugins here know no signal. */
  signal(): boolean {
    return false;
  }

  endRegistration(): boolean {
    return true;
  }

  // --- the machine ------------------------------------------------------------------------------------------------

  startAgent(withinMs: number): void {
    this.#world.later(100, withinMs, () => {
      if (!this.isUp || this.isGone || this.agent) return;
      this.isBlind = false;
      this.agent = new AgentProcess(this);
      this.#setAgentPod(true);
    });
  }

  endAgent(): void {
    if (!this.agent) return;
    this.agent.stop();
    this.agent = undefined;
    this.#setAgentPod(false);
  }

  #setAgentPod(isReady: boolean): void {
    const { api } = this.#world;
    const key = `agent-${this.name}`;
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] };
    if (api.find('agents', key)) api.update('agents', key, 'kubelet', (pod) => ({ ...pod, status }));
    else {
      const metadata = { name: key, uid: `${key}-${this.uid}` };
      api.create('agents', key, { metadata, spec: { nodeName: this.name }, status }, 'kubelet');
    }
  }

  shutDown(): void {
    this.isUp = false;
    this.lostAt = this.#world.timeline.now;
    this.diedAt = this.lostAt;
    this.endAgent();
    this.pods?.shutDown();
    this.device.loseInstances();
    this.allocations.clear();
    this.#offered = new Map();
    this.#pluginRound += 1;
  }

  comeUp(): void {
    if (this.isGone || this.isUp) return;
    this.isUp = true;
    this.diedAt = undefined;
    this.boot += 1;
    const allocatable = Object.fromEntries([...this.#known].map((name) => [name, '0']));
    this.edit((node) => ({
      ...node,
      status: { allocatable, nodeInfo: { bootID: this.bootID }, conditions: [{ type: 'Ready', status: 'True' }] },
    }));
    this.start();
  }
}
