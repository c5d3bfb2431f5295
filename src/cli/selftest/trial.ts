import type { GpuTarget } from '../../core/smi/change.ts';
import { demandGpu, type DeviceState, type GpuState } from '../../core/gpu/device-state.ts';
import { applyNode, type DeviceApplyOptions, demandDeviceError, noteGpu } from '../../device/apply.ts';
import { askAll } from '../../core/text/asking.ts';
import type { NvidiaSmi } from '../../device/nvidia-smi.ts';
import { type ChangeTest, tryProfiles } from '../../core/smi/selftest-change.ts';
import type { Runner } from '../../device/child.ts';
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
  /** What pods hold. */
  readonly held: ReadonlySet<string>;
  readonly runner: Runner;
  /** Called before anything is changed. */
  readonly onBegin: (gpu: GpuState) => Promise<void>;
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

  /** @param found fresh reading */
  constructor(driver: NvidiaSmi, found: DeviceState, gpu: GpuState, options: ChangeTestOptions) {
    this.#driver = driver;
    this.#found = found;
    this.#last = found;
    this.#gpu = gpu;
    this.#options = options;
  }

  /** The GPU is restored even after an error of a step, which the trial is told. */
  run(): Promise<ChangeTest> {
    const { held, onBegin, onProfile, runner } = this.#options;
    return askAll(tryProfiles(this.#found, this.#gpu, held), (step) =>
      this.#take(async () => {
        switch (step.action) {
          case 'Begin':
            return onBegin(this.#gpu);
          case 'Become':
            return this.#become(step.target);
          case 'Read':
            return this.#see(await this.#driver.readDevice());
          case 'ReadTables':
            return askAll(step.reading, (command) => runner.run(command));
          case 'Tell':
            return onProfile(step.test);
        }
      }),
    );
  }

  /** Takes a step of the trial, and the time of it. */
  async #take(carryOut: () => Promise<void>) {
    const begin = performance.now();
    const error = await carryOut().then(() => undefined, demandDeviceError);
    const [ms, stopped] = [performance.now() - begin, this.#options.stop()];
    return error === undefined ? { ms, stopped, gpu: this.#gpu } : { ms, stopped, error };
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
    const held = await reportAsync(3, listHeld);
    const test = await withSignal((signal) =>
      new GpuTrial(driver, device, gpu, {
        apply: { host, listHeld, allowReset: options.allowGpuReset === true, explainStop: () => lock.explainLoss() },
        stop: () => explainStop(signal, performance.now() > end, options.deadline),
        held,
        runner,
        onBegin: (begun) => {
          watcher.onBegin?.(begun);
          return reportAsync(1, () => journal.begin({ gpus: [noteGpu(begun)] }));
        },
        onProfile: (done) => watcher.onProfile?.(done),
      }).run(),
    );
    if (test.state === 'Refused') return test;
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

function findGpu({ gpus }: DeviceState, index: number): GpuState {
  const gpu = gpus.find((one) => one.index === index);
  if (gpu !== undefined) return gpu;
  const known = gpus.map((one) => one.index).join(', ');
  throw new CliError(`there is no GPU ${index} that answers; there is ${known === '' ? 'none' : known}`);
}
