import type { ResourceClaimView } from '../../src/core/kubernetes/pod.ts';
import type { PodHolding } from '../../src/core/device/kubelet.ts';
import type { Pod } from './api.ts';
import { isUntouchable } from './pods.ts';
import { nameDevices } from './slices.ts';
import type { NodeMachine } from './node-machine.ts';

/** Who makes a monitor again, if anybody does. */
const kinds = ['DaemonSet', 'DaemonSet', 'ReplicaSet', undefined] as const;
/** How much of a GPU it has: nothing beside its claim, a handle that no list shows, a process on one of its devices. */
const grips = ['None', 'None', 'Handle', 'Process'] as const;

interface Monitor {
  readonly claim: string;
  readonly devices: readonly string[];
  readonly grip: (typeof grips)[number];
  readonly kind: (typeof kinds)[number];
  readonly tolerates: boolean;
  /** Whether its claim is prepared. */
  isThere: boolean;
  /** UUID of the device on which its process runs. */
  runsOn: string | undefined;
}

/** Pods of a node with the DRA driver that look on at its devices, by claims with admin access. */
export class ModelMonitors {
  readonly #machine: NodeMachine;
  readonly #all = new Map<string, Monitor>();
  #count = 0;
  /** Somebody has stopped them for good. */
  #areStopped = false;

  constructor(machine: NodeMachine) {
    this.#machine = machine;
  }

