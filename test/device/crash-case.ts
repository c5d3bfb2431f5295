import { once } from 'node:events';
import { applyNode } from '../../src/device/apply.ts';
import { eventually } from '../support/eventually.ts';
import { CrashHost, killNow, type OperationLine } from './crash-host.ts';
import type { CrashTransition } from './crash-transition.ts';
import { InProcessNode } from './simulated-node.ts';

/**
 * Where SIGKILL strikes: before or after a side effect, its nvidia-smi killed with the program (a container that goes); or
 * `Orphaned`, the program alone, whose nvidia-smi continues and does its work while the program is run again.
 */
export type Moment = 'Before' | 'After' | 'Orphaned';

export interface CrashPoint {
  /** Side effect by number, from 1: one change of the device by one NVML call. */
  readonly effect: number;
  readonly moment: Moment;
  readonly reboots: boolean;
}

export interface CrashVerdict {
  readonly converged: boolean;
  /** Operations of both runs beyond those of an undisturbed one; undefined with a reboot, which takes work away. */
  readonly redundant: number | undefined;
  /** What must never be, in words. */
  readonly violations: readonly string[];
}

/** What an undisturbed run does. */
export interface Course {
  readonly transition: CrashTransition;
  readonly before: string;
  readonly after: readonly string[];
  /** NVML call of each side effect, in order, and which of its name it is. */
  readonly effects: readonly { readonly call: string; readonly nth: number }[];
  /** State lines that are there before and after: busy and unchanged instances. */
  readonly kept: readonly string[];
}

/** How long an orphan is held: the second run then reads, plans, or is in the midst of its work. */
const orphanMs = [500, 900, 1300] as const;

/** Runs a transition without disturbance, in this process: the program does the same with the same operations. */
export async function observeCourse(transition: CrashTransition): Promise<Course> {
  const before = await prepareState(transition);
  const node = new InProcessNode([transition.gpu], before);
  node.faults = transition.faults ?? '';
  const calls: string[] = [];
  node.intercept = (args, run) => {
    const { state } = node;
    const execution = run();
    calls.push(...listCalls(args, state, node.state));
    return execution;
  };
  const targets = [{ uuid: node.uuid(0), want: transition.to }];
  const {
    results: [result],
  } = await applyNode(node.openDriver(), targets, { allowReset: true });
  if (result?.outcome !== 'Applied')
    throw new Error(`${transition.name}: ${result?.outcome} ${result?.error?.message}`);
  return {
    transition,
    before,
    after: await readLayout(transition, node.state),
    effects: calls.map((call, at) => ({ call, nth: calls.slice(0, at + 1).filter((name) => name === call).length })),
    kept: listInstanceLines(before).filter((line) => listInstanceLines(node.state).includes(line)),
  };
}

/** NVML calls by which a command changed the state. */
function listCalls(args: readonly string[], before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const added = now.filter((line) => !old.includes(line)).toSorted((a, b) => b.localeCompare(a));
  const removed = old.filter((line) => !now.includes(line));
  const mode = args.includes('--gpu-reset') ? 'GpuReset' : 'DeviceSetMigMode';
  return [
    ...removed.flatMap((line) =>
      /^[gc]i /.test(line) ? [line.startsWith('g') ? 'GpuInstanceDestroy' : 'ComputeInstanceDestroy'] : [],
    ),
    ...(added.some((line) => line.startsWith('gpu ')) ? [mode] : []),
    ...listCreations(added),
  ];
}

/** A command that makes several GPU instances makes the compute instances of one before the next. */
function listCreations(added: readonly string[]): readonly string[] {
  const idOf = (line: string): string | undefined => line.split(' ')[2];
  const made = added.filter((line) => line.startsWith('gi '));
  const parts = added.filter((line) => line.startsWith('ci '));
  const onMade = (line: string): boolean => made.some((gi) => idOf(gi) === idOf(line));
  const create = () => 'GpuInstanceCreateComputeInstance';
  return [
    ...made.flatMap((gi) => ['DeviceCreateGpuInstance', ...parts.filter((ci) => idOf(ci) === idOf(gi)).map(create)]),
    ...parts.filter((ci) => !onMade(ci)).map(create),
  ];
}

/** Every point of a course. An orphan does not survive a reboot: that is `Before` with one. */
export function listPoints({ effects }: Course): readonly CrashPoint[] {
  return effects.flatMap((_, at) => {
    const effect = at + 1;
    return [
      ...(['Before', 'After', 'Orphaned'] as const).map((moment) => ({ effect, moment, reboots: false })),
      ...(['Before', 'After'] as const).map((moment) => ({ effect, moment, reboots: true })),
    ];
  });
}

