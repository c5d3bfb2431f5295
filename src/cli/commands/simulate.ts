import { SimulationScene } from '../../core/plan/simulation/play.ts';
import { CliError, type Terminal, printLines, printJson, printLine } from '../terminal.ts';
import { readText } from '../input/files.ts';
import { InvalidArgumentError, Command, Option } from 'commander';
import { countWords, messageOf } from '../../core/text/words.ts';
import { describeDuration, durationMs } from '../../core/text/syntax.ts';
import { drawTable, type Line, span } from '../../core/view/lines.ts';
import { simulateBeside } from '../../planner/solver-process.ts';
import { integer, equalitySelector } from '../../process/options.ts';
import { addConnectionOptions, type ConnectionOptions } from '../cluster/connection.ts';
import { readSavedOrLive } from '../cluster/facts.ts';
import type { CommandContext } from '../program.ts';
import { readPath } from '../options.ts';
import { readPolicies, snapshotCommand } from '../input/snapshot.ts';

type TraceTask = Parameters<SimulationScene['byTrace']>[0]['tasks'][number];
type Simulation = Parameters<typeof simulateBeside>[0];

/** A year of a large cluster. */
const MOST_BYTES = 256 * 1024 * 1024;

/** A task, and where the file has it. */
interface TraceRow extends TraceTask {
  readonly line: number;
}

/** A trace, from its first task on. */
interface TraceFile {
  readonly name: string;
  readonly tasks: readonly TraceRow[];
  readonly seconds: number;
  /** Tasks that are left out: they never ran, or asked for several GPUs or none. */
  readonly skipped: number;
}

interface Row {
  readonly number: number;
  readonly of: (column: string) => string;
}

/** How the columns of each known format are read; undefined: a task that is left out. */
const formats: readonly {
  readonly columns: readonly string[];
  readonly read: (row: Row, fail: (message: string) => CliError) => TraceTask | undefined;
}[] = [
  {
    columns: ['arrival_s', 'duration_s', 'profile'],
    read: (row, fail) => ({ ...readTimes(row, fail), asked: row.of('profile') }),
  },
  {
    columns: ['arrival_s', 'duration_s', 'gpu_milli'],
    read: (row, fail) => ({ ...readTimes(row, fail), asked: readNumber(row, 'gpu_milli', fail) }),
  },
  // cluster-trace-gpu-v2023 of alibaba/clusterdata.
  {
    columns: ['num_gpu', 'gpu_milli', 'creation_time', 'scheduled_time', 'deletion_time'],
    read: (row, fail) => {
      const hasRun = row.of('scheduled_time') !== '' && row.of('deletion_time') !== '';
      if (!hasRun || Number(row.of('num_gpu')) !== 1) return undefined;
      const [created, begun, ended] = ['creation_time', 'scheduled_time', 'deletion_time'].map((column) =>
        readNumber(row, column, fail),
      );
      const duration = (ended ?? 0) - (begun ?? 0);
      return { arrival: created ?? 0, duration, asked: readNumber(row, 'gpu_milli', fail) };
    },
  },
];

/** @throws CliError that names the line */
async function readTrace(path: string, terminal: Terminal): Promise<TraceFile> {
  const { name, text } = await readText(path, terminal, MOST_BYTES);
  const [header = '', ...lines] = text.trim().split(/\r?\n/);
  const titles = splitCells(header);
  const format = formats.find(({ columns }) => columns.every((column) => titles.includes(column)));
  if (format === undefined)
    throw new CliError(
      `${name}:1: the first line must name the columns ${formats.map(({ columns }) => columns.join(',')).join(', or ')}`,
    );
  const tasks: TraceRow[] = [];
  let skipped = 0;
  for (const [index, line] of lines.entries()) {
    const cells = splitCells(line);
    const number = index + 2;
    const row = { number, of: (column: string) => cells[titles.indexOf(column)] ?? '' };
    const task = format.read(row, (message) => new CliError(`${name}:${number}: ${message}`));
    if (task === undefined || !isPlayed(task)) skipped += 1;
    else tasks.push({ ...task, line: number });
  }
  if (tasks.length === 0) throw new CliError(`${name}: it has no task that ran on one GPU or a part of it`);
  const first = tasks.reduce((least, { arrival }) => Math.min(least, arrival), Infinity);
  const last = tasks.reduce((most, { arrival }) => Math.max(most, arrival), 0);
  return {
    name,
    tasks: tasks.map((task) => ({ ...task, arrival: task.arrival - first })),
    seconds: last - first + 1,
    skipped,
  };
}

/** Whether it ran, on one GPU or a part of it. */
function isPlayed({ duration, asked }: TraceTask): boolean {
  return duration > 0 && (typeof asked === 'string' || (asked > 0 && asked <= 1000));
}

