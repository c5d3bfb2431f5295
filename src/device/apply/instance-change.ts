import { computeInstanceSlices } from '../../core/gpu/geometry/profile-name.ts';
import type { Step } from '../../core/gpu/plan/step.ts';
import type { GpuSession } from './gpu-session.ts';
import type { ComputeInstanceRow } from '../reading/instance-table.ts';
import type { Execution } from '../command/output.ts';
import type { ComputeProfileRow } from '../reading/profile-table.ts';
import type { ReportedGpu } from '../reading/report-parser.ts';
import type { ChangeCommand } from '../command/smi-command.ts';
import type { ComputeInstanceState, GpuInstanceState } from '../reading/state.ts';

/** A GPU instance by its id. */
type Placed = Pick<GpuInstanceState, 'profile' | 'id' | 'start'>;

/**
 * Does one step of a plan. What the driver calls a success, in its own words, is taken as done until the end of the round, when one
 * reading proves it all and the next round does what is missing; anything but plain success is looked into at once. Whatever the exit
 * code says: an operation that failed and is done is done, one that succeeded and is not done has failed.
 *
 * @param instances the GPU's instances before the steps; one that a step names was there or was made by an earlier step
 * @throws DeviceError
 */
export function takeStep(session: GpuSession, step: Step, instances: readonly GpuInstanceState[]): Promise<void> {
  const instance = instances.find(({ start, profile }) => start === step.start && profile === step.profile);
  switch (step.action) {
    case 'CreateInstance':
      return createInstance(session, step);
    case 'DestroyInstance':
      // Gone since it was read: what the step wants is so already.
      return instance === undefined ? Promise.resolve() : destroyInstance(session, instance);
    case 'DestroyComputeInstances':
      return destroyParts(session, demand(session, instance, step), step.computeInstances);
    case 'CreateComputeInstances':
      return addParts(session, demand(session, instance, step), step.computeInstances);
  }
}

async function destroyInstance(session: GpuSession, instance: GpuInstanceState): Promise<void> {
  demandSame(session, instance, await session.demandFree('DestroyInstance', instance));
  if (instance.computeInstances.length > 0) {
    const command: ChangeCommand = { name: 'DestroyComputeInstances', gpu: session.busId, instance: instance.id };
    const execution = await session.run(command);
    if (execution.rc !== 0 || execution.end !== 'Exited') {
      const left = await listParts(session, instance);
      if (left.length > 0) throw session.explainUndone(command, execution, instance);
    }
  }
  const command: ChangeCommand = { name: 'DestroyInstance', gpu: session.busId, instance: instance.id };
  const execution = await session.run(command);
  if (saysDone(execution, 'Successfully destroyed GPU instance')) {
    session.believe(command, execution, instance);
    return;
  }
  const left = (await session.driver.listInstances(session.busId)).some(({ start, id }) => {
    return start === instance.start && id === instance.id;
  });
  if (left) throw session.explainUndone(command, execution, instance);
}

/** Exit code 0 alone says nothing: it comes with `No MIG-enabled devices found.` too. */
function saysDone({ rc, stdout, end }: Execution, ...words: readonly string[]): boolean {
  return rc === 0 && end === 'Exited' && words.every((said) => stdout.includes(said));
}

/** An id is free again at once after a destroy: what has it now may be somebody else's. */
function demandSame(session: GpuSession, instance: GpuInstanceState, report: ReportedGpu): void {
  const devices = report.migDevices.filter((device) => device.instance === instance.id);
  const isSame =
    devices.length === instance.computeInstances.length &&
    instance.computeInstances.every(({ id, attributes }) =>
      devices.some(
        (device) =>
          device.computeInstance === id &&
          (attributes === undefined ||
            (attributes.memoryMiB === device.memoryMiB && attributes.multiprocessors === device.multiprocessors)),
      ),
    );
  if (isSame) return;
  const found = 'it is not what it was when the plan was made; nothing of it was touched';
  throw session.explain('Unstable', { tried: 'to destroy it', found }, instance);
}

async function createInstance(session: GpuSession, step: Step): Promise<void> {
  const profile = session.gpu.geometry?.profiles.find(({ name }) => name === step.profile);
  if (profile?.id === undefined) {
    const found = 'the live table of the GPU has no such profile';
    throw session.explain('UnknownProfile', { tried: `to make a ${step.profile}`, found });
  }
  const whole = step.computeInstances.length === 1 && step.computeInstances[0] === step.profile;
  const { id: profileId } = profile;
  const command: ChangeCommand = { name: 'CreateInstance', gpu: session.busId, profileId, start: step.start, whole };
  const execution = await session.run(command);
  const made = ['Successfully created GPU instance', ...(whole ? ['Successfully created compute instance'] : [])];
  // Parts are made by the id that the driver gave, which is never taken unchecked.
  if (saysDone(execution, ...made) && (whole || step.computeInstances.length === 0)) return;
  const rows = await session.driver.listInstances(session.busId);
  const row = rows.find((candidate) => candidate.start === step.start && candidate.profileId === profileId);
  if (row === undefined) {
    const undone = session.explainUndone(command, execution, step);
    // What had to make room for it may never have gone.
    throw (undone.code === 'NoRoom' ? session.findLie(rows) : undefined) ?? undone;
  }
  if (step.computeInstances.length === 0) return;
  const parts = whole ? await listParts(session, row) : [];
  if (parts.length === 0) await createParts(session, row, step.computeInstances, 0);
}

