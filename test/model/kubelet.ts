import { isOwnTaint } from '../../src/core/node/node-view.ts';
import { isGfdLabelKey } from '../../src/core/nvidia/labels/label-key.ts';
import { describeReport } from '../../src/core/nvidia/labels/describe-report.ts';
import { dropInvalidLabels } from '../../src/core/nvidia/labels/label-value.ts';
import { computeLabels } from '../../src/core/nvidia/labels/node-labels.ts';
import { computeResources } from '../../src/core/nvidia/resources/node-resources.ts';
import type { PodHolding } from '../../src/core/pods/holding.ts';
import { timeText } from '../../src/core/text/time.ts';
import type { OwnerReference } from '../../src/kube/resource.ts';
import type { Pod } from './api.ts';
import { type ModelDaemon, daemonsOf, type Role } from './daemons.ts';
import type { ModelWorld } from './world.ts';

type Offer = ReadonlyMap<string, readonly string[]>;

/** The node's kubelet, its DaemonSet pods, the scheduler, and the pods of users. */
export class ModelKubelet {
  readonly #world: ModelWorld;
  readonly daemons: readonly ModelDaemon[];
  isUp = true;
  boot = 1;
  #offered: Offer = new Map();
  /** When a count of a resource was last offered, by `RESOURCE=COUNT`. */
  readonly #offeredAt = new Map<string, number>();
  /** Devices of pods, by pod uid. */
  readonly allocations = new Map<string, { readonly resource: string; readonly id: string }>();
  readonly #running = new Map<string, Role>();
  readonly #known = new Set<string>();
  #pods = 0;
  #isSyncDue = false;
  #statusRound = 0;
  #lookRound = 0;

  constructor(world: ModelWorld) {
    this.#world = world;
    this.daemons = daemonsOf(world.setup);
  }

  /** What the device plugin has registered, by resource. */
  get offered(): Offer {
    return this.#offered;
  }

  set offered(offer: Offer) {
    for (const name of new Set([...this.#offered.keys(), ...offer.keys()])) {
      this.#offeredAt.set(`${name}=${this.#offered.get(name)?.length ?? 0}`, this.#world.timeline.now);
    }
    this.#offered = offer;
  }

  /** How long ago the kubelet last offered exactly this many devices, in ms; Infinity: never. */
  offeredAgoMs(resource: string, count: number): number {
    if ((this.#offered.get(resource)?.length ?? 0) === count) return 0;
    return this.#world.timeline.now - (this.#offeredAt.get(`${resource}=${count}`) ?? -Infinity);
  }

  get bootID(): string {
    return `boot-${this.boot}`;
  }

  /** Whether a program keeps the GPUs open. */
  get isGpuOpen(): boolean {
    return [...this.#running.values()].some((role) => this.daemons.find((one) => one.role === role)?.opensGpus);
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
    const taints = node.spec?.taints ?? [];
    for (const daemon of this.daemons) {
      const isWanted = daemon.deployLabel === undefined || node.metadata.labels?.[daemon.deployLabel] === 'true';
      const pods = this.#world.pods().filter((pod) => pod.metadata.labels?.['role'] === daemon.role);
      const isLetIn = daemon.toleratesOurs || !taints.some(isOwnTaint);
      if (pods.length === 0 && isWanted && isLetIn) this.#makePod(daemon);
      if (!isWanted) for (const pod of pods) this.terminate(pod);
    }
  }

  #makePod(daemon: ModelDaemon): void {
    const { deployLabel } = daemon;
    const pod = this.#newPod(daemon.role, {
      labels: { ...daemon.labels, role: daemon.role },
      owner: 'DaemonSet',
      spec: {
        nodeName: 'n',
        containers: [{ name: daemon.container, ...(daemon.args && { args: daemon.args }) }],
        ...(deployLabel !== undefined && { nodeSelector: { [deployLabel]: 'true' } }),
        tolerations: daemon.toleratesOurs ? [{ operator: 'Exists' }] : [{ key: 'nvidia.com/gpu', operator: 'Exists' }],
      },
    });
    this.#startDaemon(pod.metadata.uid ?? '', daemon.role);
  }

  #startDaemon(uid: string, role: Role): void {
    this.#world.later(100, 1500, () => {
      if (!this.isUp || !this.#isThere(uid)) return;
      this.#running.set(uid, role);
      this.#setStatus(uid, 'Running', true);
      if (role === 'plugin') this.#lookAtDevices(uid, 0);
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
      if (!this.isUp || (isStuck && !isPlugin)) return this.#endSoon(uid);
      this.#release(uid);
      this.#world.api.delete('pods', uid, 'kubelet');
      this.syncDaemonsSoon();
    });
  }

  #release(uid: string): void {
    if (this.#running.get(uid) === 'plugin') {
      this.offered = new Map();
      this.#lookRound += 1;
      this.#reportSoon();
    }
    this.#running.delete(uid);
    const held = this.allocations.get(uid);
    this.allocations.delete(uid);
    if (held && this.#busy.delete(uid)) this.#world.device.endProcess(held.id);
    if (held) this.#world.device.version += 1;
  }

