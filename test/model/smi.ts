import {
  type DeviceState,
  type GpuInstanceState,
  type GpuState,
  DeviceError,
} from '../../src/core/gpu/device-state.ts';
import { type Execution, type ChangeCommand, type GpuReading, describeCommand } from '../../src/core/smi/command.ts';
import type { ReportedGpu } from '../../src/core/smi/report.ts';
import type { ComputeInstanceRow, InstanceRow } from '../../src/core/smi/tables.ts';
import { NvidiaSmi, type Permit } from '../../src/device/nvidia-smi.ts';
import type { Calls } from './client.ts';
import { busIdOf, DriverRefusal, type Gpu } from './device.ts';
import type { ModelMachine } from './machine.ts';

/** What is done to a GPU: to its mode, or to one of its instances. */
export type Operation =
  | 'Enable'
  | 'Disable'
  | {
      readonly action: 'CreateInstance' | 'DestroyInstance';
      readonly profile: string;
      readonly start: number;
    };

/** Words of nvidia-smi for what the driver refuses, and its exit code. */
const refusals: Readonly<Record<string, readonly [rc: number, words: string]>> = {
  GpuLost: [15, 'GPU is lost'],
  InUse: [19, 'In use by another client'],
  NoRoom: [23, 'Insufficient Resources'],
  NothingDone: [0, 'Not Found'],
  NotSupported: [3, 'Not Supported'],
};

/** A device in memory, as the agent's code sees the driver of a node. Each call takes its time, and an end of the process cuts it off. */
export class ModelSmi extends NvidiaSmi {
  readonly #machine: ModelMachine;
  readonly #calls: Calls;
  readonly #begin: (gpu: Gpu, operation: Operation) => void;

