import type { NodeObject } from '../../src/controller/operator.ts';
import { decide, type Decision } from '../../src/core/node/decide.ts';
import type { NodeMemory } from '../../src/core/node/memory.ts';
import type { NodeSettings, NodeSnapshot } from '../../src/core/node/snapshot.ts';
import { type LedgerSnapshot, type LedgerStep, stepLedger } from '../../src/core/rollout/ledger.ts';
import type { DemandAsked } from '../../src/core/demand/plan-pool.ts';
import type { DemandGpu } from '../../src/core/demand/members.ts';
import { composeDevicePluginConfig } from '../../src/core/nvidia/plugin-config.ts';
import { timeText } from '../../src/core/text/syntax.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import { Api, type ApiChange, type Kind, type Pod, type Policy, refuse, type StoredPartition } from '../model/api.ts';
import { clockSlackMs, leadersClocks } from '../model/clock.ts';
import { ControllerProcess, type ControllerWorld } from '../model/controller.ts';
import { setFinalizers } from '../model/deletion.ts';
import type { DemandWorld, ReadPool } from '../model/follow-demand.ts';
import { ModelConfigMap } from '../model/config-map.ts';
import { settingsOf } from '../model/setup.ts';
import { isUsing } from '../model/pods.ts';
import { Random } from '../model/random.ts';
import { VirtualTime } from '../model/timeline.ts';
import type { DemandChecks } from './demand-checks.ts';
import type { FleetBug } from './fleet-bugs.ts';
import { FleetChecks } from './fleet-checks.ts';
import { Violation } from '../model/violation.ts';
import { FleetMachine } from './fleet-machine.ts';
import { amountOf, bindPod, isFor, isUsers, makePod, nodeOf, poolOf, resourceOf } from './fleet-pods.ts';
import { pools } from './fleet-policies.ts';
import type { FleetSetup } from './fleet-setup.ts';

/** The process was killed in the middle of a call. */
class ProcessEnded extends Error {}

const watched: readonly Kind[] = ['policies', 'nodes', 'partitions', 'agents'];
/** Far more than any story needs. */
const mostEvents = 300_000;
/** An old leader notices within this time that it has lost its lease. */
const rivalryMs = 30_000;
export const hourMs = 3600_000;

/** State of an application’s disruption budget. */
export type BudgetState = 'Free' | 'OneAtATime' | 'Closed';

export const apps = ['x', 'y', 'z'] as const;

/** A cluster of machines, controllers and users, in virtual time. */
export class FleetWorld implements ControllerWorld, DemandWorld {
  readonly setup: FleetSetup;
  readonly bug: FleetBug | undefined;
  random: Random;
  readonly timeline = new VirtualTime();
  readonly configMap = new ModelConfigMap({ default: composeDevicePluginConfig('mixed', []) });
  readonly api: Api;
  readonly checks: FleetChecks;
  readonly machines = new Map<string, FleetMachine>();
  controllers: readonly ControllerProcess[] = [];
  readonly faults = { refusal: 0, lostAnswer: 0 };
  readonly budgets = new Map<string, BudgetState>();
  /** Value of `--freeze`. */
  freeze: string | undefined;
  /** When a leader's view or actions were last disturbed. */
  lastFaultAt = -Infinity;
  crashIn: number | undefined;
  /** When a controller last started, in ms. */
  ledAt = -Infinity;
  /** Until when no controller starts, in ms. */
  leaderlessUntil = -Infinity;
  readonly #due = new Set<string>();
  readonly #graceMs = new Map<string, number>();
  #leaders = 0;
  #events = 0;
  #failure: unknown;
  #nodes = 0;
  #pods = 0;
  isCalm = false;
  #isScheduling = false;
  readonly #bound = new Set<string>();
  /** Pods that have been replaced. */
  readonly #ended = new Set<string>();

