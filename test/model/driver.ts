import { isDynamic, type NamedDevices, nameDevices, readSlices, toDynamicSlice, toResourceSlice } from './slices.ts';
import type { ResourceSliceView } from '../../src/core/kubernetes/pod.ts';
import type { NodeMachine } from './node-machine.ts';

/** The kubelet removes the slices of a driver that has been away this long, in ms. */
const wipeMs = 30_000;
/** A container that ends a second time within this time is started again only after a delay, in ms. */
const restMs = 600_000;

/** The node's DRA driver: it reads the devices once when its process starts, publishes them, and prepares claims for these alone. */
export class ModelDriver {
  readonly #machine: NodeMachine;
  #slices: readonly ResourceSliceView[] = [];
  #published: NamedDevices = new Map();
  #offers: ReadonlyMap<string, readonly string[]> = new Map();
  /** What it found at its start; undefined while the kubelet has no driver. */
  #found: NamedDevices | undefined;
  /** Which devices of these UUIDs that were. */
  #serials: ReadonlyMap<string, number | undefined> = new Map();
  /** Its pod, while its container is to run. */
  #uid: string | undefined;
  #round = 0;
  /** Since when there has been none, in ms. */
  #goneAt: number | undefined;
  #signalledAt = -Infinity;

  constructor(machine: NodeMachine) {
    this.#machine = machine;
  }

  /** What the API server has from it; they outlive it. */
  get slices(): readonly ResourceSliceView[] {
    return this.#slices;
  }

  /** The devices of these slices. */
  get published(): NamedDevices {
    return this.#published;
  }

  /** The same, as a device plugin offers devices. */
  get offers(): ReadonlyMap<string, readonly string[]> {
    return this.#offers;
  }

  get isRegistered(): boolean {
    return this.#found !== undefined;
  }

  /** @returns UUID of a device that it found at its start; undefined if it cannot prepare a claim for it */
  prepare(device: string): string | undefined {
    return this.#found?.get(device);
  }

  /** Whether the device of a UUID is the one that it found, and not another since. */
  hasRead(uuid: string): boolean {
    return this.#serials.get(uuid) === this.#machine.device.serialOf(uuid);
  }

  start(uid: string): void {
    // The delay is that of a pod's container.
    if (this.#uid !== uid) this.#signalledAt = -Infinity;
    this.#uid = uid;
    this.#run(100, 500);
  }

  end(uid: string): void {
    if (this.#uid !== uid) return;
    this.#uid = undefined;
    this.#stop();
  }

  /** SIGHUP ends its process; the kubelet starts the container again. @returns whether there was a process */
  signal(uid: string): boolean {
    if (this.#uid !== uid || this.#found === undefined || this.#machine.faults.driverDeaf) return false;
    this.#stop();
    const { now } = this.#machine.timeline;
    const isAgain = now - this.#signalledAt < restMs;
    this.#signalledAt = now;
    this.#machine.kubelet.countRestart(uid);
    this.#run(isAgain ? 10_000 : 100, isAgain ? 20_000 : 1500);
    return true;
  }

  /** The machine stops, and nobody removes anything. */
  shutDown(): void {
    this.#uid = undefined;
    this.#found = undefined;
    this.#round += 1;
  }

  /** Slices go with the Node that owns them. */
  forget(): void {
    this.#publish([]);
  }

  comeUp(): void {
    this.#wipeLater();
  }

  #stop(): void {
    this.#found = undefined;
    this.#round += 1;
    this.#wipeLater();
  }

  #wipeLater(): void {
    const goneAt = (this.#goneAt = this.#machine.timeline.now);
    this.#machine.timeline.after(wipeMs, () => {
      if (this.#goneAt === goneAt && this.#machine.isUp) this.#publish([]);
    });
  }

  #run(from: number, to: number): void {
    const round = (this.#round += 1);
    const isCurrent = (): boolean => round === this.#round && this.#uid !== undefined && this.#machine.isUp;
    this.#machine.later(from, to, () => {
      if (!isCurrent()) return;
      const { faults, device } = this.#machine;
      if (faults.claimDriverAway || faults.driverDown) return this.#run(5000, 10_000);
      if (faults.dynamicMig) this.#takeOver();
      const { gpus } = device.report();
      const named = nameDevices(gpus);
      const serials = new Map([...named.values()].map((uuid) => [uuid, device.serialOf(uuid)]));
      const slice = faults.dynamicMig
        ? toDynamicSlice(this.#machine.name, gpus, this.#machine.random.chance(0.5))
        : toResourceSlice(this.#machine.name, gpus);
      // The kubelet looks for drivers once a second.
      this.#machine.later(0, 1000, () => {
        if (!isCurrent()) return;
        this.#found = named;
        this.#serials = serials;
        this.#goneAt = undefined;
      });
      const slowest = faults.slowSlices ? 60_000 : 1500;
      this.#machine.later(10, slowest, () => {
        if (!isCurrent()) return;
        // It would publish again what the kubelet removes from now on.
        this.#goneAt = undefined;
        this.#publish([slice]);
      });
    });
  }

  /** With DynamicMIG it destroys the idle instances that it does not know, and makes others for claims. */
  #takeOver(): void {
    const { device, kubelet, checks, random } = this.#machine;
    const held = kubelet.users.heldUuids();
    for (const gpu of device.gpus) {
      if (gpu.isLost) continue;
      const idle = gpu.slices.filter(({ uuid }) => !held.has(uuid) && !device.processes.has(uuid));
      checks.devicesAreLost(idle.map(({ uuid }) => uuid));
      for (const slice of idle) device.takeStep(gpu, { action: 'DestroyInstance', ...slice });
      const profile = random.pick(device.model.profiles.filter(({ name }) => /^\dg\.\d+gb$/.test(name)));
      const isMade = gpu.mig === 'Enabled' && gpu.slices.length === 0 && random.chance(0.5);
      if (profile && isMade)
        device.takeStep(gpu, { action: 'CreateInstance', profile: profile.name, start: profile.starts[0] ?? 0 });
    }
  }

  #publish(slices: readonly ResourceSliceView[]): void {
    this.#slices = slices;
    // No pod asks for slices that the driver is yet to make.
    this.#published = isDynamic(slices) ? new Map() : readSlices(slices);
    this.#machine.world.slicesChanged();
    this.#offers = new Map([...this.#published].map(([name, uuid]) => [name, [uuid]]));
  }
}