  get claims(): readonly ResourceClaimView[] {
    return [...this.#all].map(([uid, { claim, devices }]) => ({
      metadata: { name: claim, namespace: 'gpu-operator' },
      status: {
        allocation: {
          devices: {
            results: devices.map((device) => ({
              driver: 'gpu.nvidia.com',
              pool: this.#machine.name,
              device,
              adminAccess: true,
            })),
          },
        },
        reservedFor: [{ resource: 'pods', name: uid, uid }],
      },
    }));
  }

  /** Whether one of them has a handle on the GPUs. */
  get openGpus(): boolean {
    return [...this.#all.values()].some(({ isThere, grip }) => isThere && grip === 'Handle');
  }

  has(uid: string): boolean {
    return this.#all.has(uid);
  }

  /** Whether nobody but its owner may end it: no DaemonSet would make it again. */
  mustStay(pod: Pod): boolean {
    return this.has(pod.metadata.uid ?? '') && !isUntouchable(pod);
  }

  /** What the kubelet's PodResources shows. */
  holdings(): readonly PodHolding[] {
    return [...this.#all].flatMap(([name, { claim, devices, isThere }]) => {
      const claimed = devices.map((device) => ({
        claim: `gpu-operator/${claim}`,
        driver: 'gpu.nvidia.com',
        device,
        cdiDevices: [],
      }));
      return isThere ? [{ namespace: 'gpu-operator', name, devices: [], claimed }] : [];
    });
  }

  /** UUIDs of what they have, as an agent knows it that was told of some of the claims. */
  heldUuids(told: readonly string[] = []): ReadonlySet<string> {
    const here = nameDevices(this.#machine.device.report().gpus);
    const others = [...this.#all.values()].filter(
      ({ claim, isThere }) => isThere && !told.includes(`gpu-operator/${claim}`),
    );
    return new Set(others.flatMap(({ devices }) => devices.flatMap((device) => here.get(device) ?? [])));
  }

  come(): void {
    const { random } = this.#machine;
    const kind = random.pick(kinds);
    this.#areStopped = false;
    this.#make({
      kind,
      grip: random.pick(grips) ?? 'None',
      tolerates: kind === 'DaemonSet' && random.chance(0.5),
    });
  }

  goAny(): void {
    const uid = this.#machine.random.pick([...this.#all.keys()]);
    if (uid !== undefined) this.#end(uid);
  }

  /** A process of one of them begins, or ends. */
  work(): void {
    const one = this.#machine.random.pick([...this.#all.values()].filter(({ grip }) => grip === 'Process'));
    if (one === undefined) return;
    if (one.runsOn === undefined) this.#start(one);
    else this.#stop(one);
  }

  /** Nothing makes them again. */
  endAll(): void {
    this.#areStopped = true;
    for (const uid of this.#all.keys()) this.#end(uid);
  }

  /** The kubelet has ended a pod. */
  release(uid: string): void {
    const one = this.#all.get(uid);
    if (one === undefined) return;
    this.#stop(one);
    this.#all.delete(uid);
    if (one.kind !== undefined && !this.#areStopped) this.#machine.later(50, 2000, () => this.#make(one));
  }

  mayEnd(uid: string): boolean {
    return this.#all.get(uid)?.isThere !== true || this.#machine.kubelet.driver.isRegistered;
  }

  shutDown(): void {
    for (const one of this.#all.values()) {
      one.isThere = false;
      one.runsOn = undefined;
    }
  }

  comeUp(): void {
    for (const uid of this.#all.keys()) {
      this.#machine.kubelet.setStatus(uid, 'Running', false);
      this.#prepareSoon(uid);
    }
  }

  #end(uid: string): void {
    this.#machine.kubelet.endPod(uid);
  }

  /** The scheduler gives it all devices that are published, whoever has them, and binds it where it is let in. */
  #make({ kind, grip, tolerates }: Pick<Monitor, 'kind' | 'grip' | 'tolerates'>): void {
    const { kubelet, node } = this.#machine;
    if (this.#areStopped || node === undefined) return;
    const again = (): void => this.#machine.later(500, 5000, () => this.#make({ kind, grip, tolerates }));
    const isLetIn = tolerates || !(node.spec?.taints ?? []).some(({ effect }) => effect === 'NoSchedule');
    const devices = [...kubelet.driver.published.keys()];
    if (!isLetIn || devices.length === 0 || !this.#machine.isUp) return kind === undefined ? undefined : again();
    this.#count += 1;
    const claim = `watch-${this.#count}`;
    const uid = kubelet.nextUid('monitor');
    this.#all.set(uid, { claim, devices, grip, kind, tolerates, isThere: false, runsOn: undefined });
    kubelet.newPod(
      'monitor',
      {
        labels: { monitor: 'true' },
        ...(kind !== undefined && { owner: kind }),
        spec: {
          nodeName: this.#machine.name,
          containers: [{ name: 'watch' }],
          resourceClaims: [{ name: 'gpus', resourceClaimName: claim }],
          ...(tolerates && { tolerations: [{ operator: 'Exists' }] }),
        },
      },
      uid,
    );
    this.#prepareSoon(uid);
  }

  /** The kubelet has its claim prepared, and tries again if that fails. */
  #prepareSoon(uid: string, from = 0, to = 300): void {
    this.#machine.later(from, to, () => {
      const { kubelet, random } = this.#machine;
      const one = this.#all.get(uid);
      if (one === undefined || one.isThere || !kubelet.isThere(uid)) return;
      const isPrepared =
        this.#machine.isUp && one.devices.every((device) => kubelet.driver.prepare(device) !== undefined);
      if (!isPrepared) return this.#prepareSoon(uid, 500, 60_000);
      one.isThere = true;
      kubelet.setStatus(uid, 'Running', true);
      if (one.grip === 'Process' && random.chance(0.7)) this.#start(one);
    });
  }

  #start(one: Monitor): void {
    const { device, random } = this.#machine;
    const here = nameDevices(device.report().gpus);
    const uuid = here.get(random.pick(one.devices) ?? '');
    if (uuid === undefined || !one.isThere || !this.#machine.isUp) return;
    one.runsOn = uuid;
    device.startProcess(uuid);
  }

  #stop(one: Monitor): void {
    if (one.runsOn !== undefined) this.#machine.device.endProcess(one.runsOn);
    one.runsOn = undefined;
  }
}
