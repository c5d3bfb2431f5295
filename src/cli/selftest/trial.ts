import { planReturn, type GpuTarget } from '../../core/gpu/plan.ts';
import type { Profile } from '../../core/gpu/geometry.ts';
import { placeOf } from '../../core/gpu/grid.ts';
import { demandGpu, type DeviceState, type GpuState, toInstances } from '../../core/gpu/device-state.ts';
import { applyNode, type DeviceApplyOptions, demandDeviceError } from '../../device/apply.ts';
import type { NvidiaSmi } from '../../device/nvidia-smi.ts';
import { DeviceError } from '../../core/gpu/device-error.ts';
import {
  layoutBefore,
  type ChangeTest,
  describeGpuState,
  listMigUuids,
  type ProfileTest,
  verifyProfile,
  refuseTest,
  refuseChange,
} from '../../core/host/selftest-change.ts';
import { redactFault } from '../../core/host/selftest-bundle.ts';
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
  readonly onProfile: (test: ProfileTest) => void;
}

/** Tries the profiles of one GPU. It is left as it was found, whatever happens. */
class GpuTrial {
  readonly #driver: NvidiaSmi;
  readonly #options: ChangeTestOptions;
  readonly #before: GpuState;
  readonly #found: DeviceState;
  readonly #profiles: ProfileTest[] = [];
  /** Placements created here: nothing else that appears meanwhile is ever destroyed. */
  readonly #made = new Set<string>();
  /** The reading that verified the last change. */
  #last: DeviceState | undefined;

  /** @param found fresh reading; the GPU is idle, and can be restored */
  constructor(driver: NvidiaSmi, found: DeviceState, gpu: GpuState, options: ChangeTestOptions) {
    this.#driver = driver;
    this.#found = found;
    this.#last = found;
    this.#before = gpu;
    this.#options = options;
  }

  async run(): Promise<ChangeTest> {
    const tried = await this.#tryAll().then(
      (stopped) => ({ stopped }),
      (error: unknown) => ({ error }),
    );
    // Restored even if nothing went as it should.
    const { isPutBack, otherUuids, reason } = await this.#putBack();
    const failure = 'error' in tried ? redactFault(demandDeviceError(tried.error)) : undefined;
    const stopped = 'stopped' in tried ? tried.stopped : undefined;
    const failed = !isPutBack || failure !== undefined || this.#profiles.some(({ outcome }) => outcome === 'Failed');
    const why = [failure, stopped, reason].filter((text) => text !== undefined).join('; ');
    const { index, uuid, product, mig } = this.#before;
    return {
      index,
      uuid,
      product,
      state: failed ? 'Failed' : stopped === undefined ? 'Passed' : 'Stopped',
      ...(why === '' ? {} : { reason: why }),
      mig: mig?.current ?? null,
      profiles: this.#profiles,
      isPutBack,
      otherUuids,
    };
  }

  /** @returns why it ended early */
  async #tryAll(): Promise<string | undefined> {
    const { uuid } = this.#before;
    const empty = await this.#become({ uuid, want: {} });
    // With MIG mode on: some drivers list no profiles without it.
    const placed = (empty.geometry?.profiles ?? []).flatMap((profile) =>
      profile.starts.slice(0, 1).map((start) => ({ profile, start })),
    );
    if (placed.length === 0) {
      const found = 'the driver lists no profile that has a place';
      throw new DeviceError('NotSupported', { tried: 'to try each profile', found, gpu: empty.pciBusId });
    }
    for (const { profile, start } of placed) {
      const stopped = this.#options.stop();
      if (stopped !== undefined) return stopped;
      await this.#try(profile, start);
    }
    return undefined;
  }

  async #try(profile: Profile, start: number): Promise<void> {
    const { name } = profile;
    const { uuid } = this.#before;
    const step = { profile: name, start, computeInstances: [name] };
    const times = { makeMs: 0, verifyMs: 0, undoMs: 0 };
    this.#made.add(placeOf({ profile: name, start }));
    let error: DeviceError | undefined;
    try {
      const made = await timed(times, 'makeMs', () =>
        this.#become({ uuid, want: { [name]: 1 }, steps: [{ action: 'CreateInstance', ...step }] }),
      );
      verifyProfile(made, profile, start);
      await timed(times, 'verifyMs', () => this.#options.readTables());
    } catch (cause) {
      error = demandDeviceError(cause);
    }
    const destroy = { uuid, want: {}, steps: [{ action: 'DestroyInstance' as const, ...step }] };
    let undoError: DeviceError | undefined;
    try {
      await timed(times, 'undoMs', () => this.#become(destroy));
      await this.#options.readTables();
    } catch (cause) {
      undoError = demandDeviceError(cause);
    }
    const first = error ?? undoError;
    const test: ProfileTest = {
      profile: name,
      start,
      outcome: first === undefined ? 'Passed' : 'Failed',
      ...times,
      ...(first === undefined ? {} : { error: redactFault(first) }),
    };
    this.#profiles.push(test);
    this.#options.onProfile(test);
    // What cannot be destroyed leaves no empty GPU for the next; a driver that does not answer will not answer then.
    if (undoError !== undefined || error?.stopsNode === true) throw undoError ?? error;
  }

  async #putBack(): Promise<Pick<ChangeTest, 'isPutBack' | 'otherUuids' | 'reason'>> {
    try {
      const now = await this.#returnAll();
      const wanted = describeGpuState(this.#before);
      const found = describeGpuState(now);
      if (found !== wanted) return { isPutBack: false, otherUuids: 0, reason: `it was ${wanted}, and is ${found}` };
      const uuids = new Set(listMigUuids(now));
      return { isPutBack: true, otherUuids: listMigUuids(this.#before).filter((uuid) => !uuids.has(uuid)).length };
    } catch (error) {
      const reason = `it could not be put back (it was ${describeGpuState(this.#before)}): ${redactFault(demandDeviceError(error))}`;
      return { isPutBack: false, otherUuids: 0, reason };
    }
  }

  async #returnAll(): Promise<GpuState> {
    this.#last = await this.#driver.readDevice();
    const now = demandGpu(this.#last, this.#before.uuid);
    if (describeGpuState(now) === describeGpuState(this.#before)) return now;
    const { uuid } = now;
    if (this.#before.mig?.current !== 'Enabled') {
      const steps = planReturn(toInstances(now), [], (one) => this.#made.has(placeOf(one)));
      return this.#become({ uuid, want: 'Disabled', steps });
    }
    const want = layoutBefore(this.#before, this.#found) ?? {};
    const steps = planReturn(toInstances(now), toInstances(this.#before), (one) => this.#made.has(placeOf(one)));
    return this.#become({ uuid, want, steps });
  }

  /** Changes the GPU to this state and verifies it. @throws DeviceError */
  async #become(target: GpuTarget): Promise<GpuState> {
    const device = this.#last;
    this.#last = undefined;
    const done = await applyNode(this.#driver, [target], {
      ...this.#options.apply,
      ...(device === undefined ? {} : { device }),
      undo: true,
    });
    const [result] = done.results;
    if (result?.error !== undefined) throw result.undoError ?? result.error;
    this.#last = done.device ?? (await this.#driver.readDevice());
    return demandGpu(this.#last, target.uuid);
  }
}

async function timed<Name extends string, Result>(
  times: Record<Name, number>,
  name: Name,
  run: () => Promise<Result>,
): Promise<Result> {
  const begin = performance.now();
  try {
    return await run();
  } finally {
    times[name] = performance.now() - begin;
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
      throw new CliError(
        'an earlier change was interrupted: finish it with node apply or node reset, then try this',
        1,
      );
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
