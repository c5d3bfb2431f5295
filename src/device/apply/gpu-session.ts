import type { Geometry } from '../../core/gpu/geometry/geometry.ts';
import { placeOf, type Place } from '../../core/gpu/search/instance.ts';
import { describeProcess } from '../../core/gpu/state/device-users.ts';
import type { DeviceApplyOptions } from './apply-options.ts';
import type { NvidiaSmi } from '../command/nvidia-smi.ts';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import type { ComputeInstanceRow, InstanceRow } from '../../core/smi/instance-table.ts';
import { explainFailure, type Execution } from '../../core/smi/output.ts';
import type { ReportedGpu } from '../../core/smi/report-parser.ts';
import { describeCommand, disrupts, type ChangeCommand } from '../../core/smi/smi-command.ts';
import type { GpuState } from '../../core/gpu/state/device-state.ts';

/** What all operations of one apply share. */
export interface ApplyContext {
  readonly driver: NvidiaSmi;
  readonly options: DeviceApplyOptions;
  readonly host: NonNullable<DeviceApplyOptions['host']>;
  /** UUIDs of all GPUs of the node and of what is on them. */
  readonly known: ReadonlySet<string>;
}

/** A destroy that the driver reported as successful but that is not yet proved. */
interface Claim {
  readonly command: ChangeCommand;
  readonly execution: Execution;
  readonly instances: readonly Pick<InstanceRow, 'profile' | 'profileId' | 'id' | 'start'>[];
}

/** One GPU during its change: asks first, counts operations, and reads who uses it. */
export class GpuSession {
  readonly gpu: GpuState;
  readonly driver: NvidiaSmi;
  readonly host: ApplyContext['host'];
  readonly mayReset: boolean;
  readonly #context: ApplyContext;
  /** UUIDs of MIG devices at the start; what this apply makes cannot be held yet. */
  readonly #devices: ReadonlyMap<string, readonly { readonly id: number; readonly uuid: string }[]>;
  #claims: Claim[] = [];
  #geometry: Geometry | undefined;
  operations = 0;

  constructor(context: ApplyContext, gpu: GpuState) {
    this.#context = context;
    this.driver = context.driver;
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

  /** Runs one operation. Its answer proves nothing, only a later reading does. @throws DeviceError Stopped, and what `confirm` throws */
  async run(command: ChangeCommand): Promise<Execution> {
    if (disrupts(command)) await this.#context.options.confirm?.();
    this.#demandStart(command);
    this.operations += 1;
    const execution = await this.driver.change(command);
    const done = describeCommand(command);
    this.#context.options.onProgress?.({ uuid: this.gpu.uuid, done, operations: this.operations });
    return execution;
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

  /** Like {@link findLie}, for compute instances. */
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
