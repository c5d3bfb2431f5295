import { placeOf } from '../../core/gpu/search/instance.ts';
import type { NvidiaSmi } from '../../device/command/nvidia-smi.ts';
import type { Runner } from '../../device/command/runner.ts';
import { describeCommand } from '../../core/smi/smi-command.ts';
import { parseComputeInstances, parseInstances } from '../../core/smi/instance-table.ts';
import type { DeviceState, GpuState } from '../../core/gpu/state/device-state.ts';
import { openHostLoans } from '../../device/host/host-loans.ts';
import { CliError } from '../exit.ts';
import { readHost, reportAsync } from '../node/host.ts';
import { type HostLockOptions, withHostLock } from '../node/host-lock.ts';
import { listHeldOnHost, type PodOptions } from '../node/host-pods.ts';
import { refreshHost, type ToolkitOptions } from '../node/host-toolkit.ts';
import { withSignal } from '../node/with-signal.ts';
import type { Terminal } from '../terminal.ts';
import { refuseTest } from '../../core/selftest/change-refusal.ts';
import { type ChangeTest, type ProfileTest, refuseChange } from '../../core/selftest/change-test.ts';
import { GpuTrial } from './gpu-trial.ts';

export interface ChangeOptions extends PodOptions, ToolkitOptions, HostLockOptions {
  /** Index of the GPU. */
  readonly gpu: number;
  readonly allowGpuReset?: boolean;
  /** After this many seconds no further profile is tried. */
  readonly deadline: number;
}

/** Progress reports. */
export interface ChangeWatcher {
  readonly onBegin?: (gpu: GpuState) => void;
  readonly onProfile?: (test: ProfileTest) => void;
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
      throw new CliError('a change of before was cut off: end it with node apply or node reset, then try this', 1);
    const host = openHostLoans(driver, { folder });
    await host.giveBack();
    const device = await readHost(driver);
    const gpu = findGpu(device, options.gpu);
    const listHeld = listHeldOnHost(options, device);
    const reason = refuseTest(gpu, device, await reportAsync(3, listHeld));
    if (reason !== undefined) return refuseChange(gpu, reason);
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

/** For the whole node: a recording uses it to determine the device's state. */
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
