import type { ResourceClaimView } from '../../src/core/kubernetes/pod.ts';
import type { PodHolding } from '../../src/core/device/kubelet.ts';
import type { Pod } from './api.ts';
import { uuidOf } from './plugin.ts';
import { isOfUser, isUsing, type PodParts } from './pods.ts';
import type { NodeMachine } from './node-machine.ts';

/** Who makes pods again, if anybody does. */
const kinds = [
  ...Array<'ReplicaSet'>(15).fill('ReplicaSet'),
  ...(['DaemonSet', 'DaemonSet', 'Node', undefined, undefined] as const),
] as const;

/** The scheduler, and the pods of users: what they want, and which devices they are given. */
export class UserPods {
  protected readonly machine: NodeMachine;
  /** Devices of pods, by pod uid. */
  readonly allocations = new Map<string, { readonly resource: string; readonly id: string }>();
  /** Pods whose process runs on their device. */
  readonly #busy = new Set<string>();

  constructor(machine: NodeMachine) {
    this.machine = machine;
  }

  /** Claims at the API server. */
  get claims(): readonly ResourceClaimView[] {
    return [];
  }

  /** Whether the kubelet knows which device each pod has, and each of them exists, or is said to be gone. */
  knows(isToldGone: (uuid: string) => boolean = () => false): boolean {
    const { uuids } = this.machine.device;
    const ids = [...this.allocations.values()].map(({ id }) => uuidOf(id));
    return ids.every((id) => uuids.has(id) || isToldGone(id));
  }

  /** Whether the kubelet can end a pod that was told to go. */
  mayEnd(_uid: string): boolean {
    return true;
  }

  /** Pods on their way to the node turn back. */
  forgetUnbound(): void {}

  list(): readonly Pod[] {
    return this.machine.pods().filter(isOfUser);
  }

  /** What the kubelet's PodResources shows. */
  holdings(): readonly PodHolding[] {
    return [...this.allocations].map(([name, device]) => ({ namespace: 'default', name, devices: [device] }));
  }

  /** UUIDs of the devices that pods have. */
  heldUuids(): ReadonlySet<string> {
    return new Set([...this.allocations.values()].map(({ id }) => uuidOf(id)));
  }

  /** The scheduler finds a node for a pod and binds it a moment later, whatever has changed. */
  schedule(): void {
    const { node, random, timeline } = this.machine;
    if (!this.mayPlace) return;
    const free = Object.entries(node?.status?.allocatable ?? {}).filter(([name, amount]) => {
      const used = this.machine.pods().filter((pod) => isUsing(pod, name)).length;
      return Number(amount) > used;
    });
    const [resource] = random.pick(free) ?? [];
    if (resource === undefined) return;
    const bind = (): void => {
      if (this.machine.node?.metadata.uid === node?.metadata.uid) this.#bind(resource);
    };
    timeline.after(random.chance(0.5) ? 0 : random.between(0, 200), bind);
  }

  /** Whether the node looks open to the scheduler. */
  protected get mayPlace(): boolean {
    const { spec, status } = this.machine.node ?? {};
    const isReady =
      status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
    const isOpen = !(spec?.taints ?? []).some(({ effect }) => effect === 'NoSchedule') && spec?.unschedulable !== true;
    return isReady && isOpen;
  }

  #bind(resource: string): void {
    this.machine.checks.podIsBound(resource);
    const { uid = '' } = this.bind({
      containers: [{ name: 'main', resources: { limits: { [resource]: '1' } } }],
    }).metadata;
    this.#admitSoon(uid, resource);
  }

  /** @param status beside its phase @param uid a new one if absent */
  protected bind(spec: object, status: object = {}, uid?: string): Pod {
    const { random, setup } = this.machine;
    const kind = setup.hasAllPods ? random.pick(kinds) : random.chance(0.9) ? 'ReplicaSet' : undefined;
    const graceSeconds = setup.hasAllPods ? random.pick([undefined, 0, 1, 600]) : undefined;
    const parts: PodParts = {
      labels: { user: 'true' },
      ...(kind !== undefined && { owner: kind }),
      isStatic: kind === 'Node',
      spec: {
        nodeName: this.machine.name,
        ...spec,
        ...(graceSeconds !== undefined && { terminationGracePeriodSeconds: graceSeconds }),
      },
      status,
    };
    return this.machine.kubelet.newPod('user', parts, uid);
  }

  #admitSoon(uid: string, resource: string): void {
    this.machine.later(0, 300, () => {
      const { kubelet } = this.machine;
      if (!kubelet.isThere(uid)) return;
      if (!this.machine.isUp) return this.#admitSoon(uid, resource);
      const taken = new Set([...this.allocations.values()].map(({ id }) => id));
      const id = (kubelet.plugin.offered.get(resource) ?? []).find((one) => !taken.has(one));
      // A plugin that is gone answers nothing.
      const isGiven = id !== undefined && kubelet.plugin.serves(resource);
      if (!isGiven) return kubelet.setStatus(uid, 'Failed', false);
      this.give(uid, resource, id);
    });
  }

  protected give(uid: string, resource: string, id: string): void {
    const { kubelet, checks, device } = this.machine;
    checks.deviceIsGiven(uuidOf(id));
    this.allocations.set(uid, { resource, id });
    device.version += 1;
    kubelet.setStatus(uid, 'Running', true);
    this.machine.later(0, 1000, () => this.#startProcess(uid, id));
  }

  #startProcess(uid: string, id: string): void {
    const { device } = this.machine;
    if (this.allocations.get(uid)?.id !== id || !device.uuids.has(uuidOf(id)) || !this.machine.isUp) return;
    this.#busy.add(uid);
    device.startProcess(uuidOf(id));
  }

  /** What runs on a device is killed; the pods that hold it live on. */
  killProcesses(uuid: string): void {
    for (const uid of this.#busy) {
      if (uuidOf(this.allocations.get(uid)?.id ?? '') !== uuid) continue;
      this.#busy.delete(uid);
      this.machine.device.endProcess(uuid);
    }
  }

  /** The kubelet has ended a pod. */
  release(uid: string): void {
    const held = this.allocations.get(uid);
    this.allocations.delete(uid);
    if (held && this.#busy.delete(uid)) this.machine.device.endProcess(uuidOf(held.id));
    if (held) this.machine.device.version += 1;
  }

  shutDown(): void {
    this.#busy.clear();
    this.machine.device.processes.clear();
    this.allocations.clear();
    this.machine.device.version += 1;
  }

  /** Pods that had devices are rejected when the machine is back: the devices are gone. */
  comeUp(): void {
    for (const { metadata, status } of this.list()) {
      if (status?.phase === 'Running') this.machine.kubelet.setStatus(metadata.uid ?? '', 'Failed', false);
    }
  }
}
