import { computeInstanceSlices } from '../../core/gpu/geometry/profile-name.ts';
import type { ChangeCommand } from '../../core/smi/smi-command.ts';
import type { ComputeInstanceRow } from '../../core/smi/instance-table.ts';
import type { ComputeProfileRow } from '../../core/smi/profile-table.ts';
import type { ComputeInstanceState, GpuInstanceState } from '../../core/gpu/state/device-state.ts';
import type { GpuSession } from './gpu-session.ts';
import { confirms } from '../../core/smi/output.ts';

/** A GPU instance by its id. */
type Placed = Pick<GpuInstanceState, 'profile' | 'id' | 'start'>;

/** @param there number of compute instances that already exist on the GPU instance */
export async function createParts(
  session: GpuSession,
  instance: Placed,
  names: readonly string[],
  there: number,
): Promise<void> {
  // What a GPU instance offers does not depend on what exists on it.
  const isSplit = names.some((name) => name !== instance.profile);
  const offers = isSplit ? await session.driver.listComputeProfiles(session.busId, instance.id) : [];
  for (const [at, name] of names.entries()) {
    const command = chooseCreation(session, instance, name, offers);
    const execution = await session.run(command);
    if (confirms(execution, 'Successfully created compute instance')) continue;
    const now = (await listParts(session, instance)).length;
    if (now <= there + at) throw session.explainUndone(command, execution, instance);
  }
}

/** The default profile is the whole GPU instance, whatever its id; parts use the id that this very GPU instance offers. */
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

export async function destroyParts(
  session: GpuSession,
  instance: GpuInstanceState,
  names: readonly string[],
): Promise<void> {
  const chosen = chooseParts(instance.computeInstances, names, await listBusyParts(session, instance, names));
  await session.demandFree('DestroyComputeInstances', [instance], chosen);
  const command: ChangeCommand = {
    name: 'DestroyComputeInstances',
    gpu: session.busId,
    instances: [instance.id],
    ids: chosen,
  };
  const execution = await session.run(command);
  if (confirms(execution, 'Successfully destroyed compute instance')) {
    session.believe(command, execution, [instance]);
    return;
  }
  const left = await listParts(session, instance);
  if (left.some(({ id }) => chosen.includes(id)))
    throw await session.nameUsers(session.explainUndone(command, execution, instance));
}

/** Ids of compute instances that run a process; asked for only if some stay and there is a choice. */
async function listBusyParts(
  session: GpuSession,
  { id, computeInstances }: GpuInstanceState,
  names: readonly string[],
): Promise<ReadonlySet<number | undefined>> {
  if (names.length === computeInstances.length) return new Set();
  const { processes } = await session.driver.readUse(session.busId);
  return new Set(processes.flatMap(({ instance, computeInstance }) => (instance === id ? [computeInstance] : [])));
}

/** An earlier step may have removed some: they are counted again. */
export async function addParts(session: GpuSession, instance: Placed, names: readonly string[]): Promise<void> {
  const rows = await listParts(session, instance);
  const lie = session.findPartLie(rows);
  if (lie !== undefined) throw lie;
  await createParts(session, instance, names, rows.length);
}

/** Ids of compute instances with these names; among equal ones, idle ones first. */
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

export async function listParts(session: GpuSession, { id }: Placed): Promise<readonly ComputeInstanceRow[]> {
  const rows = await session.driver.listComputeInstances(session.busId);
  return rows.filter(({ instance }) => instance === id);
}