  // --- device plugin ----------------------------------------------------------------------------------------------

  /** The plugin reads the devices and reports to the kubelet a moment later. */
  #lookAtDevices(uid: string, afterMs: number): void {
    const round = (this.#lookRound += 1);
    const isCurrent = (): boolean => round === this.#lookRound && this.#running.get(uid) === 'plugin' && this.isUp;
    this.#world.later(afterMs, afterMs + 500, () => {
      if (!isCurrent()) return;
      const offer = this.#world.faults.driverDown ? undefined : this.#readOffer();
      // The plugin exits and is restarted.
      if (offer === undefined) return this.#lookAtDevices(uid, 10_000);
      this.#world.later(10, 800, () => {
        if (!isCurrent()) return;
        this.offered = offer;
        this.#reportSoon();
      });
    });
  }

  #readOffer(): Offer | undefined {
    const { device, setup } = this.#world;
    const report = device.report();
    const { errors } = computeResources(describeReport(report), setup.strategy);
    if (errors.length > 0) return undefined;
    const offer = new Map<string, string[]>();
    for (const gpu of device.gpus.filter(({ isLost }) => !isLost)) {
      const devices =
        gpu.mig === 'Disabled'
          ? [['nvidia.com/gpu', gpu.uuid] as const]
          : gpu.slices.map(
              ({ profile, uuid }) =>
                [setup.strategy === 'single' ? 'nvidia.com/gpu' : resourceOf(profile), uuid] as const,
            );
      for (const [resource, id] of devices) offer.set(resource, [...(offer.get(resource) ?? []), id]);
    }
    return offer;
  }

  /** The devices have changed: some plugins notice by themselves. */
  devicesChanged(): void {
    const { plugin } = this.#world.setup;
    const [uid] = [...this.#running].find(([, role]) => role === 'plugin') ?? [];
    if (uid !== undefined && (plugin === 'Following' || plugin === 'Hidden')) this.#lookAtDevices(uid, 1500);
  }

  #reportSoon(): void {
    const round = (this.#statusRound += 1);
    const slowest = this.#world.faults.slowStatus ? 20_000 : 1500;
    this.#world.later(10, slowest, () => {
      if (round === this.#statusRound && this.isUp) this.#report();
    });
  }

  #report(): void {
    for (const name of this.offered.keys()) this.#known.add(name);
    const allocatable = Object.fromEntries(
      [...this.#known].map((name) => [name, String(this.offered.get(name)?.length ?? 0)]),
    );
    this.#world.editNode('kubelet', (node) => ({ ...node, status: { ...node.status, allocatable } }));
  }

  // --- GPU Feature Discovery --------------------------------------------------------------------------------------

  #label(uid: string): void {
    this.#world.later(100, 3000, () => {
      if (this.#running.get(uid) !== 'discovery') return;
      if (!this.#world.faults.discoveryDead && !this.#world.faults.driverDown && this.isUp) this.#writeLabels();
      this.#world.timeline.after(60_000, () => this.#label(uid));
    });
  }

  #writeLabels(): void {
    const { device, setup, node } = this.#world;
    const { labels, errors } = computeLabels(describeReport(device.report()), setup.strategy);
    if (errors.length > 0 || !node) return;
    const wanted: Readonly<Record<string, string>> = {
      ...dropInvalidLabels(labels).kept,
      'nvidia.com/gfd.timestamp': '1',
    };
    const before = node.metadata.labels ?? {};
    const others = Object.entries(before).filter(([key]) => !isGfdLabelKey(key));
    const after = { ...Object.fromEntries(others), ...wanted };
    if (Object.keys(after).length === Object.keys(before).length) {
      if (Object.entries(after).every(([key, value]) => before[key] === value)) return;
    }
    this.#world.editNode('discovery', (one) => ({ ...one, metadata: { ...one.metadata, labels: after } }));
  }

  // --- pods of users ----------------------------------------------------------------------------------------------

  readonly #busy = new Set<string>();

  /** The scheduler finds a node for a pod and binds it a moment later, whatever has changed. */
  schedule(): void {
    const { node, random, timeline } = this.#world;
    const { spec, status } = node ?? {};
    const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
    const isOpen = !(spec?.taints ?? []).some(({ effect }) => effect === 'NoSchedule') && spec?.unschedulable !== true;
    if (!isReady || !isOpen) return;
    const free = Object.entries(status?.allocatable ?? {}).filter(([name, amount]) => {
      const used = this.#world.pods().filter((pod) => isUsing(pod, name)).length;
      return Number(amount) > used;
    });
    const [resource] = random.pick(free) ?? [];
    if (resource === undefined) return;
    const bind = (): void => {
      if (this.#world.node?.metadata.uid === node?.metadata.uid) this.#bind(resource);
    };
    timeline.after(random.chance(0.5) ? 0 : random.between(0, 200), bind);
  }

  #bind(resource: string): void {
    this.#world.checks.podIsBound(resource);
    const pod = this.#newPod('user', {
      labels: { user: 'true' },
      ...(this.#world.random.chance(0.9) && { owner: 'ReplicaSet' as const }),
      spec: { nodeName: 'n', containers: [{ name: 'main', resources: { limits: { [resource]: '1' } } }] },
    });
    this.#admitSoon(pod.metadata.uid ?? '', resource);
  }

  #admitSoon(uid: string, resource: string): void {
    this.#world.later(0, 300, () => {
      if (!this.#isThere(uid)) return;
      if (!this.isUp) return this.#admitSoon(uid, resource);
      const taken = new Set([...this.allocations.values()].map(({ id }) => id));
      const id = (this.offered.get(resource) ?? []).find((one) => !taken.has(one));
      if (id === undefined) return this.#setStatus(uid, 'Failed', false);
      this.#world.checks.deviceIsGiven(id);
      this.allocations.set(uid, { resource, id });
      this.#world.device.version += 1;
      this.#setStatus(uid, 'Running', true);
      this.#world.later(0, 1000, () => this.#startProcess(uid, id));
    });
  }

  #startProcess(uid: string, id: string): void {
    const { device } = this.#world;
    if (this.allocations.get(uid)?.id !== id || !device.uuids.has(id) || !this.isUp) return;
    this.#busy.add(uid);
    device.startProcess(id);
  }

  endPod(uid: string): void {
    this.#release(uid);
    this.#world.api.delete('pods', uid, 'user');
  }

  userPods(): readonly Pod[] {
    return this.#world.pods().filter(({ metadata }) => metadata.labels?.['user'] === 'true');
  }

  holdings(): readonly PodHolding[] {
    return [...this.allocations].map(([name, device]) => ({ namespace: 'default', name, devices: [device] }));
  }

  // --- the machine ------------------------------------------------------------------------------------------------

  shutDown(): void {
    this.isUp = false;
    this.offered = new Map();
    this.#running.clear();
    this.#busy.clear();
    this.#world.device.processes.clear();
    this.allocations.clear();
    this.#world.device.version += 1;
  }

  /** All containers restart in their pods; pods that had devices are rejected, since the devices are gone. */
  comeUp(): void {
    this.isUp = true;
    this.#lookRound += 1;
    for (const pod of this.userPods()) {
      if (pod.status?.phase === 'Running') this.#setStatus(pod.metadata.uid ?? '', 'Failed', false);
    }
    this.#statusRound += 1;
    const allocatable = Object.fromEntries([...this.#known].map((name) => [name, '0']));
    this.#world.editNode('kubelet', (node) => ({
      ...node,
      status: { allocatable, nodeInfo: { bootID: this.bootID }, conditions: [{ type: 'Ready', status: 'True' }] },
    }));
    for (const daemon of this.daemons) {
      for (const { metadata } of this.#world.pods()) {
        if (metadata.labels?.['role'] !== daemon.role || metadata.deletionTimestamp !== undefined) continue;
        this.#setStatus(metadata.uid ?? '', 'Running', false);
        this.#startDaemon(metadata.uid ?? '', daemon.role);
      }
    }
  }

  // --- helpers ----------------------------------------------------------------------------------------------------

  #isThere(uid: string): boolean {
    const pod = this.#world.api.find('pods', uid);
    return pod !== undefined && pod.metadata.deletionTimestamp === undefined;
  }

  #newPod(
    name: string,
    {
      labels,
      owner,
      spec,
    }: { readonly labels: Readonly<Record<string, string>>; readonly owner?: string; readonly spec: object },
  ): Pod {
    this.#pods += 1;
    const uid = `${name}-${this.#pods}`;
    return this.#world.api.create(
      'pods',
      uid,
      {
        metadata: {
          name: uid,
          namespace: owner === undefined ? 'default' : 'gpu-operator',
          uid,
          labels,
          ...(owner !== undefined && {
            ownerReferences: [ownerOf(owner, name)],
          }),
        },
        spec,
        status: { phase: 'Pending' },
      },
      'cluster',
    );
  }

  #setStatus(uid: string, phase: string, isReady: boolean): void {
    if (!this.#world.api.find('pods', uid)) return;
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
    this.#world.api.update('pods', uid, 'kubelet', (pod) => ({ ...pod, status: { phase, conditions } }));
  }
}

function ownerOf(kind: string, name: string): OwnerReference {
  return { apiVersion: 'apps/v1', kind, name, uid: `set-${name}`, controller: true };
}

export function resourceOf(profile: string): string {
  return `nvidia.com/mig-${profile.replaceAll('+', '.')}`;
}

export function isUsing(pod: Pod, resource: string): boolean {
  const { phase } = pod.status ?? {};
  const isOver = phase === 'Failed' || phase === 'Succeeded';
  return !isOver && pod.spec?.containers?.[0]?.resources?.limits?.[resource] !== undefined;
}
