import { type NamedDevices, nameDevices, readSlices, toResourceSlice } from './slices.ts';
import type { ResourceSliceView } from '../../src/core/dra/resource-slice.ts';
import type { ModelWorld } from './world.ts';

/** The kubelet removes the slices of a driver that has been away this long, in ms. */
const wipeMs = 30_000;
/** A container that ends a second time within this time is started again only after a delay, in ms. */
const restMs = 600_000;

/** The node's DRA driver: it reads the devices once when its process starts, publishes them, and prepares claims for these alone. */
export class ModelDriver {
  readonly #world: ModelWorld;
  #slices: readonly ResourceSliceView[] = [];
  #published: NamedDevices = new Map();
  #offers: ReadonlyMap<string, readonly string[]> = new Map();
  /** What it found at its start; undefined while the kubelet has no driver. */
  #found: NamedDevices | undefined;
  /** Its pod, while its container is to run. */
  #uid: string | undefined;
  #round = 0;
  /** Since when there has been none, in ms. */
  #goneAt: number | undefined;
  #signalledAt = -Infinity;

  constructor(world: ModelWorld) {
    this.#world = world;
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

  start(uid: string): void {
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
    if (this.#uid !== uid || this.#found === undefined) return false;
    this.#stop();
    const { now } = this.#world.timeline;
    const isAgain = now - this.#signalledAt < restMs;
    this.#signalledAt = now;
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
    const goneAt = (this.#goneAt = this.#world.timeline.now);
    this.#world.timeline.after(wipeMs, () => {
      if (this.#goneAt === goneAt && this.#world.kubelet.isUp) this.#publish([]);
    });
  }

  #run(from: number, to: number): void {
    const round = (this.#round += 1);
    const isCurrent = (): boolean => round === this.#round && this.#uid !== undefined && this.#world.kubelet.isUp;
    this.#world.later(from, to, () => {
      if (!isCurrent()) return;
      const { faults, device } = this.#world;
      if (faults.claimDriverAway || faults.driverDown) return this.#run(5000, 10_000);
      const { gpus } = device.report();
      // The kubelet looks for drivers once a second.
      this.#world.later(0, 1000, () => {
        if (!isCurrent()) return;
        this.#found = nameDevices(gpus);
        this.#goneAt = undefined;
      });
      const slowest = faults.slowSlices ? 60_000 : 1500;
      this.#world.later(10, slowest, () => {
        if (isCurrent()) this.#publish([toResourceSlice('n', gpus)]);
      });
    });
  }

  #publish(slices: readonly ResourceSliceView[]): void {
    this.#slices = slices;
    this.#published = readSlices(slices);
    this.#world.slicesChanged();
    this.#offers = new Map([...this.#published].map(([name, uuid]) => [name, [uuid]]));
  }
}
