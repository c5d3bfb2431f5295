import type { Geometry } from '../core/gpu/geometry.ts';
import { placeOf, type Place } from '../core/gpu/grid.ts';
import {
  describeProcess,
  type GpuState,
  type GpuInstanceState,
  type MigMode,
  toInstances,
  DeviceError,
  type DeviceErrorCode,
} from '../core/gpu/device-state.ts';
import type { DeviceApplyOptions } from './apply.ts';
import type { GpuDriver, NvidiaSmi } from './nvidia-smi.ts';
import type { Member } from './crew.ts';
import type { ComputeInstanceRow, InstanceRow } from '../core/smi/tables.ts';
import { explainFailure, type Execution } from '../core/smi/output.ts';
import type { ReportedGpu } from '../core/smi/report.ts';
import { describeCommand, stopsClients, type ChangeCommand } from '../core/smi/command.ts';
import { writeLayout } from '../core/gpu/layout.ts';
import {
  type GpuChange,
  listDisturbed,
  batchSteps,
  type Step,
  planReturn,
  type GpuTarget,
  judgeChange,
  type PlanLimits,
  planTarget,
} from '../core/gpu/plan.ts';
import { createAnywhere, takeSteps, changeMode, isAt, recoverGpu } from './instances.ts';

/** The parts that all operations of one apply share. */
export interface ApplyContext {
  readonly driver: NvidiaSmi;
  readonly options: DeviceApplyOptions;
  readonly host: NonNullable<DeviceApplyOptions['host']>;
  /** Whether GPUs that need the same are changed by one command. */
  readonly shares: boolean;
  /** UUIDs of all GPUs of the node and of what is on them. */
  readonly known: ReadonlySet<string>;
}

/** A destroy that the driver reported as successful but that is not yet proved. */
interface Claim {
  readonly command: ChangeCommand;
  readonly execution: Execution;
  readonly instances: readonly Pick<InstanceRow, 'profile' | 'profileId' | 'id' | 'start'>[];
}

/** A GPU during its change: asks first, counts operations, and reads who uses it. */
export class GpuSession {
  readonly gpu: GpuState;
  readonly host: ApplyContext['host'];
  readonly mayReset: boolean;
  readonly #context: ApplyContext;
  /** UUIDs of MIG devices at the start; what this apply makes cannot be held yet. */
  readonly #devices: ReadonlyMap<string, readonly { readonly id: number; readonly uuid: string }[]>;
  #claims: Claim[] = [];
  #geometry: Geometry | undefined;
  #member: Member | undefined;
  operations = 0;

