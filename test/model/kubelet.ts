import { timeText } from '../../src/core/text/syntax.ts';
import type { Pod } from './api.ts';
import { ClaimPods } from './claim-pods.ts';
import { DaemonPods } from './daemon-pods.ts';
import { type ModelDaemon, type Role, secondStackOf } from './daemons.ts';
import { ModelDriver } from './driver.ts';
import { ModelMonitors } from './monitors.ts';
import type { NodeMachine } from './node-machine.ts';
import { UserPods } from './user-pods.ts';

/** The node's kubelet, with all pods on it, and the DRA driver. */
export class ModelKubelet extends DaemonPods {
  readonly #machine: NodeMachine;
  readonly #second: ModelDaemon;
  #secondEndedAt = -Infinity;
  readonly driver: ModelDriver;
  readonly users: UserPods;
  readonly monitors: ModelMonitors;

  constructor(machine: NodeMachine) {
    super(machine, machine.setup);
    this.#machine = machine;
    this.driver = new ModelDriver(machine);
    this.users = machine.setup.backend === 'DRA' ? new ClaimPods(machine) : new UserPods(machine);
    this.monitors = new ModelMonitors(machine);
    this.#second = secondStackOf(machine.setup);
  }

  /** Whether a program keeps the GPUs open. */
  override get isGpuOpen(): boolean {
    return super.isGpuOpen || this.monitors.openGpus;
  }

  /** Whether a pod of what is not to hand the GPUs out is there, or was so many ms ago. */
  hadSecondStack(agoMs: number): boolean {
    return this.podsOf(this.#second).length > 0 || this.#machine.timeline.now - this.#secondEndedAt < agoMs;
  }

  protected override get all(): readonly ModelDaemon[] {
    return [...this.daemons, this.#second];
  }

  /** UUIDs of the devices that pods may be given, by resource, or by the name of each in the node's slices. */
  get offers(): ReadonlyMap<string, readonly string[]> {
    return this.#machine.setup.backend === 'DRA' ? this.driver.offers : this.plugin.offered;
  }

  // --- DaemonSets -------------------------------------------------------------------------------------------------

  protected override get installed(): readonly ModelDaemon[] {
    return this.#machine.faults.secondStack ? this.all : this.daemons;
  }

  protected override run(uid: string, role: Role): void {
    const isDra = this.#machine.setup.backend === 'DRA';
    if (role === (isDra ? 'plugin' : 'second')) this.driver.start(uid);
    else super.run(uid, role === 'second' ? 'plugin' : role);
  }

  restartPlugin(): void {
    for (const pod of this.podsOf({ role: 'plugin' })) this.terminate(pod);
  }

  /** Asks a pod to terminate. */
  terminate(pod: Pod): void {
    const { uid = '', deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined) return;
    const { api, timeline } = this.#machine;
    api.update('pods', uid, 'kubelet', (one) => ({
      ...one,
      metadata: { ...one.metadata, deletionTimestamp: timeText(timeline.now) },
    }));
    this.#endSoon(uid);
  }

  #endSoon(uid: string): void {
    this.#machine.later(50, 3000, () => {
      const pod = this.#machine.api.find('pods', uid);
      if (!pod) return;
      const isStuck = this.#machine.faults.stubborn && pod.metadata.labels?.['role'] !== undefined;
      const isPlugin = pod.metadata.labels?.['role'] === 'plugin';
      const mayEnd = this.users.mayEnd(uid) && this.monitors.mayEnd(uid);
      if (!this.#machine.isUp || (isStuck && !isPlugin) || !mayEnd) return this.#endSoon(uid);
      this.end(uid);
      this.#machine.api.delete('pods', uid, 'kubelet');
      this.syncSoon();
    });
  }

  override end(uid: string): void {
    if (this.roleOf(uid) === 'second') this.#secondEndedAt = this.#machine.timeline.now;
    super.end(uid);
    this.driver.end(uid);
    this.users.release(uid);
    this.monitors.release(uid);
  }

  /** A pod ends by itself, or its owner ends it. */
  endPod(uid: string): void {
    this.end(uid);
    this.#machine.api.delete('pods', uid, 'user');
  }

  /** The container of a pod has ended, and is started again; its delay counts from its end. */
  countRestart(uid: string): void {
    this.#machine.api.update('pods', uid, 'kubelet', ({ status, ...pod }) => {
      const [{ restartCount = 0 } = {}] = status?.containerStatuses ?? [];
      const state = { running: { startedAt: timeText(this.#machine.timeline.now) } };
      const containerStatuses = [{ name: 'gpus', ready: true, restartCount: restartCount + 1, state }];
      return { ...pod, status: { ...status, containerStatuses } };
    });
  }

  /** Somebody else has written the Node's status: the next period of the kubelet sees what differs. */
  statusIsWritten(): void {
    this.#machine.timeline.after(10_000, () => {
      const { allocatable } = this.#machine.node?.status ?? {};
      if (
        this.#machine.isUp &&
        Object.entries(allocatable ?? {}).some(([name, count]) => count !== this.#machine.countOf(name))
      )
        this.#machine.tellOffer();
    });
  }

  // --- the machine ------------------------------------------------------------------------------------------------

  override shutDown(): void {
    super.shutDown();
    this.driver.shutDown();
    this.users.shutDown();
    this.monitors.shutDown();
  }

  /** Pods that had devices are rejected, since the devices are gone. */
  override comeUp(): void {
    this.driver.comeUp();
    this.users.comeUp();
    this.monitors.comeUp();
    super.comeUp();
  }
}