/** Cells in quotation marks may have commas in them. */
function splitCells(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(',').map((cell) => cell.trim());
  const cells = [...line.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*?))\s*(?:,|$)/g)];
  return cells.map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
}

function readTimes(row: Row, fail: (message: string) => CliError): Omit<TraceTask, 'asked'> {
  return { arrival: readNumber(row, 'arrival_s', fail), duration: readNumber(row, 'duration_s', fail) };
}

function readNumber(row: Row, column: string, fail: (message: string) => CliError): number {
  const text = row.of(column);
  const value = Number(text);
  if (text !== '' && Number.isFinite(value) && value >= 0) return value;
  throw fail(`${column} is ${JSON.stringify(text)}: give ${unitOf(column)}, 0 or more, or take the row out`);
}

function unitOf(column: string): string {
  return column === 'gpu_milli' ? 'thousandths of a GPU' : 'seconds';
}

/** A Monday: windows and schedules of policies open by it. */
const startMs = Date.UTC(2026, 0, 5);

interface Options extends ConnectionOptions {
  readonly filename?: readonly string[];
  readonly snapshot?: readonly string[];
  readonly selector?: ReturnType<typeof equalitySelector>;
  readonly trace?: string;
  readonly arrivals?: 'demand';
  readonly by: 'memory' | 'share';
  readonly cardMemory: number;
  readonly load?: number;
  readonly duration: string;
  readonly days: number;
  readonly seed: number;
  readonly output: 'text' | 'json' | 'csv';
}

export function simulateCommand({ terminal, outcome }: CommandContext): Command {
  return addConnectionOptions(new Command('simulate'))
    .description(
      'Plays policies against a model of a cluster in virtual time, with the planner, the budgets and the windows of the controller: ' +
        'slices that pods ask for and get, waits, evictions and changed layouts, by day and profile. Changes nothing.',
    )
    .option(
      '-f, --filename <path...>',
      'policies to play: one file or folder beside what is there now, or two beside each other',
    )
    .option('--snapshot <file...>', `read a saved cluster instead: ${snapshotCommand}`)
    .option('--selector <labels>', 'only the nodes with these labels: key=value,…', equalitySelector)
    .addOption(
      new Option('--arrivals <kind>', 'where pods come from; demand: at random, as many as use and wait for slices now')
        .choices(['demand'])
        .conflicts('trace'),
    )
    .option('--duration <time>', 'with --arrivals demand: how long a pod runs on average, such as 90m', duration, '2h')
    .option(
      '--trace <csv>',
      'recorded pods: arrival_s,duration_s,profile (whole: a whole GPU), or gpu_milli, a share of a GPU',
      readPath,
    )
    .addOption(
      new Option('--by <what>', 'with gpu_milli: take the slice with that much memory, or with the same share of a GPU')
        .choices(['memory', 'share'])
        .default('memory'),
    )
    .option('--card-memory <gb>', 'with --by memory: memory of the GPUs in the trace', integer(1, 1024), 24)
    .option('--load <share>', 'with --trace: superpose copies of it until this share of all slices is asked for', share)
    .option('--days <n>', 'days to play', integer(1, 3660), 7)
    .option('--seed <n>', 'seed of everything random', integer(0, 2 ** 31), 1)
    .addOption(
      new Option('-o, --output <format>', 'json and csv for programs, text for people')
        .choices(['text', 'json', 'csv'])
        .default('text'),
    )
    .action(async (options: Options, command: Command) => {
      refuseWithoutEffect(options, command);
      const { simulation, names, title, refused, ignored } = await prepare(options, terminal);
      if (refused.length > 0) outcome.code = 1;
      for (const line of ignored) printLine(terminal.stderr, `warning: ${line}`);
      for (const line of refused) printLine(terminal.stderr, line);
      const figures = await play(simulation);
      const sides = figures.map((one, index) => ({ name: names[index] ?? '', figures: one }));
      const view = { title, days: options.days, sides };
      if (options.output === 'json') printJson(terminal, view);
      else if (options.output === 'csv') for (const line of writeSimulationCsv(view)) printLine(terminal.stdout, line);
      else printLines(terminal.stdout, drawSimulation(view));
    });
}

/** What would change nothing, and the figures be taken for others than they are. @throws CliError */
function refuseWithoutEffect({ trace }: Options, command: Command): void {
  const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli';
  if (trace !== undefined) {
    if (isGiven('duration')) throw new CliError('--duration goes with --arrivals demand: a trace has its own');
    return;
  }
  if (isGiven('load')) throw new CliError('--load goes with --trace: it superposes copies of a trace');
  for (const [name, option] of [
    ['by', '--by'],
    ['cardMemory', '--card-memory'],
  ] as const)
    if (isGiven(name)) throw new CliError(`${option} goes with --trace: it is about the gpu_milli of a trace`);
}

