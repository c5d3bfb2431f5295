import type { DeviceReport, GpuReport } from '../../src/api/types.ts';
import { reportDevice } from '../../src/core/device/agent.ts';
import type {
  DeviceState,
  GpuInstanceState,
  GpuState,
  LostGpu,
  ProcessState,
} from '../../src/core/gpu/device-state.ts';
import { findModel, type GpuModel, type Profile } from '../../src/core/gpu/geometry.ts';
import type { Step } from '../../src/core/gpu/plan.ts';

export interface Slice {
  readonly profile: string;
  readonly start: number;
  readonly gi: number;
  readonly uuid: string;
  /** No two have the same. */
  readonly serial: number;
}

export interface Gpu {
  readonly uuid: string;
  readonly index: number;
  mig: 'Enabled' | 'Disabled';
  /** Set, and in effect after the next boot. */
  pending?: 'Enabled' | 'Disabled' | undefined;
  slices: readonly Slice[];
  /** GPU instances without a compute instance: they take their place, and cannot be used. */
  emptied: readonly Omit<Slice, 'uuid' | 'serial'>[];
  isLost: boolean;
}

/** An operation that the driver refuses. */
export class DriverRefusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The real state of a node's GPUs, and who has them open. */
export class ModelDevice {
  readonly gpus: readonly Gpu[];
  readonly model: GpuModel;
  readonly #product: string;
  /** The driver shows its own table of profiles, whether or not MIG mode is on. */
  readonly #isNamed: boolean;
  /** What is made again at the same place has the same UUID. */
  readonly #repeatsUuids: boolean;
  #made = 0;
  /** Incremented when the readable state of the device changes. */
  version = 0;
  /** UUIDs of GPUs and MIG devices that run a process. */
  readonly processes = new Map<string, number>();
  #state: { readonly version: number; readonly state: DeviceState; readonly report: ModelReading } | undefined;

  constructor(product: string, count: number, isNamed: boolean, repeatsUuids = !isNamed) {
    const model = findModel(product);
    if (!model) throw new Error(`unknown model ${product}`);
    this.model = model;
    this.#product = product;
    this.#isNamed = isNamed;
    this.#repeatsUuids = repeatsUuids;
    this.gpus = Array.from({ length: count }, (_, index) => ({
      uuid: `GPU-${index}`,
      index,
      mig: 'Disabled' as const,
      slices: [],
      emptied: [],
      isLost: false,
    }));
  }

  /** UUIDs of all devices that a plugin could hand out. */
  get uuids(): ReadonlySet<string> {
    return new Set(
      this.gpus
        .filter(({ isLost }) => !isLost)
        .flatMap(({ uuid, slices }) => [uuid, ...slices.map((slice) => slice.uuid)]),
    );
  }

  /** Tells a device from an earlier one of the same UUID; 0 for a whole GPU. */
  serialOf(uuid: string): number | undefined {
    if (this.gpus.some((gpu) => gpu.uuid === uuid)) return 0;
    return this.gpus.flatMap(({ slices }) => slices).find((slice) => slice.uuid === uuid)?.serial;
  }

  /** What the driver shows. */
  get state(): DeviceState {
    return this.#readOnce().state;
  }

  /** The same as an agent reports it. */
  report(): ModelReading {
    return this.#readOnce().report;
  }

