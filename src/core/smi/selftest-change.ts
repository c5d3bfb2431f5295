// Room smi: what nvidia-smi is told and what it answers; nothing is run here.
// Ask here step by step what to do with a GPU whose profiles are tried (tryProfiles), up to what was found.
import type { Profile } from '../gpu/geometry.ts';
import { type DeviceState, type GpuState, listUuids, type MigMode, DeviceError } from '../gpu/device-state.ts';
import { canReturn, isBusy, type GpuTarget, targetBack } from './change.ts';
import { placeOf } from '../gpu/grid.ts';
import { redactFault } from './selftest-bundle.ts';
import { type Execution, describeCommand, type ReadCommand } from './command.ts';
import { parseComputeInstances, parseInstances } from './tables.ts';

/** The outcome for one profile. */
interface ProfileTest {
  readonly profile: string;
  readonly start: number;
  readonly outcome: 'Passed' | 'Failed';
  /** Milliseconds to create it, including reading it back. */
  readonly makeMs: number;
  /** Milliseconds to read the GPU once more, table by table. */
  readonly verifyMs: number;
  /** Milliseconds to destroy it, including reading it back. */
  readonly undoMs: number;
  readonly error?: string;
}

/** What was tried on one GPU; a part of `selftest -o json`. */
export interface ChangeTest {
  readonly index: number;
  readonly uuid: string;
  readonly product: string;
  /** `Refused`: nothing was touched. `Stopped`: not every profile was tried. */
  readonly state: 'Passed' | 'Failed' | 'Refused' | 'Stopped';
  /** Why it is not `Passed`. */
  readonly reason?: string;
  /** MIG mode before, and after. */
  readonly mig: MigMode | null;
  readonly profiles: readonly ProfileTest[];
  /** Whether the GPU is restored: mode, placements, compute instances. */
  readonly isPutBack: boolean;
  /** MIG devices that were restored but now have another UUID. */
  readonly otherUuids: number;
  /** What on this host does not follow the restored instances, and what to do. */
  readonly notes?: readonly string[];
}

/** The result for a GPU on which nothing may be tried; undefined if changes can be. */
function refuseChange(gpu: GpuState, device: DeviceState, held: ReadonlySet<string>): ChangeTest | undefined {
  const reason = explainRefusal(gpu, device, held);
  if (reason === undefined) return undefined;
  const { index, uuid, product, mig } = gpu;
  const untouched = { profiles: [], isPutBack: true, otherUuids: 0 };
  return { index, uuid, product, state: 'Refused', reason, mig: mig?.current ?? null, ...untouched };
}

/** Why changes cannot be tried on a GPU; undefined if they can. */
function explainRefusal(gpu: GpuState, device: DeviceState, held: ReadonlySet<string>): string | undefined {
  const { fault, health, mig, processes, instances } = gpu;
  if (fault !== undefined) return `it cannot be read: ${fault.code}: ${fault.message}`;
  if (mig === undefined) return 'it has no MIG';
  if (health !== undefined) return `it is not well: ${health.message}`;
  if (mig.current !== mig.pending) return `MIG mode ${mig.pending} is pending: a reset or a reboot ends that`;
  const busy = instances.filter((instance) => isBusy(gpu, instance, held));
  if (processes.length > 0 || busy.length > 0 || held.has(gpu.uuid)) {
    const where = busy.map(({ profile, start }) => `${profile} at ${start}`).join(', ');
    return `somebody uses it${where === '' ? '' : ` (${where})`}: choose a GPU that nobody uses`;
  }
  const stranger = [...held].find((id) => !id.startsWith('GPU-') && !listUuids(device).has(id));
  if (stranger !== undefined) return `a pod holds ${stranger}, which cannot be located: it may be on this GPU`;
  if (instances.length === 0 || canReturn(gpu, held)) return undefined;
  return 'it has instances that no layout describes, so that they could not be put back as they are';
}

/** What a trial does next with its GPU. */
type TrialStep =
  /** Tells those who watch, and records on the host that a change begins. */
  | { readonly action: 'Begin' }
  /** Changes the GPU to a state, and verifies it. */
  | { readonly action: 'Become'; readonly target: GpuTarget }
  | { readonly action: 'Read' }
  /** Reads the tables alone once more; it fails if one is not understood. */
  | { readonly action: 'ReadTables'; readonly reading: ReturnType<typeof readInstanceTables> }
  /** Tells those who watch. */
  | { readonly action: 'Tell'; readonly test: ProfileTest };