async function play(simulation: Simulation): ReturnType<typeof simulateBeside> {
  try {
    return await simulateBeside(simulation);
  } catch (error) {
    throw new CliError(`the simulation failed: ${messageOf(error)}`, 3, { cause: error });
  }
}

async function prepare(options: Options, terminal: Terminal) {
  const { filename = [], selector, days, seed } = options;
  if (filename.length > 2)
    throw new CliError(`give at most two -f, of ${filename.length} given: they are drawn beside each other`);
  const given = await Promise.all(filename.map((path) => readPolicies([path], terminal)));
  const facts = await readSavedOrLive(options, terminal);
  const scene = new SimulationScene(facts, given.length === 2 ? given : [[], ...given], {
    selection: selector && { matchLabels: selector },
    days,
    seed,
    startMs,
  });
  const { nodes } = scene;
  const gpus = nodes.flatMap((node) => node.gpus);
  if (!gpus.some(({ geometry }) => geometry.profiles.length > 0))
    throw new CliError(
      `no GPU with MIG to simulate: agents have reported none on ${countWords(scene.gpuNodes, 'GPU node')}` +
        `${selector === undefined ? '' : ' with these labels'}; gpu-partition status says which agents report`,
    );
  const trace = options.trace === undefined ? undefined : await readTrace(options.trace, terminal);
  const simulation =
    trace === undefined ? scene.byDemand(durationMs(options.duration) / 1000) : playTrace(scene, trace, options);
  if (simulation === undefined)
    throw new CliError('no pod uses or waits for a slice, so that none would come: give the pods with --trace');
  return {
    simulation,
    names: given.length === 2 ? filename : ['now', ...filename],
    title: [
      countWords(days, 'day'),
      `${countWords(gpus.length, 'GPU')} on ${countWords(nodes.filter((node) => node.gpus.length > 0).length, 'node')}`,
      countWords(simulation.running.length + simulation.arrivals.length, 'pod'),
      `seed ${seed}`,
    ].join(', '),
    ignored: [...scene.ignored, ...(trace ? describeSkipped(trace) : [])],
    refused: scene.refused.map(
      ({ node, policy, message }) => `node ${node} cannot take policy ${policy}, and stays as it is: ${message}`,
    ),
  };
}

function describeSkipped({ name, tasks, skipped }: TraceFile): readonly string[] {
  const all = countWords(tasks.length + skipped, 'task');
  return skipped === 0
    ? []
    : [`${skipped} of ${all} of ${name} are left out: they never ran, or asked for several GPUs or none`];
}

/** @throws CliError for a profile that no GPU has */
function playTrace(scene: SimulationScene, trace: TraceFile, { by, cardMemory, load }: Options): Simulation {
  const mapping = by === 'share' ? ({ by } as const) : ({ by, cardGb: cardMemory } as const);
  const played = scene.byTrace(trace, { mapping, load });
  if (!('unknown' in played)) return played;
  const { unknown } = played;
  const { asked, line } = unknown.task;
  throw new CliError(
    `${trace.name}:${line}: profile is ${JSON.stringify(asked)}, which no GPU here has: give ${unknown.known.join(', ')}`,
  );
}

/** Parser of an option that takes a duration. */
function duration(text: string): string {
  if (/^([0-9]{1,6}(s|m|h))+$/.test(text) && durationMs(text) > 0) return text;
  throw new InvalidArgumentError('must be a duration such as 90m or 1h30m.');
}

/** Parser of an option that takes a share of what there is. */
function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 10) return value;
  throw new InvalidArgumentError('must be a number above 0, such as 0.85.');
}

type SideFigures = Awaited<ReturnType<typeof simulateBeside>>[number];

/** A simulation as people read it. */
export interface SimulationView {
  readonly title: string;
  readonly days: number;
  readonly sides: readonly { readonly name: string; readonly figures: SideFigures }[];
}

/** Rows of the picture; longer times are drawn in spans of several days. */
const mostRows = 31;
const barWidth = 20;

function drawSimulation({ title, days, sides }: SimulationView): readonly Line[] {
  return [
    [span(title, 'title')],
    [],
    ...drawTotals(sides),
    [],
    ...drawProfiles(sides),
    [],
    [span('Served by day, of what pods asked for on it; more than 100 % where earlier ones are served too', 'title')],
    ...drawDays(sides, days),
  ];
}