  #readOnce(): { readonly state: DeviceState; readonly report: ModelReading } {
    if (this.#state?.version !== this.version) {
      const state: DeviceState = {
        driverVersion: '570.86.15',
        cudaVersion: '12.8',
        gpus: this.gpus.filter(({ isLost }) => !isLost).map((gpu) => this.#describe(gpu)),
        lost: this.gpus.filter(({ isLost }) => isLost).map((gpu) => this.#describeLost(gpu)),
      };
      this.#state = { version: this.version, state, report: { gpus: [], ...reportDevice(state) } };
    }
    return this.#state;
  }

  startProcess(uuid: string): void {
    this.processes.set(uuid, (this.processes.get(uuid) ?? 0) + 1);
    this.version += 1;
  }

  endProcess(uuid: string): void {
    const left = (this.processes.get(uuid) ?? 0) - 1;
    if (left > 0) this.processes.set(uuid, left);
    else this.processes.delete(uuid);
    this.version += 1;
  }

  /**
   * @param needsBoot as in a virtual machine, which can reset no GPU
   * @throws DriverRefusal
   */
  setMode(gpu: Gpu, mode: Gpu['mig'], isOpen: boolean, needsBoot = false): void {
    if (gpu.isLost) throw new DriverRefusal('GpuLost', 'the GPU is lost');
    if (gpu.mig === mode || needsBoot) {
      this.version += 1;
      gpu.pending = gpu.mig === mode ? undefined : mode;
      if (gpu.mig === mode) return;
      throw new DriverRefusal('RebootRequired', 'the mode stays pending');
    }
    const users = [gpu.uuid, ...gpu.slices.map(({ uuid }) => uuid)].filter((uuid) => this.processes.has(uuid));
    if (users.length > 0 || isOpen) throw new DriverRefusal('InUse', 'somebody has the GPU open');
    gpu.mig = mode;
    gpu.slices = [];
    gpu.emptied = [];
    this.version += 1;
  }

  /** Destroys the compute instance of a GPU instance. @throws DriverRefusal */
  empty(gpu: Gpu, gi: number): void {
    const slice = gpu.slices.find((one) => one.gi === gi);
    if (slice === undefined) return;
    this.#destroy(gpu, slice.profile, slice.start);
    const { profile, start } = slice;
    gpu.emptied = [...gpu.emptied, { profile, start, gi }];
    this.version += 1;
  }

  /** Makes the compute instance of an empty GPU instance. @throws DriverRefusal */
  fill(gpu: Gpu, gi: number): void {
    const { profile, start } = this.#takeEmpty(gpu, gi);
    this.#create(gpu, profile, start, gi);
    this.version += 1;
  }

  /** Destroys an empty GPU instance. @throws DriverRefusal */
  remove(gpu: Gpu, gi: number): void {
    if (gpu.slices.some((one) => one.gi === gi)) throw new DriverRefusal('InUse', 'it has a compute instance');
    this.#takeEmpty(gpu, gi);
    this.version += 1;
  }

  #takeEmpty(gpu: Gpu, gi: number): Omit<Slice, 'uuid' | 'serial'> {
    const found = gpu.emptied.find((one) => one.gi === gi);
    if (!found) throw new DriverRefusal('NothingDone', `no empty GPU instance ${gi}`);
    gpu.emptied = gpu.emptied.filter((one) => one !== found);
    return found;
  }

  /** @throws DriverRefusal */
  takeStep(gpu: Gpu, { action, profile, start }: Pick<Step, 'action' | 'profile' | 'start'>): void {
    if (gpu.isLost) throw new DriverRefusal('GpuLost', 'the GPU is lost');
    if (action === 'CreateInstance') this.#create(gpu, profile, start);
    if (action === 'DestroyInstance') this.#destroy(gpu, profile, start);
    this.version += 1;
  }

  /** @param keepsMode whether MIG mode survives, and what was pending is in effect */
  boot(keepsMode: boolean): void {
    for (const gpu of this.gpus) {
      gpu.mig = keepsMode ? (gpu.pending ?? gpu.mig) : 'Disabled';
      gpu.pending = undefined;
    }
    this.loseInstances();
  }

  /** Resets a GPU, which nothing may have open. */
  reset(gpu: Gpu): void {
    gpu.mig = gpu.pending ?? gpu.mig;
    gpu.pending = undefined;
    gpu.slices = [];
    gpu.emptied = [];
    this.version += 1;
  }

  /** What no instance survives: a reboot, or a reload of the driver. */
  loseInstances(): void {
    for (const gpu of this.gpus) {
      gpu.slices = [];
      gpu.emptied = [];
      gpu.isLost = false;
    }
    this.version += 1;
  }

  sizeOf(profile: string): number {
    return this.find(profile)?.memorySlices ?? 0;
  }

  find(profile: string): Profile | undefined {
    return this.model.profiles.find(({ name }) => name === profile);
  }

