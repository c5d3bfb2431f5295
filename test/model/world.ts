import type { NodeObject } from '../../src/controller/operator.ts';
import { type Decision, decide } from '../../src/core/node/decide.ts';
import { composeDevicePluginConfig } from '../../src/core/nvidia/plugin-config.ts';
import type { ResourceClaimView, ResourceSliceView } from '../../src/core/kubernetes/pod.ts';
import type { NodeMemory } from '../../src/core/node/memory.ts';
import type { OwnRecord } from '../../src/agent/own-partition.ts';
import type { NodeSettings, NodeSnapshot } from '../../src/core/node/snapshot.ts';
import { type LedgerSnapshot, type LedgerStep, stepLedger } from '../../src/core/rollout/ledger.ts';
import type { OfferedStatus } from '../../src/core/node/offer.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import { AgentProcess } from './agent.ts';
import { Api, type ApiChange, type Kind, type StoredPartition, type Pod, type Policy, refuse } from './api.ts';
import type { Bug } from './bugs.ts';
import { Invariants } from './checks.ts';
import { clockSlackMs, leadersClocks } from './clock.ts';
import { ModelConfigMap } from './config-map.ts';
import { ControllerProcess, type ControllerWorld } from './controller.ts';
import { setFinalizers } from './deletion.ts';
import { ModelDevice } from './device.ts';
import { ModelKubelet } from './kubelet.ts';
import { ModelMachine } from './machine.ts';
import { Random } from './random.ts';
import { type Setup, settingsOf } from './setup.ts';
import { VirtualTime } from './timeline.ts';

/** The process was killed in the middle of its work. */
class Ended extends Error {}

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
  /** The agent's watch delivers nothing. */
  agentBlind: boolean;
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
  agentBlind: false,
  claimDriverAway: false,
  driverDeaf: false,
  dynamicMig: false,
  secondStack: false,
  slowSlices: false,
  slowDeviceMs: 0,
  missesEnds: false,
};

export const hourMs = 3600_000;
/** Two leaders overwrite each other endlessly. */
const longestRivalryMs = 60_000;

const watched: readonly Kind[] = ['nodes', 'partitions', 'policies', 'agents'];

/** Where a controller's call fails: for runs that try every position. */
export interface Mishap {
  /** Counted from 1. */
  readonly call: number;
  readonly what: 'CrashBefore' | 'CrashAfter' | 'LoseAnswer';
}

/** One node, its API server, and every program that works on it. */
export class ModelWorld implements ControllerWorld {
  readonly timeline = new VirtualTime();
  readonly setup: Setup;
  readonly bug: Bug | undefined;
  random: Random;
  readonly api: Api;
  readonly device: ModelDevice;
  readonly kubelet: ModelKubelet;
  readonly checks: Invariants;
  readonly faults: Faults = { ...noFaults };
  readonly configMap: ModelConfigMap;
  /** There is only one node. */
  readonly cap = 1;
  controllers: readonly ControllerProcess[] = [];
  agent: AgentProcess | undefined;
  /** The agent's record of its own work, on the host's disk. */
  record: OwnRecord | undefined;
  mishap: Mishap | undefined;
  /** When the machine died, in ms; undefined while it lives. */
  diedAt: number | undefined;
  /** Why no node may start a change: `--freeze`. */
  freeze: string | undefined;
  /** How far the clock of controllers that start now is ahead of the API server's, in ms. */
  leadersAheadMs = 0;
  /** How far the node's clock is ahead of the API server's, in ms. */
  agentAheadMs = 0;
  /** Somebody changed the device by hand. */
  hasDrifted = false;
  /** Controller calls so far; `writes`: those that write. */
  calls = 0;
  writes: number[] = [];
  /** Calls left until a process is killed. */
  crashIn: { readonly who: 'agent' | 'controller'; calls: number } | undefined;
  readonly #due = new Set<string>();
  #mayClocksDiffer = false;
  #nodes = 1;
  #leaders = 0;
  #agentRound = 0;
  #operations = 0;
  #failure: unknown;

