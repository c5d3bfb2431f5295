// Room smi: what nvidia-smi is told and what it answers; nothing is run here.
// Ask here for the work that brings one GPU to its target, and back if necessary: it asks for commands, and judges what they answer.
import { placeOf, type Place } from '../gpu/grid.ts';
import {
  DeviceError,
  type DeviceErrorCode,
  type GpuInstanceState,
  type GpuState,
  type MigMode,
  describeProcess,
  describeVgpu,
} from '../gpu/device-state.ts';
import { changeMode, createAnywhere, isAt, recoverGpu, takeSteps } from './instances.ts';
import { writeLayout, type Geometry, type Layout, explainOldDriver } from '../gpu/geometry.ts';
import {
  type GpuChange,
  listDisturbed,
  type Step,
  type GpuView,
  type ViewedInstance,
  type ChangeRefusal,
  planGpuChange,
  planGpuReset,
} from '../gpu/plan.ts';
import type { ReportedGpu } from './report.ts';
import { askReading, type Work } from './command.ts';
import { readGpuInstances, readUse } from './reader.ts';
import { type ChangeContext, GpuSession } from './session.ts';
import { computeInstanceSlices, nameWhole } from '../gpu/profiles.ts';

/** The first round does the work; the others do what turned out not to be done, or not to be possible as planned. */
const maxRounds = 3;

/** Errors that a plan on a new reading may avoid. */
const forgivable: ReadonlySet<DeviceErrorCode> = new Set(['NoRoom', 'Unstable', 'NothingDone']);

/** How a driver refuses to create an instance at a given placement. */
const placesRefused: ReadonlySet<DeviceErrorCode> = new Set(['NotSupported', 'UnknownProfile']);

/** How a change of MIG mode ends that is set, and only not in effect yet. */
const bootHelps: ReadonlySet<DeviceErrorCode> = new Set(['ResetRequired', 'RebootRequired']);

/** A GPU on its way to a target, and back if necessary. */
export class GpuApply {
  readonly target: GpuTarget;
  readonly #session: GpuSession;
  readonly #limits: PlanLimits;
  /** Instances that this apply made: any other instance that appears meanwhile is never touched. */
  readonly #made = new Set<string>();
  #rounds = 0;
  /** Whether MIG mode is set as wanted and takes effect with a boot, or with a reset by hand: nothing more can be done before. */
  awaitsBoot = false;

  constructor(context: ChangeContext, gpu: GpuState, target: GpuTarget, held: ReadonlySet<string>) {
    this.target = target;
    this.#session = new GpuSession(context, gpu);
    const touched = new Set((target.steps === undefined ? gpu.instances : listDisturbed(target.steps)).map(placeOf));
    this.#limits = { held, mayTouch: (place) => touched.has(placeOf(place)) || this.#made.has(placeOf(place)) };
  }

  get gpu(): GpuState {
    return this.#session.gpu;
  }