  #create(gpu: Gpu, profile: string, start: number, own?: number): void {
    if (gpu.mig !== 'Enabled') throw new DriverRefusal('NothingDone', 'no MIG-enabled device found');
    const known = this.find(profile);
    const end = start + this.sizeOf(profile);
    const computeSlices = (name: string): number => this.find(name)?.computeSlices ?? 0;
    const there = [...gpu.slices, ...gpu.emptied];
    const used = there.reduce((sum, one) => sum + computeSlices(one.profile), 0);
    const isFree = there.every((one) => end <= one.start || start >= one.start + this.sizeOf(one.profile));
    const isPlace = known?.starts.includes(start) === true;
    if (!isFree || !isPlace || used + computeSlices(profile) > this.model.computeSlices)
      throw new DriverRefusal('NoRoom', `no room for ${profile} at ${start}`);
    const gi = own ?? Array.from({ length: 15 }, (_, id) => id).find((id) => there.every((one) => one.gi !== id)) ?? 15;
    this.#made += 1;
    const uuid = `MIG-${gpu.index}-${profile}-${start}${this.#repeatsUuids ? '' : `-${this.#made}`}`;
    gpu.slices = [...gpu.slices, { profile, start, gi, uuid, serial: this.#made }].toSorted(
      (a, b) => a.start - b.start,
    );
  }

  #destroy(gpu: Gpu, profile: string, start: number): void {
    const slice = gpu.slices.find((one) => one.profile === profile && one.start === start);
    if (!slice) throw new DriverRefusal('NothingDone', `no ${profile} at ${start}`);
    if (this.processes.has(slice.uuid)) throw new DriverRefusal('InUse', 'a process runs on it');
    gpu.slices = gpu.slices.filter((one) => one !== slice);
  }

  #describe(gpu: Gpu): GpuState {
    const { uuid, index, mig, pending, slices, emptied } = gpu;
    const instances = [
      ...slices.map((slice) => this.#describeInstance(slice, slice.uuid)),
      ...emptied.map((instance) => this.#describeInstance(instance, undefined)),
    ];
    return {
      uuid,
      index,
      pciBusId: busIdOf(gpu),
      pciDeviceId: undefined,
      pciClass: undefined,
      product: this.#product,
      memoryMiB: this.model.memoryMiB ?? 0,
      computeCapability: '8.0',
      migCapable: true,
      mig: { current: mig, pending: pending ?? mig },
      instances: instances.toSorted((a, b) => a.start - b.start),
      geometry: this.model,
      tableSource: this.#isNamed ? 'Own' : 'BuiltIn',
      processes: this.#processesOn(uuid),
      health: undefined,
      vgpuHost: undefined,
      fault: undefined,
    };
  }

  #describeLost(gpu: Gpu): LostGpu {
    const { uuid, index } = gpu;
    const fault = { code: 'GpuLost', message: 'fell off the bus' } as const;
    return { pciBusId: busIdOf(gpu), uuid, index, product: this.#product, instances: [], fault };
  }

  #describeInstance(
    { profile, start, gi }: Omit<Slice, 'uuid' | 'serial'>,
    uuid: string | undefined,
  ): GpuInstanceState {
    const { id = 0, memoryMiB = 0, multiprocessors = 0, computeSlices = 0, engines } = this.find(profile) ?? {};
    const slices = { gpuInstance: computeSlices, computeInstance: computeSlices };
    const attributes = engines && { memoryMiB, multiprocessors, engines, slices };
    return {
      profile,
      profileId: id,
      id: gi,
      start,
      size: this.sizeOf(profile),
      computeInstances: uuid === undefined ? [] : [{ id: 0, profile, uuid, attributes }],
      processes: uuid === undefined ? [] : this.#processesOn(uuid),
    };
  }

  #processesOn(uuid: string): readonly ProcessState[] {
    return Array.from({ length: this.processes.get(uuid) ?? 0 }, (_, at) => ({ pid: 1000 + at, name: 'train' }));
  }
}

/** A reading, as reported. */
type ModelReading = Pick<DeviceReport, 'driverVersion' | 'cudaVersion' | 'models'> & {
  readonly gpus: readonly GpuReport[];
};

export function busIdOf({ index }: Pick<Gpu, 'index'>): string {
  return `00000000:0${index}:00.0`;
}