/** How a step ended: with the GPU as it was last read, or why it failed. */
type TrialAnswer = {
  readonly ms: number;
  /** Why no further profile should be started; undefined to continue. */
  readonly stopped: string | undefined;
} & (
  | { readonly gpu: GpuState; readonly error?: undefined }
  | { readonly gpu?: undefined; readonly error: DeviceError }
);

type Trial<Result> = Generator<TrialStep, Result, TrialAnswer>;

function readTables(): TrialStep {
  return { action: 'ReadTables', reading: readInstanceTables() };
}

/** Reads the tables of the whole node: a recording uses them to determine the device's state. @throws DeviceError if one is not understood */
function* readInstanceTables(): Generator<ReadCommand, void, Execution> {
  const [instances, parts] = [{ name: 'Instances' }, { name: 'ComputeInstances' }] as const;
  parseInstances(describeCommand(instances), yield instances);
  parseComputeInstances(describeCommand(parts), yield parts);
}

/**
 * Tries the profiles of one GPU, if nobody uses it and it can be restored. It is left as it was found, whatever happens.
 *
 * @param found fresh reading
 * @param held what pods hold
 */
export function* tryProfiles(found: DeviceState, before: GpuState, held: ReadonlySet<string>): Trial<ChangeTest> {
  const refused = refuseChange(before, found, held);
  if (refused !== undefined) return refused;
  yield { action: 'Begin' };
  const profiles: ProfileTest[] = [];
  // Placements created here: nothing else that appears meanwhile is ever destroyed.
  const made = new Set<string>();
  let tried: { readonly stopped?: string | undefined; readonly error?: unknown };
  try {
    tried = { stopped: yield* tryAll(before, profiles, made) };
  } catch (error) {
    tried = { error };
  }
  // Restored even if nothing went as it should.
  const { isPutBack, otherUuids, reason } = yield* putBack(before, made);
  const { stopped } = tried;
  const failure = 'error' in tried ? redactFault(demandFault(tried.error)) : undefined;
  const failed = !isPutBack || failure !== undefined || profiles.some(({ outcome }) => outcome === 'Failed');
  const why = [failure, stopped, reason].filter((text) => text !== undefined).join('; ');
  const { index, uuid, product, mig } = before;
  return {
    index,
    uuid,
    product,
    state: failed ? 'Failed' : stopped === undefined ? 'Passed' : 'Stopped',
    ...(why === '' ? {} : { reason: why }),
    mig: mig?.current ?? null,
    profiles,
    isPutBack,
    otherUuids,
  };
}

/** Anything but a DeviceError is rethrown. */
function demandFault(error: unknown): DeviceError {
  if (error instanceof DeviceError) return error;
  throw error;
}

/** @throws DeviceError */
function demandDone({ gpu, error }: TrialAnswer): GpuState {
  if (error !== undefined) throw error;
  return gpu;
}

/** @returns why it ended early */
function* tryAll({ uuid }: GpuState, profiles: ProfileTest[], made: Set<string>): Trial<string | undefined> {
  let last = yield { action: 'Become', target: { uuid, want: {} } };
  const { geometry, pciBusId } = demandDone(last);
  // With MIG mode on: some drivers list no profiles without it.
  const placed = (geometry?.profiles ?? []).flatMap((profile) =>
    profile.starts.slice(0, 1).map((start) => ({ profile, start })),
  );
  if (placed.length === 0) {
    const found = 'the driver lists no profile that has a place';
    throw new DeviceError('NotSupported', { tried: 'to try each profile', found, gpu: pciBusId });
  }
  for (const { profile, start } of placed) {
    if (last.stopped !== undefined) return last.stopped;
    made.add(placeOf({ profile: profile.name, start }));
    const { test, end } = yield* tryProfile(uuid, profile, start);
    profiles.push(test);
    last = yield { action: 'Tell', test };
    if (end !== undefined) throw end;
  }
  return undefined;
}

