import type { Step } from '../core/planning/step.ts';
import type { GpuTarget, Place } from './apply-options.ts';
import { DeviceError } from './errors.ts';
import { planEmptying, planReturn, planSteps } from './gpu-plan.ts';
import { describePlace, GpuSession, type ApplyContext } from './gpu-session.ts';
import { takeStep } from './instance-change.ts';
import { changeMode } from './mode-change.ts';
import type { GpuInstanceState, GpuState, MigMode } from './state.ts';

/** The first round does the work, the others what turned out not to be done, or not to be possible as it was planned. */
const maxRounds = 3;

/** One GPU on its way to a target, and back if need be. */
export class GpuApply {
  readonly target: GpuTarget;
  readonly #session: GpuSession;
  readonly #held: ReadonlySet<string>;
  /** Instances that this apply made: no other instance that appears meanwhile is ever touched. */
  readonly #made = new Set<string>();

  constructor(context: ApplyContext, gpu: GpuState, target: GpuTarget, held: ReadonlySet<string>) {
    this.target = target;
    this.#session = new GpuSession(context, gpu);
    this.#held = held;
  }

  get gpu(): GpuState {
    return this.#session.gpu;
  }

  get operations(): number {
    return this.#session.operations;
  }

  /**
   * True if anything has to be done; decided on what was read, before anything is touched.
   * @throws DeviceError if the target cannot be had
   */
  judge(): boolean {
    const { gpu } = this;
    if (gpu.fault !== undefined) throw this.#refuse(gpu.fault.code, gpu.fault.message);
    if (gpu.mig === undefined) {
      if (this.target.want === 'Disabled') return false;
      throw this.#refuse('NotSupported', 'the GPU has no MIG mode');
    }
    const steps = this.#plan(gpu);
    const mode = modeOf(this.target);
    const changes = steps.length > 0 || !this.#isAt(mode);
    if (changes && gpu.resetRequired)
      throw this.#refuse('ResetRequired', 'the driver asks for a reset (ECC or row remapping)');
    const holders = [
      ...gpu.processes.map(({ pid, name }) => `pid ${pid} (${name})`),
      ...(this.#held.has(gpu.uuid) ? ['a pod that holds the GPU'] : []),
    ];
    if (gpu.mig.current !== mode && holders.length > 0) {
      const found = 'processes use the GPU; nothing was touched';
      throw new DeviceError('InUse', { tried: `to set MIG mode ${mode}`, found, gpu: gpu.pciBusId, holders });
    }
    return changes;
  }

  /** Brings the GPU to its target. @throws DeviceError where it stopped */
  async apply(): Promise<void> {
    const mode = modeOf(this.target);
    if (mode === 'Enabled' && !this.#isAt(mode)) await changeMode(this.#session, mode);
    await this.#makeInstances();
    if (mode === 'Disabled') await changeMode(this.#session, mode);
  }

  /** Brings the GPU back to what it was, placements included. @throws DeviceError */
  async undo(): Promise<void> {
    const before = this.gpu.mig?.current ?? 'Disabled';
    const use = await this.#session.driver.readUse(this.#session.busId);
    const isOn = use.mig?.current === 'Enabled';
    if (before === 'Enabled') await changeMode(this.#session, before);
    if (before === 'Enabled' || isOn) await this.#returnInstances();
    if (before === 'Disabled') await changeMode(this.#session, before);
  }

  #isAt(mode: MigMode): boolean {
    return this.gpu.mig?.current === mode && this.gpu.mig.pending === mode;
  }

  async #makeInstances(): Promise<void> {
    let gpu = this.gpu.mig?.current === 'Enabled' ? this.gpu : await this.#readGpu();
    for (let round = 0; ; round += 1) {
      const steps = this.#plan(gpu);
      if (steps.length === 0) return;
      if (round === maxRounds) throw this.#refuse('NothingDone', `${round} times: ${describeAll(gpu.instances)}`);
      await this.#takeSteps(steps, gpu.instances, round === 0);
      gpu = await this.#readGpu();
    }
  }

  async #returnInstances(): Promise<void> {
    for (let round = 0; ; round += 1) {
      const now = await this.#session.driver.readInstances(this.#session.busId);
      const steps = planReturn(now, this.gpu.instances, (place) => this.#made.has(describePlace(place)));
      if (steps.length === 0) return;
      if (round === maxRounds) throw this.#refuse('NothingDone', `on the way back: ${describeAll(now)}`);
      await this.#takeSteps(steps, now, false);
    }
  }

  /** @param forgives whether to end the round early, to plan afresh, when the GPU turns out to be no longer what was planned on */
  async #takeSteps(steps: readonly Step[], instances: readonly GpuInstanceState[], forgives: boolean): Promise<void> {
    for (const step of steps) {
      if (step.action === 'CreateInstance') this.#made.add(describePlace(step));
      try {
        await takeStep(this.#session, step, instances);
      } catch (error) {
        if (forgives && error instanceof DeviceError && (error.code === 'NoRoom' || error.code === 'Unstable')) return;
        throw error;
      }
    }
  }

  #plan(gpu: GpuState): readonly Step[] {
    const { want, mayDestroy } = this.target;
    const allowed = (mayDestroy ?? this.gpu.instances).map(describePlace);
    const mayTouch = (place: Place): boolean =>
      allowed.includes(describePlace(place)) || this.#made.has(describePlace(place));
    return want === 'Disabled' ? planEmptying(gpu, this.#held, mayTouch) : planSteps(gpu, want, this.#held, mayTouch);
  }

  /** The GPU as it is now, with the processes of the start: they are asked for again right before each disruption. */
  async #readGpu(): Promise<GpuState> {
    const now = await this.#session.driver.readInstances(this.#session.busId);
    const before = new Map(this.gpu.instances.map((instance) => [describePlace(instance), instance.processes]));
    const instances = now.map((instance) => ({ ...instance, processes: before.get(describePlace(instance)) ?? [] }));
    return { ...this.gpu, instances };
  }

  #refuse(code: DeviceError['code'], found: string): DeviceError {
    const { want } = this.target;
    const tried = want === 'Disabled' ? 'to switch MIG mode off' : `to make ${JSON.stringify(want)}`;
    return new DeviceError(code, { tried, found, gpu: this.gpu.pciBusId });
  }
}

function modeOf({ want }: GpuTarget): MigMode {
  return want === 'Disabled' ? 'Disabled' : 'Enabled';
}

function describeAll(instances: readonly GpuInstanceState[]): string {
  return instances.map(describePlace).join(', ') || 'no instance';
}
