import { computeInstancesOf } from '../../src/core/gpu/device-state.ts';
import { GrantClock } from '../../src/agent/grant-work.ts';
import type { DeviceReport, Grant, PlanReport, Strategy } from '../../src/api/types.ts';
import { faultFields } from '../../src/core/device/grants.ts';
import { keepOutcome } from '../../src/core/device/report.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import { judgeAdvertised } from '../../src/core/device/kubelet.ts';
import { listInTheWay, planDrained } from '../../src/core/device/plan.ts';
import { lastGoodOf } from '../../src/core/device/ownership.ts';
import { deepEqual } from '../../src/core/text/json.ts';
import { isOlder } from '../../src/kube/watch.ts';
import { refuse, type StoredPartition } from '../model/api.ts';
import { VirtualClock } from '../model/clock.ts';
import { ModelDevice } from '../model/device.ts';
import { resourceOf, uuidOf } from '../model/plugin.ts';
import { Worker, type WorkerTask } from '../model/worker.ts';
import { MachinePods } from './machine-pods.ts';
import type { FleetWorld } from './fleet-world.ts';

/** The outcome of a node's next grants. */
export type Fate = 'Well' | 'FailOnce' | 'FailAlways';

/** A machine with its kubelet, its agent, and its device plugin, which follows changes by itself. */
export class FleetMachine {
  readonly name: string;
  readonly uid: string;
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
  agent: MachineAgent | undefined;
  /** Its agent's watch delivers nothing. */
  isBlind = false;
  /** How far its clock is ahead of the API server's, in ms. */
  aheadMs = 0;
  #pluginRound = 0;

  constructor(world: FleetWorld, name: string, uid: string) {
    this.#world = world;
    this.name = name;
    this.uid = uid;
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
    this.agent?.wakeSoon();
  }

  #offerHasChanged(): void {
    this.#offered = this.pods?.plugin.offered ?? new Map();
    for (const name of this.#offered.keys()) this.#known.add(name);
    this.agent?.wakeSoon();
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
      this.agent?.wakeSoon();
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
    this.agent?.wakeSoon();
    return id;
  }