  constructor(context: ApplyContext, gpu: GpuState) {
    this.#context = context;
    this.host = context.host;
    this.mayReset = context.options.allowReset === true;
    this.gpu = gpu;
    this.#geometry = gpu.geometry;
    this.#devices = new Map(
      gpu.instances.map((instance) => [
        placeOf(instance),
        instance.computeInstances.flatMap(({ id, uuid }) => (uuid === undefined ? [] : [{ id, uuid }])),
      ]),
    );
  }

  /** As a member of the crew that works now, if there is one. */
  get driver(): GpuDriver {
    return this.#member?.driver ?? this.#context.driver;
  }

  /** Works beside other GPUs; undefined: by itself. */
  join(member: Member | undefined): void {
    this.#member = member;
  }

  /** Does what no other GPU may be changed beside. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#member === undefined ? work() : this.#member.alone(work);
  }

  get busId(): string {
    return this.gpu.pciBusId;
  }

  get geometry(): Geometry | undefined {
    return this.#geometry;
  }

  /** MIG mode is now on: from here on the driver's own table applies. @throws DeviceError */
  async learnTable(): Promise<Geometry | undefined> {
    if (this.gpu.tableSource !== 'Own') this.#geometry = await this.driver.readTable(this.gpu);
    return this.#geometry;
  }

  /** The error for a GPU that is kept open by somebody whom the driver does not list. */
  explainOpen(details: { readonly tried: string; readonly found: string }, { minor }: ReportedGpu): DeviceError {
    const holders = this.#context.options.listOpeners?.(minor) ?? [];
    return this.explain('Pending', { ...details, holders });
  }

  /**
   * Runs one operation. Its answer proves nothing, only a later reading does. If it was one for several GPUs, and ended before it came
   * to this one, it is run again.
   *
   * @param lookAgain what must hold before it, checked by the caller before the first run
   * @throws DeviceError Stopped, what `confirm` throws, and what `lookAgain` throws
   */
  async run(command: ChangeCommand, lookAgain?: () => Promise<unknown>): Promise<Execution> {
    const ask = async (): Promise<void> => {
      if (stopsClients(command)) await this.#context.options.confirm?.();
    };
    const begin = (): void => {
      this.#demandStart(command);
      this.operations += 1;
    };
    for (;;) {
      const execution = await this.driver.change(command, { ask, begin });
      if (execution !== undefined) {
        const done = describeCommand(command);
        this.#context.options.onProgress?.({ uuid: this.gpu.uuid, done, operations: this.operations });
        return execution;
      }
      this.operations -= 1;
      await lookAgain?.();
    }
  }

  /**
   * Asks for confirmation, then makes sure that nobody uses what is about to be disturbed; in this order, so that the check
   * of the processes is the last thing before the operation.
   *
   * @param instances GPU instance ids and places; none: the whole GPU
   * @param parts the compute instances on them to destroy; absent: all
   * @returns the reading that was checked
   * @throws DeviceError InUse, and what `confirm` throws
   */
  async demandFree(
    kind: 'DestroyInstance' | 'DestroyComputeInstances' | 'ChangeMode' | 'Reset',
    instances: readonly (Place & { readonly id: number })[] = [],
    parts?: readonly number[],
  ): Promise<ReportedGpu> {
    const { options } = this.#context;
    await options.confirm?.();
    const held = (await options.listHeld?.()) ?? new Set();
    const report = await this.driver.readUse(this.busId);
    const goes = ({ instance, computeInstance }: ReportedGpu['processes'][number]): boolean =>
      instances.length === 0 ||
      instance === undefined ||
      (instances.some(({ id }) => id === instance) &&
        (parts === undefined || computeInstance === undefined || parts.includes(computeInstance)));
    const users = report.processes.filter(goes);
    const devices = instances.flatMap((instance) => this.#devices.get(placeOf(instance)) ?? []);
    const uuids = devices.filter(({ id }) => parts === undefined || parts.includes(id)).map(({ uuid }) => uuid);
    const holders = [
      ...users.map(describeProcess),
      ...[this.gpu.uuid, ...uuids].filter((uuid) => held.has(uuid)).map((uuid) => `a pod that holds ${uuid}`),
      ...[...held].flatMap((id) => this.#explainUnresolved(id)),
    ];
    if (holders.length === 0) return report;
    const found = 'it is in use and was not touched';
    throw this.explain(
      'InUse',
      { tried: `${kind} after a look at who uses it`, found, holders },
      this.#findUsed(instances, users, held),
    );
  }

  /** The instance that a message names: the first that somebody uses. */
  #findUsed<Instance extends Place & { readonly id: number }>(
    instances: readonly Instance[],
    users: ReportedGpu['processes'],
    held: ReadonlySet<string>,
  ): Instance | undefined {
    const isHeld = (instance: Instance): boolean =>
      (this.#devices.get(placeOf(instance)) ?? []).some(({ uuid }) => held.has(uuid));
    return (
      instances.find((one) => users.some(({ instance }) => instance === one.id) || isHeld(one)) ??
      (instances.length === 1 ? instances[0] : undefined)
    );
  }

  /** A held name that no reading contains may be anything: a recreated instance may have another UUID. */
  #explainUnresolved(id: string): readonly string[] {
    if (this.#context.known.has(id)) return [];
    if (id.startsWith('MIG-')) return [`a pod that holds ${id}, which is not among the instances of this node`];
    return id.includes('/') ? [`pod ${id}, which holds a device that cannot be identified`] : [];
  }

  explain(
    code: DeviceError['code'],
    details: { readonly tried: string; readonly found: string; readonly holders?: readonly string[] },
    instance?: Place & { readonly id?: number },
  ): DeviceError {
    return new DeviceError(code, { ...details, gpu: this.busId, instance: instance && describeInstance(instance) });
  }

  /** The error for an operation after which the device is not as it should be. */
  explainUndone(
    command: ChangeCommand,
    execution: Execution,
    instance?: Place & { readonly id?: number },
  ): DeviceError {
    const { code, tried, found } = explainFailure(describeCommand(command), execution);
    return this.explain(code, { tried, found }, instance);
  }

  /** Names who is in the way where the driver says so: a process on no instance, or who has the GPU open. */
  async nameUsers(undone: DeviceError): Promise<DeviceError> {
    if (undone.code !== 'InUse') return undone;
    const { processes, minor } = await this.driver.readUse(this.busId);
    const whole = processes.filter(({ instance }) => instance === undefined).map(describeProcess);
    const holders = whole.length > 0 ? whole : (this.#context.options.listOpeners?.(minor) ?? []);
    const { tried, found, instance } = undone;
    return new DeviceError('InUse', { tried, found, holders, gpu: this.busId, instance });
  }

  /** Trusts the driver for now: the reading at the end of the round proves it. */
  believe(command: ChangeCommand, execution: Execution, instances: Claim['instances']): void {
    this.#claims.push({ command, execution, instances });
  }

  /** The GPU was read since: whatever still exists is planned again. */
  forgetClaims(): void {
    this.#claims = [];
  }

  /** The error for a destroy that was reported as successful although its instance is still among these rows, if there is one. */
  findLie(rows: readonly InstanceRow[]): DeviceError | undefined {
    return this.#refute(
      ({ command }, { id, start, profileId }) =>
        command.name === 'DestroyInstances' &&
        rows.some((row) => row.id === id && row.start === start && row.profileId === profileId),
    );
  }

  /** Finds a contradiction like {@link findLie}, for compute instances. */
  findPartLie(rows: readonly ComputeInstanceRow[]): DeviceError | undefined {
    return this.#refute(
      ({ command }, whole) =>
        command.name === 'DestroyComputeInstances' &&
        rows.some(({ instance, id }) => instance === whole.id && command.ids?.includes(id) === true),
    );
  }

  #refute(isLie: (claim: Claim, instance: Claim['instances'][number]) => boolean): DeviceError | undefined {
    for (const claim of this.#claims) {
      const there = claim.instances.find((instance) => isLie(claim, instance));
      if (there !== undefined) return this.explainUndone(claim.command, claim.execution, there);
    }
    return undefined;
  }

  #demandStart(command: ChangeCommand): void {
    const found = this.#context.options.explainStop?.(command);
    if (found !== undefined) throw this.explain('Stopped', { tried: describeCommand(command), found });
  }
}