  constructor(setup: Setup, seed: number, bug?: Bug) {
    this.setup = setup;
    this.bug = bug;
    this.random = new Random(seed);
    this.configMap = new ModelConfigMap({ default: composeDevicePluginConfig(setup.strategy, []) });
    this.device = new ModelDevice(
      setup.product,
      setup.gpus,
      setup.backend === 'DRA',
      setup.backend !== 'DRA' || setup.repeatsUuids,
    );
    this.checks = new Invariants(this);
    this.api = new Api((change) => this.#changed(change));
    this.kubelet = new ModelKubelet(this);
    if (setup.hasClocks === true) {
      this.leadersAheadMs = this.random.pick(leadersClocks) ?? 0;
      this.#mayClocksDiffer = this.random.chance(0.5);
    }
    this.api.create('nodes', 'n', this.#newNode(), 'cluster');
    this.kubelet.start();
    this.#startAgentSoon(500);
    this.lead();
  }

  get node(): NodeObject | undefined {
    return this.api.find('nodes', 'n');
  }

  get partition(): StoredPartition | undefined {
    return this.api.find('partitions', 'n');
  }

  pods(): readonly Pod[] {
    return this.api.list('pods');
  }

  /** There is only one node. */
  podsOf(_node: string): readonly Pod[] {
    const { list } = this.bug ?? {};
    return list ? this.pods().map(list) : this.pods();
  }

  boundPods(): readonly Pod[] {
    return this.pods();
  }

  /** All are bound as they are made. */
  listPending(): readonly Pod[] {
    return [];
  }

  /** There is only one node. */
  slicesOf(_node: string): readonly ResourceSliceView[] {
    return this.kubelet.driver.slices;
  }

  claims(): readonly ResourceClaimView[] {
    return [...this.kubelet.users.claims, ...this.kubelet.monitors.claims];
  }

  /** How far the times of two leaders may be apart, in ms. */
  get slackMs(): number {
    return this.setup.hasClocks === true ? clockSlackMs : 0;
  }

  hasBug(name: string): boolean {
    return this.bug?.name === name;
  }

  /** The controllers' `decide`, with the planted bug if there is one. */
  decide(snapshot: NodeSnapshot, memory: NodeMemory): Decision {
    const { bug } = this;
    if (!bug) return decide(snapshot, memory);
    const decision = decide(bug.see?.(snapshot) ?? snapshot, bug.remember?.(memory) ?? memory);
    if ('needs' in decision) return decision;
    if (this.hasBug('KeepEvictions')) {
      const evictions = { ...memory.evictions, ...decision.memory.evictions };
      return { ...decision, memory: { ...decision.memory, evictions } };
    }
    return { ...decision, ...bug.say?.(decision, snapshot) };
  }

  get settings(): NodeSettings {
    return settingsOf(this.setup);
  }

  stepLedger(snapshot: LedgerSnapshot): LedgerStep {
    return stepLedger(snapshot);
  }

  setFinalizers(name: string, finalizers: readonly string[], version: string | undefined, by: string): Policy {
    return setFinalizers(this.api, name, finalizers, version, by);
  }

  /** Lets time pass. @throws Violation, or another error of a story that ends here */
  async run(ms: number): Promise<void> {
    await this.timeline.run(this.timeline.now + ms, () => {
      if (this.#failure !== undefined) throw this.#failure;
      this.checks.always();
    });
  }

  fail(error: unknown): void {
    if (!(error instanceof Ended)) this.#failure ??= error;
  }

  later(from: number, to: number, run: () => void): void {
    this.timeline.after(this.random.between(from, to), run);
  }

  missesEnd(): boolean {
    return this.faults.missesEnds && this.random.chance(0.6);
  }

  editNode(by: string, change: (node: NodeObject) => NodeObject): void {
    if (this.node) this.api.update('nodes', 'n', by, change);
  }

  // --- calls of programs ------------------------------------------------------------------------------------------

  *call<Answer>(by: string, kind: 'Read' | 'Write', act: () => Answer): Generator<number, Answer, undefined> {
    yield this.random.between(2, 40);
    const isController = by !== 'agent';
    if (isController) this.calls += 1;
    const { calls, mishap, faults } = this;
    if (isController && kind === 'Write') this.writes.push(calls);
    const planned = isController && mishap?.call === calls ? mishap.what : undefined;
    if (planned === 'CrashBefore') this.#endController(by);
    this.mayCrash(isController ? 'controller' : 'agent', by);
    if (faults.refusal > 0 && this.random.chance(faults.refusal)) throw refuse(500, 'InternalError', 'etcd is away');
    const answer = act();
    yield this.random.between(1, 20);
    if (planned === 'CrashAfter') this.#endController(by);
    const isLost = kind === 'Write' && faults.lostAnswer > 0 && this.random.chance(faults.lostAnswer);
    if (planned === 'LoseAnswer' || isLost) throw refuse(0, 'Timeout', 'no answer');
    return answer;
  }

  isFault(error: unknown): boolean {
    return error instanceof ApiError || error instanceof Ended;
  }

  mayCrash(who: 'agent' | 'controller', name = 'agent'): void {
    const { crashIn } = this;
    if (crashIn?.who !== who) return;
    crashIn.calls -= 1;
    if (crashIn.calls > 0) return;
    this.crashIn = undefined;
    if (who === 'controller') this.#endController(name);
    this.endAgent(5000);
    throw new Ended();
  }

  #endController(name: string): void {
    this.controllers.find((one) => one.name === name)?.stop();
    this.controllers = this.controllers.filter((one) => !one.isGone);
    if (this.controllers.length === 0) this.later(100, 5000, () => this.controllers.length === 0 && this.lead());
    throw new Ended();
  }

  failsNow(): boolean {
    this.#operations += 1;
    if (this.faults.failsEvery > 0 && this.#operations % this.faults.failsEvery === 0) return true;
    if (this.faults.failures <= 0) return false;
    this.faults.failures -= 1;
    return true;
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

  createPartition(name: string, nodeUID: string, by: string): StoredPartition {
    return this.api.create(
      'partitions',
      name,
      {
        apiVersion: 'gpupartition.dev/v1alpha1',
        kind: 'GpuNodePartition',
        metadata: { name, uid: `partition-of-${nodeUID}-${this.api.log.length}`, generation: 1 },
        spec: { nodeUID },
      },
      by,
    );
  }

  // --- controllers ------------------------------------------------------------------------------------------------

  /** A new leader starts; its predecessors continue until they are stopped, or learn that they have lost the lease. */
  lead(): void {
    this.#leaders += 1;
    const rivals = this.controllers;
    const name = `controller-${this.#leaders}`;
    this.controllers = [...rivals, new ControllerProcess(this, name, this.freeze, this.leadersAheadMs)];
    if (rivals.length > 0) this.timeline.after(longestRivalryMs, () => this.#stop(rivals));
  }

  /** The next leader has another clock, in stories that have such leaders. */
  setLeadersClock(aheadMs: number): void {
    if (aheadMs === this.leadersAheadMs || !this.#mayClocksDiffer) return;
    this.leadersAheadMs = aheadMs;
    this.crashController();
  }

  crashController(): void {
    for (const controller of this.controllers) controller.stop();
    this.controllers = [];
    this.later(0, 10_000, () => this.controllers.length === 0 && this.lead());
  }

  stopOldLeaders(): void {
    this.#stop(this.controllers.slice(0, -1));
  }

  #stop(controllers: readonly ControllerProcess[]): void {
    for (const controller of controllers) controller.stop();
    this.controllers = this.controllers.filter((one) => !one.isGone);
    if (this.controllers.length === 0) this.lead();
  }

  // --- the agent --------------------------------------------------------------------------------------------------

  endAgent(withinMs: number): void {
    this.agent?.stop();
    this.agent = undefined;
    this.#setAgentPod(false);
    this.#startAgentSoon(withinMs);
  }

  #startAgentSoon(withinMs: number): void {
    const round = (this.#agentRound += 1);
    this.later(100, withinMs, () => {
      if (round !== this.#agentRound || !this.kubelet.isUp || !this.node) return;
      if (this.faults.agentHeld) return this.#startAgentSoon(5000);
      this.agent = new AgentProcess(new ModelMachine(this));
      this.#setAgentPod(true);
    });
  }

  #setAgentPod(isReady: boolean): void {
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] };
    if (this.api.find('agents', 'agent')) this.api.update('agents', 'agent', 'kubelet', (pod) => ({ ...pod, status }));
    else {
      const metadata = { name: 'agent', uid: 'agent' };
      this.api.create('agents', 'agent', { metadata, spec: { nodeName: 'n' }, status }, 'kubelet');
    }
  }

  // --- the machine ------------------------------------------------------------------------------------------------

  reboot(): void {
    if (!this.kubelet.isUp) return;
    this.#goDown();
    this.later(5000, 60_000, () => {
      this.kubelet.comeUp();
      this.#startAgentSoon(5000);
    });
  }

  /** Somebody reads that a mode waits for a boot: a person, or kured. */
  bootIfPending(): void {
    this.later(5000, 120_000, () => {
      if (this.device.gpus.some(({ pending }) => pending !== undefined)) this.reboot();
    });
  }

  /** The machine is gone for long: its kubelet is not heard of, and no pod of it ends. */
  die(): void {
    if (!this.kubelet.isUp) return;
    this.#goDown();
    this.diedAt = this.timeline.now;
    const conditions = [{ type: 'Ready', status: 'Unknown' }];
    this.editNode('cluster', (node) => ({ ...node, status: { ...node.status, conditions } }));
  }

  /** It comes back. */
  live(): void {
    if (this.diedAt === undefined) return;
    this.diedAt = undefined;
    this.kubelet.comeUp();
    this.#startAgentSoon(5000);
  }

  #goDown(): void {
    this.checks.devicesAreLost();
    this.kubelet.shutDown();
    this.device.boot(this.setup.modeSurvivesReboot);
    this.kubelet.boot += 1;
    this.endAgent(1e9);
  }

  /** Reloads the driver, which no running process would permit. */
  reloadDriver(): void {
    if (this.device.processes.size > 0 || !this.kubelet.isUp) return;
    this.checks.devicesAreLost();
    this.device.loseInstances();
    this.kubelet.plugin.devicesChanged();
  }

  /** The Node is deleted and comes back as another object of the same name. */
  replaceNode(): void {
    const { node } = this;
    if (!node || !this.kubelet.isUp) return;
    this.checks.devicesAreLost();
    this.kubelet.shutDown();
    this.device.loseInstances();
    this.kubelet.boot += 1;
    this.endAgent(1e9);
    for (const pod of this.kubelet.users.list()) this.kubelet.endPod(pod.metadata.uid ?? '');
    this.kubelet.monitors.endAll();
    this.kubelet.driver.forget();
    this.api.delete('nodes', 'n', 'user');
    const old = this.partition?.metadata.uid;
    const collectGarbage = (): void => {
      if (old !== undefined && this.partition?.metadata.uid === old) this.api.delete('partitions', 'n', 'cluster', old);
    };
    this.later(100, 20_000, collectGarbage);
    this.later(100, 10_000, () => {
      this.#nodes += 1;
      this.api.create('nodes', 'n', this.#newNode(), 'cluster');
      this.kubelet.comeUp();
      this.#startAgentSoon(5000);
    });
  }

  #newNode(): NodeObject {
    const { hasStartupTaint, hasDiscovery, hasConfigState } = this.setup;
    const deployed = this.kubelet.daemons.flatMap(({ deployLabel }) => deployLabel ?? []).map((key) => [key, 'true']);
    return {
      metadata: {
        name: 'n',
        uid: `node-${this.#nodes}`,
        labels: {
          pool: 'p',
          'nvidia.com/gpu.present': 'true',
          'example.com/team': 'a',
          ...Object.fromEntries(deployed),
          ...(hasDiscovery && { 'nvidia.com/gfd.timestamp': '0' }),
          ...(hasConfigState && { 'nvidia.com/mig.config.state': 'success' }),
        },
        annotations: { 'example.com/owner': 'b' },
      },
      spec: {
        taints: [
          { key: 'example.com/ours', effect: 'PreferNoSchedule' },
          ...(hasStartupTaint ? [{ key: 'gpupartition.dev/uninitialized', effect: 'NoSchedule' }] : []),
        ],
      },
      status: {
        allocatable: {},
        nodeInfo: { bootID: this.kubelet.bootID },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    };
  }

  // --- watches ----------------------------------------------------------------------------------------------------

  #changed(change: ApiChange): void {
    this.checks.apiHasChanged(change);
    const { kind } = change;
    if (kind === 'nodes' || kind === 'pods') this.kubelet?.syncDaemonsSoon();
    if (!watched.includes(kind)) return;
    for (const controller of this.controllers) {
      const key = `${controller.name} ${kind}`;
      if (this.#due.has(key)) continue;
      this.#due.add(key);
      this.later(1, 150, () => {
        this.#due.delete(key);
        controller.deliver(kind);
      });
    }
    if (kind === 'partitions' && !this.#due.has('agent')) {
      this.#due.add('agent');
      this.later(1, 150, () => {
        this.#due.delete('agent');
        if (!this.faults.agentBlind) this.agent?.see(this.partition);
      });
    }
  }

  /** Slices are watched too, without any choice: the stories of other nodes stay as they are. */
  slicesChanged(): void {
    for (const controller of this.controllers) this.timeline.after(50, () => controller.seeSlices('n'));
  }

  deliverAll(): void {
    for (const controller of this.controllers) for (const kind of watched) controller.deliver(kind);
  }

  healFaults(): void {
    if (this.faults.secondStack) this.kubelet.syncDaemonsSoon();
    Object.assign(this.faults, noFaults);
    this.crashIn = undefined;
    this.agentAheadMs = 0;
    this.live();
    this.agent?.see(this.partition);
  }
}
