import type { PodHolding } from '../../src/core/device/kubelet.ts';
import { deployLabelPrefix, migConfigStateLabel } from '../../src/api/names.ts';
import { KubeletError } from '../../src/core/device/grants.ts';
import { borrowedLabelsOf } from '../../src/core/node/node-patch.ts';
import { migManagerLabel } from '../../src/api/names.ts';
import { pausedForMigChange } from '../../src/core/node/plugin-pods.ts';
import type { AgentProcess, DeviceWork } from './agent.ts';
import type { Pod, StoredPartition } from './api.ts';
import type { Invariants } from './checks.ts';
import type { ModelDaemon } from './daemons.ts';
import { type Gpu, ModelDevice, type Slice } from './device.ts';
import { ModelKubelet } from './kubelet.ts';
import { ModelMachine } from './machine.ts';
import type { Setup } from './setup.ts';
import type { Operation } from './smi.ts';
import type { Faults, ModelWorld } from './world.ts';

/** What mig-manager pauses; itself it never does. */
function isOperand(key: string): boolean {
  return key.startsWith(deployLabelPrefix) && key !== migManagerLabel;
}

const silence = { tried: 'List', found: 'no answer' } as const;

/** A machine with a kubelet and the pods on it as they are, seen by the onlooker. */
export class NodeMachine extends ModelMachine {
  readonly world: ModelWorld;
  readonly kubelet: ModelKubelet;
  readonly readIntervalMs = 60_000;
  /** When it died, in ms; undefined while it lives. */
  diedAt: number | undefined;
  #nodes = 1;
  #operations = 0;

  constructor(world: ModelWorld, name: string) {
    const { product, gpus, backend, repeatsUuids } = world.setup;
    const device = new ModelDevice(product, gpus, backend === 'DRA', backend !== 'DRA' || repeatsUuids);
    super(world, name, 'node-1', device);
    this.world = world;
    this.kubelet = new ModelKubelet(this);
  }

  get setup(): Setup {
    return this.world.setup;
  }

  get faults(): Faults {
    return this.world.faults;
  }

  get checks(): Invariants {
    return this.world.checks;
  }

  override missesEnd(): boolean {
    return this.faults.missesEnds && this.random.chance(0.6);
  }

  // --- the agent and the driver -----------------------------------------------------------------------------------

  get isAgentHeld(): boolean {
    return this.faults.agentHeld;
  }

  drawGpusAtOnce(): number {
    return 1 + this.random.integer(2);
  }

  get isDown(): boolean {
    return this.faults.driverDown;
  }

  get isGpuOpen(): boolean {
    return this.kubelet.isGpuOpen;
  }

  get modeNeedsBoot(): boolean {
    return this.setup.modeNeedsBoot === true;
  }

  get slowMs(): number {
    return this.faults.slowDeviceMs;
  }

  failsNow(): boolean {
    const { faults } = this;
    this.#operations += 1;
    if (faults.failsEvery > 0 && this.#operations % faults.failsEvery === 0) return true;
    if (faults.failures <= 0) return false;
    faults.failures -= 1;
    return true;
  }

  devicesChanged(): void {
    this.kubelet.plugin.devicesChanged();
  }

  override deviceIsMade(gpu: Gpu, instance: Pick<Slice, 'profile' | 'start'>): void {
    this.checks.deviceIsMade(gpu, instance);
  }

  deviceIsChanged(work: DeviceWork, gpu: Gpu, operation: Operation): void {
    this.checks.deviceIsChanged(work, gpu, operation);
  }

  instancesAreLost(uuids: readonly string[]): void {
    this.checks.devicesAreLost(uuids);
  }

  override grantIsTaken(agent: AgentProcess, partition: StoredPartition): void {
    const { granted } = partition.spec;
    if (granted) this.checks.grantIsTaken(agent, partition, granted);
  }

  override isReported({ status }: StoredPartition): void {
    const { code = '' } = status?.device?.error ?? {};
    if (code === 'RebootRequired' || code === 'ResetRequired') this.#bootIfPending();
  }

  // --- the kubelet ------------------------------------------------------------------------------------------------

  get ignoresPods(): boolean {
    return !this.setup.kubeletTells;
  }

  get slowestStatusMs(): number {
    return this.faults.slowStatus ? 20_000 : 1500;
  }

  get isDiscoveryDead(): boolean {
    return this.faults.discoveryDead;
  }

  get offered(): ReadonlyMap<string, readonly string[]> {
    return this.kubelet.plugin.offered;
  }

  listDaemons(): readonly ModelDaemon[] {
    return this.kubelet.daemons;
  }

  terminate(pod: Pod): void {
    this.kubelet.terminate(pod);
  }

  heldUuids(): ReadonlySet<string> {
    return this.kubelet.users.heldUuids();
  }

  listHoldings(): readonly PodHolding[] {
    const { users, monitors } = this.kubelet;
    this.#demandKubelet();
    this.checks.holdersAreRead();
    return [...users.holdings(), ...monitors.holdings()];
  }

  listOffered(): ReadonlyMap<string, readonly string[]> {
    this.#demandKubelet();
    return this.offered;
  }

  #demandKubelet(): void {
    if (this.faults.kubeletMute) throw new KubeletError('KubeletUnavailable', silence);
  }

