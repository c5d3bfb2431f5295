import type { GpuTarget } from '../../core/gpu/plan.ts';
import { placeOf } from '../../core/gpu/grid.ts';
import { demandGpu, type DeviceState, type GpuState } from '../../core/gpu/device-state.ts';
import { applyNode, type DeviceApplyOptions, demandDeviceError } from '../../device/apply.ts';
import { askAll, type NvidiaSmi } from '../../device/nvidia-smi.ts';
import { type ChangeTest, refuseChange, tryProfiles, type TrialStep } from '../../core/smi/selftest-change.ts';
import type { Runner } from '../../device/child.ts';
import { describeCommand } from '../../core/smi/command.ts';
import { parseComputeInstances, parseInstances } from '../../core/smi/tables.ts';
import { openHostLoans } from '../../device/host/loans.ts';
import { CliError, type Terminal } from '../terminal.ts';
import {
  readHost,
  reportAsync,
  type HostLockOptions,
  withHostLock,
  listHeldOnHost,
  type PodOptions,
  refreshHost,
  type ToolkitOptions,
  withSignal,
} from '../node/host.ts';

interface ChangeTestOptions {
  /** Options of every apply. */
  readonly apply: Pick<DeviceApplyOptions, 'allowReset' | 'host' | 'listHeld' | 'explainStop' | 'onProgress'>;
  /** Why no further profile should be started; undefined to continue. */
  readonly stop: () => string | undefined;
  /** Reads the tables alone once more. @throws DeviceError if one is not understood */
  readonly readTables: () => Promise<void>;
  readonly onProfile: (test: ChangeTest['profiles'][number]) => void;
}

/** Carries out the trial of one GPU. */
class GpuTrial {
  readonly #driver: NvidiaSmi;
  readonly #options: ChangeTestOptions;
  readonly #found: DeviceState;
  /** The GPU as it was last read. */
  #gpu: GpuState;
  /** The reading that verified the last change. */
  #last: DeviceState | undefined;

  /** @param found fresh reading; the GPU is idle, and can be restored */
  constructor(driver: NvidiaSmi, found: DeviceState, gpu: GpuState, options: ChangeTestOptions) {
    this.#driver = driver;
    this.#found = found;
    this.#last = found;
    this.#gpu = gpu;
    this.#options = options;
  }

  /** The GPU is restored even after an error of a step, which the trial is told. */
  run(): Promise<ChangeTest> {
    return askAll(tryProfiles(this.#found, this.#gpu), (step) => this.#take(step));
  }

  async #take(step: TrialStep) {
    const begin = performance.now();
    const error = await this.#carryOut(step).then(() => undefined, demandDeviceError);
    const [ms, stopped] = [performance.now() - begin, this.#options.stop()];
    return error === undefined ? { ms, stopped, gpu: this.#gpu } : { ms, stopped, error };
  }

  async #carryOut(step: TrialStep): Promise<void> {
    switch (step.action) {
      case 'Become':
        return this.#become(step.target);
      case 'Read':
        return this.#see(await this.#driver.readDevice());
      case 'ReadTables':
        return this.#options.readTables();
      case 'Tell':
        return this.#options.onProfile(step.test);
    }
  }

  /** Changes the GPU to this state and verifies it. @throws DeviceError */
  async #become(target: GpuTarget): Promise<void> {
    const device = this.#last;
    this.#last = undefined;
    const done = await applyNode(this.#driver, [target], {
      ...this.#options.apply,
      ...(device === undefined ? {} : { device }),
      undo: true,
    });
    const [result] = done.results;
    if (result?.error !== undefined) throw result.undoError ?? result.error;
    this.#see(done.device ?? (await this.#driver.readDevice()));
  }

  #see(device: DeviceState): void {
    this.#last = device;
    this.#gpu = demandGpu(device, this.#gpu.uuid);
  }
}

export interface ChangeOptions extends PodOptions, ToolkitOptions, HostLockOptions {
  /** Index of the GPU. */
  readonly gpu: number;
  readonly allowGpuReset?: boolean;
  /** Seconds after which no further profile is tried. */
  readonly deadline: number;
}

/** Progress reports. */
export interface ChangeWatcher {
  readonly onBegin?: (gpu: GpuState) => void;
  readonly onProfile?: ChangeTestOptions['onProfile'];
}

/**
 * Tries every profile on one GPU, under the lock of this host, and restores everything.
 * @throws CliError with code 1 if the lock is not available, or a previous change was interrupted; with code 3 if the GPUs cannot be read
 */
export async function runChangeTest(
  driver: NvidiaSmi,
  runner: Runner,
  options: ChangeOptions,
  watcher: ChangeWatcher,
  { cwd }: Terminal,
): Promise<ChangeTest> {
  const end = performance.now() + options.deadline * 1000;
  return withHostLock(options, cwd, async ({ lock, journal, folder }) => {
    if (journal.read() !== undefined)
      throw new CliError(
        'an earlier change was interrupted: finish it with node apply or node reset, then try this',
        1,
      );
    const host = openHostLoans(driver, { folder });
    await host.giveBack();
    const device = await readHost(driver);
    const gpu = findGpu(device, options.gpu);
    const listHeld = listHeldOnHost(options, device);
    const refusal = refuseChange(gpu, device, await reportAsync(3, listHeld));
    if (refusal !== undefined) return refusal;
    watcher.onBegin?.(gpu);
    const placements = gpu.instances.map(placeOf);
    await reportAsync(1, () =>
      journal.begin({ gpus: [{ uuid: gpu.uuid, mig: gpu.mig?.current ?? 'Disabled', placements }] }),
    );
    const test = await withSignal((signal) =>
      new GpuTrial(driver, device, gpu, {
        apply: { host, listHeld, allowReset: options.allowGpuReset === true, explainStop: () => lock.explainLoss() },
        stop: () => explainStop(signal, performance.now() > end, options.deadline),
        readTables: () => readTables(runner),
        onProfile: (done) => watcher.onProfile?.(done),
      }).run(),
    );
    // If there was no instance before, none needs a device node now.
    const notes = [...(gpu.instances.length > 0 ? await refreshHost(options, cwd) : []), ...host.problems];
    if (test.isPutBack) journal.finish();
    return notes.length > 0 ? { ...test, notes } : test;
  });
}

function explainStop(signal: AbortSignal, isLate: boolean, deadline: number): string | undefined {
  if (signal.aborted) return 'asked to stop before every profile was tried';
  return isLate ? `the time was over before every profile was tried (--deadline ${deadline})` : undefined;
}

/** Reads the tables of the whole node: a recording uses them to determine the device's state. */
async function readTables(runner: Runner): Promise<void> {
  const [instances, parts] = [{ name: 'Instances' }, { name: 'ComputeInstances' }] as const;
  parseInstances(describeCommand(instances), await runner.run(instances));
  parseComputeInstances(describeCommand(parts), await runner.run(parts));
}

function findGpu({ gpus }: DeviceState, index: number): GpuState {
  const gpu = gpus.find((one) => one.index === index);
  if (gpu !== undefined) return gpu;
  const known = gpus.map((one) => one.index).join(', ');
  throw new CliError(`there is no GPU ${index} that answers; there is ${known === '' ? 'none' : known}`);
}
