import type { DeviceReport, Grant, GpuWish, PlanReport } from '../../src/api/types.ts';
import { isToMakeAgain } from '../../src/core/device/ownership.ts';
import { faultFields, rereadMs, confirmedMs, isRevocation } from '../../src/core/device/grants.ts';
import { keepOutcome, pickReading, withHolders } from '../../src/core/device/report.ts';
import { GrantClock } from '../../src/agent/grant-work.ts';
import {
  cutLostDevices,
  type LostDevice,
  withoutLost,
  judgeAdvertised,
  listUnserved,
} from '../../src/core/device/kubelet.ts';
import { type KubeletWord, MissingDevices } from '../../src/core/device/agent.ts';
import type { Step } from '../../src/core/gpu/plan.ts';
import { describeReport } from '../../src/core/nvidia/predict-labels.ts';
import { offersDevices, computeResources } from '../../src/core/nvidia/resources.ts';
import { type Holders, holdersOf } from '../../src/core/device/holders.ts';
import { findForeign, type ForeignInstances, lastGoodOf } from '../../src/core/device/ownership.ts';
import {
  type GpuWork,
  listInTheWay,
  planDrained,
  planWish,
  type WishPlan,
  deviceMeets,
} from '../../src/core/device/plan.ts';
import { deepEqual } from '../../src/core/text/json.ts';
import { isOlder } from '../../src/kube/watch.ts';
import { type StoredPartition, refuse } from './api.ts';
import { VirtualClock } from './clock.ts';
import { DriverRefusal, type Gpu } from './device.ts';
import { type WorkerTask, Worker } from './worker.ts';
import type { ModelWorld } from './world.ts';

interface Fault {
  readonly code: string;
  readonly message: string;
  /** UUID. */
  readonly gpu?: string;
}

interface Outcome {
  readonly fault?: Fault | undefined;
}

const readIntervalMs = 60_000;
const busyReadMs = 5000;
const drainReadMs = 1000;
const settlingMs = 600_000;
/** A registration that a plugin served is looked at again after this long. */
const orphansAgainMs = 5000;
const farFuture = '9999-01-01T00:00:00Z';

/** A process of the agent, by the rules of src/agent: its memory ends with it. */
export class AgentProcess {
  readonly #world: ModelWorld;
  readonly worker: Worker;
  readonly #bootID: string;
  readonly #nodeUID: string;
  #watched: StoredPartition | undefined;
  #written: StoredPartition | undefined;
  #report: (DeviceReport & { readonly gpus?: DeviceReport['gpus'] }) | undefined;
  #readAt = -Infinity;
  #settleUntil = -Infinity;
  #isInUse = false;
  #isDraining = false;
  readonly #missing = new MissingDevices();
  #readFailures = 0;
  #plannedWish: unknown;
  #monitors: readonly string[] | undefined;
  /** The DRA driver's pods whose process was ended after the last work; null: none; undefined: not by this process. */
  #signalled: DeviceReport['signalled'] | null;
  /** What the kubelet has been relieved of. */
  #unregistered: StoredPartition['spec']['unregister'];
  #orphansAgainAt = -Infinity;
  #hasBegun = false;
  #hasTriedToRebuild = false;
  readonly #grants: GrantClock;
  /** When the API server last confirmed the grant that is carried out. */
  #confirmedAt = -Infinity;
  /** The last report: while a plugin settles nothing else is checked four times a second. */
  #told: { readonly partition: StoredPartition; readonly report: unknown } | undefined;

