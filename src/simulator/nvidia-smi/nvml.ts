import {
  type CiProfile,
  driverOf,
  type DriverVersions,
  durationOf,
  openingOf,
  type GiProfile,
  listGiProfiles,
} from './board.ts';
import * as device from './device.ts';
import type { SimulatedGpu } from './device.ts';
import { type FaultEffect, type FaultTarget, type HealthSign, strike } from './faults.ts';
import {
  type ComputeInstance,
  type GpuInstance,
  type GpuProcess,
  type NodeState,
  gpuStateOf,
  withPersistence,
} from './state.ts';
import { type NvmlCall, NVML, NvmlFailure } from './nvml-code.ts';
import type { World } from './world.ts';

export interface MigModePair {
  readonly current: boolean;
  readonly pending: boolean;
}

/**
 * The library under nvidia-smi: every method is one NVML call, is subject to faults, and throws {@link NvmlFailure}.
 * Calls that the real library reserves for root fail with Insufficient Permissions for other users.
 */
export class Nvml {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  get gpus(): readonly SimulatedGpu[] {
    return this.#world.gpus;
  }

  get driver(): DriverVersions {
    return driverOf(this.gpus, this.#world.driver);
  }

  init(): void {
    this.#enter('Init', {});
  }

  /** Opens a GPU, which fails if it is lost. */
  open(gpu: SimulatedGpu): undefined {
    this.#enter('DeviceGetHandleByIndex_v2', { gpu: gpu.index });
    if (this.#world.pace > 0 && !this.isPersistent(gpu) && !device.isOpen(this.#world.readState(), gpu.index))
      this.#spend(openingOf(gpu.board.model));
  }

  getMigMode(gpu: SimulatedGpu): MigModePair {
    this.#enter('DeviceGetMigMode', { gpu: gpu.index });
    if (gpu.board.model === undefined) throw new NvmlFailure(NVML.notSupported);
    const { migCurrent, migPending } = gpuStateOf(this.#world.readState(), gpu.index);
    return { current: migCurrent, pending: migPending };
  }

  /** Memory of a GPU. If this fails, nvidia-smi prints the error's text in place of each number. */
  checkMemory(gpu: SimulatedGpu): undefined {
    this.#enter('DeviceGetMemoryInfo', { gpu: gpu.index });
  }

  /** Signs in the report that the GPU is unhealthy. */
  listHealthSigns(gpu: SimulatedGpu): ReadonlySet<HealthSign> {
    const effects = this.#strike('DeviceGetHealth', { gpu: gpu.index });
    return new Set(effects.flatMap((effect) => (effect.kind === 'unhealthy' ? [effect.sign] : [])));
  }

  /** Processes on a GPU; a `skip` fault hides them. */
  listProcesses(gpu: SimulatedGpu): readonly GpuProcess[] {
    const effects = this.#enter('DeviceGetComputeRunningProcesses', { gpu: gpu.index });
    return effects.some(({ kind }) => kind === 'skip')
      ? []
      : this.#world.readState().processes.filter((process) => process.gpu === gpu.index);
  }

  isPersistent(gpu: SimulatedGpu): boolean {
    const isOff = this.#world.readState().unpersistent?.includes(gpu.index) === true;
    const effects = this.#strike('DeviceGetPersistenceMode', { gpu: gpu.index });
    return !isOff && !effects.some(({ kind }) => kind === 'persistenceOff');
  }

  setPersistence(gpu: SimulatedGpu, on: boolean): undefined {
    return this.#change('DeviceSetPersistenceMode', { gpu: gpu.index }, (state) => ({
      state: withPersistence(state, gpu.index, on),
      result: undefined,
    }));
  }

  isVgpuHost(gpu: SimulatedGpu): boolean {
    return this.#strike('DeviceGetVirtualizationMode', { gpu: gpu.index }).some(({ kind }) => kind === 'vgpuHost');
  }