function describeInstance({ profile, start, id }: Place & { readonly id?: number }): string {
  return `${profile} at ${start}${id === undefined ? '' : ` (GPU instance ${id})`}`;
}

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

  constructor(context: ApplyContext, gpu: GpuState, target: GpuTarget, held: ReadonlySet<string>) {
    this.target = target;
    this.#session = new GpuSession(context, gpu);
    const touched = new Set((target.steps === undefined ? gpu.instances : listDisturbed(target.steps)).map(placeOf));
    this.#limits = { held, mayTouch: (place) => touched.has(placeOf(place)) || this.#made.has(placeOf(place)) };
  }

  get gpu(): GpuState {
    return this.#session.gpu;
  }

  get operations(): number {
    return this.#session.operations;
  }

  /**
   * True if anything must be done; decided on the reading, before anything is touched.
   * @throws DeviceError if the target is impossible
   */
  judge(driverVersion: string): boolean {
    const mayReset = this.target.resets === true && this.#session.mayReset;
    return !judgeChange(this.gpu, this.target.want, this.#limits, { driverVersion, mayReset }).isDone;
  }

  /** Whether the next round leaves MIG mode alone and resets nothing. */
  changesInstancesOnly(now: GpuState): boolean {
    return this.target.resets !== true && isAt(now, modeOf(this.target));
  }

  /**
   * Runs one round: does what is missing according to a reading. The driver's success message does not prove a create or a destroy.
   * @param member its place among other GPUs that change in the same round
   * @throws DeviceError where it stopped
   */
  async advance(now: GpuState, member?: Member): Promise<void> {
    this.#session.join(member);
    try {
      await this.#advance(now);
    } finally {
      this.#session.join(undefined);
    }
  }

  async #advance(now: GpuState): Promise<void> {
    this.#session.forgetClaims();
    const isFirst = this.#rounds === 0;
    this.#rounds += 1;
    const granted = isFirst ? this.target.steps : undefined;
    if (isFirst && this.target.resets === true) return this.#recover(now);
    if (modeOf(this.target) === 'Disabled') return this.#switchOff(now, granted);
    const gpu = isAt(now, 'Enabled') ? now : await this.#switchOn(now);
    await this.#takeSteps(this.#choose(granted, gpu), gpu.instances, isFirst);
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
  async readBack(): Promise<GpuState> {
    // The mode was read back when it was changed.
    const mode = modeOf(this.target);
    return { ...(await this.#readGpu()), mig: { current: mode, pending: mode } };
  }

  /** Restores the GPU to its previous state, placements included. @throws DeviceError */
  async undo(): Promise<void> {
    this.#session.forgetClaims();
    const { current: before = 'Disabled', pending = before } = this.gpu.mig ?? {};
    const use = await this.#session.driver.readUse(this.#session.busId);
    const isOn = use.mig?.current === 'Enabled';
    // What was pending before is somebody's wish: neither it nor what has become of it is taken back.
    const isBack = isAt(use, before) || isAt(use, pending) || sameMode(use.mig, this.gpu.mig);
    if (before === 'Enabled' && !isBack) await changeMode(this.#session, before, use.mig);
    if (before === 'Enabled' || isOn) await this.#returnInstances();
    if (before === 'Disabled' && !isBack) await changeMode(this.#session, before, use.mig);
  }

  /** Empties the GPU, resets it, and creates everything that is wanted. */
  async #recover(now: GpuState): Promise<void> {
    const { steps = [] } = this.target;
    const disturbed = new Set(listDisturbed(steps).map(placeOf));
    const isAsPlanned =
      now.instances.length === disturbed.size && now.instances.every((one) => disturbed.has(placeOf(one)));
    if (!isAsPlanned) throw this.#refuse('Unstable', `not what the plan was made for: ${describeAll(now.instances)}`);
    await this.#takeSteps(listDisturbed(steps), now.instances, false);
    const left = now.instances.length === 0 ? [] : (await this.#readGpu()).instances;
    if (left.length > 0) throw this.#refuse('NothingDone', describeAll(left));
    const { mig } = await recoverGpu(this.#session);
    const empty = { ...now, mig, instances: [] };
    const made = steps.filter(({ action }) => action === 'CreateInstance');
    const gpu = isAt(empty, 'Enabled') ? empty : await this.#switchOn(empty);
    await this.#takeSteps(this.#choose(made, gpu), gpu.instances, true);
  }

  async #switchOn(now: GpuState): Promise<GpuState> {
    const { mig, migDevices } = await this.#changeMode('Enabled', now.mig);
    if (now.mig?.current === 'Enabled') return { ...now, mig };
    const geometry = await this.#session.learnTable();
    // No instance outlives the mode; if a foreign instance appears before ours, the space that it takes reveals it.
    return { ...(migDevices.length === 0 ? { ...now, instances: [] } : await this.#readGpu()), mig, geometry };
  }

  /** Switches MIG mode off. The driver's success message is not enough here: disabling the mode removes whatever still exists. */
  async #switchOff(now: GpuState, granted: readonly Step[] | undefined): Promise<void> {
    let gpu = now;
    for (let round = 0; ; round += 1) {
      const steps = this.#choose(round === 0 ? granted : undefined, gpu);
      if (steps.length === 0) break;
      if (round === maxRounds) throw this.#refuse('NothingDone', `${round} times: ${describeAll(gpu.instances)}`);
      await this.#takeSteps(steps, gpu.instances, round === 0);
      gpu = await this.#readGpu();
    }
    if (!isAt(now, 'Disabled')) await this.#changeMode('Disabled', now.mig);
  }

  /** @throws DeviceError */
  async #changeMode(mode: MigMode, known: GpuState['mig']): Promise<ReportedGpu> {
    try {
      return await changeMode(this.#session, mode, known);
    } catch (error) {
      this.awaitsBoot = error instanceof DeviceError && bootHelps.has(error.code);
      throw error;
    }
  }

  async #returnInstances(): Promise<void> {
    for (let round = 0; ; round += 1) {
      this.#session.forgetClaims();
      const now = await this.#session.driver.readInstances(this.#session.busId);
      const there = toInstances({ ...this.gpu, instances: now });
      const steps = planReturn(there, toInstances(this.gpu), (place) => this.#made.has(placeOf(place)));
      if (steps.length === 0) return;
      if (round === maxRounds) throw this.#refuse('NothingDone', `on the way back: ${describeAll(now)}`);
      try {
        await this.#takeSteps(steps, now, false);
      } catch (error) {
        if (!(error instanceof DeviceError) || !placesRefused.has(error.code)) throw error;
        return this.#returnAnywhere();
      }
    }
  }

  /** The second way back, for a driver that refuses given placements: as many instances as before, at places of its choice. */
  async #returnAnywhere(): Promise<void> {
    const now = await this.#session.driver.readInstances(this.#session.busId);
    const there = toInstances({ ...this.gpu, instances: now });
    const steps = planReturn(there, toInstances(this.gpu), () => false);
    for (const step of steps)
      if (step.action === 'CreateInstance') this.#made.add(placeOf(await createAnywhere(this.#session, step)));
    const parts = steps.filter(({ action }) => action === 'CreateComputeInstances');
    await this.#takeSteps(parts, now, false);
  }

  /** @param forgives whether to end the round early, to plan again, when the GPU turns out to have changed since the plan */
  async #takeSteps(steps: readonly Step[], instances: readonly GpuInstanceState[], forgives: boolean): Promise<void> {
    for (const batch of batchSteps(steps)) {
      for (const step of batch) if (step.action === 'CreateInstance') this.#made.add(placeOf(step));
      try {
        await takeSteps(this.#session, batch, instances);
      } catch (error) {
        if (forgives && error instanceof DeviceError && forgivable.has(error.code)) return;
        throw error;
      }
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
  async #readGpu(): Promise<GpuState> {
    const now = await this.#session.driver.readInstances(this.#session.busId);
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