  /**
   * True if anything must be done; decided on the reading, before anything is touched.
   * @throws DeviceError if the target is impossible
   */
  judge(driverVersion: string): boolean {
    const mayReset = this.target.resets === true && this.#session.mayReset;
    return !planTargetNow(this.gpu, this.target.want, this.#limits, { driverVersion, mayReset }).isDone;
  }

  /** Whether the next round leaves MIG mode alone and resets nothing. */
  changesInstancesOnly(now: GpuState): boolean {
    return this.target.resets !== true && isAt(now, modeOf(this.target));
  }

  /**
   * Runs one round: does what is missing according to a reading. The driver's success message does not prove a create or a destroy.
   * @throws DeviceError where it stopped
   */
  *advance(now: GpuState): Work<void> {
    this.#session.forgetClaims();
    const isFirst = this.#rounds === 0;
    this.#rounds += 1;
    const granted = isFirst ? this.target.steps : undefined;
    if (isFirst && this.target.resets === true) return yield* this.#recover(now);
    if (modeOf(this.target) === 'Disabled') return yield* this.#switchOff(now, granted);
    const gpu = isAt(now, 'Enabled') ? now : yield* this.#switchOn(now);
    yield* this.#takeSteps(this.#choose(granted, gpu), gpu.instances, isFirst);
  }

  /**
   * True if a reading shows the GPU at its target, false if another round may bring it there.
   * @throws DeviceError if no round is left
   */
  isReached(now: GpuState): boolean {
    if (this.#plan(now).isDone) return true;
    if (this.#rounds < maxRounds) return false;
    throw this.#refuse('NothingDone', `${this.#rounds} times: ${describeAll(now.instances)}`);
  }

  /** Reads the GPU by itself after a round if the node as a whole cannot be read. @throws DeviceError */
  *readBack(): Work<GpuState> {
    // The mode was read back when it was changed.
    const mode = modeOf(this.target);
    return { ...(yield* this.#readGpu()), mig: { current: mode, pending: mode } };
  }

  /** Restores the GPU to its previous state, placements included. @throws DeviceError */
  *undo(): Work<void> {
    this.#session.forgetClaims();
    const { current: before = 'Disabled', pending = before } = this.gpu.mig ?? {};
    const use = yield* askReading(readUse(this.#session.busId));
    const isOn = use.mig?.current === 'Enabled';
    // What was pending before is somebody's wish: neither it nor what has become of it is taken back.
    const isBack = isAt(use, before) || isAt(use, pending) || sameMode(use.mig, this.gpu.mig);
    if (before === 'Enabled' && !isBack) yield* changeMode(this.#session, before, use.mig);
    if (before === 'Enabled' || isOn) yield* this.#returnInstances();
    if (before === 'Disabled' && !isBack) yield* changeMode(this.#session, before, use.mig);
  }

  /** Empties the GPU, resets it, and creates everything that is wanted. */
  *#recover(now: GpuState): Work<void> {
    const { steps = [] } = this.target;
    const disturbed = new Set(listDisturbed(steps).map(placeOf));
    const isAsPlanned =
      now.instances.length === disturbed.size && now.instances.every((one) => disturbed.has(placeOf(one)));
    if (!isAsPlanned) throw this.#refuse('Unstable', `not what the plan was made for: ${describeAll(now.instances)}`);
    yield* this.#takeSteps(listDisturbed(steps), now.instances, false);
    const left = now.instances.length === 0 ? [] : (yield* this.#readGpu()).instances;
    if (left.length > 0) throw this.#refuse('NothingDone', describeAll(left));
    const { mig } = yield* recoverGpu(this.#session);
    const empty = { ...now, mig, instances: [] };
    const made = steps.filter(({ action }) => action === 'CreateInstance');
    const gpu = isAt(empty, 'Enabled') ? empty : yield* this.#switchOn(empty);
    yield* this.#takeSteps(this.#choose(made, gpu), gpu.instances, true);
  }

  *#switchOn(now: GpuState): Work<GpuState> {
    const { mig, migDevices } = yield* this.#changeMode('Enabled', now.mig);
    if (now.mig?.current === 'Enabled') return { ...now, mig };
    const geometry = yield* this.#session.learnTable();
    // No instance outlives the mode; if a foreign instance appears before ours, the space that it takes reveals it.
    return { ...(migDevices.length === 0 ? { ...now, instances: [] } : yield* this.#readGpu()), mig, geometry };
  }

  /** Switches MIG mode off. The driver's success message is not enough here: disabling the mode removes whatever still exists. */
  *#switchOff(now: GpuState, granted: readonly Step[] | undefined): Work<void> {
    let gpu = now;
    for (let round = 0; ; round += 1) {
      const steps = this.#choose(round === 0 ? granted : undefined, gpu);
      if (steps.length === 0) break;
      if (round === maxRounds) throw this.#refuse('NothingDone', `${round} times: ${describeAll(gpu.instances)}`);
      yield* this.#takeSteps(steps, gpu.instances, round === 0);
      gpu = yield* this.#readGpu();
    }
    if (!isAt(now, 'Disabled')) yield* this.#changeMode('Disabled', now.mig);
  }

  /** @throws DeviceError */
  *#changeMode(mode: MigMode, known: GpuState['mig']): Work<ReportedGpu> {
    try {
      return yield* changeMode(this.#session, mode, known);
    } catch (error) {
      this.awaitsBoot = error instanceof DeviceError && bootHelps.has(error.code);
      throw error;
    }
  }

  *#returnInstances(): Work<void> {
    for (let round = 0; ; round += 1) {
      this.#session.forgetClaims();
      const now = yield* askReading(readGpuInstances(this.#session.busId));
      const there = toInstances({ ...this.gpu, instances: now });
      const steps = planReturn(there, toInstances(this.gpu), (place) => this.#made.has(placeOf(place)));
      if (steps.length === 0) return;
      if (round === maxRounds) throw this.#refuse('NothingDone', `on the way back: ${describeAll(now)}`);
      try {
        yield* this.#takeSteps(steps, now, false);
      } catch (error) {
        if (!(error instanceof DeviceError) || !placesRefused.has(error.code)) throw error;
        return yield* this.#returnAnywhere();
      }
    }
  }

  /** The second way back, for a driver that refuses given placements: as many instances as before, at places of its choice. */
  *#returnAnywhere(): Work<void> {
    const now = yield* askReading(readGpuInstances(this.#session.busId));
    const there = toInstances({ ...this.gpu, instances: now });
    const steps = planReturn(there, toInstances(this.gpu), () => false);
    for (const step of steps)
      if (step.action === 'CreateInstance') this.#made.add(placeOf(yield* createAnywhere(this.#session, step)));
    const parts = steps.filter(({ action }) => action === 'CreateComputeInstances');
    yield* this.#takeSteps(parts, now, false);
  }

  /** @param forgives whether to end the round early, to plan again, when the GPU turns out to have changed since the plan */
  *#takeSteps(steps: readonly Step[], instances: readonly GpuInstanceState[], forgives: boolean): Work<void> {
    try {
      yield* takeSteps(this.#session, steps, instances, (step) => {
        if (step.action === 'CreateInstance') this.#made.add(placeOf(step));
      });
    } catch (error) {
      if (!forgives || !(error instanceof DeviceError) || !forgivable.has(error.code)) throw error;
    }
  }

  /**
   * The granted steps, if what they disturb still exists, nothing was added, and the GPU's own table, which may not have been known
   * when they were planned, offers what they create; otherwise a plan on what exists now.
   */
  #choose(granted: readonly Step[] | undefined, { instances, ...gpu }: GpuState): readonly Step[] {
    const known = new Set(this.gpu.instances.map(placeOf));
    const places = new Set(instances.map(placeOf));
    const isAsPlanned =
      granted !== undefined &&
      listDisturbed(granted).every((step) => places.has(placeOf(step))) &&
      instances.every((instance) => known.has(placeOf(instance))) &&
      granted.every((step) => step.action !== 'CreateInstance' || offersPlace(gpu.geometry, step));
    return isAsPlanned ? granted : this.#plan({ ...gpu, instances }).steps;
  }

  #plan(gpu: GpuState): GpuChange {
    return planTarget(gpu, this.target.want, this.#limits);
  }

  /** The current GPU, with the processes from the start: they are read again right before each disruption. */
  *#readGpu(): Work<GpuState> {
    const now = yield* askReading(readGpuInstances(this.#session.busId));
    const before = new Map(this.gpu.instances.map((instance) => [placeOf(instance), instance.processes]));
    const instances = now.map((instance) => ({ ...instance, processes: before.get(placeOf(instance)) ?? [] }));
    return { ...this.gpu, instances };
  }

  #refuse(code: DeviceError['code'], found: string): DeviceError {
    const { want } = this.target;
    const tried = want === 'Disabled' ? 'to switch MIG mode off' : `to make ${writeLayout(want)}`;
    return new DeviceError(code, { tried, found, gpu: this.gpu.pciBusId });
  }
}

function offersPlace(geometry: Geometry | undefined, { profile, start }: Step): boolean {
  return geometry?.profiles.some(({ name, starts }) => name === profile && starts.includes(start)) === true;
}

function modeOf({ want }: GpuTarget): MigMode {
  return want === 'Disabled' ? 'Disabled' : 'Enabled';
}

function sameMode(one: GpuState['mig'], other: GpuState['mig']): boolean {
  return one?.current === other?.current && one?.pending === other?.pending;
}

function describeAll(instances: readonly GpuInstanceState[]): string {
  return instances.map(placeOf).join(', ') || 'no instance';
}

/**
 * Steps from the current state back to an earlier one: the same profiles at the same starts with the same compute instances. An
 * instance that did not exist then is destroyed only if it may be.
 *
 * @param isMade whether an instance that did not exist before was created meanwhile by whoever returns
 */
export function planReturn(
  now: readonly ViewedInstance[],
  before: readonly ViewedInstance[],
  isMade: (instance: ViewedInstance) => boolean,
): readonly Step[] {
  const same = (a: ViewedInstance) => (b: ViewedInstance) => placeOf(a) === placeOf(b);
  const destroyed = now.filter((instance) => !before.some(same(instance)) && isMade(instance));
  const created = before
    .filter((instance) => !now.some(same(instance)))
    .toSorted((a, b) => (b.size ?? 0) - (a.size ?? 0));
  const kept = before.flatMap((was) => now.filter(same(was)).map((is) => ({ was, is })));
  return [
    ...kept.flatMap(({ was, is }) => difference('DestroyComputeInstances', is, was)),
    ...destroyed.map((instance): Step => ({ action: 'DestroyInstance', ...describe(instance) })),
    ...created.map((instance): Step => ({ action: 'CreateInstance', ...describe(instance) })),
    ...kept.flatMap(({ was, is }) => difference('CreateComputeInstances', was, is)),
  ];
}

/**
 * The target that brings a GPU back to what it was.
 *
 * @param made places of what was created since, the only instances that may be destroyed for it
 */
export function targetBack(before: GpuState, now: GpuState, made: ReadonlySet<string>): GpuTarget {
  const isOn = before.mig?.current === 'Enabled';
  const steps = planReturn(toInstances(now), isOn ? toInstances(before) : [], (one) => made.has(placeOf(one)));
  return { uuid: now.uuid, want: isOn ? layoutOf(before) : 'Disabled', steps };
}

/** Whether a GPU could be brought back to what it is now: a layout describes its instances. @throws DeviceError */
export function canReturn(gpu: GpuState, held: ReadonlySet<string>): boolean {
  const isWhole = gpu.instances.every(({ computeInstances }) => computeInstances.length > 0);
  return isWhole && planTarget(gpu, layoutOf(gpu), { held, mayTouch: () => false }).isDone;
}

/** What is on a GPU, as a layout. */
function layoutOf(gpu: GpuState): Layout {
  const names = toInstances(gpu).flatMap(({ computeInstances }) => computeInstances);
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, { length }]) => [name, length]));
}

/** A step with the compute instances that `more` has beyond `less`. */
function difference(
  action: 'DestroyComputeInstances' | 'CreateComputeInstances',
  more: ViewedInstance,
  less: ViewedInstance,
): readonly Step[] {
  const rest = [...less.computeInstances];
  const computeInstances = describe(more).computeInstances.filter((name) => {
    const at = rest.indexOf(name);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
  return computeInstances.length === 0 ? [] : [{ action, ...describe(less), computeInstances }];
}

function describe({ profile, start, computeInstances }: ViewedInstance): Omit<Step, 'action'> {
  const largestFirst = computeInstances.toSorted((a, b) => computeInstanceSlices(b, 0) - computeInstanceSlices(a, 0));
  return { profile, start, computeInstances: largestFirst };
}

/** The limits of a plan: what it must not disturb. */
interface PlanLimits {
  /** UUIDs of MIG devices and GPUs that pods hold. */
  readonly held: ReadonlySet<string>;
  /** Whether an instance may be destroyed or lose a compute instance. */
  readonly mayTouch: (place: Place) => boolean;
}

/**
 * Plans what a GPU lacks according to a reading, with the same planner as the agent's plan and the grant.
 *
 * @throws DeviceError if the target is impossible, or not possible now
 */
function planTarget(
  gpu: GpuState,
  want: Layout | 'Disabled',
  { held, mayTouch }: PlanLimits,
  plan = planGpuChange,
): GpuChange {
  const tried = want === 'Disabled' ? 'to plan MIG mode off' : `to plan ${writeLayout(want)}`;
  if (gpu.fault !== undefined)
    throw new DeviceError(gpu.fault.code, { tried, found: gpu.fault.message, gpu: gpu.pciBusId });
  const result = plan(viewState(gpu, held), want, mayTouch);
  if ('change' in result) return result.change;
  const { refusal } = result;
  throw new DeviceError(codes[refusal.code], {
    tried,
    found: refusal.message,
    gpu: gpu.pciBusId,
    holders: refusal.code === 'InUse' ? listHolders(gpu, held, refusal.inTheWay) : [],
  });
}

/**
 * Plans a GPU that is to change now: {@link planTarget}, provided that it and its driver are healthy. If it asks for a reset, and
 * resets are allowed, the plan includes one.
 */
export function planTargetNow(
  gpu: GpuState,
  want: Layout | 'Disabled',
  limits: PlanLimits,
  { driverVersion, mayReset = false }: { readonly driverVersion: string; readonly mayReset?: boolean },
): GpuChange {
  const change = planTarget(gpu, want, limits);
  if (change.isDone) return change;
  const refuse = (code: DeviceErrorCode, found: string): DeviceError =>
    new DeviceError(code, { tried: 'to change the GPU', found, gpu: gpu.pciBusId });
  const oldDriver = want === 'Disabled' ? undefined : explainOldDriver(gpu.product, driverVersion);
  if (oldDriver !== undefined) throw refuse('NotSupported', oldDriver);
  if (gpu.vgpuHost !== undefined) throw refuse('VgpuHost', `it ${describeVgpu(gpu.vgpuHost)}`);
  if (gpu.health === undefined) return change;
  const { action, message } = gpu.health;
  if (action === 'Reset' && mayReset && want !== 'Disabled')
    return planTarget(gpu, want, limits, (view, _want, mayTouch) => planGpuReset(view, want, mayTouch));
  throw refuse(action === 'Reset' ? 'ResetRequired' : action === 'Reboot' ? 'RebootRequired' : 'Unhealthy', message);
}

/** The planner's view of a GPU that was read from the driver. */
function viewState(gpu: GpuState, held: ReadonlySet<string>): GpuView {
  return {
    product: gpu.product.replace(/^NVIDIA /, ''),
    geometry: gpu.geometry,
    mig: gpu.mig,
    instances: toInstances(gpu, held),
    use: held.has(gpu.uuid) ? 'Held' : gpu.processes.length > 0 ? 'Processes' : 'None',
  };
}

/** @param inTheWay instances; empty if the GPU itself is used */
function listHolders(gpu: GpuState, held: ReadonlySet<string>, inTheWay: readonly ViewedInstance[]): readonly string[] {
  const whole = [...gpu.processes.map(describeProcess), ...(held.has(gpu.uuid) ? ['a pod that holds the GPU'] : [])];
  if (inTheWay.length === 0) return whole;
  const places = new Set(inTheWay.map(placeOf));
  const holders = gpu.instances
    .filter((instance) => places.has(placeOf(instance)))
    .flatMap(({ profile, start, processes, computeInstances }) => [
      ...processes.map((process) => `${describeProcess(process)} on ${profile} at ${start}`),
      ...computeInstances.flatMap(({ uuid }) =>
        uuid !== undefined && held.has(uuid) ? [`a pod on ${profile} at ${start}`] : [],
      ),
    ]);
  return holders.length > 0 ? holders : whole;
}

/** The codes that the planner's refusals have as errors of a device. */
const codes: Readonly<Record<ChangeRefusal['code'], DeviceErrorCode>> = {
  NoMig: 'NotSupported',
  InUse: 'InUse',
  Untouchable: 'ForeignInstance',
  ForeignInstanceInTheWay: 'ForeignInstance',
  UnknownInstance: 'ForeignInstance',
  UnknownProfile: 'UnknownProfile',
  InvalidProfileName: 'UnknownProfile',
  InvalidComputeInstance: 'UnknownProfile',
  UnknownPreset: 'UnknownProfile',
  InvalidCount: 'DoesNotFit',
  NotEnoughMemorySlices: 'DoesNotFit',
  NotEnoughComputeSlices: 'DoesNotFit',
  TooManyInstances: 'DoesNotFit',
  NotEnoughEngines: 'DoesNotFit',
  ExclusiveProfiles: 'DoesNotFit',
  NoPlacement: 'DoesNotFit',
  PlacementsUnknown: 'DoesNotFit',
  TooManyCombinations: 'DoesNotFit',
  OverlappingInstances: 'DoesNotFit',
  NotEnoughGpus: 'DoesNotFit',
};

/** The desired state of one GPU. */
export interface GpuTarget {
  readonly uuid: string;
  /** Profile to count; empty for MIG mode without instances; or MIG off. */
  readonly want: Layout | 'Disabled';
  /**
   * Steps of the plan that was granted or shown, executed unchanged; a new plan is made only after a failure, or if a reading shows
   * something else. Only what they destroy may be destroyed, idle or not. Absent: the plan is made on the first reading, and may
   * destroy every existing instance.
   */
  readonly steps?: readonly Step[];
  /** The plan resets the GPU after everything on it has been destroyed. */
  readonly resets?: boolean;
}

/**
 * The instances of a GPU, as input for the planner.
 *
 * @param held UUIDs of MIG devices, or of the whole GPU, that somebody holds without running a process: pods in PodResources
 */
export function toInstances(gpu: GpuState, held: ReadonlySet<string> = new Set()): readonly ViewedInstance[] {
  return gpu.instances.map((instance) => ({
    profile: instance.profile,
    start: instance.start,
    size: instance.size,
    busy: isBusy(gpu, instance, held),
    computeInstances: instance.computeInstances.map((part) => nameWhole(part.profile, instance.profile)),
  }));
}

/**
 * True if a process runs on the instance or somebody holds it, or may: on a GPU in MIG mode, a process whose instance the driver
 * does not report may be on any.
 */
export function isBusy(gpu: GpuState, instance: GpuInstanceState, held: ReadonlySet<string> = new Set()): boolean {
  return (
    instance.processes.length > 0 ||
    gpu.processes.length > 0 ||
    held.has(gpu.uuid) ||
    instance.computeInstances.some(({ uuid }) => uuid !== undefined && held.has(uuid))
  );
}
