import { planReturn } from '../../core/gpu/plan/return-plan.ts';
import type { Profile } from '../../core/gpu/geometry/geometry.ts';
import { placeOf } from '../../core/gpu/search/instance.ts';
import { demandGpu } from '../../core/gpu/state/absence.ts';
import { applyNode } from '../../device/apply/apply.ts';
import type { DeviceApplyOptions } from '../../device/apply/apply-options.ts';
import type { GpuTarget } from '../../core/gpu/target/plan-target.ts';
import { demandDeviceError } from '../../device/apply/apply-task.ts';
import type { NvidiaSmi } from '../../device/command/nvidia-smi.ts';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import { type DeviceState, type GpuState, toInstances } from '../../core/gpu/state/device-state.ts';
import { layoutBefore } from '../../core/selftest/change-refusal.ts';
import {
  type ChangeTest,
  describeGpuState,
  listMigUuids,
  type ProfileTest,
  verifyProfile,
} from '../../core/selftest/change-test.ts';
import { redactFault } from '../../core/selftest/redaction.ts';

export interface ChangeTestOptions {
  /** Options of every apply. */
  readonly apply: Pick<DeviceApplyOptions, 'allowReset' | 'host' | 'listHeld' | 'explainStop' | 'onProgress'>;
  /** Why no further profile should be started; undefined to continue. */
  readonly stop: () => string | undefined;
  /** Reads the tables by themselves once more. @throws DeviceError if one is not understood */
  readonly readTables: () => Promise<void>;
  readonly onProfile: (test: ProfileTest) => void;
}

/** Tries the profiles of one GPU. It is left as it was found, whatever happens. */
export class GpuTrial {
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