  constructor(world: ModelWorld) {
    this.#world = world;
    this.#bootID = world.kubelet.bootID;
    this.#nodeUID = world.node?.metadata.uid ?? '';
    const clock = new VirtualClock(world.timeline, () => world.agentAheadMs);
    this.#grants = new GrantClock(clock, () => (world.hasBug('OwnClock') ? 0 : world.agentAheadMs));
    this.worker = new Worker(world, () => this.#reconcile());
    this.#watched = world.partition;
    this.worker.add();
  }

  /** The watch of its own object delivers news. */
  see(partition: StoredPartition | undefined): void {
    this.#watched = partition;
    this.worker.add();
  }

  *#reconcile(): WorkerTask {
    const watched = this.#watched;
    // An agent's token names its node's uid: it cannot write to the object of an earlier node.
    if (watched === undefined || watched.spec.nodeUID !== this.#nodeUID) return undefined;
    const isAhead =
      this.#written?.metadata.uid === watched.metadata.uid &&
      isOlder(watched.metadata.resourceVersion, this.#written?.metadata.resourceVersion);
    const partition = isAhead && this.#written ? this.#written : watched;
    const { granted, wish } = partition.spec;
    const seen = partition.status?.device;
    this.#grants.see(partition);
    if (granted !== undefined && granted.epoch > (seen?.observedEpoch ?? 0))
      return yield* this.#act(partition, granted);
    const isToldOfMonitors = !deepEqual(partition.spec.monitors, this.#monitors);
    this.#monitors = partition.spec.monitors;
    if (this.#isStale || isToldOfMonitors || !deepEqual(wish, this.#plannedWish)) {
      const fault = yield* this.#read(partition);
      if (fault) {
        yield* this.#tell(partition, { ...this.#state(seen), ...faultFields(fault, 'Unknown') });
        return Math.min(readIntervalMs, rereadMs(this.#readFailures));
      }
    }
    this.#settle(partition);
    yield* this.#endOrphans(partition);
    if (this.#told?.partition === partition && this.#told.report === this.#report) return this.#againMs;
    const rebuilt = yield* this.#rebuildAfterBoot(partition);
    const outcome = rebuilt ?? { ...keepOutcome(seen), ...this.#adopt(partition) };
    return yield* this.#tell(partition, { ...this.#state(seen), ...outcome, ...this.#plan(partition) });
  }

  // --- grants -----------------------------------------------------------------------------------------------------

  *#act(partition: StoredPartition, granted: Grant): WorkerTask {
    this.#world.checks.grantIsTaken(this, partition, granted);
    this.#hasBegun = false;
    const { fault } = yield* this.#carryOut(partition, granted);
    this.#signal(granted);
    const readFault = yield* this.#read(partition);
    this.#expectChange();
    const outcome = fault ?? readFault;
    const known = { ...this.#state(partition.status?.device), observedEpoch: granted.epoch };
    const foreign = this.#foreign(partition, granted);
    if (outcome) {
      return yield* this.#tell(partition, {
        ...known,
        ...faultFields(outcome, readFault ? 'Unknown' : 'Failed'),
        ...(readFault ? {} : { lastGood: this.#lastGood(foreign) }),
        ...this.#plan(partition),
      });
    }
    return yield* this.#tell(partition, {
      ...known,
      step: 'Idle',
      lastGood: this.#lastGoodAfter(partition, granted.gpus),
      ...this.#plan(partition),
    });
  }

  *#carryOut(partition: StoredPartition, granted: Grant): Generator<number, Outcome, undefined> {
    const readFault = yield* this.#read(partition);
    if (readFault) return { fault: readFault };
    const plan = this.#planDrained(partition, granted, this.#foreign(partition, granted));
    if (plan.work.length > 0 && isRevocation(granted)) return { fault: { code: 'Stale', message: 'taken back' } };
    if (plan.report.refusal !== undefined) return { fault: { code: 'Refused', message: plan.report.refusal } };
    if (plan.work.length === 0) return {};
    if (plan.report.hash !== granted.planHash) {
      return { fault: { code: 'PlanChanged', message: 'the device has changed' } };
    }
    const inTheWay = listInTheWay(this.#report ?? {}, plan.report, new Map());
    if (inTheWay.length > 0) return { fault: { code: 'InUse', message: inTheWay.join('; ') } };
    if (this.#isPast(granted)) return { fault: { code: 'Expired', message: 'too late' } };
    return yield* this.#apply(partition, granted, plan.work, () => !this.#isPast(granted), true);
  }

  *#rebuildAfterBoot(partition: StoredPartition): Generator<number, Partial<DeviceReport> | undefined, undefined> {
    const { granted } = partition.spec;
    if (!granted || !isToMakeAgain(partition.status?.device ?? {}, this.#bootID)) return undefined;
    const { work, report } = planWish(this.#report ?? {}, granted, this.#foreign(partition));
    const destroys = work.some(
      ({ mode, steps }) => mode === 'Disable' || steps.some(({ action }) => action.startsWith('Destroy')),
    );
    if (report.refusal !== undefined || destroys) return undefined;
    if (this.#hasTriedToRebuild) return undefined;
    this.#hasTriedToRebuild = true;
    this.#hasBegun = false;
    const outcome = work.length === 0 ? {} : yield* this.#apply(partition, granted, work, () => true, false);
    this.#signal(granted);
    const readFault = yield* this.#read(partition);
    this.#expectChange();
    if (outcome.fault) return faultFields(outcome.fault, 'Failed');
    if (readFault) return faultFields(readFault, 'Unknown');
    return { step: 'Idle', lastGood: this.#lastGoodAfter(partition, granted.gpus) };
  }

  /** As src/device/apply does it: one operation after the other, GPU by GPU or all GPUs side by side, undone if one fails. */
  *#apply(
    partition: StoredPartition,
    granted: Grant,
    work: readonly GpuWork[],
    mayStart: () => boolean,
    mustBeOpen: boolean,
  ): Generator<number, Outcome, undefined> {
    const { device, kubelet, checks, faults, setup } = this.#world;
    const { monitors } = partition.spec;
    const held = new Set([...kubelet.users.heldUuids(), ...kubelet.monitors.heldUuids(monitors)]);
    const confirm = (): Generator<number, void, undefined> => this.#confirm(partition, granted, mustBeOpen);
    this.#confirmedAt = -Infinity;
    if (mustBeOpen) {
      try {
        yield* confirm();
      } catch (error) {
        if (!(error instanceof DriverRefusal)) throw error;
        return { fault: { code: 'Stale', message: error.message } };
      }
    }
    let fault: Fault | undefined;
    let isVain = false;
    const done: { readonly gpu: Gpu; readonly before: Gpu['slices']; readonly mode: Gpu['mig'] }[] = [];
    const tasks = work.flatMap(({ uuid, mode, steps }) => {
      const gpu = device.gpus.find((one) => one.uuid === uuid);
      if (!gpu) return [];
      const isOff = granted.gpus.find((one) => one.uuid === uuid)?.mig === 'Disabled';
      const isUnsettled = mode !== undefined || gpu.pending !== undefined;
      const operations: readonly (Step | 'Enable' | 'Disable')[] = [
        ...(isUnsettled && !isOff ? (['Enable'] as const) : []),
        ...steps,
        ...(isUnsettled && isOff ? (['Disable'] as const) : []),
      ];
      return [{ uuid, before: { gpu, before: gpu.slices, mode: gpu.mig }, operations }];
    });
    // A driver that takes several GPUs in one command has them all emptied before any is filled.
    const isTogether = granted.epoch % 2 === 0;
    const turns = tasks.flatMap((task) => task.operations.map((operation) => ({ task, operation })));
    const order = isTogether
      ? turns.toSorted((one, other) => stageOf(one.operation) - stageOf(other.operation))
      : turns;
    const failed = new Set<(typeof tasks)[number]>();
    for (const { task, operation } of order) {
      const { uuid, before } = task;
      const { gpu } = before;
      if (failed.has(task)) continue;
      if (!done.includes(before)) done.push(before);
      try {
        const isDisruption =
          operation === 'Enable' || operation === 'Disable' || operation.action === 'DestroyInstance';
        if (isDisruption) yield* confirm();
        yield this.#world.random.between(50, 1500);
        this.#world.mayCrash('agent');
        if (!mayStart() || (isDisruption && !this.#isConfirmed(granted)))
          throw new DriverRefusal('Stopped', 'the deadline has passed');
        if (isDisruption && this.#isHeld(gpu, operation, held)) throw new DriverRefusal('InUse', 'a pod holds it');
        checks.deviceIsChanged(partition, granted, gpu, operation);
        this.#hasBegun = true;
        if (this.#world.failsNow()) throw new DriverRefusal('CommandFailed', 'the driver says no');
        if (operation === 'Enable' || operation === 'Disable') {
          const wanted = operation === 'Enable' ? 'Enabled' : 'Disabled';
          device.setMode(gpu, wanted, kubelet.isGpuOpen, setup.modeNeedsBoot);
        } else {
          device.takeStep(gpu, operation);
          checks.deviceIsMade(gpu, operation);
        }
        kubelet.plugin.devicesChanged();
        if (faults.slowDeviceMs > 0) yield faults.slowDeviceMs;
      } catch (error) {
        if (!(error instanceof DriverRefusal)) throw error;
        failed.add(task);
        fault ??= { code: error.code, message: error.message, gpu: uuid };
        const awaitsBoot = error.code === 'RebootRequired' && !this.#world.hasBug('UndoPending');
        if (awaitsBoot) continue;
        isVain = true;
        if (granted.rollback !== 'Never' && error.code !== 'Stopped') yield* this.#undo([before], granted, confirm);
        if (partition.spec.strategy === 'single') break;
      }
    }
    if (fault && partition.spec.strategy === 'single') {
      const kept = done.filter(({ gpu }) => isVain || gpu.pending === undefined);
      yield* this.#undo(kept, granted, confirm);
    }
    if (fault?.code === 'RebootRequired') this.#world.bootIfPending();
    return { fault };
  }

  /** Destroys what this apply created and recreates what it destroyed, placements included. */
  *#undo(
    changed: readonly { readonly gpu: Gpu; readonly before: Gpu['slices']; readonly mode: Gpu['mig'] }[],
    granted: Grant,
    confirm: () => Generator<number, void, undefined>,
  ): Generator<number, void, undefined> {
    const { device, kubelet, checks } = this.#world;
    for (const { gpu, before, mode } of changed) {
      try {
        for (const slice of gpu.slices.filter((one) => !before.some(({ uuid }) => uuid === one.uuid))) {
          yield* confirm();
          yield this.#world.random.between(50, 1500);
          if (!this.#isConfirmed(granted)) throw new DriverRefusal('Stopped', 'the confirmation is too old');
          device.takeStep(gpu, { action: 'DestroyInstance', ...slice });
          kubelet.plugin.devicesChanged();
        }
        if (gpu.mig !== mode || gpu.pending !== undefined) device.setMode(gpu, mode, kubelet.isGpuOpen);
        for (const slice of before.filter((one) => !gpu.slices.some(({ uuid }) => uuid === one.uuid))) {
          yield this.#world.random.between(50, 1500);
          device.takeStep(gpu, { action: 'CreateInstance', ...slice });
          checks.deviceIsMade(gpu, slice);
        }
        kubelet.plugin.devicesChanged();
      } catch (error) {
        if (!(error instanceof DriverRefusal)) throw error;
      }
    }
  }

  #isHeld(gpu: Gpu, operation: Step | 'Enable' | 'Disable', held: ReadonlySet<string>): boolean {
    if (operation === 'Enable' || operation === 'Disable') {
      return held.has(gpu.uuid) || gpu.slices.some(({ uuid }) => held.has(uuid));
    }
    const slice = gpu.slices.find(({ profile, start }) => profile === operation.profile && start === operation.start);
    return slice !== undefined && held.has(slice.uuid);
  }

  *#confirm(partition: StoredPartition, granted: Grant, mustBeOpen: boolean): Generator<number, void, undefined> {
    const askedAt = this.#world.timeline.now;
    if (askedAt - this.#confirmedAt < confirmedMs(granted) / 6) return;
    try {
      const fresh = yield* this.#world.call('agent', 'Read', () => this.#world.partition);
      const isAnswered = (fresh?.status?.device?.observedEpoch ?? 0) >= granted.epoch;
      const isSame = fresh?.metadata.uid === partition.metadata.uid && fresh?.spec.granted?.epoch === granted.epoch;
      if (!isSame || (mustBeOpen && isAnswered))
        throw new DriverRefusal('Stopped', 'the grant does not stand any more');
      this.#confirmedAt = askedAt;
    } catch (error) {
      if (!this.#world.isFault(error)) throw error;
      if (!this.#isConfirmed(granted)) throw new DriverRefusal('Stopped', 'nobody knows whether the grant stands');
    }
  }

  /** Whether the last confirmation still allows disruptions. */
  #isConfirmed(granted: Grant): boolean {
    return this.#world.timeline.now - this.#confirmedAt <= confirmedMs(granted);
  }

  #isPast(granted: Grant): boolean {
    const { seconds = 0 } = granted;
    return (
      this.#grants.explainEnd({
        ...granted,
        ...(this.#world.hasBug('LateGrant') && { deadline: farFuture }),
        ...(this.#world.hasBug('TwiceSeconds') && { seconds: 2 * seconds }),
      }) !== undefined
    );
  }

  /** Most device plugins of the model know no signal. */
  #signal({ epoch, signalPods }: Grant): void {
    const { setup, kubelet, faults } = this.#world;
    const isDra = setup.backend === 'DRA';
    if (!this.#hasBegun || !(isDra || setup.obeysSignals === true)) return;
    const reach = (uid: string): boolean =>
      isDra ? kubelet.driver.signal(uid) : !faults.driverDeaf && kubelet.plugin.signal(uid);
    const uids = (signalPods ?? []).filter(reach);
    this.#signalled = uids.length > 0 ? { epoch, uids } : null;
  }

  /** Registrations with the kubelet that no device plugin serves, as the controller sees after the last grant. */
  *#endOrphans({ spec, status }: StoredPartition): Generator<number, void, undefined> {
    const { kubelet, device, faults, random, checks, setup, timeline } = this.#world;
    const { unregister, granted } = spec;
    // As in orphans.ts: the same words are another request once the node was open.
    if (unregister === undefined) this.#unregistered = undefined;
    if (!setup.kubeletTells || timeline.now < this.#orphansAgainAt) return;
    const mayBeEarlier = this.#world.hasBug('UnregisterForEarlier');
    if (unregister === undefined || faults.kubeletMute || this.#world.hasBug('NeverUnregister')) return;
    if (!mayBeEarlier && unregister.epoch !== granted?.epoch) return;
    if (status?.device?.observedEpoch !== granted?.epoch || deepEqual(unregister, this.#unregistered)) return;
    yield random.between(2, 20);
    this.#world.mayCrash('agent');
    const unserved =
      unregister.leftBehind === true
        ? [...kubelet.plugin.offered.keys()]
        : listUnserved(device.report(), kubelet.plugin.offered, spec.strategy);
    const mayServe = this.#world.hasBug('UnregisterServed');
    const resources = unregister.resources.filter((name) => mayServe || unserved.includes(name));
    let isServed = false;
    for (const name of resources) {
      yield random.between(20, 300);
      this.#world.mayCrash('agent');
      // A plugin that listens on its socket would not hear that it was forgotten.
      if (!mayServe && kubelet.plugin.serves(name)) {
        isServed = true;
        continue;
      }
      checks.registrationIsEnded(name, spec);
      kubelet.plugin.unregister(name);
    }
    this.#orphansAgainAt = timeline.now + orphansAgainMs;
    if (!isServed) this.#unregistered = unregister;
    if (resources.length === 0 || !this.#report) return;
    this.#report = { ...this.#report, ...pickAdvertised(this.#ask(this.#report, spec)) };
  }

  // --- what it knows ----------------------------------------------------------------------------------------------

  get #isStale(): boolean {
    return this.#report === undefined || this.#world.timeline.now - this.#readAt > this.#paceMs;
  }

  get #paceMs(): number {
    if (this.#isDraining && !this.#world.hasBug('ReadSlowly')) return drainReadMs;
    return this.#isInUse ? busyReadMs : readIntervalMs;
  }

  *#read({ spec }: StoredPartition): Generator<number, Fault | undefined, undefined> {
    yield this.#world.random.between(20, 200);
    this.#world.mayCrash('agent');
    const { device, faults } = this.#world;
    const word = faults.kubeletMute ? 'Mute' : this.#ask(device.report(), spec);
    if (faults.driverDown || word === 'Mute') {
      this.#readAt = -Infinity;
      this.#readFailures += 1;
      return { code: 'Timeout', message: 'no answer' };
    }
    const report = device.report();
    const lost = this.#noteLost(report, word?.holders);
    this.#report = word
      ? {
          ...report,
          gpus: [...withHolders(report.gpus, withoutLost(word.holders, this.#world.hasBug('HoldLost') ? [] : lost))],
          ...(lost.length > 0 && { lostDevices: cutLostDevices(lost) }),
          advertised: word.advertised,
        }
      : report;
    this.#readAt = this.#world.timeline.now;
    this.#readFailures = 0;
    return undefined;
  }

  /** A reading that lacks a device of a pod is repeated at once. */
  #noteLost(report: DeviceReport, holders: Holders | undefined): readonly LostDevice[] {
    const first = this.#missing.note({ lost: [] }, report, holders);
    const lost = this.#missing.isUnsure ? this.#missing.note({ lost: [] }, report, holders) : first;
    const named = this.#world.hasBug('NeverLost') ? [] : lost;
    if (holders) this.#world.checks.devicesAreRead(named);
    return named;
  }

  #ask(
    report: DeviceReport,
    { strategy, monitors }: StoredPartition['spec'],
  ): Required<Omit<KubeletWord, 'unserved'>> | undefined {
    const { kubelet, setup } = this.#world;
    if (!setup.kubeletTells) return undefined;
    const { resources, stale } = judgeAdvertised(report, kubelet.plugin.offered, strategy);
    const some = Object.keys(resources).length > 0 ? { resources: { ...resources } } : {};
    return {
      holders: holdersOf(report, [...kubelet.users.holdings(), ...kubelet.monitors.holdings()], monitors),
      advertised: { stale, ...some },
    };
  }

  #expectChange(): void {
    if (this.#report?.advertised) this.#settleUntil = this.#world.timeline.now + settlingMs;
  }

  #settle({ spec, status }: StoredPartition): void {
    if (this.#world.timeline.now >= this.#settleUntil || !this.#report || this.#world.faults.kubeletMute) return;
    const word = this.#ask(this.#report, spec);
    if (!word) return;
    const { resources, errors } = computeResources(describeReport(this.#report), spec.strategy ?? 'mixed');
    const { advertised } = word;
    const { resources: offered = {}, stale } = advertised;
    const hasFollowed =
      spec.backend === 'DRA' || (stale === 0 && errors.length === 0 && offersDevices(offered, resources));
    if (hasFollowed && status?.phase !== 'Updating') this.#settleUntil = -Infinity;
    const isNews = hasFollowed || Object.keys(offered).length === 0;
    if (isNews && !deepEqual(this.#report.advertised, advertised)) this.#report = { ...this.#report, advertised };
  }

  #foreign({ status }: StoredPartition, unfinished?: Grant): ForeignInstances {
    return findForeign(this.#report?.gpus ?? [], this.#bootID, status?.device?.lastGood, unfinished);
  }

  #lastGood(foreign: ForeignInstances): NonNullable<DeviceReport['lastGood']> {
    return lastGoodOf(this.#report?.gpus ?? [], this.#bootID, foreign);
  }

  #lastGoodAfter(partition: StoredPartition, gpus: readonly GpuWish[]): NonNullable<DeviceReport['lastGood']> {
    const rest = [...this.#foreign(partition)].filter(([uuid]) => gpus.every((one) => one.uuid !== uuid));
    return this.#lastGood(new Map(rest));
  }

  #adopt(partition: StoredPartition): Pick<DeviceReport, 'lastGood'> {
    const { wish } = partition.spec;
    if (!wish || !deviceMeets(this.#report?.gpus ?? [], wish.gpus)) return {};
    const foreign = this.#foreign(partition);
    return wish.gpus.every(({ uuid }) => !foreign.has(uuid))
      ? {}
      : { lastGood: this.#lastGoodAfter(partition, wish.gpus) };
  }

  /** Plans as if the pods that were asked to terminate still held their devices. */
  #planDrained(
    { spec, status }: StoredPartition,
    wish: Parameters<typeof planDrained>[1],
    foreign: ForeignInstances,
  ): WishPlan {
    const marks = { drain: spec.drain, reported: status?.device?.plan };
    return planDrained(this.#report ?? {}, wish, marks, foreign, new Map());
  }

  #plan(partition: StoredPartition): { readonly plan?: PlanReport } {
    const { wish } = partition.spec;
    this.#plannedWish = wish;
    const plan = wish && this.#report ? this.#planDrained(partition, wish, this.#foreign(partition)).report : undefined;
    this.#isInUse = plan?.refusalCode === 'InUse';
    this.#isDraining = partition.spec.drain !== undefined;
    return plan ? { plan } : {};
  }

  // --- what it reports --------------------------------------------------------------------------------------------

  #state(seen: DeviceReport | undefined): DeviceReport {
    const before = seen?.bootID === this.#bootID ? seen.signalled : undefined;
    const signalled = this.#signalled === undefined ? before : this.#signalled;
    return {
      agentVersion: 'model',
      bootID: this.#bootID,
      ...(signalled && { signalled }),
      ...(seen?.observedEpoch === undefined ? {} : { observedEpoch: seen.observedEpoch }),
      ...(seen?.lastGood === undefined ? {} : { lastGood: seen.lastGood }),
      ...(this.#report ?? pickReading(seen)),
    };
  }

  *#tell(partition: StoredPartition, device: DeviceReport): WorkerTask {
    const again = this.#againMs;
    const isSame = deepEqual(device, partition.status?.device);
    if (!isSame) {
      this.#written = yield* this.#world.call('agent', 'Write', () =>
        this.#world.api.update('partitions', 'n', 'agent', (one) => {
          if (one.spec.nodeUID !== this.#nodeUID) throw refuse(422, 'Invalid', 'this is another node');
          return { ...one, status: { ...one.status, device } };
        }),
      );
    }
    this.#told = isSame ? { partition, report: this.#report } : undefined;
    return again;
  }

  get #againMs(): number {
    return this.#world.timeline.now < this.#settleUntil ? 250 : this.#paceMs + 50;
  }
}

function pickAdvertised(word: KubeletWord | undefined): Pick<DeviceReport, 'advertised'> {
  return word?.advertised ? { advertised: word.advertised } : {};
}

/** In which order GPUs side by side take their operations. */
function stageOf(operation: Step | 'Enable' | 'Disable'): number {
  if (operation === 'Enable') return 0;
  if (operation === 'Disable') return 3;
  return operation.action.startsWith('Destroy') ? 1 : 2;
}