/** @param there compute instances that are on the GPU instance already */
async function createParts(
  session: GpuSession,
  instance: Placed,
  names: readonly string[],
  there: number,
): Promise<void> {
  // What a GPU instance offers does not change with what is on it.
  const isSplit = names.some((name) => name !== instance.profile);
  const offers = isSplit ? await session.driver.listComputeProfiles(session.busId, instance.id) : [];
  for (const [at, name] of names.entries()) {
    const command = chooseCreation(session, instance, name, offers);
    const execution = await session.run(command);
    if (saysDone(execution, 'Successfully created compute instance')) continue;
    const now = (await listParts(session, instance)).length;
    if (now <= there + at) throw session.explainUndone(command, execution, instance);
  }
}

/** The default profile is the whole GPU instance, whatever its id; parts go by the id that this very GPU instance offers. */
function chooseCreation(
  session: GpuSession,
  instance: Placed,
  name: string,
  offers: readonly ComputeProfileRow[],
): ChangeCommand {
  const target = { gpu: session.busId, instance: instance.id };
  if (name === instance.profile) return { name: 'CreateWholeComputeInstance', ...target };
  const slices = computeInstanceSlices(name, 0);
  const [offer] = offers
    .filter((profile) => computeInstanceSlices(profile.name, 0) === slices)
    // Hopper offers two with one slice; the one with fewer multiprocessors leaves room for the others.
    .toSorted((a, b) => a.multiprocessors - b.multiprocessors);
  if (offer === undefined) {
    const found = 'the GPU instance offers no such profile (-lcip)';
    throw session.explain('UnknownProfile', { tried: `to make a ${name}`, found }, instance);
  }
  return { name: 'CreateComputeInstance', ...target, profileId: offer.id };
}

async function destroyParts(session: GpuSession, instance: GpuInstanceState, names: readonly string[]): Promise<void> {
  const chosen = chooseParts(instance.computeInstances, names, await listBusyParts(session, instance, names));
  await session.demandFree('DestroyComputeInstances', instance, chosen);
  const command: ChangeCommand = {
    name: 'DestroyComputeInstances',
    gpu: session.busId,
    instance: instance.id,
    ids: chosen,
  };
  const execution = await session.run(command);
  if (saysDone(execution, 'Successfully destroyed compute instance')) {
    session.believe(command, execution, instance);
    return;
  }
  const left = await listParts(session, instance);
  if (left.some(({ id }) => chosen.includes(id))) throw session.explainUndone(command, execution, instance);
}

/** Ids of compute instances with a process on them, asked for only where some stay and there is a choice. */
async function listBusyParts(
  session: GpuSession,
  { id, computeInstances }: GpuInstanceState,
  names: readonly string[],
): Promise<ReadonlySet<number | undefined>> {
  if (names.length === computeInstances.length) return new Set();
  const { processes } = await session.driver.readUse(session.busId);
  return new Set(processes.flatMap(({ instance, computeInstance }) => (instance === id ? [computeInstance] : [])));
}

/** An earlier step may have taken some away: they are counted afresh. */
async function addParts(session: GpuSession, instance: Placed, names: readonly string[]): Promise<void> {
  const rows = await listParts(session, instance);
  const lie = session.findPartLie(rows);
  if (lie !== undefined) throw lie;
  await createParts(session, instance, names, rows.length);
}

/** Ids of compute instances with these names; of equal ones the idle first. */
function chooseParts(
  parts: readonly ComputeInstanceState[],
  names: readonly string[],
  busy: ReadonlySet<number | undefined>,
): readonly number[] {
  const left = parts.toSorted((a, b) => Number(busy.has(a.id)) - Number(busy.has(b.id)));
  return names.flatMap((name) => {
    const at = left.findIndex(({ profile }) => computeInstanceSlices(profile, 0) === computeInstanceSlices(name, 0));
    return at === -1 ? [] : left.splice(at, 1).map(({ id }) => id);
  });
}

async function listParts(session: GpuSession, { id }: Placed): Promise<readonly ComputeInstanceRow[]> {
  const rows = await session.driver.listComputeInstances(session.busId);
  return rows.filter(({ instance }) => instance === id);
}

function demand(session: GpuSession, instance: GpuInstanceState | undefined, step: Step): GpuInstanceState {
  if (instance !== undefined) return instance;
  throw session.explain('Unstable', { tried: `${step.action} on it`, found: 'the GPU instance is gone' }, step);
}
