import { isOwnTaint } from '../../src/core/node/snapshot.ts';
import { devicePluginConfigLabel } from '../../src/core/nvidia/labels.ts';
import { timeText } from '../../src/core/text/syntax.ts';
import type { Pod } from './api.ts';
import { type ModelDaemon, daemonsOf, type Role, secondStackOf } from './daemons.ts';
import { writeGfdLabels } from './discovery.ts';
import { ClaimPods } from './claim-pods.ts';
import { ModelDriver } from './driver.ts';
import { ModelMonitors } from './monitors.ts';
import { ModelPlugin } from './plugin.ts';
import { makePod, type PodParts } from './pods.ts';
import { UserPods } from './user-pods.ts';
import type { ModelWorld } from './world.ts';

/** The node's kubelet, and the pods of its DaemonSets. */
export class ModelKubelet {
  readonly #world: ModelWorld;
  readonly daemons: readonly ModelDaemon[];
  readonly #second: ModelDaemon;
  #secondEndedAt = -Infinity;
  isUp = true;
  boot = 1;
  readonly plugin: ModelPlugin;
  readonly driver: ModelDriver;
  readonly users: UserPods;
  readonly monitors: ModelMonitors;
  readonly #running = new Map<string, Role>();
  readonly #known = new Set<string>();
  #pods = 0;
  /** Which of the plugin's config files the node's label names. */
  #config: string | undefined;
  #isSyncDue = false;
  #statusRound = 0;

  constructor(world: ModelWorld) {
    this.#world = world;
    this.plugin = new ModelPlugin(world, () => this.#reportSoon());
    this.driver = new ModelDriver(world);
    this.users = world.setup.backend === 'DRA' ? new ClaimPods(world) : new UserPods(world);
    this.monitors = new ModelMonitors(world);
    this.daemons = daemonsOf(world.setup);
    this.#second = secondStackOf(world.setup);
  }

  get bootID(): string {
    return `boot-${this.boot}`;
  }

  /** Whether a program keeps the GPUs open. */
  get isGpuOpen(): boolean {
    const isDaemons = [...this.#running.values()].some(
      (role) => this.#all.find((one) => one.role === role)?.opensGpus === true,
    );
    return isDaemons || this.monitors.openGpus;
  }

  /** Whether a pod of what is not to hand the GPUs out is there, or was so many ms ago. */
  hadSecondStack(agoMs: number): boolean {
    const isThere = this.#world.pods().some(({ metadata }) => metadata.labels?.['role'] === 'second');
    return isThere || this.#world.timeline.now - this.#secondEndedAt < agoMs;
  }

  get #all(): readonly ModelDaemon[] {
    return [...this.daemons, this.#second];
  }

  /** UUIDs of the devices that pods may be given, by resource, or by the name of each in the node's slices. */
  get offers(): ReadonlyMap<string, readonly string[]> {
    return this.#world.setup.backend === 'DRA' ? this.driver.offers : this.plugin.offered;
  }

  start(): void {
    for (const daemon of this.daemons) this.#makePod(daemon);
  }

  // --- DaemonSets -------------------------------------------------------------------------------------------------

  syncDaemonsSoon(): void {
    if (this.#isSyncDue) return;
    this.#isSyncDue = true;
    this.#world.later(50, 800, () => {
      this.#isSyncDue = false;
      this.#syncDaemons();
    });
  }

  #syncDaemons(): void {
    const { node } = this.#world;
    if (!node) return;
    const config = node.metadata.labels?.[devicePluginConfigLabel];
    if (this.#world.setup.hasConfigMap && config !== this.#config) this.plugin.settingsChanged();
    this.#config = config;
    const taints = node.spec?.taints ?? [];
    for (const daemon of this.#all) {
      const isChosen = daemon.role !== 'second' || this.#world.faults.secondStack;
      const isDeployed = daemon.deployLabel === undefined || node.metadata.labels?.[daemon.deployLabel] === 'true';
      const isWanted = isChosen && isDeployed;
      const pods = this.#world.pods().filter((pod) => pod.metadata.labels?.['role'] === daemon.role);
      const isLetIn = daemon.toleratesOurs || !taints.some(isOwnTaint);
      if (pods.length === 0 && isWanted && isLetIn) this.#makePod(daemon);
      if (!isWanted) for (const pod of pods) this.terminate(pod);
    }
  }