  release(uid: string): void {
    if (this.allocations.delete(uid)) this.agent?.wakeSoon();
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

  /** What the agent reads. */
  read(strategy?: Strategy): DeviceReport {
    const report = this.device.report();
    const holders = this.holders();
    const ids = this.device.uuids;
    // A pod that holds a slice that is gone may be on any GPU.
    const lost = [...this.allocations].flatMap(([uid, { id }]) => (ids.has(uuidOf(id)) ? [] : [`default/${uid}`]));
    const held = (
      uuid: string,
      others: readonly string[] = [],
    ): { readonly busy?: true; readonly pods?: readonly string[] } => {
      const pods = [...(holders.get(uuid) ?? []), ...others];
      return pods.length > 0 ? { busy: true, pods } : {};
    };
    const offered = [...this.#offered].filter(([, list]) => list.length > 0);
    const { stale, resources } = judgeAdvertised(report, this.#offered, strategy);
    return {
      ...report,
      gpus: report.gpus.map((gpu) => ({
        ...gpu,
        ...held(gpu.uuid),
        instances: gpu.instances.map((one) => ({ ...one, ...held(computeInstancesOf(one)[0]?.uuid ?? '', lost) })),
      })),
      advertised: { stale, ...(offered.length > 0 && { resources: { ...resources } }) },
    };
  }

  // --- the machine ------------------------------------------------------------------------------------------------

  startAgent(withinMs: number): void {
    this.#world.later(100, withinMs, () => {
      if (!this.isUp || this.isGone || this.agent) return;
      this.isBlind = false;
      this.agent = new MachineAgent(this.#world, this);
      this.#setAgentPod(true);
    });
  }

  endAgent(): void {
    if (!this.agent) return;
    this.agent.worker.stop();
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

/** The agent of a machine: it plans as the product does, and applies a plan in one step. */
export class MachineAgent {
  readonly #world: FleetWorld;
  readonly #machine: FleetMachine;
  readonly worker: Worker;
  readonly #grants: GrantClock;
  #watched: StoredPartition | undefined;
  #written: StoredPartition | undefined;

  constructor(world: FleetWorld, machine: FleetMachine) {
    this.#world = world;
    this.#machine = machine;
    const clock = new VirtualClock(world.timeline, () => machine.aheadMs);
    this.#grants = new GrantClock(clock, () => (world.hasBug('OwnClock') ? 0 : machine.aheadMs));
    this.worker = new Worker(world, () => this.#reconcile());
    this.see();
  }

  see(): void {
    this.#watched = this.#world.api.find('partitions', this.#machine.name);
    if (this.#watched) this.#grants.see(this.#watched);
    this.worker.add();
  }

  wakeSoon(): void {
    this.worker.addAfter(this.#world.random.between(50, 800));
  }

  *#reconcile(): WorkerTask {
    const watched = this.#watched;
    if (watched === undefined || watched.spec.nodeUID !== this.#machine.uid) return undefined;
    const isAhead =
      this.#written?.metadata.uid === watched.metadata.uid &&
      isOlder(watched.metadata.resourceVersion, this.#written?.metadata.resourceVersion);
    const partition = isAhead && this.#written ? this.#written : watched;
    const { granted } = partition.spec;
    const seen = partition.status?.device;
    if (granted !== undefined && granted.epoch > (seen?.observedEpoch ?? 0)) {
      return yield* this.#act(partition, granted);
    }
    yield this.#world.random.between(5, 50);
    const report = this.#machine.read(partition.spec.strategy);
    const plan = this.#plan(partition, report);
    return yield* this.#tell(partition, { ...this.#state(seen), ...report, ...keepOutcome(seen), ...plan });
  }

  *#act(partition: StoredPartition, granted: Grant): WorkerTask {
    yield this.#world.random.between(200, 4000);
    const fault = yield* this.#carryOut(partition, granted);
    const report = this.#machine.read(partition.spec.strategy);
    const outcome = fault ? faultFields({ code: fault, message: 'as drawn' }, 'Failed') : { step: 'Idle' as const };
    const lastGood = lastGoodOf(report.gpus ?? [], this.#machine.bootID, new Map());
    return yield* this.#tell(partition, {
      ...this.#state(partition.status?.device),
      ...report,
      ...outcome,
      lastGood,
      observedEpoch: granted.epoch,
      ...this.#plan(partition, report),
    });
  }

  /** @returns the code of the error; undefined on success */
  *#carryOut(partition: StoredPartition, granted: Grant): Generator<number, string | undefined, undefined> {
    const report = this.#machine.read();
    const marks = { drain: partition.spec.drain, reported: partition.status?.device?.plan };
    const plan = planDrained(report, granted, marks, new Map(), new Map());
    if (plan.report.refusal !== undefined) return 'Refused';
    if (plan.work.length === 0) return undefined;
    if (plan.report.hash !== granted.planHash) return 'PlanChanged';
    if (listInTheWay(report, plan.report, new Map()).length > 0) return 'InUse';
    const fresh = yield* this.#world.call('agent', 'Read', () =>
      this.#world.api.find('partitions', this.#machine.name),
    );
    const isAnswered = (fresh?.status?.device?.observedEpoch ?? 0) >= granted.epoch;
    const isSame = fresh?.metadata.uid === partition.metadata.uid && fresh?.spec.granted?.epoch === granted.epoch;
    if (!isSame || isAnswered) return 'Stopped';
    if (this.#grants.explainEnd(granted) !== undefined && !this.#world.hasBug('TakeLateGrant')) return 'Expired';
    if (this.#machine.fate !== 'Well') {
      if (this.#machine.fate === 'FailOnce') this.#machine.fate = 'Well';
      return 'CommandFailed';
    }
    this.#world.checks.deviceIsChanged(this.#machine, plan.work, granted);
    for (const { uuid, mode, steps } of plan.work) {
      const gpu = this.#machine.device.gpus.find((one) => one.uuid === uuid);
      if (!gpu) continue;
      if (mode === 'Enable') this.#machine.device.setMode(gpu, 'Enabled', false);
      for (const step of steps) this.#machine.device.takeStep(gpu, step);
      if (mode === 'Disable') this.#machine.device.setMode(gpu, 'Disabled', false);
    }
    this.#machine.devicesChanged();
    return undefined;
  }

  #state(seen: DeviceReport | undefined): DeviceReport {
    return {
      agentVersion: 'model',
      bootID: this.#machine.bootID,
      ...(seen?.observedEpoch !== undefined && { observedEpoch: seen.observedEpoch }),
      ...(seen?.lastGood && { lastGood: seen.lastGood }),
    };
  }

  #plan({ spec, status }: StoredPartition, report: DeviceReport): { readonly plan?: PlanReport } {
    const { wish, drain } = spec;
    if (!wish) return {};
    return { plan: planDrained(report, wish, { drain, reported: status?.device?.plan }, new Map(), new Map()).report };
  }

  *#tell(partition: StoredPartition, device: DeviceReport): WorkerTask {
    if (!deepEqual(device, partition.status?.device)) {
      this.#written = yield* this.#world.call('agent', 'Write', () =>
        this.#world.api.update('partitions', this.#machine.name, 'agent', (one) => {
          if (one.spec.nodeUID !== this.#machine.uid) throw refuse(422, 'Invalid', 'this is another node');
          return { ...one, status: { ...one.status, device } };
        }),
      );
    }
    return undefined;
  }
}