  /** What a reading of each name finds. */
  readonly #answers: Readonly<Record<GpuReading<unknown>['name'], (busId: string) => Promise<unknown>>> = {
    Use: (busId) => this.#readUse(busId),
    Instances: (busId) => this.#readInstances(busId),
    InstanceRows: (busId) => this.#listInstances(busId),
    ComputeInstanceRows: (busId) => this.#listComputeInstances(busId),
    Table: (busId) => this.#askOf(busId).then(() => this.#machine.device.model),
    // No layout of the model splits an instance.
    ComputeProfiles: () => Promise.resolve([]),
  };

  /** @param onBegin called before each operation that may disturb somebody, or creates an instance */
  constructor(machine: ModelMachine, calls: Calls, onBegin: (gpu: Gpu, operation: Operation) => void) {
    super(() => Promise.reject(new Error('the model runs no program')));
    this.#machine = machine;
    this.#calls = calls;
    this.#begin = onBegin;
  }

  /** Each reading is one of its own, though nothing has changed. */
  override readDevice(): Promise<DeviceState> {
    return this.#ask(20, 200, () => ({ ...this.#machine.device.state }));
  }

  override glanceAtDevice(): Promise<DeviceState> {
    return this.readDevice();
  }

  override read<Result>({ name, gpu }: GpuReading<Result>): Promise<Result> {
    return this.#answers[name](gpu) as Promise<Result>;
  }

  async #readInstances(busId: string): Promise<readonly GpuInstanceState[]> {
    const { instances } = await this.#askOf(busId);
    return instances.map(({ computeInstances, ...instance }) => ({
      ...instance,
      processes: [],
      computeInstances: computeInstances.map((part) => ({ ...part, uuid: undefined, attributes: undefined })),
    }));
  }

  async #listInstances(busId: string): Promise<readonly InstanceRow[]> {
    const { index: gpuIndex, instances } = await this.#askOf(busId);
    return instances.map(({ profile, profileId, id, start, size }) => ({
      gpuIndex,
      profile,
      profileId,
      id,
      start,
      size,
    }));
  }

  async #listComputeInstances(busId: string): Promise<readonly ComputeInstanceRow[]> {
    const { index: gpuIndex, instances } = await this.#askOf(busId);
    return instances.flatMap(({ id: instance, size, computeInstances }) =>
      computeInstances.map(({ id, profile }) => ({ gpuIndex, instance, profile, profileId: 0, id, start: 0, size })),
    );
  }

  async #readUse(busId: string): Promise<ReportedGpu> {
    const gpu = await this.#askOf(busId);
    return {
      ...gpu,
      isPersistent: undefined,
      minor: undefined,
      migDevices: gpu.instances.flatMap(({ id, computeInstances }) =>
        computeInstances.flatMap(({ id: computeInstance, attributes }, index) => {
          if (attributes === undefined) return [];
          const { memoryMiB, multiprocessors, engines } = attributes;
          return [{ index, instance: id, computeInstance, memoryMiB, usedMiB: undefined, multiprocessors, engines }];
        }),
      ),
      processes: [
        ...gpu.processes,
        ...gpu.instances.flatMap(({ id, processes }) => processes.map((one) => ({ ...one, instance: id }))),
      ],
    };
  }

  override async change(command: ChangeCommand, permit?: Permit): Promise<Execution> {
    await permit?.ask();
    return this.#calls.make(this.#run(command, permit));
  }

  #ask<Answer>(from: number, to: number, read: () => Answer): Promise<Answer> {
    const answer = (): Answer => {
      if (this.#machine.isDown) throw new DeviceError('TimedOut', { tried: 'nvidia-smi', found: 'no answer' });
      return read();
    };
    return this.#calls.make(this.#machine.wait(from, to, answer));
  }

  /** One GPU as the driver shows it. */
  #askOf(busId: string): Promise<GpuState> {
    return this.#ask(5, 40, () => {
      const found = this.#machine.device.state.gpus.find(({ pciBusId }) => pciBusId === busId);
      if (found) return found;
      throw new DeviceError('GpuLost', { tried: 'nvidia-smi -q -x', found: 'GPU is lost', gpu: busId });
    });
  }

  *#run(command: ChangeCommand, permit: Permit | undefined): Generator<number, Execution, undefined> {
    const { random, slowMs } = this.#machine;
    this.#machine.mayCrash();
    permit?.begin();
    const execution = this.#execute(command);
    yield random.between(50, 1500) + slowMs;
    this.#machine.mayCrash();
    return execution;
  }

  #execute(command: ChangeCommand): Execution {
    const { device, isDown } = this.#machine;
    if (isDown) return { rc: 0, stdout: '', end: 'TimedOut' };
    const gpu = device.gpus.find((one) => busIdOf(one) === command.gpu);
    if (!gpu) throw new Error(`no GPU ${command.gpu}`);
    const said: string[] = [];
    try {
      this.#act(gpu, command, said);
      return { rc: 0, stdout: said.join('\n'), end: 'Exited' };
    } catch (error) {
      if (!(error instanceof DriverRefusal)) throw error;
      const [rc, words] = refusals[error.code] ?? [255, 'Unknown Error'];
      return { rc, stdout: [...said, words].join('\n'), end: 'Exited' };
    } finally {
      this.#machine.devicesChanged();
    }
  }

  /** @param said takes what nvidia-smi prints @throws DriverRefusal where it stops */
  #act(gpu: Gpu, command: ChangeCommand, said: string[]): void {
    const { device, isGpuOpen, modeNeedsBoot } = this.#machine;
    const { index } = gpu;
    switch (command.name) {
      case 'SetMode':
        if (gpu.mig !== command.mode) this.#begin(gpu, command.mode === 'Enabled' ? 'Enable' : 'Disable');
        this.#mayFail();
        return this.#setMode(gpu, command.mode, isGpuOpen, modeNeedsBoot);
      case 'CreateInstances':
        for (const { profileId, start = 0 } of command.places) {
          const profile = device.model.profiles.find(({ id }) => id === profileId)?.name ?? '';
          this.#begin(gpu, { action: 'CreateInstance', profile, start });
          this.#mayFail();
          device.takeStep(gpu, { action: 'CreateInstance', profile, start });
          const gi = gpu.slices.find((one) => one.start === start)?.gi ?? 0;
          said.push(`Successfully created GPU instance ID ${gi} on GPU ${index}`);
          if (!command.whole) device.empty(gpu, gi);
          else said.push(`Successfully created compute instance ID 0 on GPU ${index} GPU instance ID ${gi}`);
          this.#machine.deviceIsMade(gpu, { profile, start });
        }
        return undefined;
      case 'CreateWholeComputeInstance': {
        const { instance } = command;
        this.#mayFail();
        device.fill(gpu, instance);
        const made = gpu.slices.find(({ gi }) => gi === instance);
        if (made) this.#machine.deviceIsMade(gpu, made);
        said.push(`Successfully created compute instance ID 0 on GPU ${index} GPU instance ID ${instance}`);
        return undefined;
      }
      case 'DestroyComputeInstances':
        for (const { profile, start } of gpu.slices.filter(({ gi }) => command.instances.includes(gi)))
          this.#begin(gpu, { action: 'DestroyInstance', profile, start });
        for (const gi of command.instances) {
          this.#mayFail();
          device.empty(gpu, gi);
          said.push(`Successfully destroyed compute instance ID 0 from GPU ${index} GPU instance ID ${gi}`);
        }
        return undefined;
      case 'DestroyInstances':
        for (const gi of command.instances) {
          this.#mayFail();
          device.remove(gpu, gi);
          said.push(`Successfully destroyed GPU instance ID ${gi} from GPU ${index}`);
        }
        return undefined;
      case 'Reset':
        throw new DriverRefusal('NotSupported', 'a virtual machine resets no GPU');
      default:
        throw new Error(`the model has no ${describeCommand(command)}`);
    }
  }

  /** A mode that waits for a boot is set, and no failure. */
  #setMode(gpu: Gpu, mode: Gpu['mig'], isOpen: boolean, needsBoot: boolean): void {
    try {
      this.#machine.device.setMode(gpu, mode, isOpen, needsBoot);
    } catch (error) {
      if (!(error instanceof DriverRefusal) || error.code !== 'RebootRequired') throw error;
    }
  }

  #mayFail(): void {
    if (this.#machine.failsNow()) throw new DriverRefusal('CommandFailed', 'the driver says no');
  }
}
