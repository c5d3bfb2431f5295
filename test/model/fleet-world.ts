import type { NodeSettings } from '../../src/core/node/snapshot.ts';
import { timeText } from '../../src/core/text/syntax.ts';
import { type ApiChange, type Pod, refuse } from './api.ts';
import { leadersClocks } from './clock.ts';
import { type Bug, ModelCluster } from './cluster.ts';
import { settingsOf } from './setup.ts';
import { isUsing, nodeOf } from './pods.ts';
import { FleetChecks, isPaused } from './fleet-checks.ts';
import { FleetMachine } from './fleet-machine.ts';
import { amountOf, isFor, isUsers, makePod, poolOf, resourceOf } from './fleet-pods.ts';
import type { FleetSetup } from './fleet-setup.ts';
import { remediate } from './remediator.ts';

/** State of an application’s disruption budget. */
export type BudgetState = 'Free' | 'OneAtATime' | 'Closed';

export const apps = ['x', 'y', 'z'] as const;

/** A cluster of machines, controllers and users. */
export class FleetWorld extends ModelCluster {
  readonly setup: FleetSetup;
  readonly checks: FleetChecks;
  readonly machines = new Map<string, FleetMachine>();
  readonly faults = { refusal: 0, lostAnswer: 0 };
  readonly budgets = new Map<string, BudgetState>();
  isCalm = false;
  /** A remediator comes to the next node whose GPU clients are paused. */
  remediatesNext = false;
  readonly #graceMs = new Map<string, number>();
  #nodes = 0;
  #pods = 0;
  #isScheduling = false;
  readonly #bound = new Set<string>();
  /** Pods that have been replaced. */
  readonly #ended = new Set<string>();

  constructor(setup: FleetSetup, seed: number, bug: Bug | undefined) {
    super(seed ^ 0x5f5f5f, 'mixed', bug);
    this.setup = setup;
    this.checks = new FleetChecks(this);
    for (let index = 0; index < setup.nodes; index += 1) this.join(`n${index}`);
    this.lead();
  }

  get settings(): NodeSettings {
    return settingsOf({ hasConfigMap: this.setup.plugin !== undefined });
  }

  get cap(): number | string {
    return this.setup.cap;
  }

  protected drawLeadersClock(): number {
    return this.setup.hasClocks === true ? (this.random.pick(leadersClocks) ?? 0) : 0;
  }

  protected machineOf(node: string): FleetMachine | undefined {
    return this.machines.get(node);
  }

  // --- nodes ------------------------------------------------------------------------------------------------------

  join(name: string, hasTaint = this.setup.hasStartupTaint): void {
    if (this.machines.has(name)) return;
    this.#nodes += 1;
    const machine = new FleetMachine(this, name, `${name}-${this.#nodes}`);
    this.machines.set(name, machine);
    machine.join(this.#nodes, hasTaint);
  }

  remove(name: string): void {
    const machine = this.machines.get(name);
    if (!machine) return;
    this.machines.delete(name);
    machine.leave();
  }

  // --- pods -------------------------------------------------------------------------------------------------------

  /** Its nodes have device plugins. */
  slicesOf(): readonly [] {
    return [];
  }

  claims(): readonly [] {
    return [];
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
    this.api.create('pods', uid, makePod({ uid, app: 'waits', resource, amount, isBare: false, pool }), 'user');
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
        this.api.update('pods', uid, 'scheduler', (one) => ({
          ...one,
          spec: { ...one.spec, nodeName: place.machine.name },
        }));
        this.#startSoon(uid, place.machine, place.resource);
      }
    });
  }

  // --- demands ----------------------------------------------------------------------------------------------------

  devicesAreAdvertised(): void {
    // What is advertised is checked in the model of one node.
  }

  // --- the end of pods --------------------------------------------------------------------------------------------

  evict(uid: string, by: string): void {
    const pod = this.api.find('pods', uid);
    if (!pod) throw refuse(404, 'NotFound', uid);
    this.checks.podIsEvicted(pod, by);
    if (!this.mayEvict(pod)) throw refuse(429, 'TooManyRequests', 'it would violate the pod’s disruption budget');
    this.terminate(pod, this.#graceMs.get(uid) ?? 0);
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
    this.terminate(pod, this.random.between(50, 30_000));
  }

  /** The pods of a dead machine are told to go, and do not. */
  strand(machine: FleetMachine): void {
    for (const pod of this.podsOf(machine.name)) if (isUsers(pod)) this.terminate(pod, 0);
  }

  /** Asks a pod to terminate. @param graceMs how long a user's takes */
  terminate(pod: Pod, graceMs: number): void {
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
    if (!isUsers(pod)) {
      machine?.daemons?.end(uid);
      return machine?.daemons?.syncSoon();
    }
    const app = pod.metadata.labels?.['app'] ?? '';
    const isOwned = pod.metadata.ownerReferences !== undefined;
    if (app === 'waits') return;
    if (isOwned && !this.isCalm && this.random.chance(0.7)) this.later(200, 4000, () => this.schedule(app, false));
  }

  // --- watches ----------------------------------------------------------------------------------------------------

  protected onChange({ kind, key }: ApiChange): void {
    if ((kind === 'pods' || kind === 'nodes') && this.setup.hasDemands === true) this.#schedulePending();
    if (kind !== 'nodes') return;
    const machine = this.machines.get(key);
    machine?.daemons?.syncSoon();
    if (!this.remediatesNext || !machine?.node || !isPaused(machine.node)) return;
    this.remediatesNext = false;
    remediate(machine, 3000);
  }
}
