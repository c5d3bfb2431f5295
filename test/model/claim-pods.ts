import { type ResourceClaimView, attributeOf } from '../../src/core/kubernetes/pod.ts';
import type { PodHolding } from '../../src/core/device/kubelet.ts';
import type { Pod } from './api.ts';
import { resourceOf } from './plugin.ts';
import { nameDevices } from './slices.ts';
import { UserPods } from './user-pods.ts';

/** How a pod asks: by a template, by the name of a claim that others may use too, by a resource of a device class. */
const ways = ['Template', 'Template', 'Name', 'Extended', 'Extended'] as const;
type Way = (typeof ways)[number];

/** How long the scheduler takes from the allocation to the binding, in ms; undefined: the pod is deleted before. */
const bindings = [0, 0, 50, 100, 200, 2000, 20_000, 150_000, undefined] as const;

interface Claim {
  readonly device: string;
  readonly way: Way;
  /** Pods for which it is reserved. */
  readonly users: ReadonlySet<string>;
}

/** Pods of users on a node with the DRA driver: the scheduler allocates a claim, and binds the pod later. */
export class ClaimPods extends UserPods {
  readonly #claims = new Map<string, Claim>();
  /** Devices whose allocation is being written. */
  readonly #assumed = new Set<string>();
  #count = 0;

  override get claims(): readonly ResourceClaimView[] {
    return [...this.#claims].map(([name, { device, users }]) => ({
      metadata: { name, namespace: 'default' },
      status: {
        allocation: { devices: { results: [{ driver: 'gpu.nvidia.com', pool: this.machine.name, device }] } },
        reservedFor: [...users].map((uid) => ({ resource: 'pods', name: uid, uid })),
      },
    }));
  }

  override knows(isToldGone?: (uuid: string) => boolean): boolean {
    const isHeld = ({ metadata }: Pod): boolean => this.allocations.has(metadata.uid ?? '');
    return super.knows(isToldGone) && this.list().every(isHeld);
  }

  /** The driver has to unprepare its claim. */
  override mayEnd(uid: string): boolean {
    return !this.allocations.has(uid) || this.machine.kubelet.driver.isRegistered;
  }

  override holdings(): readonly PodHolding[] {
    return [...this.allocations].map(([name, { resource: device }]) => {
      const claim = [...this.#claims].find(([, { users }]) => users.has(name))?.[0] ?? 'gone';
      const claimed = [{ claim: `default/${claim}`, driver: 'gpu.nvidia.com', device, cdiDevices: [] }];
      return { namespace: 'default', name, devices: [], claimed };
    });
  }

  /** A claim names a place: what was made there again is held as well. */
  override heldUuids(): ReadonlySet<string> {
    const here = nameDevices(this.machine.device.report().gpus);
    return new Set([...this.allocations.values()].map(({ resource, id }) => here.get(resource) ?? id));
  }

  override schedule(): void {
    if (!this.mayPlace) return;
    const { random, kubelet, node, timeline } = this.machine;
    const way = random.pick(ways) ?? 'Template';
    const known = [...this.#claims].filter(([, one]) => way === 'Name' && one.way === 'Name');
    const [shared, { device: same } = {} as Partial<Claim>] = (random.chance(0.5) && random.pick(known)) || [];
    const taken = new Set([...this.#assumed, ...[...this.#claims.values()].map(({ device }) => device)]);
    const free = [...kubelet.driver.published.keys()].filter((name) => !taken.has(name));
    const device = same ?? random.pick(free);
    if (device === undefined) return;
    this.#count += 1;
    const claim = shared ?? `claim-${this.#count}`;
    const uid = kubelet.nextUid('user');
    if (shared === undefined) this.#assumed.add(device);
    timeline.after(random.chance(0.5) ? 0 : random.between(0, 200), () => {
      if (shared === undefined) this.#assumed.delete(device);
      else if (!this.#claims.has(shared)) return;
      if (this.machine.node?.metadata.uid !== node?.metadata.uid) return;
      this.machine.checks.podIsBound(device);
      this.#claims.set(claim, { device, way, users: new Set([...(this.#claims.get(claim)?.users ?? []), uid]) });
      this.#bindLater(uid, claim, node?.metadata.uid);
    });
  }

  #bindLater(uid: string, claim: string, node: string | undefined): void {
    const { random, timeline } = this.machine;
    const ms = random.pick(bindings);
    timeline.after(ms ?? random.between(0, 60_000), () => {
      const found = this.#claims.get(claim);
      if (ms === undefined || found === undefined || this.machine.node?.metadata.uid !== node) return this.#free(uid);
      this.bind(...this.#describe(claim, found), uid);
      this.#prepareSoon(uid, found.device);
    });
  }

  /** @returns spec and status of its pod, as far as they tell of the claim */
  #describe(claim: string, { device, way }: Claim): readonly [object, object] {
    const main = { name: 'main' };
    switch (way) {
      case 'Template':
        return [
          { containers: [main], resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'slice' }] },
          { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: claim }] },
        ];
      case 'Name':
        return [{ containers: [main], resourceClaims: [{ name: 'gpu', resourceClaimName: claim }] }, {}];
      case 'Extended': {
        const devices = this.machine.kubelet.driver.slices.flatMap(({ spec }) => spec.devices ?? []);
        const profile = devices.filter(({ name }) => name === device).map((one) => attributeOf(one, 'profile'))[0];
        const limits = { [profile === undefined ? 'nvidia.com/gpu' : resourceOf(profile)]: '1' };
        return [
          { containers: [{ ...main, resources: { limits } }] },
          { extendedResourceClaimStatus: { resourceClaimName: claim, requestMappings: [] } },
        ];
      }
    }
  }

  /** The kubelet has the claim prepared before it starts the containers, and tries again if that fails. */
  #prepareSoon(uid: string, device: string, from = 0, to = 300): void {
    this.machine.later(from, to, () => {
      const { kubelet } = this.machine;
      if (!kubelet.isThere(uid) || this.allocations.has(uid)) return;
      const id = this.machine.isUp ? kubelet.driver.prepare(device) : undefined;
      if (id === undefined) return this.#prepareSoon(uid, device, 500, 60_000);
      this.machine.checks.deviceIsPrepared(id);
      this.give(uid, device, id);
    });
  }

  /** Nobody wants anything any more: pods that are not bound yet are deleted. */
  override forgetUnbound(): void {
    for (const { users } of this.#claims.values())
      for (const uid of users) if (!this.machine.kubelet.isThere(uid)) this.#free(uid);
  }

  override release(uid: string): void {
    super.release(uid);
    if (this.claims.some(({ status }) => status?.reservedFor?.some((one) => one.uid === uid))) {
      this.machine.later(0, 1000, () => this.#free(uid));
    }
  }

  /** The claim goes with the last pod that it is reserved for. */
  #free(uid: string): void {
    for (const [name, claim] of this.#claims) {
      if (!claim.users.has(uid)) continue;
      const users = new Set([...claim.users].filter((one) => one !== uid));
      if (users.size > 0) this.#claims.set(name, { ...claim, users });
      else this.#claims.delete(name);
    }
  }

  /** Containers start again in their pods, with the devices that their claims name. */
  override comeUp(): void {
    for (const { metadata, status } of this.list()) {
      const { uid = '' } = metadata;
      const claim = [...this.#claims.values()].find(({ users }) => users.has(uid));
      if (status?.phase !== 'Running' || claim === undefined) continue;
      this.machine.kubelet.setStatus(uid, 'Running', false);
      this.#prepareSoon(uid, claim.device);
    }
  }
}