  getGiProfiles(gpu: SimulatedGpu): readonly GiProfile[] {
    const effects = this.#enter('DeviceGetGpuInstanceProfileInfo', { gpu: gpu.index });
    this.#requireRoot();
    const isRefused = effects.some(({ kind }) => kind === 'tablesOff');
    if (isRefused && !gpuStateOf(this.#world.readState(), gpu.index).migCurrent)
      throw new NvmlFailure(NVML.notSupported);
    return listShown(gpu, effects, this.driver);
  }

  /** The profiles that this driver knows, as `-cgi` looks them up: open to every user. */
  findGiProfiles(gpu: SimulatedGpu): readonly GiProfile[] {
    return listShown(gpu, this.#strike('DeviceGetGpuInstanceProfileInfo', { gpu: gpu.index }), this.driver);
  }

  checkGiPlacements(gpu: SimulatedGpu): void {
    this.#enter('DeviceGetGpuInstancePossiblePlacements', { gpu: gpu.index });
    this.#requireRoot();
  }

  /** GPU instances in nvidia-smi's order: by profile as in -lgip, then by id. */
  getGpuInstances(gpu: SimulatedGpu): readonly GpuInstance[] {
    this.#enter('DeviceGetGpuInstances', { gpu: gpu.index });
    this.#requireRoot();
    const instances = gpuStateOf(this.#world.readState(), gpu.index).gpuInstances;
    return listGiProfiles(gpu.board).flatMap(({ id }) => instances.filter(({ profileId }) => profileId === id));
  }

  createGpuInstance(gpu: SimulatedGpu, profile: GiProfile, start: number | undefined): GpuInstance {
    const call = start === undefined ? 'DeviceCreateGpuInstance' : 'DeviceCreateGpuInstanceWithPlacement';
    return this.#change(call, { gpu: gpu.index }, (state) => device.createGpuInstance(gpu, state, profile, start));
  }

  destroyGpuInstance(gpu: SimulatedGpu, gi: number): undefined {
    return this.#change('GpuInstanceDestroy', { gpu: gpu.index, gi }, (state) =>
      device.destroyGpuInstance(gpu, state, gi),
    );
  }

  createComputeInstance(gpu: SimulatedGpu, gi: number, profile: CiProfile, start: number | undefined): ComputeInstance {
    const call =
      start === undefined ? 'GpuInstanceCreateComputeInstance' : 'GpuInstanceCreateComputeInstanceWithPlacement';
    return this.#change(call, { gpu: gpu.index, gi }, (state) =>
      device.createComputeInstance(gpu, state, gi, profile, start),
    );
  }

  destroyComputeInstance(gpu: SimulatedGpu, gi: number, ci: number): undefined {
    const target = { gpu: gpu.index, gi, ci };
    return this.#change('ComputeInstanceDestroy', target, (state) => device.destroyComputeInstance(gpu, state, gi, ci));
  }

  /** Returns the activation status: 0, or the code that explains why the mode is only pending. */
  setMigMode(gpu: SimulatedGpu, enable: boolean): number {
    const target = { gpu: gpu.index };
    return this.#change('DeviceSetMigMode', target, (state, effects) => {
      const pending = effects.find((effect) => effect.kind === 'pending');
      return device.setMigMode(gpu, state, enable, pending?.code);
    });
  }

  resetGpu(gpu: SimulatedGpu): undefined {
    const isHeld = this.isPersistent(gpu);
    return this.#change('GpuReset', { gpu: gpu.index }, (state) => device.resetGpu(gpu, state, isHeld));
  }

  /** Lets the time pass that something takes on a real GPU. */
  #spend(milliseconds: number): void {
    const scaled = Math.round(milliseconds * this.#world.pace);
    if (scaled > 0) this.#world.sleep(scaled);
  }

  #requireRoot(): void {
    if (this.#world.uid !== 0) throw new NvmlFailure(NVML.noPermission);
  }

  /** A call that reads: waits, hangs or fails as the faults demand. */
  #enter(call: NvmlCall, target: FaultTarget): readonly FaultEffect[] {
    const effects = this.#strike(call, target);
    effects.forEach((effect) => this.#suffer(effect));
    return effects;
  }

  /** A call that changes the device: checks permission, applies faults, changes, applies the faults that come after. */
  #change<T>(
    call: NvmlCall,
    target: FaultTarget,
    change: (state: NodeState, effects: readonly FaultEffect[]) => device.StateChange<T>,
  ): T {
    this.#requireRoot();
    const effects = this.#strike(call, target);
    const isLate = (effect: FaultEffect): boolean => 'done' in effect && effect.done;
    try {
      effects.filter((effect) => !isLate(effect)).forEach((effect) => this.#suffer(effect));
    } catch (error) {
      // The recorded mock library writes its state back even after a failed call.
      this.#world.changeState(call, (state) => state);
      throw error;
    }
    this.#spend(durationOf(call));
    const skipped = effects.some(({ kind }) => kind === 'skip');
    let result: { readonly value: T } | undefined;
    this.#world.changeState(call, (state) => {
      const changed = change(state, effects);
      result = { value: changed.result };
      return skipped ? state : changed.state;
    });
    effects.filter(isLate).forEach((effect) => this.#suffer(effect));
    if (result === undefined) {
      throw new Error(`${call}: the world did not run the change`);
    }
    return result.value;
  }

  #strike(call: NvmlCall, target: FaultTarget): readonly FaultEffect[] {
    return strike(this.#world, call, target);
  }

  #suffer(effect: FaultEffect): void {
    if (effect.kind === 'fail') throw new NvmlFailure(effect.code);
    if (effect.kind === 'sleep') this.#world.sleep(effect.milliseconds);
    if (effect.kind === 'hang') this.#world.hang(effect.dies);
  }
}

function listShown(
  gpu: SimulatedGpu,
  effects: readonly FaultEffect[],
  { isAfter470 }: DriverVersions,
): readonly GiProfile[] {
  const isLater = ({ name, computeSlices, size }: GiProfile): boolean =>
    computeSlices === 1 ? size > 1 : name.includes('+me');
  const isHidden = (profile: GiProfile): boolean =>
    (!isAfter470 && isLater(profile)) ||
    effects.some((effect) => effect.kind === 'hideProfile' && effect.profileId === profile.id);
  return listGiProfiles(gpu.board).filter((profile) => !isHidden(profile));
}
