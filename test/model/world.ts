import type { NodeObject } from '../../src/controller/operator.ts';
import type { ResourceClaimView, ResourceSliceView } from '../../src/core/kubernetes/pod.ts';
import type { NodeSettings } from '../../src/core/node/snapshot.ts';
import type { OfferedStatus } from '../../src/core/node/offer.ts';
import type { AgentProcess } from './agent.ts';
import { type ApiChange, type StoredPartition, refuse } from './api.ts';
import { Invariants } from './checks.ts';
import { leadersClocks } from './clock.ts';
import { type Bug, ModelCluster } from './cluster.ts';
import type { ModelDevice } from './device.ts';
import type { ModelKubelet } from './kubelet.ts';
import { NodeMachine } from './node-machine.ts';
import { type Setup, settingsOf } from './setup.ts';

/** Temporary faults. */
export interface Faults {
  /** Probability that a write takes effect and its answer is lost. */
  lostAnswer: number;
  /** Probability that the API server refuses. */
  refusal: number;
  /** nvidia-smi does not answer. */
  driverDown: boolean;
  /** The kubelet's socket does not answer. */
  kubeletMute: boolean;
  /** Number of device operations that will fail. */
  failures: number;
  /** Every device operation of this number fails, so that changes end in their middle; 0: none does. */
  failsEvery: number;
  /** A disruption budget refuses evictions. */
  budget: boolean;
  /** Holders of GPUs do not terminate. */
  stubborn: boolean;
  discoveryDead: boolean;
  slowStatus: boolean;
  /** The agent is not restarted. */
  agentHeld: boolean;
  /** The DRA driver's process does not start. */
  claimDriverAway: boolean;
  /** The agent may not signal the DRA driver, or the device plugin. */
  driverDeaf: boolean;
  /** The DRA driver runs with its gate DynamicMIG. */
  dynamicMig: boolean;
  /** What hands the GPUs out on other nodes is on this one, too. */
  secondStack: boolean;
  /** A DRA driver that has started publishes its slices up to a minute later. */
  slowSlices: boolean;
  /** How much longer each operation on the device takes, in ms. */
  slowDeviceMs: number;
  /** The kubelet drops the client of a plugin that registers again. */
  missesEnds: boolean;
}

const noFaults: Faults = {
  lostAnswer: 0,
  refusal: 0,
  driverDown: false,
  kubeletMute: false,
  failures: 0,
  failsEvery: 0,
  budget: false,
  stubborn: false,
  discoveryDead: false,
  slowStatus: false,
  agentHeld: false,
  claimDriverAway: false,
  driverDeaf: false,
  dynamicMig: false,
  secondStack: false,
  slowSlices: false,
  slowDeviceMs: 0,
  missesEnds: false,
};

/** One node, its API server, and every program that works on it. */
export class ModelWorld extends ModelCluster {
  readonly setup: Setup;
  readonly checks: Invariants;
  readonly faults: Faults = { ...noFaults };
  readonly machine: NodeMachine;
  readonly device: ModelDevice;
  readonly kubelet: ModelKubelet;
  /** There is only one node. */
  readonly cap = 1;
  /** Somebody changed the device by hand. */
  hasDrifted = false;
  /** How far the clock of controllers that start now is ahead of the API server's, in ms. */
  #leadersAheadMs = 0;
  #mayClocksDiffer = false;

  constructor(setup: Setup, seed: number, bug?: Bug) {
    super(seed, setup.strategy, bug);
    this.setup = setup;
    this.checks = new Invariants(this);
    this.machine = new NodeMachine(this, 'n');
    this.device = this.machine.device;
    this.kubelet = this.machine.kubelet;
    if (setup.hasClocks === true) {
      this.#leadersAheadMs = this.random.pick(leadersClocks) ?? 0;
      this.#mayClocksDiffer = this.random.chance(0.5);
    }
    this.machine.join();
    this.lead();
  }

  get node(): NodeObject | undefined {
    return this.machine.node;
  }

  get partition(): StoredPartition | undefined {
    return this.machine.partition;
  }

  get agent(): AgentProcess | undefined {
    return this.machine.agent;
  }

  protected machineOf(): NodeMachine {
    return this.machine;
  }

  /** There is only one node. */
  slicesOf(_node: string): readonly ResourceSliceView[] {
    return this.kubelet.driver.slices;
  }

  claims(): readonly ResourceClaimView[] {
    return [...this.kubelet.users.claims, ...this.kubelet.monitors.claims];
  }

  get settings(): NodeSettings {
    return settingsOf(this.setup);
  }

  devicesAreAdvertised(by: string, status: OfferedStatus): void {
    this.checks.devicesAreAdvertised(by, status);
    this.kubelet.statusIsWritten();
  }

  evict(uid: string, by: string, graceSeconds: number | undefined): void {
    const pod = this.api.find('pods', uid);
    if (!pod) throw refuse(404, 'NotFound', uid);
    this.checks.podIsTold(pod, by, graceSeconds);
    if (this.faults.budget && !this.hasBug('EvictPastBudget')) {
      throw refuse(429, 'TooManyRequests', 'it would violate the pod’s disruption budget');
    }
    this.kubelet.terminate(pod);
  }

  deletePod(uid: string, by: string, graceSeconds: number | undefined): void {
    const pod = this.api.find('pods', uid);
    if (!pod) return;
    this.checks.podIsTold(pod, by, graceSeconds);
    this.kubelet.terminate(pod);
  }

  // --- controllers ------------------------------------------------------------------------------------------------

  protected drawLeadersClock(): number {
    return this.#leadersAheadMs;
  }

  /** The next leader has another clock, in stories that have such leaders. */
  setLeadersClock(aheadMs: number): void {
    if (aheadMs === this.#leadersAheadMs || !this.#mayClocksDiffer) return;
    this.#leadersAheadMs = aheadMs;
    this.endControllers();
  }

  // --- watches ----------------------------------------------------------------------------------------------------

  protected onChange({ kind }: ApiChange): void {
    if (kind === 'nodes' || kind === 'pods') this.kubelet.syncSoon();
  }

  /** Slices are watched too, without any choice: the stories of other nodes stay as they are. */
  slicesChanged(): void {
    for (const controller of this.controllers) this.timeline.after(50, () => controller.seeSlices(this.machine.name));
  }

  healFaults(): void {
    if (this.faults.secondStack) this.kubelet.syncSoon();
    Object.assign(this.faults, noFaults);
    this.crashIn = undefined;
    this.machine.aheadMs = 0;
    this.machine.isBlind = false;
    this.machine.live();
    this.machine.tellAgent();
  }
}