  /** Most device plugins of the model know no signal. */
  signal(uid: string): boolean {
    const { setup, kubelet, faults } = this;
    if (setup.backend === 'DRA') return kubelet.driver.signal(uid);
    return setup.obeysSignals === true && !faults.driverDeaf && kubelet.plugin.signal(uid);
  }

  /** A plugin that listens on its socket would not hear that it was forgotten. */
  endRegistration(resource: string, { spec }: StoredPartition): boolean {
    const { kubelet, checks } = this;
    if (!this.hasBug('UnregisterServed') && kubelet.plugin.serves(resource)) return false;
    checks.registrationIsEnded(resource, spec);
    kubelet.plugin.unregister(resource);
    return true;
  }

  // --- its life ---------------------------------------------------------------------------------------------------

  join(): void {
    this.#register();
    this.kubelet.start();
    this.startAgent(500);
  }

  #register(): void {
    const { hasStartupTaint, hasDiscovery, hasConfigState } = this.setup;
    const labels = {
      pool: 'p',
      'example.com/team': 'a',
      ...(hasDiscovery && { 'nvidia.com/gfd.timestamp': '0' }),
      ...(hasConfigState && { 'nvidia.com/mig.config.state': 'success' }),
    };
    this.register(labels, hasStartupTaint);
  }

  /** mig-manager pauses what gpu-operator deploys, says that a change is under way, and is not heard of again. */
  leaveDebris(): void {
    const state = this.random.chance(0.7) ? 'pending' : 'rebooting';
    this.#relabel((key, value) => (isOperand(key) && value === 'true' ? pausedForMigChange : value), {
      ...(this.random.chance(0.7) && { [migConfigStateLabel]: state }),
    });
  }

  /** A person does what mig-manager does not. */
  endDebris(): void {
    const borrowed = borrowedLabelsOf({ annotations: this.node?.metadata.annotations ?? {} });
    const isLeft = (key: string): boolean => isOperand(key) && !Object.hasOwn(borrowed, key);
    this.#relabel((key, value) => (isLeft(key) && value === pausedForMigChange ? 'true' : value), {});
  }

  #relabel(change: (key: string, value: string) => string, more: Readonly<Record<string, string>>): void {
    this.edit('user', (node) => {
      const labels = Object.entries(node.metadata.labels ?? {}).map(([key, value]) => [key, change(key, value)]);
      return { ...node, metadata: { ...node.metadata, labels: { ...Object.fromEntries(labels), ...more } } };
    });
    this.kubelet.syncSoon();
  }

  reboot(): void {
    if (!this.isUp) return;
    this.#goDown();
    this.device.boot(this.setup.modeSurvivesReboot);
    this.later(5000, 60_000, () => this.#comeUp());
  }

  /** Somebody reads that a mode waits for a boot: a person, or kured. */
  #bootIfPending(): void {
    this.later(5000, 120_000, () => {
      if (this.device.gpus.some(({ pending }) => pending !== undefined)) this.reboot();
    });
  }

  /** The machine is gone for long: its kubelet is not heard of, and no pod of it ends. */
  die(): void {
    if (!this.isUp) return;
    this.#goDown();
    this.device.boot(this.setup.modeSurvivesReboot);
    this.diedAt = this.timeline.now;
    const conditions = [{ type: 'Ready', status: 'Unknown' }];
    this.edit('cluster', (node) => ({ ...node, status: { ...node.status, conditions } }));
  }

  /** It comes back. */
  live(): void {
    if (this.diedAt === undefined) return;
    this.diedAt = undefined;
    this.#comeUp();
  }

  #goDown(): void {
    this.checks.devicesAreLost();
    this.isUp = false;
    this.boot += 1;
    this.kubelet.shutDown();
    // Nothing starts it before the machine is up again.
    this.restartAgent(1e9);
  }

  #comeUp(): void {
    this.isUp = true;
    this.kubelet.comeUp();
    this.startAgent(5000);
  }

  /** Reloads the driver, which no running process would permit. */
  reloadDriver(): void {
    if (this.device.processes.size > 0 || !this.isUp) return;
    this.checks.devicesAreLost();
    this.device.loseInstances();
    this.devicesChanged();
  }

  /** The Node is deleted and comes back as another object of the same name. */
  replaceNode(): void {
    const { api, kubelet, name, node, partition: old } = this;
    if (!node || !this.isUp) return;
    this.#goDown();
    this.device.loseInstances();
    for (const pod of kubelet.users.list()) kubelet.endPod(pod.metadata.uid ?? '');
    kubelet.monitors.endAll();
    kubelet.driver.forget();
    api.delete('nodes', name, 'user');
    this.later(100, 20_000, () => this.collectGarbage(old));
    this.later(100, 10_000, () => {
      this.#nodes += 1;
      this.uid = `node-${this.#nodes}`;
      this.#register();
      this.#comeUp();
    });
  }
}
