import type { Step } from '../gpu/plan.ts';
import { computeInstanceSlices } from '../gpu/profiles.ts';
import {
  DeviceError,
  type ComputeInstanceState,
  type DeviceErrorCode,
  type GpuInstanceState,
  type GpuState,
  type MigMode,
} from '../gpu/device-state.ts';
import { cutText } from '../text/words.ts';
import type { GpuSession } from './session.ts';
import {
  classifyOutput,
  describeEnd,
  type Execution,
  wordsOf,
  isCompleted,
  ask,
  askReading,
  type ChangeCommand,
  type Work,
} from './command.ts';
import { listComputeInstances, listComputeProfiles, listInstances, readUse } from './reader.ts';
import type { ReportedGpu } from './report.ts';
import type { ComputeInstanceRow, ComputeProfileRow, InstanceRow } from './tables.ts';

/** A GPU instance by its id. */
type Placed = Pick<GpuInstanceState, 'profile' | 'id' | 'start'>;

/** @param there number of compute instances that already exist on the GPU instance */
function* createParts(session: GpuSession, instance: Placed, names: readonly string[], there: number): Work<void> {
  // What a GPU instance offers does not depend on what exists on it.
  const isSplit = names.some((name) => name !== instance.profile);
  const offers = isSplit ? yield* askReading(listComputeProfiles(session.busId, instance.id)) : [];
  for (const [at, name] of names.entries()) {
    const command = chooseCreation(session, instance, name, offers);
    const execution = yield* session.run(command);
    if (readClaim(command, execution).isConfirmed) continue;
    const now = (yield* listParts(session, instance)).length;
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

function* destroyParts(session: GpuSession, instance: GpuInstanceState, names: readonly string[]): Work<void> {
  const chosen = chooseParts(instance.computeInstances, names, yield* listBusyParts(session, instance, names));
  yield* session.demandFree('DestroyComputeInstances', [instance], chosen);
  const command: ChangeCommand = {
    name: 'DestroyComputeInstances',
    gpu: session.busId,
    instances: [instance.id],
    ids: chosen,
  };
  const execution = yield* session.run(command, () =>
    session.demandFree('DestroyComputeInstances', [instance], chosen),
  );
  if (readClaim(command, execution).isConfirmed) {
    session.believe(command, execution, [instance]);
    return;
  }
  const left = yield* listParts(session, instance);
  if (left.some(({ id }) => chosen.includes(id)))
    throw yield* session.nameUsers(session.explainUndone(command, execution, instance));
}

/** Ids of compute instances that run a process; asked for only if some stay and there is a choice. */
function* listBusyParts(
  session: GpuSession,
  { id, computeInstances }: GpuInstanceState,
  names: readonly string[],
): Work<ReadonlySet<number | undefined>> {
  if (names.length === computeInstances.length) return new Set();
  const { processes } = yield* askReading(readUse(session.busId));
  return new Set(processes.flatMap(({ instance, computeInstance }) => (instance === id ? [computeInstance] : [])));
}

/** An earlier step may have removed some: they are counted again. */
function* addParts(session: GpuSession, instance: Placed, names: readonly string[]): Work<void> {
  const rows = yield* listParts(session, instance);
  const lie = session.findPartLie(rows);
  if (lie !== undefined) throw lie;
  yield* createParts(session, instance, names, rows.length);
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

function* listParts(session: GpuSession, { id }: Placed): Work<readonly ComputeInstanceRow[]> {
  const rows = yield* askReading(listComputeInstances(session.busId));
  return rows.filter(({ instance }) => instance === id);
}

/**
 * Creates GPU instances in one command, in the order of the steps; either all with the compute instance over the whole, or all
 * without. The command is not atomic: it stops at the first failure, and leaves what it made. If the failed one exists anyway, it
 * is done, and another command makes the rest.
 */
function* createInstances(session: GpuSession, steps: readonly Step[]): Work<void> {
  const places = steps.map((step) => ({ profileId: findProfileId(session, step), start: step.start }));
  const whole = steps.some(spansInstance);
  const command: ChangeCommand = { name: 'CreateInstances', gpu: session.busId, places, whole };
  const execution = yield* session.run(command);
  const { isConfirmed, made } = readClaim(command, execution);
  // Parts are made by the id that the driver assigned, which is never used unchecked.
  if (isConfirmed && steps.every(isDefaultInstance)) return;
  const rows = yield* askReading(listInstances(session.busId));
  const found = places.map(({ profileId, start }) =>
    rows.find((row) => row.start === start && row.profileId === profileId),
  );
  const missing = found.indexOf(undefined);
  if (missing !== -1 && made >= missing) {
    const undone = session.explainUndone(command, execution, steps[missing]);
    // The instance that had to make room for it may never have been destroyed.
    throw (undone.code === 'NoRoom' ? session.findLie(rows) : undefined) ?? (yield* session.nameUsers(undone));
  }
  const there = missing === -1 ? steps.length : missing;
  yield* fillInstances(session, steps.slice(0, there), found);
  if (missing !== -1) yield* createInstances(session, steps.slice(missing));
}

/**
 * Creates one GPU instance, with its contents, where the driver chooses.
 * @returns its place
 */
export function* createAnywhere(session: GpuSession, step: Step): Work<InstanceRow> {
  const profileId = findProfileId(session, step);
  const before = yield* askReading(listInstances(session.busId));
  const whole = spansInstance(step);
  const command: ChangeCommand = { name: 'CreateInstances', gpu: session.busId, places: [{ profileId }], whole };
  const execution = yield* session.run(command);
  const after = yield* askReading(listInstances(session.busId));
  const made = after.find((row) => row.profileId === profileId && !before.some(({ start }) => start === row.start));
  if (made === undefined) throw yield* session.nameUsers(session.explainUndone(command, execution, step));
  yield* fillInstances(session, [step], [made]);
  return made;
}

/** Creates the missing compute instances of GPU instances. */
function* fillInstances(
  session: GpuSession,
  steps: readonly Step[],
  rows: readonly (InstanceRow | undefined)[],
): Work<void> {
  const wanting = steps.flatMap((step, at) => {
    const row = rows[at];
    return row === undefined || step.computeInstances.length === 0 ? [] : [{ step, row }];
  });
  const mayBeFilled = wanting.some(({ step }) => spansInstance(step));
  const parts = mayBeFilled ? yield* askReading(listComputeInstances(session.busId)) : [];
  for (const { step, row } of wanting)
    if (!parts.some(({ instance }) => instance === row.id)) yield* createParts(session, row, step.computeInstances, 0);
}

function findProfileId(session: GpuSession, { profile: name }: Step): number {
  const profile = session.geometry?.profiles.find((candidate) => candidate.name === name);
  if (profile?.id !== undefined) return profile.id;
  const found = 'the live table of the GPU has no such profile';
  throw session.explain('UnknownProfile', { tried: `to make a ${name}`, found });
}

/**
 * Destroys GPU instances with their contents: one check of who uses them, one command for the compute instances, one for the GPU
 * instances. Each command stops at the first failure; if the failed one is gone anyway, the rest continues.
 *
 * @throws DeviceError InUse before any of them is touched
 */
function* destroyInstances(session: GpuSession, instances: readonly GpuInstanceState[]): Work<void> {
  if (instances.length === 0) return;
  yield* demandIdle(session, instances);
  yield* emptyAll(
    session,
    instances.filter(({ computeInstances }) => computeInstances.length > 0),
  );
  yield* removeAll(session, instances);
}

/** Looks that nobody uses these instances, and that they are still the same. */
function* demandIdle(session: GpuSession, instances: readonly GpuInstanceState[]): Work<void> {
  const report = yield* session.demandFree('DestroyInstance', instances);
  for (const instance of instances) demandSame(session, instance, report);
}

function* emptyAll(session: GpuSession, instances: readonly GpuInstanceState[]): Work<void> {
  if (instances.length === 0) return;
  const command: ChangeCommand = {
    name: 'DestroyComputeInstances',
    gpu: session.busId,
    instances: instances.map(({ id }) => id),
  };
  const execution = yield* session.run(command, () => demandIdle(session, instances));
  const { isConfirmed, failed } = readClaim(command, execution);
  if (isConfirmed) return;
  const rows = yield* askReading(listComputeInstances(session.busId));
  const isThere = (instance: number, part: number): boolean =>
    rows.some((row) => row.instance === instance && row.id === part);
  const left = instances.flatMap((one) => {
    const computeInstances = one.computeInstances.filter((part) => isThere(one.id, part.id));
    return computeInstances.length === 0 ? [] : [{ ...one, computeInstances }];
  });
  if (left.length === 0) return;
  const { instance, part } = failed ?? {};
  const isOurs = instances.some(
    ({ id, computeInstances }) => id === instance && computeInstances.some((one) => one.id === part),
  );
  if (isOurs && instance !== undefined && part !== undefined && !isThere(instance, part))
    return yield* emptyAll(session, left);
  throw yield* session.nameUsers(
    session.explainUndone(command, execution, left.find(({ id }) => id === instance) ?? left[0]),
  );
}

function* removeAll(session: GpuSession, instances: readonly GpuInstanceState[]): Work<void> {
  const command: ChangeCommand = {
    name: 'DestroyInstances',
    gpu: session.busId,
    instances: instances.map(({ id }) => id),
  };
  const emptied = instances.map((instance) => ({ ...instance, computeInstances: [] }));
  const execution = yield* session.run(command, () => demandIdle(session, emptied));
  const { isConfirmed, failed } = readClaim(command, execution);
  if (isConfirmed) {
    session.believe(command, execution, instances);
    return;
  }
  const rows = yield* askReading(listInstances(session.busId));
  const left = instances.filter(({ id, start }) => rows.some((row) => row.id === id && row.start === start));
  if (left.length === 0) return;
  const held = left.find(({ id }) => id === failed?.instance);
  const isOurs = instances.some(({ id }) => id === failed?.instance);
  if (isOurs && held === undefined) return yield* removeAll(session, left);
  throw yield* session.nameUsers(session.explainUndone(command, execution, held ?? left[0]));
}

/** An id is reusable right after a destroy: its current owner may be somebody else. */
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
  const found = 'it changed after the plan was made; it was not touched';
  throw session.explain('Unstable', { tried: 'to destroy it', found }, instance);
}

/**
 * Does steps in their order, those at once that one command can do. A success in the driver's own words is accepted until the end of the round, when one reading proves
 * everything and the next round does what is missing; anything but plain success is checked at once. Whatever the exit code:
 * a failed operation whose effect is there is done; a successful one without effect has failed.
 *
 * @param instances the GPU's instances before the steps; any instance that a step names is among them or was made by an earlier step
 * @param begins told of each step that is about to be done
 * @throws DeviceError
 */
export function* takeSteps(
  session: GpuSession,
  steps: readonly Step[],
  instances: readonly GpuInstanceState[],
  begins: (step: Step) => void,
): Work<void> {
  for (const batch of batchSteps(steps)) {
    for (const step of batch) begins(step);
    yield* takeBatch(session, batch, instances);
  }
}

function* takeBatch(session: GpuSession, batch: readonly Step[], instances: readonly GpuInstanceState[]): Work<void> {
  const [step] = batch;
  if (step === undefined) return;
  const find = (wanted: Step): GpuInstanceState | undefined =>
    instances.find(({ start, profile }) => start === wanted.start && profile === wanted.profile);
  switch (step.action) {
    case 'CreateInstance':
      return yield* createInstances(session, batch);
    case 'DestroyInstance':
      // Gone since it was read: the step's goal is already reached.
      return yield* destroyInstances(
        session,
        batch.flatMap((one) => find(one) ?? []),
      );
    case 'DestroyComputeInstances':
      return yield* destroyParts(session, demand(session, find(step), step), step.computeInstances);
    case 'CreateComputeInstances':
      return yield* addParts(session, demand(session, find(step), step), step.computeInstances);
  }
}

function demand(session: GpuSession, instance: GpuInstanceState | undefined, step: Step): GpuInstanceState {
  if (instance !== undefined) return instance;
  throw session.explain('Unstable', { tried: `${step.action} on it`, found: 'the GPU instance is gone' }, step);
}

/**
 * Brings MIG mode of a GPU without instances to `mode`. Hopper and later switch at once; on Ampere the new mode is pending until
 * a reset of the GPU, for which nobody may have it open.
 *
 * @param known the mode as last read, not yet the wanted one
 * @returns the GPU afterwards, read back: the exit code proves nothing
 * @throws DeviceError Pending, ResetRequired, RebootRequired, NotSupported, InUse and others
 */
export function* changeMode(session: GpuSession, mode: MigMode, known: GpuState['mig']): Work<ReportedGpu> {
  try {
    return yield* tryMode(session, mode, known);
  } catch (error) {
    if (!(error instanceof DeviceError) || error.code !== 'Pending') throw error;
    return yield* session.alone(function* () {
      try {
        if (!(yield* ask({ kind: 'StopUnits' }))) throw error;
        return yield* tryMode(session, mode, (yield* askReading(readUse(session.busId))).mig);
      } finally {
        yield* ask({ kind: 'StartUnits' });
      }
    });
  }
}

function* tryMode(session: GpuSession, mode: MigMode, known: GpuState['mig']): Work<ReportedGpu> {
  // Interrupted before its reset: setting the mode again usually changes nothing.
  const isLeftPending = known?.pending === mode && session.mayReset;
  const reset = isLeftPending ? yield* resetGpu(session) : undefined;
  if (reset !== undefined && isAt(reset.after, mode)) return reset.after;
  const look = function* (): Work<ReportedGpu> {
    const before = known?.current === mode ? yield* askReading(readUse(session.busId)) : undefined;
    // The current mode is right, and only the pending one must be reverted: no running work is disturbed.
    return before?.mig?.current === mode ? before : yield* session.demandFree('ChangeMode');
  };
  const before = yield* look();
  if (isAt(before, mode)) return before;
  const command: ChangeCommand = { name: 'SetMode', gpu: session.busId, mode };
  const execution = yield* session.run(command, look);
  const after = yield* askReading(readUse(session.busId));
  if (isAt(after, mode)) return after;
  if (after.mig?.pending !== mode) throw session.explainUndone(command, execution);
  if (!session.mayReset) {
    const details = { tried: `to set MIG mode ${mode}`, found: `it is pending: ${quote(execution)}` };
    if (classifyOutput(execution) === 'InUse') throw yield* session.explainOpen(details, after);
    throw session.explain('ResetRequired', details);
  }
  const last = reset ?? (yield* resetGpu(session));
  if (isAt(last.after, mode)) return last.after;
  if (last.after.mig?.pending !== mode) throw session.explainUndone(command, execution);
  const found = `it stays pending after an attempt to reset the GPU: ${quote(last.execution)}`;
  const details = { tried: `to set MIG mode ${mode}`, found };
  const code = judgeReset(last.execution);
  throw code === 'Pending' ? yield* session.explainOpen(details, last.after) : session.explain(code, details);
}

interface ResetResult {
  readonly execution: Execution;
  readonly after: ReportedGpu;
}

/** Resets a GPU. Persistence mode holds it like a client (gpu-operator #118): it is off for the reset, and on again whatever the result. */
function resetGpu(session: GpuSession): Work<ResetResult> {
  return session.alone(function* () {
    const { isPersistent = false } = yield* session.demandFree('Reset');
    const execution = isPersistent
      ? yield* resetUnheld(session)
      : yield* session.run({ name: 'Reset', gpu: session.busId });
    return { execution, after: yield* askReading(readUse(session.busId)) };
  });
}

function* resetUnheld(session: GpuSession): Work<Execution> {
  const gpu = session.busId;
  yield* ask({ kind: 'TakePersistence', gpu });
  try {
    yield* session.run({ name: 'SetPersistence', gpu, on: false });
    yield* session.demandFree('Reset');
    return yield* session.run({ name: 'Reset', gpu });
  } finally {
    yield* ask({ kind: 'RestorePersistence' });
  }
}

/**
 * Resets an empty GPU whose driver asks for it.
 * @throws DeviceError if the reset is refused, or does not help
 */
export function* recoverGpu(session: GpuSession): Work<ReportedGpu> {
  const { execution, after } = yield* resetGpu(session);
  const details = { tried: 'to reset the GPU', found: quote(execution) };
  const code = judgeReset(execution);
  if (!readClaim({ name: 'Reset', gpu: session.busId }, execution).isConfirmed)
    throw code === 'Pending' ? yield* session.explainOpen(details, after) : session.explain(code, details);
  if (after.health === undefined) return after;
  throw session.explain('Unhealthy', { ...details, found: `after it: ${after.health.message}` });
}

/**
 * Virtual machines with the GPU passed through cannot reset it, and some resets succeed without effect (gpu-operator #1606). In a
 * refusal the reason follows the GPU; the sentence about processes below it appears whatever the reason.
 */
function judgeReset(execution: Execution): DeviceErrorCode {
  const reason = /^\s*GPU [0-9A-F:.]+: (.+)$/im.exec(execution.stdout)?.[1];
  const code = classifyOutput(reason === undefined ? execution : { ...execution, stdout: reason, stderr: '' });
  if (code === 'InUse') return 'Pending';
  return code === 'NothingDone' || code === 'NotSupported' || code === 'ResetRequired' ? 'RebootRequired' : code;
}

/** True if the mode is set and no other is pending. */
export function isAt({ mig }: Pick<GpuState, 'mig'>, mode: MigMode): boolean {
  return mig?.current === mode && mig.pending === mode;
}

function quote(execution: Execution): string {
  return `${describeEnd(execution)}, ${JSON.stringify(cutText(wordsOf(execution).trim().replace(/\s+/g, ' '), 160))}`;
}

/** Steps in their order, grouped so that one command can do each group: an nvidia-smi process costs seconds on a large node. */
export function batchSteps(steps: readonly Step[]): readonly (readonly Step[])[] {
  const batches: Step[][] = [];
  for (const step of steps) {
    const last = batches.at(-1);
    const [first] = last ?? [];
    if (last !== undefined && first !== undefined && areOne(first, step)) last.push(step);
    else batches.push([step]);
  }
  return batches;
}

function areOne(first: Step, step: Step): boolean {
  if (first.action !== step.action) return false;
  if (step.action === 'DestroyInstance') return true;
  if (step.action !== 'CreateInstance' || !isDefaultInstance(first) || !isDefaultInstance(step)) return false;
  return first.computeInstances.length === step.computeInstances.length;
}

/** True if one command creates the GPU instance with its contents: the compute instance over the whole, or none. */
function isDefaultInstance({ profile, computeInstances }: Step): boolean {
  return computeInstances.length === 0 || spansInstance({ profile, computeInstances });
}

function spansInstance({ profile, computeInstances }: Pick<Step, 'profile' | 'computeInstances'>): boolean {
  return computeInstances.length === 1 && computeInstances[0] === profile;
}

/** What an answer claims of a change; nothing of it is proved. */
interface ChangeClaim {
  /**
   * Whether it ended well, and says of what was to be made or destroyed that it was. Exit code 0 alone proves nothing: from driver 550 on
   * `No MIG-enabled devices found.` has it too.
   */
  readonly isConfirmed: boolean;
  /** How many GPU instances were made, with the compute instance over the whole if that was asked for. */
  readonly made: number;
  /** Ids of the instance at which a destroy has stopped. */
  readonly failed: { readonly instance: number; readonly part?: number } | undefined;
}

/** Reads what the answer to a change of one GPU claims. */
function readClaim(command: ChangeCommand, execution: Execution): ChangeClaim {
  const isEnded = isCompleted(execution);
  const count = (words: string): number => execution.stdout.split(words).length - 1;
  const claim = { isConfirmed: isEnded, made: 0, failed: undefined };
  switch (command.name) {
    case 'CreateInstances': {
      const made = count('Successfully created GPU instance');
      const filled = command.whole ? count('Successfully created compute instance') : made;
      const isAll = made === command.places.length && filled === command.places.length;
      return { ...claim, isConfirmed: isEnded && isAll, made: Math.min(made, filled) };
    }
    case 'CreateComputeInstance':
    case 'CreateWholeComputeInstance':
      return { ...claim, isConfirmed: isEnded && count('Successfully created compute instance') > 0 };
    case 'DestroyComputeInstances': {
      const isSaid = command.ids === undefined || count('Successfully destroyed compute instance') > 0;
      const failure = /Unable to destroy compute instance ID +(\d+) from GPU +\d+ GPU instance ID +(\d+)/;
      const [, part, instance] = failure.exec(execution.stdout) ?? [];
      const failed = part === undefined ? undefined : { instance: Number(instance), part: Number(part) };
      return { ...claim, isConfirmed: isEnded && isSaid, failed };
    }
    case 'DestroyInstances': {
      const isAll = count('Successfully destroyed GPU instance') === command.instances.length;
      const [, instance] = /Unable to destroy GPU instance ID +(\d+) from GPU/.exec(execution.stdout) ?? [];
      const failed = instance === undefined ? undefined : { instance: Number(instance) };
      return { ...claim, isConfirmed: isEnded && isAll, failed };
    }
    default:
      return claim;
  }
}
