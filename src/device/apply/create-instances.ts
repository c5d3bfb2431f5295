import { isPlain, isWhole, type Step } from '../../core/gpu/plan/step.ts';
import { isCompleted, countPhrase } from '../../core/smi/output.ts';
import type { ChangeCommand } from '../../core/smi/smi-command.ts';
import type { InstanceRow } from '../../core/smi/instance-table.ts';
import { createParts } from './compute-instances.ts';
import type { GpuSession } from './gpu-session.ts';

/**
 * Creates GPU instances in one command, in the order of the steps; either all with the compute instance over the whole, or all
 * without. The command is not atomic: it stops at the first failure, and leaves what it made. If the failed one exists anyway, it
 * is done, and another command makes the rest.
 */
export async function createInstances(session: GpuSession, steps: readonly Step[]): Promise<void> {
  const places = steps.map((step) => ({ profileId: findProfileId(session, step), start: step.start }));
  const whole = steps.some(isWhole);
  const command: ChangeCommand = { name: 'CreateInstances', gpu: session.busId, places, whole };
  const execution = await session.run(command);
  const made = countPhrase(execution, 'Successfully created GPU instance');
  const filled = whole ? countPhrase(execution, 'Successfully created compute instance') : made;
  const isConfirmed = isCompleted(execution) && made === steps.length && filled === steps.length;
  // Parts are made by the id that the driver assigned, which is never used unchecked.
  if (isConfirmed && steps.every(isPlain)) return;
  const rows = await session.driver.listInstances(session.busId);
  const found = places.map(({ profileId, start }) =>
    rows.find((row) => row.start === start && row.profileId === profileId),
  );
  const missing = found.indexOf(undefined);
  const failed = Math.min(made, filled);
  if (missing !== -1 && failed >= missing) {
    const undone = session.explainUndone(command, execution, steps[missing]);
    // The instance that had to make room for it may never have been destroyed.
    throw (undone.code === 'NoRoom' ? session.findLie(rows) : undefined) ?? (await session.nameUsers(undone));
  }
  const there = missing === -1 ? steps.length : missing;
  await fillInstances(session, steps.slice(0, there), found);
  if (missing !== -1) await createInstances(session, steps.slice(missing));
}

/**
 * Creates one GPU instance, with its contents, where the driver chooses.
 * @returns its place
 */
export async function createAnywhere(session: GpuSession, step: Step): Promise<InstanceRow> {
  const profileId = findProfileId(session, step);
  const before = await session.driver.listInstances(session.busId);
  const whole = isWhole(step);
  const command: ChangeCommand = { name: 'CreateInstances', gpu: session.busId, places: [{ profileId }], whole };
  const execution = await session.run(command);
  const after = await session.driver.listInstances(session.busId);
  const made = after.find((row) => row.profileId === profileId && !before.some(({ start }) => start === row.start));
  if (made === undefined) throw await session.nameUsers(session.explainUndone(command, execution, step));
  await fillInstances(session, [step], [made]);
  return made;
}

/** Creates the missing compute instances of GPU instances. */
async function fillInstances(
  session: GpuSession,
  steps: readonly Step[],
  rows: readonly (InstanceRow | undefined)[],
): Promise<void> {
  const wanting = steps.flatMap((step, at) => {
    const row = rows[at];
    return row === undefined || step.computeInstances.length === 0 ? [] : [{ step, row }];
  });
  const mayBeFilled = wanting.some(({ step }) => isWhole(step));
  const parts = mayBeFilled ? await session.driver.listComputeInstances(session.busId) : [];
  for (const { step, row } of wanting)
    if (!parts.some(({ instance }) => instance === row.id)) await createParts(session, row, step.computeInstances, 0);
}

function findProfileId(session: GpuSession, { profile: name }: Step): number {
  const profile = session.geometry?.profiles.find((candidate) => candidate.name === name);
  if (profile?.id !== undefined) return profile.id;
  const found = 'the live table of the GPU has no such profile';
  throw session.explain('UnknownProfile', { tried: `to make a ${name}`, found });
}