/** @returns what was found, and an error after which no other profile can be tried */
function* tryProfile(
  uuid: string,
  profile: Profile,
  start: number,
): Trial<{ readonly test: ProfileTest; readonly end: DeviceError | undefined }> {
  const { name } = profile;
  const step = { profile: name, start, computeInstances: [name] };
  const create = { uuid, want: { [name]: 1 }, steps: [{ action: 'CreateInstance' as const, ...step }] };
  const destroy = { uuid, want: {}, steps: [{ action: 'DestroyInstance' as const, ...step }] };
  const make = yield { action: 'Become', target: create };
  let error = make.error ?? findDifference(make.gpu, profile, start);
  const verify = error === undefined ? yield readTables() : undefined;
  error ??= verify?.error;
  const undo = yield { action: 'Become', target: destroy };
  const undoError = undo.error ?? (yield readTables()).error;
  const first = error ?? undoError;
  const times = { makeMs: make.ms, verifyMs: verify?.ms ?? 0, undoMs: undo.ms };
  const outcome = first === undefined ? 'Passed' : 'Failed';
  return {
    test: { profile: name, start, outcome, ...times, ...(first === undefined ? {} : { error: redactFault(first) }) },
    // What cannot be destroyed leaves no empty GPU for the next; a driver that does not answer will not answer then.
    end: undoError ?? (error?.stopsNode === true ? error : undefined),
  };
}

function* putBack(
  before: GpuState,
  made: ReadonlySet<string>,
): Trial<Pick<ChangeTest, 'isPutBack' | 'otherUuids' | 'reason'>> {
  const wanted = describeGpuState(before);
  try {
    let now = demandDone(yield { action: 'Read' });
    if (describeGpuState(now) !== wanted)
      now = demandDone(yield { action: 'Become', target: targetBack(before, now, made) });
    const state = describeGpuState(now);
    if (state !== wanted) return { isPutBack: false, otherUuids: 0, reason: `it was ${wanted}, and is ${state}` };
    const uuids = new Set(listMigUuids(now));
    return { isPutBack: true, otherUuids: listMigUuids(before).filter((uuid) => !uuids.has(uuid)).length };
  } catch (error) {
    const reason = `it could not be put back (it was ${wanted}): ${redactFault(demandFault(error))}`;
    return { isPutBack: false, otherUuids: 0, reason };
  }
}

/** Undefined if a GPU has exactly this instance, with one MIG device over the whole of it. */
function findDifference(gpu: GpuState, { name, multiprocessors }: Profile, start: number): DeviceError | undefined {
  const [instance, ...others] = gpu.instances;
  const [part, ...parts] = instance?.computeInstances ?? [];
  const tried = `to make ${name} at ${start}`;
  const refuse = (found: string): DeviceError => new DeviceError('NothingDone', { tried, found, gpu: gpu.pciBusId });
  if (instance === undefined || others.length > 0 || instance.profile !== name || instance.start !== start)
    return refuse(gpu.instances.map(placeOf).join(', ') || 'no instance');
  if (part?.uuid === undefined || parts.length > 0) return refuse('it has no MIG device, or several');
  const counted = part.attributes?.multiprocessors;
  if (multiprocessors !== undefined && counted !== undefined && counted !== multiprocessors)
    return refuse(`its MIG device has ${counted} multiprocessors, and -lgip says ${multiprocessors}`);
  return undefined;
}

/** Describes the mode and the instances: `MIG mode Enabled, 3g.20gb@4 (3g.20gb)`; equal for the original and the restored state. */
function describeGpuState({ mig, instances }: GpuState): string {
  const places = instances.map((one) => {
    const parts = one.computeInstances.map(({ profile }) => profile).toSorted();
    return `${placeOf(one)} (${parts.join(', ')})`;
  });
  const pending = mig === undefined || mig.pending === mig.current ? [] : [`${mig.pending} pending`];
  return [`MIG mode ${mig?.current ?? 'unknown'}`, ...pending, ...places].join(', ');
}

function listMigUuids({ instances }: GpuState): readonly string[] {
  return instances.flatMap(({ computeInstances }) => computeInstances.flatMap(({ uuid }) => uuid ?? []));
}