function drawTotals(sides: SimulationView['sides']): readonly Line[] {
  const rows = sides.map(({ name, figures: { total } }) => [
    span(name, 'title'),
    span(percent(total.servedShare)),
    span(wait(total.medianWaitSeconds)),
    span(wait(total.p95WaitSeconds)),
    span(wait(total.longestWaitSeconds)),
    span(String(total.stillWaiting), total.stillWaiting > 0 ? 'warn' : 'plain'),
    span(String(total.evictions), total.evictions > 0 ? 'warn' : 'plain'),
    span(percent(total.lostShare), total.lostShare > 0 ? 'warn' : 'plain'),
    span(String(total.relayouts)),
    span(total.relayoutsPerGpuMonth.toFixed(1)),
  ]);
  return drawTable(
    [
      '',
      'SERVED',
      'MEDIAN WAIT',
      '95 % WAIT',
      'LONGEST',
      'STILL WAITING',
      'EVICTED',
      'LOST',
      'GPUS RE-LAID',
      'PER GPU-MONTH',
    ],
    rows,
  );
}

function drawProfiles(sides: SimulationView['sides']): readonly Line[] {
  const names = [...new Set(sides.flatMap(({ figures }) => figures.profiles.map(({ profile }) => profile)))];
  const rows = names.flatMap((profile) =>
    sides.flatMap(({ name, figures }, index) => {
      const one = figures.profiles.find((other) => other.profile === profile);
      if (one === undefined) return [];
      return [
        [
          span(index === 0 ? profile : ''),
          span(index === 0 ? String(one.pods) : ''),
          span(name),
          span(percent(one.askedSeconds === 0 ? 1 : one.servedSeconds / one.askedSeconds)),
          span(wait(one.medianWaitSeconds)),
          span(wait(one.p95WaitSeconds)),
          span(wait(one.longestWaitSeconds)),
          span(String(one.stillWaiting), one.stillWaiting > 0 ? 'warn' : 'plain'),
          span(String(one.evictions), one.evictions > 0 ? 'warn' : 'plain'),
        ],
      ];
    }),
  );
  return drawTable(
    ['SLICE', 'PODS', '', 'SERVED', 'MEDIAN WAIT', '95 % WAIT', 'LONGEST', 'STILL WAITING', 'EVICTED'],
    rows,
  );
}

function drawDays(sides: SimulationView['sides'], days: number): readonly Line[] {
  const each = Math.ceil(days / mostRows);
  const spans = Array.from({ length: Math.ceil(days / each) }, (_, index) => ({
    from: index * each + 1,
    to: Math.min(days, (index + 1) * each),
  }));
  const rows = spans.map(({ from, to }) => [
    span(from === to ? String(from) : `${from}–${to}`),
    ...sides.map(({ figures }) => span(drawBar(shareOf(figures, from, to)))),
  ]);
  return drawTable([each === 1 ? 'DAY' : 'DAYS', ...sides.map(({ name }) => name)], rows);
}

/** The share of the requested time that was served on some days, by memory slices, like the total. */
function shareOf({ days, profiles }: SideFigures, from: number, to: number): number {
  const sizes = new Map(profiles.map(({ profile, size }) => [profile, size]));
  const own = days.filter(({ day }) => day >= from && day <= to);
  const sum = (value: (one: (typeof own)[number]) => number): number =>
    own.reduce((all, one) => all + value(one) * (sizes.get(one.profile) ?? 0), 0);
  const asked = sum((one) => one.askedSeconds);
  return asked === 0 ? 1 : sum((one) => one.servedSeconds) / asked;
}

function drawBar(share: number): string {
  const full = Math.min(barWidth, Math.round(share * barWidth));
  return `${'█'.repeat(full)}${'·'.repeat(barWidth - full)} ${percent(share)}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function wait(seconds: number): string {
  return seconds === 0 ? '0' : describeDuration(seconds);
}

const csvColumns = [
  'side',
  'day',
  'profile',
  'pods',
  'asked_slice_s',
  'served_slice_s',
  'lost_slice_s',
  'wait_slice_s',
  'started',
  'longest_wait_s',
  'evictions',
  'gpus_relaid',
] as const;

/** Writes one row for each side, day and profile, and one without a profile for the GPUs that were re-laid that day. */
function writeSimulationCsv({ sides }: SimulationView): readonly string[] {
  const rows = sides.flatMap(({ name, figures }) =>
    figures.relayouts.flatMap((relaid, index) => [
      ...figures.days
        .filter(({ day }) => day === index + 1)
        .map((one) => [
          name,
          one.day,
          one.profile,
          one.pods,
          one.askedSeconds,
          one.servedSeconds,
          one.lostSeconds,
          one.waitSeconds,
          one.started,
          one.longestWaitSeconds,
          one.evictions,
          '',
        ]),
      [name, index + 1, '', '', '', '', '', '', '', '', '', relaid],
    ]),
  );
  return [csvColumns.join(','), ...rows.map((row) => row.map(writeCell).join(','))];
}

function writeCell(value: string | number): string {
  return typeof value === 'string' && /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : String(value);
}
