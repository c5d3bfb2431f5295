import type { PodHolding } from '../../src/core/device/kubelet.ts';
import type { DeviceWork } from './agent.ts';
import type { Pod } from './api.ts';
import { DaemonPods } from './daemon-pods.ts';
import type { ModelDaemon } from './daemons.ts';
import { type Gpu, ModelDevice } from './device.ts';
import { ModelMachine } from './machine.ts';
import { resourceOf, uuidOf } from './plugin.ts';
import type { Operation } from './smi.ts';
import { pools } from './fleet-policies.ts';
import type { FleetWorld } from './fleet-world.ts';

/** The outcome of a node's next grants. */
export type Fate = 'Well' | 'FailOnce' | 'FailAlways';

/** A machine of a fleet, whose device plugin follows changes by itself unless its DaemonSets are part of the story. */
export class FleetMachine extends ModelMachine {
  readonly #world: FleetWorld;
  /** Devices of pods, by pod uid. */
  readonly allocations = new Map<string, { readonly resource: string; readonly id: string }>();
  #offered: ReadonlyMap<string, readonly string[]> = new Map();
  /** Those of its DaemonSets; undefined if its device plugin follows changes. */
  readonly daemons: DaemonPods | undefined;
  fate: Fate = 'Well';
  /** When it went down, in ms; undefined while it is up. */
  diedAt: number | undefined;
  /** Since when pods of it that were told to go stay, in ms; undefined if they go. */
  stuckAt: number | undefined;
  /** When instances last disappeared without being asked to. */
  lostAt = -Infinity;
  isDiscoveryDead = false;
  readonly isAgentHeld = false;
  readonly slowestStatusMs = 1000;
  readonly isDown = false;
  readonly modeNeedsBoot = false;
  readonly ignoresPods = false;
  readonly slowMs: number;
  readonly readIntervalMs: number;
  #pluginRound = 0;

  constructor(world: FleetWorld, name: string, uid: string) {
    super(world, name, uid, new ModelDevice(world.setup.product, 1, false));
    this.#world = world;
    // Demands count what is in use by what agents read: with the usual minute, pods that come and go within it count as one that stays.
    this.readIntervalMs = world.setup.hasDemands === true ? 15_000 : 60_000;
    this.slowMs = world.setup.slowMs ?? 0;
    for (const gpu of this.device.gpus) gpu.mig = 'Enabled';
    const { plugin, hasDiscovery = false, hasStartupTaint } = world.setup;
    // What gpu-operator deploys tolerates our taint here: it comes back as soon as its label is true.
    const clients =
      plugin === 'Operator'
        ? ({ exporter: 'ByLabel', hasClient: true, operandsTolerate: true } as const)
        : ({ exporter: 'None', hasClient: false } as const);
    const kind = { backend: 'DevicePlugin', strategy: 'mixed', hasConfigMap: true, ...clients } as const;
    if (plugin !== undefined) this.daemons = new DaemonPods(this, { ...kind, plugin, hasDiscovery, hasStartupTaint });
  }

  join(pool: number, hasStartupTaint: boolean): void {
    this.register({ fleet: 'yes', pool: pools[pool % pools.length] ?? 'p' }, hasStartupTaint);
    this.devicesChanged();
    this.daemons?.start();
    this.startAgent(3000);
  }

  // --- device plugin ----------------------------------------------------------------------------------------------

  get offered(): ReadonlyMap<string, readonly string[]> {
    return this.daemons?.plugin.offered ?? this.#offered;
  }

  devicesChanged(): void {
    if (this.daemons) return this.daemons.plugin.devicesChanged();
    const round = (this.#pluginRound += 1);
    this.later(50, 2500, () => {
      if (round !== this.#pluginRound || !this.isUp) return;
      const offer = new Map<string, string[]>();
      for (const gpu of this.device.gpus) {
        const devices =
          gpu.mig === 'Disabled'
            ? [['nvidia.com/gpu', gpu.uuid] as const]
            : gpu.slices.map(({ profile, uuid }) => [resourceOf(profile), uuid] as const);
        for (const [resource, id] of devices) offer.set(resource, [...(offer.get(resource) ?? []), id]);
      }
      this.#offered = offer;
      this.tellOfferSoon();
    });
  }

  // --- pods -------------------------------------------------------------------------------------------------------

  /** Allocates a device to a pod; undefined if none is free. */
  admit(uid: string, resource: string): string | undefined {
    const taken = new Set([...this.allocations.values()].map(({ id }) => id));
    const id = (this.offered.get(resource) ?? []).find((one) => !taken.has(one));
    if (id === undefined || !this.isUp) return undefined;
    this.allocations.set(uid, { resource, id });
    return id;
  }

  release(uid: string): void {
    this.allocations.delete(uid);
  }

  /** Pods that hold a device, by the device's UUID. */
  holders(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, readonly string[]>();
    for (const [uid, { id }] of this.allocations) {
      const uuid = uuidOf(id);
      found.set(uuid, [...(found.get(uuid) ?? []), `default/${uid}`]);
    }
    return found;
  }

  // --- the agent --------------------------------------------------------------------------------------------------

  drawGpusAtOnce(): number {
    return 1;
  }

  failsNow(): boolean {
    const { fate } = this;
    if (fate === 'FailOnce') this.fate = 'Well';
    return fate !== 'Well';
  }

  deviceIsChanged(work: DeviceWork, gpu: Gpu, operation: Operation): void {
    this.#world.checks.deviceIsChanged(this, work, gpu, operation);
  }

  instancesAreLost(): void {
    this.lostAt = this.timeline.now;
  }

  get isGpuOpen(): boolean {
    return this.daemons?.isGpuOpen === true;
  }

  listDaemons(): readonly ModelDaemon[] {
    return this.daemons?.daemons ?? [];
  }

  terminate(pod: Pod): void {
    this.#world.terminate(pod, 0);
  }

  heldUuids(): ReadonlySet<string> {
    return new Set(this.holders().keys());
  }

  listHoldings(): readonly PodHolding[] {
    return [...this.allocations].map(([name, device]) => ({ namespace: 'default', name, devices: [device] }));
  }

  listOffered(): ReadonlyMap<string, readonly string[]> {
    return this.offered;
  }

  /** Plugins here know no signal. */
  signal(): boolean {
    return false;
  }

  endRegistration(): boolean {
    return true;
  }

  // --- its life ---------------------------------------------------------------------------------------------------

  shutDown(): void {
    this.isUp = false;
    this.lostAt = this.timeline.now;
    this.diedAt = this.lostAt;
    this.endAgent();
    this.daemons?.shutDown();
    this.device.loseInstances();
    this.allocations.clear();
    this.#offered = new Map();
    this.#pluginRound += 1;
  }

  comeUp(): void {
    if (this.isUp || !this.node) return;
    this.isUp = true;
    this.diedAt = undefined;
    this.boot += 1;
    if (this.daemons) this.daemons.comeUp();
    else {
      this.tellStart();
      this.devicesChanged();
    }
    this.startAgent(3000);
  }

  /** Its Node is deleted, and it does not come back. */
  leave(): void {
    const { api, name, partition: old } = this;
    this.endAgent();
    this.isUp = false;
    for (const pod of this.#world.podsOf(name)) api.delete('pods', pod.metadata.uid ?? '', 'cluster');
    if (this.node) api.delete('nodes', name, 'user');
    if (api.find('agents', `agent-${name}`)) api.delete('agents', `agent-${name}`, 'cluster');
    this.later(100, 15_000, () => this.collectGarbage(old));
  }
}