/** Kills the program at a point, runs it again, and judges what came of it. */
export async function runCrash(course: Course, point: CrashPoint): Promise<CrashVerdict> {
  const { transition } = course;
  using host = new CrashHost(transition.gpu, course.before);
  await killAt(host, course, point);
  host.faults = transition.faults ?? '';
  const rebootAt = host.readLog().length;
  if (point.reboots) host.state = reboot(transition, host.state);
  const { code, summary } = await host.run(describeWish(transition));
  await eventually(
    () => host.listRunning(),
    (running) => running.length === 0,
    { what: 'the orphan', timeoutMs: 10_000 },
  );
  const log = host.readLog();
  const layout = await readLayout(transition, host.state);
  const converged = code === 0 && isSame(layout, course.after);
  const isKept = converged || isSame(layout, await readLayout(transition, course.before));
  // A command that makes several instances and is cut off may need two more: what counts is what they change.
  const redundant = point.reboots ? undefined : countEffects(log) - course.effects.length;
  const again = converged ? await countFurther(transition, host.state) : 0;
  return {
    converged,
    redundant,
    violations: [
      ...(isKept ? [] : [`a third layout: ${layout.join(' ')}; exit code ${code}: ${summary.slice(-600)}`]),
      ...(redundant !== undefined && redundant > 1 ? [`${redundant} redundant operations`] : []),
      ...(again === 0 ? [] : [`${again} operations on the wished layout`]),
      ...listTouched(course.kept, point.reboots ? log.slice(0, rebootAt) : log),
    ],
  };
}

async function killAt(host: CrashHost, course: Course, { effect, moment }: CrashPoint): Promise<void> {
  const { transition, effects } = course;
  const { call, nth } = effects[effect - 1] ?? { call: '', nth: 0 };
  const fault = moment === 'Orphaned' ? `sleep ${call} ms=${orphanMs[effect % 3]}` : `hang ${call}`;
  // Killed later than it reaches this point it cannot be: it waits here.
  const hold = `${fault} nth=${nth}${moment === 'After' ? ' done' : ''}`;
  host.faults = `${transition.faults ?? ''}\n${hold}\n`;
  const child = host.start(describeWish(transition));
  const done = moment === 'After' ? effect : effect - 1;
  await host.waitForLog(child, `${moment} ${effect}`, (log) => {
    const last = log.at(-1);
    return countEffects(log) === done && last !== undefined && last.event !== 'end' && isOperation(last.argv);
  });
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  if (moment === 'Orphaned') return;
  for (const pid of host.listRunning()) await killNow(-pid);
}

/** An operation that names a busy or unchanged instance, or a change that takes one away. */
function listTouched(kept: readonly string[], log: readonly OperationLine[]): readonly string[] {
  const ids = kept.flatMap((line) => /^gi 0 (\d+) /.exec(line)?.[1] ?? []);
  // What has lost or gained parts does not count as unchanged; its GPU instance must still stay.
  const whole = ids.filter((id) => kept.some((line) => line.startsWith(`ci 0 ${id} `)));
  return log.flatMap(({ event, argv, removed = [] }) => {
    const named = whole.includes(argv[argv.indexOf('-gi') + 1] ?? '') && argv.includes('-gi');
    const taken = removed.filter((line) => kept.includes(line));
    return [
      ...(event === 'start' && isOperation(argv) && named ? [`${argv.join(' ')} on an instance that stays`] : []),
      ...taken.map((line) => `${argv.join(' ')} took away ${line}`),
    ];
  });
}

function isOperation(argv: readonly string[]): boolean {
  return argv.some((word) => /^-(?:cgi|cci|dgi|dci|mig|-gpu-reset)$/.test(word));
}

function countEffects(log: readonly OperationLine[]): number {
  return log.filter(({ event }) => event === 'change').length;
}

function listInstanceLines(state: string): readonly string[] {
  return state.split('\n').filter((line) => /^[gc]i /.test(line));
}

function describeWish({ to }: CrashTransition): unknown {
  return to === 'Disabled' ? { mig: 'Disabled' } : { profiles: to };
}

async function prepareState({ gpu, from, busy }: CrashTransition): Promise<string> {
  const node = new InProcessNode([gpu]);
  const result = await node.change(from);
  if (result?.outcome !== 'Applied' && from !== 'Disabled')
    throw new Error(`cannot begin with ${JSON.stringify(from)}`);
  const place = (await node.layout(0)).find((name) => busy !== undefined && name.startsWith(`${busy}@`));
  if (place !== undefined) await node.startProcess(0, Number(place.split('@')[1]));
  return node.state;
}

/** Mode and profiles, wherever they lie. */
async function readLayout({ gpu }: CrashTransition, state: string): Promise<readonly string[]> {
  const node = new InProcessNode([gpu], state);
  const mode = /^gpu 0 mig . pending .$/m.exec(state)?.[0] ?? 'gpu 0 mig 0 pending 0';
  return [mode, ...(await node.layout(0)).map((place) => place.replace(/@\d+/, '')).toSorted()];
}

async function countFurther({ gpu, to }: CrashTransition, state: string): Promise<number> {
  const node = new InProcessNode([gpu], state);
  const { results } = await applyNode(node.openDriver(), [{ uuid: node.uuid(0), want: to }]);
  return results.reduce((sum, { operations }) => sum + operations, 0);
}

function reboot({ gpu }: CrashTransition, state: string): string {
  const node = new InProcessNode([gpu], state);
  node.faults = 'reboot';
  node.run(['-L']);
  return node.state;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.join() === b.join();
}
