import type { PodHolding } from '../../src/core/device/kubelet.ts';
import { KubeletError } from '../../src/core/device/grants.ts';
import type { AgentHost, AgentProcess, DeviceWork } from './agent.ts';
import type { Api, StoredPartition } from './api.ts';
import type { Gpu, ModelDevice, Slice } from './device.ts';
import type { Random } from './random.ts';
import type { Operation } from './smi.ts';
import type { VirtualTime } from './timeline.ts';
import type { ModelWorld } from './world.ts';

const silence = { tried: 'List', found: 'no answer' } as const;

/** The machine of the model's node as an agent that starts now has it, seen by the onlooker. */
export class ModelMachine implements AgentHost {
  readonly #world: ModelWorld;
  readonly name = 'n';
  readonly nodeUID: string;
  readonly bootID: string;
  readonly timeline: VirtualTime;
  readonly api: Api;
  readonly device: ModelDevice;
  readonly modeNeedsBoot: boolean;
  readonly ignoresPods: boolean;
  readonly gpusAtOnce: number;
  readonly readIntervalMs = 60_000;

  constructor(world: ModelWorld) {
    this.#world = world;
    const { timeline, api, device, setup, kubelet, node, random } = world;
    this.nodeUID = node?.metadata.uid ?? '';
    this.bootID = kubelet.bootID;
    this.timeline = timeline;
    this.api = api;
    this.device = device;
    this.modeNeedsBoot = setup.modeNeedsBoot === true;
    this.ignoresPods = !setup.kubeletTells;
    this.gpusAtOnce = 1 + random.integer(2);
  }

  get random(): Random {
    return this.#world.random;
  }

  get aheadMs(): number {
    return this.#world.agentAheadMs;
  }

  get record(): AgentHost['record'] {
    return this.#world.record;
  }

  set record(record: AgentHost['record']) {
    this.#world.record = record;
  }

  get isDown(): boolean {
    return this.#world.faults.driverDown;
  }

  get isGpuOpen(): boolean {
    return this.#world.kubelet.isGpuOpen;
  }

  get slowMs(): number {
    return this.#world.faults.slowDeviceMs;
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

  mayCrash(): void {
    this.#world.mayCrash('agent');
  }

  failsNow(): boolean {
    return this.#world.failsNow();
  }

  devicesChanged(): void {
    this.#world.kubelet.plugin.devicesChanged();
  }

  deviceIsMade(gpu: Gpu, instance: Pick<Slice, 'profile' | 'start'>): void {
    this.#world.checks.deviceIsMade(gpu, instance);
  }

  deviceIsChanged(work: DeviceWork, gpu: Gpu, operation: Operation): void {
    this.#world.checks.deviceIsChanged(work, gpu, operation);
  }

  grantIsTaken(agent: AgentProcess, partition: StoredPartition): void {
    const { granted } = partition.spec;
    if (granted) this.#world.checks.grantIsTaken(agent, partition, granted);
  }

  isReported({ status }: StoredPartition): void {
    const { code = '' } = status?.device?.error ?? {};
    if (code === 'RebootRequired' || code === 'ResetRequired') this.#world.bootIfPending();
  }

  // --- the kubelet ------------------------------------------------------------------------------------------------

  listHoldings(): readonly PodHolding[] {
    const { users, monitors } = this.#world.kubelet;
    this.#demandKubelet();
    this.#world.checks.holdersAreRead();
    return [...users.holdings(), ...monitors.holdings()];
  }

  listOffered(): ReadonlyMap<string, readonly string[]> {
    this.#demandKubelet();
    return this.#world.kubelet.plugin.offered;
  }

  #demandKubelet(): void {
    if (this.#world.faults.kubeletMute) throw new KubeletError('KubeletUnavailable', silence);
  }

  /** Most device plugins of the model know no signal. */
  signal(uid: string): boolean {
    const { setup, kubelet, faults } = this.#world;
    if (setup.backend === 'DRA') return kubelet.driver.signal(uid);
    return setup.obeysSignals === true && !faults.driverDeaf && kubelet.plugin.signal(uid);
  }

  /** A plugin that listens on its socket would not hear that it was forgotten. */
  endRegistration(resource: string, { spec }: StoredPartition): boolean {
    const { kubelet, checks } = this.#world;
    if (!this.hasBug('UnregisterServed') && kubelet.plugin.serves(resource)) return false;
    checks.registrationIsEnded(resource, spec);
    kubelet.plugin.unregister(resource);
    return true;
  }
}
