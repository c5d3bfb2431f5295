import type { DeviceReport, GpuReport, InstanceReport } from '../../src/api/types.ts';
import { toModelReport } from './slices.ts';
import { findModel, type GpuModel } from '../../src/core/gpu/geometry.ts';
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
  /** The driver's table of profiles is reported. */
  readonly #isNamed: boolean;
  /** What is made again at the same place has the same UUID. */
  readonly #repeatsUuids: boolean;
  #made = 0;
  /** Incremented when the readable state of the device changes. */
  version = 0;
  /** UUIDs of GPUs and MIG devices that run a process. */
  readonly processes = new Map<string, number>();
  #read: { readonly version: number; readonly gpus: readonly GpuReport[] } | undefined;

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

  report(): Required<Pick<DeviceReport, 'driverVersion' | 'cudaVersion'>> &
    Pick<DeviceReport, 'models'> & { readonly gpus: readonly GpuReport[] } {
    if (this.#read?.version !== this.version) {
      this.#read = { version: this.version, gpus: this.gpus.map((gpu) => this.#describe(gpu)) };
    }
    const models = this.#isNamed && { models: [toModelReport(this.#product, this.model)] };
    return { driverVersion: '550.54.15', cudaVersion: '12.4', ...models, gpus: this.#read.gpus };
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
    this.version += 1;
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

  /** What no instance survives: a reboot, or a reload of the driver. */
  loseInstances(): void {
    for (const gpu of this.gpus) {
      gpu.slices = [];
      gpu.isLost = false;
    }
    this.version += 1;
  }

  sizeOf(profile: string): number {
    return this.model.profiles.find(({ name }) => name === profile)?.memorySlices ?? 0;
  }

  #create(gpu: Gpu, profile: string, start: number): void {
    if (gpu.mig !== 'Enabled') throw new DriverRefusal('NothingDone', 'no MIG-enabled device found');
    const known = this.model.profiles.find(({ name }) => name === profile);
    const end = start + this.sizeOf(profile);
    const computeSlices = (name: string): number =>
      this.model.profiles.find((one) => one.name === name)?.computeSlices ?? 0;
    const used = gpu.slices.reduce((sum, one) => sum + computeSlices(one.profile), 0);
    const isFree = gpu.slices.every((one) => end <= one.start || start >= one.start + this.sizeOf(one.profile));
    const isPlace = known?.starts.includes(start) === true;
    if (!isFree || !isPlace || used + computeSlices(profile) > this.model.computeSlices)
      throw new DriverRefusal('NoRoom', `no room for ${profile} at ${start}`);
    const gi = Array.from({ length: 15 }, (_, id) => id).find((id) => gpu.slices.every((one) => one.gi !== id)) ?? 15;
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

  #describe({ uuid, index, mig, pending, slices, isLost }: Gpu): GpuReport {
    const common = { uuid, index, pciBusId: `00000000:0${index}:00.0`, product: this.#product };
    if (isLost) return { ...common, error: 'GpuLost: fell off the bus', instances: [] };
    return {
      ...common,
      memoryMiB: this.model.memoryMiB ?? 0,
      computeCapability: '8.0',
      migCapable: true,
      mig,
      ...(pending !== undefined && { migPending: pending }),
      ...(this.processes.has(uuid) && { busy: true }),
      instances: slices.map((slice) => this.#describeSlice(slice)),
    };
  }

  #describeSlice({ profile, start, gi, uuid }: Slice): InstanceReport {
    const known = this.model.profiles.find(({ name }) => name === profile);
    return {
      profile,
      gi,
      start,
      ...(this.processes.has(uuid) && { busy: true }),
      computeInstances: [
        { profile, uuid, memoryMiB: known?.memoryMiB ?? 0, multiprocessors: known?.multiprocessors ?? 0 },
      ],
    };
  }
}