  constructor(setup: FleetSetup, seed: number, bug: FleetBug | undefined) {
    this.setup = setup;
    this.bug = bug;
    this.random = new Random(seed ^ 0x5f5f5f);
    this.checks = new FleetChecks(this);
    this.api = new Api((change) => this.#changed(change));
    for (let index = 0; index < setup.nodes; index += 1) this.join(`n${index}`);
    this.lead();
  }

  get settings(): NodeSettings {
    return settingsOf({ hasConfigMap: this.setup.plugin !== undefined });
  }

  get cap(): number | string {
    return this.setup.cap;
  }

  decide(snapshot: NodeSnapshot, memory: NodeMemory): Decision {
    const { bug } = this;
    const seen = bug?.see?.(snapshot) ?? snapshot;
    const decision = decide(seen, memory);
    return 'needs' in decision ? decision : { ...decision, ...bug?.say?.(decision, seen) };
  }

  stepLedger(snapshot: LedgerSnapshot): LedgerStep {
    const { bug } = this;
    const step = stepLedger(bug?.seeLedger?.(snapshot) ?? snapshot);
    return bug?.sayLedger?.(step, snapshot) ?? step;
  }

  /** How far the times of two leaders may be apart, in ms. */
  get slackMs(): number {
    return this.setup.hasClocks === true ? clockSlackMs : 0;
  }

  hasBug(name: string): boolean {
    return this.bug?.name === name;
  }

  /** Lets time pass. @throws Violation, or another error of a story that ends here */
  async run(ms: number): Promise<void> {
    await this.timeline.run(this.timeline.now + ms, () => {
      if (this.#failure !== undefined) throw this.#failure;
      this.#events += 1;
      if (this.#events > mostEvents) throw new Violation('L8', 'somebody is woken again and again');
    });
  }

  fail(error: unknown): void {
    if (!(error instanceof ProcessEnded)) this.#failure ??= error;
  }

  later(from: number, to: number, run: () => void): void {
    this.timeline.after(this.random.between(from, to), run);
  }

  // --- calls of programs ------------------------------------------------------------------------------------------

  *call<Answer>(by: string, kind: 'Read' | 'Write', act: () => Answer): Generator<number, Answer, undefined> {
    yield this.random.between(2, 40);
    const isController = by !== 'agent';
    if (isController) this.#mayCrash(by);
    const { faults } = this;
    if (faults.refusal > 0 && this.random.chance(faults.refusal)) throw refuse(500, 'InternalError', 'etcd is away');
    const answer = act();
    yield this.random.between(1, 20);
    if (isController) this.#mayCrash(by);
    if (kind === 'Write' && faults.lostAnswer > 0 && this.random.chance(faults.lostAnswer)) {
      throw refuse(0, 'Timeout', 'no answer');
    }
    return answer;
  }

  isFault(error: unknown): boolean {
    return error instanceof ApiError || error instanceof ProcessEnded;
  }

  #mayCrash(name: string): void {
    if (this.crashIn === undefined) return;
    this.crashIn -= 1;
    if (this.crashIn > 0) return;
    this.crashIn = undefined;
    this.noteFault();
    this.#end(this.controllers.filter((one) => one.name === name));
    throw new ProcessEnded();
  }

  noteFault(): void {
    this.lastFaultAt = this.timeline.now;
  }

  // --- controllers ------------------------------------------------------------------------------------------------

  /** A new leader starts; its predecessors continue until they learn that they have lost the lease. */
  lead(): void {
    this.#leaders += 1;
    this.ledAt = this.timeline.now;
    const rivals = this.controllers;
    const name = `controller-${this.#leaders}`;
    const aheadMs = this.setup.hasClocks === true ? (this.random.pick(leadersClocks) ?? 0) : 0;
    this.controllers = [...rivals, new ControllerProcess(this, name, this.freeze, aheadMs)];
    if (rivals.length === 0) return;
    this.noteFault();
    this.timeline.after(rivalryMs, () => {
      if (rivals.some((one) => !one.isGone)) this.noteFault();
      this.#end(rivals);
    });
  }

  endControllers(): void {
    this.noteFault();
    this.#end(this.controllers);
  }

  endOldLeaders(): void {
    this.#end(this.controllers.slice(0, -1));
  }

  #end(controllers: readonly ControllerProcess[]): void {
    for (const controller of controllers) controller.stop();
    this.controllers = this.controllers.filter((one) => !one.isGone);
    if (this.controllers.length === 0) this.later(100, 8000, () => this.#leadAgain());
  }

  #leadAgain(): void {
    if (this.controllers.length > 0) return;
    const leftMs = this.leaderlessUntil - this.timeline.now;
    if (leftMs > 0) {
      this.timeline.after(leftMs, () => this.#leadAgain());
      return;
    }
    this.noteFault();
    this.lead();
  }

  // --- nodes ------------------------------------------------------------------------------------------------------

  join(name: string, hasTaint = this.setup.hasStartupTaint): void {
    if (this.machines.has(name)) return;
    this.#nodes += 1;
    const machine = new FleetMachine(this, name, `${name}-${this.#nodes}`);
    this.machines.set(name, machine);
    const node: NodeObject = {
      metadata: {
        name,
        uid: machine.uid,
        labels: { fleet: 'yes', pool: pools[this.#nodes % 2] ?? 'p', 'nvidia.com/gpu.present': 'true' },
        annotations: { 'example.com/owner': 'b' },
      },
      spec: {
        taints: [
          { key: 'example.com/theirs', effect: 'PreferNoSchedule' },
          ...(hasTaint ? [{ key: 'gpupartition.dev/uninitialized', effect: 'NoSchedule' }] : []),
        ],
      },
      status: {
        allocatable: {},
        nodeInfo: { bootID: machine.bootID },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    };
    this.api.create('nodes', name, node, 'cluster');
    machine.start();
  }

  remove(name: string): void {
    const machine = this.machines.get(name);
    if (!machine) return;
    machine.endAgent();
    machine.isGone = true;
    machine.isUp = false;
    this.machines.delete(name);
    for (const pod of this.podsOf(name)) this.api.delete('pods', pod.metadata.uid ?? '', 'cluster');
    if (this.api.find('nodes', name)) this.api.delete('nodes', name, 'user');
    if (this.api.find('agents', `agent-${name}`)) this.api.delete('agents', `agent-${name}`, 'cluster');
    const uid = this.api.find('partitions', name)?.metadata.uid;
    this.later(100, 15_000, () => {
      const left = this.api.find('partitions', name);
      if (uid !== undefined && left?.metadata.uid === uid) this.api.delete('partitions', name, 'cluster', uid);
    });
  }

  createPartition(name: string, nodeUID: string, by: string): StoredPartition {
    const metadata = { name, uid: `partition-${nodeUID}-${this.api.log.length}`, generation: 1 };
    return this.api.create(
      'partitions',
      name,
      { apiVersion: 'gpupartition.dev/v1alpha1', kind: 'GpuNodePartition', metadata, spec: { nodeUID } },
      by,
    );
  }

  setFinalizers(name: string, finalizers: readonly string[], version: string | undefined, by: string): Policy {
    return setFinalizers(this.api, name, finalizers, version, by);
  }

  // --- pods -------------------------------------------------------------------------------------------------------

  /** Its nodes have device plugins. */
  slicesOf(): readonly [] {
    return [];
  }

  claims(): readonly [] {
    return [];
  }

  podsOf(node: string): readonly Pod[] {
    return this.api.list('pods').filter((pod) => nodeOf(pod) === node);
  }

  /** A pod of an application wants a slice, on any node that has one free. */
  schedule(app: string, isBare: boolean): void {
    const place = this.random.pick(this.#listPlaces());
    if (!place) return;
    const { machine, resource } = place;
    this.#pods += 1;
    const uid = `${app}-${this.#pods}`;
    this.#graceMs.set(uid, this.random.chance(0.06) ? this.random.between(3e5, 12e5) : this.random.between(50, 6000));
    this.api.create('pods', uid, makePod({ uid, app, node: machine.name, resource, isBare }), 'scheduler');
    this.#startSoon(uid, machine, resource);
  }

  /** @param pod that is to be placed; undefined for any */
  #listPlaces(pod?: Pod): readonly { readonly machine: FleetMachine; readonly resource: string }[] {
    return [...this.machines.values()].flatMap((machine) => {
      const { spec, status } = machine.node ?? {};
      const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
      const isOpen =
        !(spec?.taints ?? []).some(({ effect }) => effect === 'NoSchedule') && spec?.unschedulable !== true;
      if (!isReady || !isOpen || (pod && machine.node && !isFor(pod, machine.node))) return [];
      const pods = this.podsOf(machine.name);
      return Object.entries(status?.allocatable ?? {})
        .filter(
          ([resource, amount]) =>
            (!pod || resource === resourceOf(pod)) &&
            Number(amount) - pods.filter((one) => isUsing(one, resource)).length >= (pod ? amountOf(pod) : 1),
        )
        .map(([resource]) => ({ machine, resource }));
    });
  }

  /** The kubelet learns about a pod a moment after it is bound. */
  #startSoon(uid: string, machine: FleetMachine, resource: string): void {
    this.later(0, 200, () => {
      const pod = this.api.find('pods', uid);
      if (!pod || pod.metadata.deletionTimestamp !== undefined) return;
      const phase = machine.admit(uid, resource) === undefined ? 'Failed' : 'Running';
      this.api.update('pods', uid, 'kubelet', (one) => ({ ...one, status: { ...one.status, phase } }));
      if (phase === 'Failed') this.#askAgain(pod);
    });
  }

  /** A pod that waits until a node has what it requests. */
  want(resource: string, pool?: string, amount = '1'): string {
    this.#pods += 1;
    const uid = `waits-${this.#pods}`;
    this.#graceMs.set(uid, this.random.between(50, 6000));
    this.api.create(
      'pods',
      uid,
      makePod({ uid, app: 'waits', node: '', resource, amount, isBare: false, pool }),
      'user',
    );
    return uid;
  }

  /** What its controller does about a pod that waited for its place, and lost it. */
  #askAgain(pod: Pod): void {
    const { uid = '', labels } = pod.metadata;
    if (labels?.['app'] !== 'waits' || this.#ended.has(uid)) return;
    this.#ended.add(uid);
    this.later(200, 4000, () => this.want(resourceOf(pod), poolOf(pod)));
  }

  /** The scheduler looks at the pods that wait, in order. */
  #schedulePending(): void {
    if (this.#isScheduling || this.pendingPods().length === 0) return;
    this.#isScheduling = true;
    this.later(5, 400, () => {
      this.#isScheduling = false;
      for (const pod of this.pendingPods()) {
        const place = this.random.pick(this.#listPlaces(pod));
        const { uid = '' } = pod.metadata;
        if (!place || this.#bound.has(uid)) continue;
        this.#bound.add(uid);
        this.api.update('pods', uid, 'scheduler', (one) => bindPod(one, place.machine.name));
        this.#startSoon(uid, place.machine, place.resource);
      }
    });
  }

  // --- demands ----------------------------------------------------------------------------------------------------

  get demands(): DemandWorld | undefined {
    return this.setup.hasDemands === true ? this : undefined;
  }

  get demandChecks(): DemandChecks {
    return this.checks.demands;
  }

  pendingPods(): readonly Pod[] {
    return this.api.list('pods').filter((pod) => nodeOf(pod) === '' && pod.metadata.deletionTimestamp === undefined);
  }

  boundPods(): readonly Pod[] {
    return this.api.list('pods').filter((pod) => nodeOf(pod) !== '');
  }

  seePool(members: readonly DemandGpu[], known: ReadPool | undefined): readonly DemandGpu[] {
    return this.bug?.seePool?.(members, known, this.timeline.now) ?? members;
  }

  listPending(): readonly Pod[] {
    const pods = this.pendingPods();
    return this.bug?.listPending?.(pods) ?? pods;
  }

  seeAsked(asked: DemandAsked): DemandAsked {
    return this.bug?.seeAsked?.(asked) ?? asked;
  }

  devicesAreAdvertised(): void {
    // What is advertised is checked in the model of one node.
  }

  // --- the end of pods --------------------------------------------------------------------------------------------

  evict(uid: string, by: string): void {
    const pod = this.api.find('pods', uid);
    if (!pod) throw refuse(404, 'NotFound', uid);
    this.checks.podIsEvicted(pod, by);
    if (!this.mayEvict(pod)) throw refuse(429, 'TooManyRequests', 'it would violate the pod’s disruption budget');
    this.#terminate(pod, this.#graceMs.get(uid) ?? 0);
  }

  /** Whether the disruption budget of a pod permits its eviction. */
  mayEvict({ metadata }: Pod): boolean {
    const app = metadata.labels?.['app'] ?? '';
    const budget = this.budgets.get(app) ?? 'Free';
    if (budget !== 'OneAtATime') return budget === 'Free';
    const pods = this.api.list('pods').filter((pod) => pod.metadata.labels?.['app'] === app);
    return pods.every((pod) => pod.metadata.deletionTimestamp === undefined);
  }

  deletePod(uid: string, by: string): void {
    const pod = this.api.find('pods', uid);
    if (!pod) return;
    this.checks.podIsDeleted(pod, by);
    this.#terminate(pod, this.random.between(50, 30_000));
  }

  /** The pods of a dead machine are told to go, and do not. */
  strand(machine: FleetMachine): void {
    for (const pod of this.podsOf(machine.name)) if (isUsers(pod)) this.#terminate(pod, 0);
  }

  #terminate(pod: Pod, graceMs: number): void {
    const { uid = '', deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined) return;
    const now = timeText(this.timeline.now);
    const change = (one: Pod): Pod => ({ ...one, metadata: { ...one.metadata, deletionTimestamp: now } });
    this.api.update('pods', uid, 'kubelet', change);
    this.#askAgain(pod);
    if (isUsers(pod)) this.timeline.after(graceMs, () => this.endPod(uid));
    else this.later(50, 3000, () => this.endPod(uid));
  }

  endPod(uid: string): void {
    const pod = this.api.find('pods', uid);
    if (!pod) return;
    const machine = this.machines.get(nodeOf(pod));
    if (machine && (!machine.isUp || machine.stuckAt !== undefined)) {
      this.timeline.after(5000, () => this.endPod(uid));
      return;
    }
    machine?.release(uid);
    this.api.delete('pods', uid, 'kubelet');
    if (!isUsers(pod)) return machine?.pods?.podHasEnded(uid);
    const app = pod.metadata.labels?.['app'] ?? '';
    const isOwned = pod.metadata.ownerReferences !== undefined;
    if (app === 'waits') return;
    if (isOwned && !this.isCalm && this.random.chance(0.7)) this.later(200, 4000, () => this.schedule(app, false));
  }

  // --- watches ----------------------------------------------------------------------------------------------------

  #changed(change: ApiChange): void {
    this.checks.apiHasChanged(change);
    const { kind, key } = change;
    if ((kind === 'pods' || kind === 'nodes') && this.setup.hasDemands === true) this.#schedulePending();
    if (kind === 'pods') return;
    if (kind === 'nodes' && change.type === 'apply')
      this.machines.get(key)?.pods?.nodeHasChanged(change.object as NodeObject);
    for (const controller of this.controllers) {
      const due = `${controller.name} ${kind}`;
      if (this.#due.has(due)) continue;
      this.#due.add(due);
      this.later(1, 150, () => {
        this.#due.delete(due);
        controller.deliver(kind);
      });
    }
    const agent = kind === 'partitions' ? this.machines.get(key)?.agent : undefined;
    if (agent === undefined || change.by === 'agent' || this.#due.has(key)) return;
    this.#due.add(key);
    this.later(1, 150, () => {
      this.#due.delete(key);
      const machine = this.machines.get(key);
      if (machine?.isBlind === false) machine.seePartition();
    });
  }

  deliverAll(): void {
    for (const controller of this.controllers) {
      controller.frozen.clear();
      for (const kind of watched) controller.deliver(kind);
    }
  }
}
