import { describeReport, advertisedAs, computeResources } from '../../src/core/nvidia/predict.ts';
import { devicePluginConfigLabel, type MigStrategy } from '../../src/core/nvidia/labels.ts';
import { parseDevicePluginConfig, type Sharing } from '../../src/core/nvidia/plugin-config.ts';
import type { ModelMachine } from './machine.ts';
import type { Setup } from './setup.ts';

/** Ids of devices, by resource. */
type DeviceIds = ReadonlyMap<string, readonly string[]>;

/** How devices are offered. */
interface ModelSettings {
  readonly strategy: MigStrategy;
  readonly sharing?: Sharing | undefined;
}

/** The node's device plugin: it reads its settings and the devices when it starts, and offers what it has read. */
export class ModelPlugin {
  readonly #machine: ModelMachine;
  readonly #setup: Pick<Setup, 'plugin' | 'strategy' | 'hasConfigMap'>;
  #offered: DeviceIds = new Map();
  /** What its process has registered, and answers for. */
  #served: DeviceIds = new Map();
  /** Resources that the kubelet has known since it started. */
  readonly #registered = new Set<string>();
  /** Resources whose newest client the kubelet has dropped (v1.36, `runClient`): it does not notice when that ends. */
  readonly #unwatched = new Set<string>();
  /** When a count of a resource was last offered, by `RESOURCE=COUNT`. */
  readonly #offeredAt = new Map<string, number>();
  /** What it runs with, or did last. */
  settings: ModelSettings;
  /** Its pod, while its container runs. */
  #uid: string | undefined;
  #round = 0;
  /** Called when it tells the kubelet something else. */
  readonly #onOffer: () => void;

  constructor(machine: ModelMachine, setup: Pick<Setup, 'plugin' | 'strategy' | 'hasConfigMap'>, onOffer: () => void) {
    this.#machine = machine;
    this.#setup = setup;
    this.#onOffer = onOffer;
    this.settings = { strategy: setup.strategy };
  }

  /** What the kubelet offers, by resource: what a plugin registered whose end it has not noticed. */
  get offered(): DeviceIds {
    return this.#offered;
  }

  /** Whether the kubelet offers what nobody serves any more, and will not notice. */
  get hasLeft(): boolean {
    return this.#missed.some(([name]) => !this.serves(name));
  }

  /** Whether its process answers when the kubelet asks for a device. */
  serves(resource: string): boolean {
    return this.#served.has(resource);
  }

  #offer(offer: DeviceIds): void {
    for (const name of new Set([...this.#offered.keys(), ...offer.keys()])) {
      this.#offeredAt.set(`${name}=${this.#offered.get(name)?.length ?? 0}`, this.#machine.timeline.now);
    }
    this.#offered = offer;
  }

  #register(offer: DeviceIds): void {
    const left = this.#missed.filter(([name]) => !offer.has(name));
    for (const name of offer.keys()) {
      const isMissed = this.#registered.has(name) && this.#machine.missesEnd();
      if (isMissed) this.#unwatched.add(name);
      else this.#unwatched.delete(name);
      this.#registered.add(name);
    }
    this.#served = offer;
    this.#offer(new Map([...left, ...offer]));
  }

  /** What the kubelet still offers once its plugin has ended. */
  get #missed(): readonly (readonly [string, readonly string[]])[] {
    return [...this.#offered].filter(([name]) => this.#unwatched.has(name));
  }