  #makePod(daemon: ModelDaemon): void {
    const { deployLabel } = daemon;
    const pod = this.newPod(daemon.role, {
      labels: { ...daemon.labels, role: daemon.role },
      owner: 'DaemonSet',
      spec: {
        nodeName: 'n',
        containers: [
          { name: daemon.container, ...(daemon.args && { args: daemon.args }) },
          ...(daemon.sidecar ? [daemon.sidecar.container] : []),
        ],
        ...(daemon.sidecar && { volumes: [daemon.sidecar.volume] }),
        ...(deployLabel !== undefined && { nodeSelector: { [deployLabel]: 'true' } }),
        tolerations: daemon.toleratesOurs ? [{ operator: 'Exists' }] : [{ key: 'nvidia.com/gpu', operator: 'Exists' }],
      },
    });
    this.#startDaemon(pod.metadata.uid ?? '', daemon.role);
  }

  #startDaemon(uid: string, role: Role): void {
    this.#world.later(100, 1500, () => {
      if (!this.isUp || !this.isThere(uid)) return;
      this.#running.set(uid, role);
      this.setStatus(uid, 'Running', true);
      const isDra = this.#world.setup.backend === 'DRA';
      if (role === 'plugin') (isDra ? this.driver : this.plugin).start(uid);
      if (role === 'second') (isDra ? this.plugin : this.driver).start(uid);
      if (role === 'discovery') this.#label(uid);
    });
  }

  restartPlugin(): void {
    for (const pod of this.#world.pods()) if (pod.metadata.labels?.['role'] === 'plugin') this.terminate(pod);
  }

  /** Asks a pod to terminate. */
  terminate(pod: Pod): void {
    const { uid = '', deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined) return;
    const { api, timeline } = this.#world;
    api.update('pods', uid, 'kubelet', (one) => ({
      ...one,
      metadata: { ...one.metadata, deletionTimestamp: timeText(timeline.now) },
    }));
    this.#endSoon(uid);
  }

  #endSoon(uid: string): void {
    this.#world.later(50, 3000, () => {
      const pod = this.#world.api.find('pods', uid);
      if (!pod) return;
      const isStuck = this.#world.faults.stubborn && pod.metadata.labels?.['role'] !== undefined;
      const isPlugin = pod.metadata.labels?.['role'] === 'plugin';
      const mayEnd = this.users.mayEnd(uid) && this.monitors.mayEnd(uid);
      if (!this.isUp || (isStuck && !isPlugin) || !mayEnd) return this.#endSoon(uid);
      this.#release(uid);
      this.#world.api.delete('pods', uid, 'kubelet');
      this.syncDaemonsSoon();
    });
  }

  #release(uid: string): void {
    if (this.#running.get(uid) === 'second') this.#secondEndedAt = this.#world.timeline.now;
    this.plugin.end(uid);
    this.driver.end(uid);
    this.#running.delete(uid);
    this.users.release(uid);
    this.monitors.release(uid);
  }

  // --- the Node's status -----------------------------------------------------------------------------------------

  #reportSoon(): void {
    const round = (this.#statusRound += 1);
    const slowest = this.#world.faults.slowStatus ? 20_000 : 1500;
    this.#world.later(10, slowest, () => {
      if (round === this.#statusRound && this.isUp) this.#report();
    });
  }

  /** Somebody else has written the Node's status: the next period of the kubelet sees what differs. */
  statusIsWritten(): void {
    this.#world.timeline.after(10_000, () => {
      const { allocatable } = this.#world.node?.status ?? {};
      if (this.isUp && Object.entries(allocatable ?? {}).some(([name, count]) => count !== this.#countOf(name)))
        this.#report();
    });
  }

  #countOf(resource: string): string {
    return String(this.plugin.offered.get(resource)?.length ?? 0);
  }

  #report(): void {
    const { offered } = this.plugin;
    for (const name of offered.keys()) this.#known.add(name);
    const allocatable = Object.fromEntries([...this.#known].map((name) => [name, this.#countOf(name)]));
    this.#world.editNode('kubelet', (node) => ({ ...node, status: { ...node.status, allocatable } }));
  }

  // --- GPU Feature Discovery --------------------------------------------------------------------------------------

  #label(uid: string): void {
    this.#world.later(100, 3000, () => {
      if (this.#running.get(uid) !== 'discovery') return;
      const { faults, device, node } = this.#world;
      const editNode: ModelWorld['editNode'] = (by, change) => this.#world.editNode(by, change);
      if (!faults.discoveryDead && !faults.driverDown && this.isUp)
        writeGfdLabels({ device, node, plugin: this.plugin, editNode });
      this.#world.timeline.after(60_000, () => this.#label(uid));
    });
  }

  // --- the machine ------------------------------------------------------------------------------------------------

  shutDown(): void {
    this.isUp = false;
    this.plugin.shutDown();
    this.driver.shutDown();
    this.#running.clear();
    this.users.shutDown();
    this.monitors.shutDown();
  }

  /** All containers restart in their pods; pods that had devices are rejected, since the devices are gone. */
  comeUp(): void {
    this.isUp = true;
    this.plugin.comeUp();
    this.driver.comeUp();
    this.users.comeUp();
    this.monitors.comeUp();
    this.#statusRound += 1;
    const allocatable = Object.fromEntries([...this.#known].map((name) => [name, '0']));
    this.#world.editNode('kubelet', (node) => ({
      ...node,
      status: { allocatable, nodeInfo: { bootID: this.bootID }, conditions: [{ type: 'Ready', status: 'True' }] },
    }));
    for (const daemon of this.#all) {
      for (const { metadata } of this.#world.pods()) {
        if (metadata.labels?.['role'] !== daemon.role || metadata.deletionTimestamp !== undefined) continue;
        this.setStatus(metadata.uid ?? '', 'Running', false);
        this.#startDaemon(metadata.uid ?? '', daemon.role);
      }
    }
  }

  /** A pod ends by itself, or its owner ends it. */
  endPod(uid: string): void {
    this.#release(uid);
    this.#world.api.delete('pods', uid, 'user');
  }

  /** Whether a pod is there, and not told to go. */
  isThere(uid: string): boolean {
    const pod = this.#world.api.find('pods', uid);
    return pod !== undefined && pod.metadata.deletionTimestamp === undefined;
  }

  setStatus(uid: string, phase: string, isReady: boolean): void {
    if (!this.#world.api.find('pods', uid)) return;
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
    this.#world.api.update('pods', uid, 'kubelet', (pod) => ({
      ...pod,
      status: { ...pod.status, phase, conditions },
    }));
  }

  /** The container of a pod has ended, and is started again; its delay counts from its end. */
  countRestart(uid: string): void {
    this.#world.api.update('pods', uid, 'kubelet', ({ status, ...pod }) => {
      const [{ restartCount = 0 } = {}] = status?.containerStatuses ?? [];
      const state = { running: { startedAt: timeText(this.#world.timeline.now) } };
      const containerStatuses = [{ name: 'gpus', ready: true, restartCount: restartCount + 1, state }];
      return { ...pod, status: { ...status, containerStatuses } };
    });
  }

  nextUid(name: string): string {
    this.#pods += 1;
    return `${name}-${this.#pods}`;
  }

  newPod(name: string, parts: PodParts, uid = this.nextUid(name)): Pod {
    return this.#world.api.create('pods', uid, makePod(name, uid, parts), 'cluster');
  }
}
