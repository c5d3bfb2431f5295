import { placeOf, type Place } from '../gpu/grid.ts';
import { describeProcess, DeviceError, type GpuState } from '../gpu/device-state.ts';
import type { Geometry } from '../gpu/geometry.ts';
import {
  explainFailure,
  type Execution,
  ask,
  askChange,
  askReading,
  type ChangeCommand,
  describeCommand,
  type Work,
} from './command.ts';
import { readGeometry, readUse } from './reader.ts';
import type { ReportedGpu } from './report.ts';
import type { ComputeInstanceRow, InstanceRow } from './tables.ts';

/** A destroy that the driver reported as successful but that is not yet proved. */
interface Claim {
  readonly command: ChangeCommand;
  readonly execution: Execution;
  readonly instances: readonly Pick<InstanceRow, 'profile' | 'profileId' | 'id' | 'start'>[];
}

/** What of a node a change of one of its GPUs must know. */
export interface ChangeContext {
  /** Whether the GPU may be reset where its change needs that. */
  readonly mayReset: boolean;
  /** UUIDs of all GPUs of the node and of what is on them. */
  readonly known: ReadonlySet<string>;
}

/** A GPU during its change: asks first, and reads who uses it. */
export class GpuSession {
  readonly gpu: GpuState;
  readonly mayReset: boolean;
  readonly #known: ReadonlySet<string>;
  /** UUIDs of MIG devices at the start; what this apply makes cannot be held yet. */
  readonly #devices: ReadonlyMap<string, readonly { readonly id: number; readonly uuid: string }[]>;
  #claims: Claim[] = [];
  #geometry: Geometry | undefined;
  /** Whether no other GPU is changed beside it. */
  #isAlone = false;

  constructor({ mayReset, known }: ChangeContext, gpu: GpuState) {
    this.mayReset = mayReset;
    this.#known = known;
    this.gpu = gpu;
    this.#geometry = gpu.geometry;
    this.#devices = new Map(
      gpu.instances.map((instance) => [
        placeOf(instance),
        instance.computeInstances.flatMap(({ id, uuid }) => (uuid === undefined ? [] : [{ id, uuid }])),
      ]),
    );
  }

  /** Does what no other GPU may be changed beside. */
  *alone<Result>(work: () => Work<Result>): Work<Result> {
    if (this.#isAlone) return yield* work();
    yield* ask({ kind: 'Alone' });
    this.#isAlone = true;
    try {
      return yield* work();
    } finally {
      this.#isAlone = false;
    }
  }

  get busId(): string {
    return this.gpu.pciBusId;
  }

  get geometry(): Geometry | undefined {
    return this.#geometry;
  }

  /** MIG mode is now on: from here on the driver's own table applies. @throws DeviceError */
  *learnTable(): Work<Geometry | undefined> {
    if (this.gpu.tableSource !== 'Own') this.#geometry = yield* askReading(readGeometry(this.gpu));
    return this.#geometry;
  }

  /** The error for a GPU that is kept open by somebody whom the driver does not list. */
  *explainOpen(details: { readonly tried: string; readonly found: string }, { minor }: ReportedGpu): Work<DeviceError> {
    const holders = yield* ask({ kind: 'ListOpeners', minor });
    return this.explain('Pending', { ...details, holders });
  }

  /**
   * Runs one operation. Its answer proves nothing, only a later reading does. If it was one for several GPUs, and ended before it came
   * to this one, it is run again.
   *
   * @param lookAgain what must hold before it, checked by the caller before the first run
   * @throws DeviceError what the answer throws, and what `lookAgain` throws
   */
  *run(command: ChangeCommand, lookAgain?: () => Work<unknown>): Work<Execution> {
    for (;;) {
      const execution = yield* askChange(command);
      if (execution !== undefined) return execution;
      if (lookAgain !== undefined) yield* lookAgain();
    }
  }

  /**
   * Asks for confirmation, then makes sure that nobody uses what is about to be disturbed; in this order, so that the check
   * of the processes is the last thing before the operation.
   *
   * @param instances GPU instance ids and places; none: the whole GPU
   * @param parts the compute instances on them to destroy; absent: all
   * @returns the reading that was checked
   * @throws DeviceError InUse, and what a confirmation throws
   */
  *demandFree(
    kind: 'DestroyInstance' | 'DestroyComputeInstances' | 'ChangeMode' | 'Reset',
    instances: readonly (Place & { readonly id: number })[] = [],
    parts?: readonly number[],
  ): Work<ReportedGpu> {
    yield* ask({ kind: 'Confirm' });
    const held = yield* ask({ kind: 'ListHeld' });
    const report = yield* askReading(readUse(this.busId));
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
    if (this.#known.has(id)) return [];
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
  *nameUsers(undone: DeviceError): Work<DeviceError> {
    if (undone.code !== 'InUse') return undone;
    const { processes, minor } = yield* askReading(readUse(this.busId));
    const whole = processes.filter(({ instance }) => instance === undefined).map(describeProcess);
    const holders = whole.length > 0 ? whole : yield* ask({ kind: 'ListOpeners', minor });
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
}

function describeInstance({ profile, start, id }: Place & { readonly id?: number }): string {
  return `${profile} at ${start}${id === undefined ? '' : ` (GPU instance ${id})`}`;
}