  /** Its process ends what it has registered. */
  #leave(): void {
    this.#served = new Map();
    this.#offer(new Map(this.#missed));
  }

  /** Somebody registers a resource and ends at once: the kubelet forgets who had it before. */
  unregister(resource: string): void {
    this.#unwatched.delete(resource);
    this.#served = new Map([...this.#served].filter(([name]) => name !== resource));
    this.#offer(new Map([...this.#offered].filter(([name]) => name !== resource)));
    this.#onOffer();
  }

  /** The kubelet's process starts again: it knows of nobody, and plugins that run register again. */
  kubeletRestarts(): void {
    this.#forget();
    this.#onOffer();
    if (this.#uid !== undefined) this.#read(this.#uid, 1000);
  }

  #forget(): void {
    this.#registered.clear();
    this.#unwatched.clear();
    this.#leave();
  }

  /** How long ago the kubelet last had exactly this many devices, in ms; Infinity: never. */
  offeredAgoMs(resource: string, count: number): number {
    if ((this.#offered.get(resource)?.length ?? 0) === count) return 0;
    return this.#machine.timeline.now - (this.#offeredAt.get(`${resource}=${count}`) ?? -Infinity);
  }

  start(uid: string): void {
    this.#uid = uid;
    this.#read(uid, 0);
  }

  /** @returns whether it ran in this pod */
  end(uid: string): boolean {
    if (this.#uid !== uid) return false;
    this.#leave();
    this.#uid = undefined;
    this.#round += 1;
    this.#onOffer();
    return true;
  }

  /** SIGHUP: it ends what it has registered, reads the devices again, and registers. @returns whether its process runs in this pod */
  signal(uid: string): boolean {
    if (this.#uid !== uid) return false;
    this.#leave();
    this.#onOffer();
    this.#read(uid, 100);
    return true;
  }

  /** The machine stops. */
  shutDown(): void {
    this.#forget();
    this.#uid = undefined;
  }

  comeUp(): void {
    this.#round += 1;
  }

  /** The devices have changed: some plugins notice by themselves. */
  devicesChanged(): void {
    const { plugin } = this.#setup;
    if (this.#uid !== undefined && (plugin === 'Following' || plugin === 'Hidden')) this.#read(this.#uid, 1500);
  }

  /** Its sidecar has seen that the node's label names another file, and restarts it. */
  settingsChanged(): void {
    if (this.#uid !== undefined) this.#read(this.#uid, 1500);
  }

  /** It reads settings and devices, and reports to the kubelet a moment later. */
  #read(uid: string, afterMs: number): void {
    const round = (this.#round += 1);
    const isCurrent = (): boolean => round === this.#round && this.#uid === uid && this.#machine.isUp;
    this.#machine.later(afterMs, afterMs + 500, () => {
      if (!isCurrent()) return;
      const settings = this.#readSettings();
      const offer = this.#machine.isDown || !settings ? undefined : this.#readOffer(settings);
      // The plugin exits and is restarted.
      if (offer === undefined || !settings) return this.#read(uid, 10_000);
      this.#machine.later(10, 800, () => {
        if (!isCurrent()) return;
        this.#register(offer);
        this.settings = settings;
        this.#onOffer();
      });
    });
  }

  /** From the file that the node's label names, or the ConfigMap's default; undefined if there is no such file. */
  #readSettings(): ModelSettings | undefined {
    const { node, configMap } = this.#machine;
    const { hasConfigMap, strategy } = this.#setup;
    if (!hasConfigMap) return { strategy };
    const file = configMap.files[node?.metadata.labels?.[devicePluginConfigLabel] ?? 'default'];
    if (!file) return undefined;
    const parsed = parseDevicePluginConfig(file);
    if (!parsed.ok) return undefined;
    const { migStrategy = 'none', sharing } = parsed.config;
    return { strategy: migStrategy as MigStrategy, sharing };
  }

  #readOffer({ strategy, sharing }: ModelSettings): DeviceIds | undefined {
    const { device } = this.#machine;
    const { errors } = computeResources(describeReport(device.report()), strategy);
    if (errors.length > 0) return undefined;
    const offer = new Map<string, string[]>();
    for (const gpu of device.gpus.filter(({ isLost }) => !isLost)) {
      const devices =
        gpu.mig === 'Disabled' || strategy === 'none'
          ? [['nvidia.com/gpu', gpu.uuid] as const]
          : gpu.slices.map(
              ({ profile, uuid }) => [strategy === 'single' ? 'nvidia.com/gpu' : resourceOf(profile), uuid] as const,
            );
      for (const [name, uuid] of devices) {
        const { replicas } = advertisedAs(name, sharing);
        const ids = replicas === 1 ? [uuid] : Array.from({ length: replicas }, (_, index) => `${uuid}::${index}`);
        offer.set(name, [...(offer.get(name) ?? []), ...ids]);
      }
    }
    return offer;
  }
}

/** The device of an id, which may be one of its replicas. */
export function uuidOf(id: string): string {
  return id.split('::')[0] ?? id;
}

export function resourceOf(profile: string): string {
  return `nvidia.com/mig-${profile.replaceAll('+', '.')}`;
}
