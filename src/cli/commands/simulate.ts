import { InvalidArgumentError, Command, Option } from 'commander';
import type { LabelSelector } from '../../core/pods/plugin-pods.ts';
import { listSimulated, startSide } from '../../core/simulation/cluster-fleet.ts';
import type { SideFigures, SimulationStart } from '../../core/simulation/simulation.ts';
import type { TraceMapping } from '../../core/simulation/trace.ts';
import { countWords } from '../../core/text/cut-text.ts';
import { durationMs } from '../../core/text/duration.ts';
import { writeSimulationCsv } from '../../core/view/simulation-csv.ts';
import { drawSimulation, type SimulationView } from '../../core/view/simulation-screen.ts';
import { simulateBeside } from '../../process/demand-solver.ts';
import { integer } from '../../process/option.ts';
import { equalitySelector } from '../../process/plugin-option.ts';
import { addConnectionOptions, type ConnectionOptions } from '../cluster/connection.ts';
import { readSavedOrLive } from '../cluster/facts.ts';
import type { CommandContext } from '../command-table.ts';
import { CliError } from '../exit.ts';
import { readPath } from '../path-option.ts';
import { readPolicies } from '../plan/policy-files.ts';
import { snapshotCommand } from '../plan/snapshot-file.ts';
import { printLines } from '../screen.ts';
import { loadByDemand, loadByTrace } from '../simulate/arrivals.ts';
import { readTrace, type TraceFile } from '../simulate/trace-file.ts';
import { printJson, printLine, type Terminal } from '../terminal.ts';
import { messageOf } from '../../core/text/message-of.ts';

/** A Monday: windows and schedules of policies open by it. */
const startMs = Date.UTC(2026, 0, 5);

interface Options extends ConnectionOptions {
  readonly filename?: readonly string[];
  readonly snapshot?: readonly string[];
  readonly selector?: LabelSelector;
  readonly trace?: string;
  readonly arrivals?: 'demand';
  readonly by: TraceMapping['by'];
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
      print(terminal, options.output, { title, days: options.days, sides });
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

async function play(simulation: SimulationStart): Promise<readonly SideFigures[]> {
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
  const gpuNodes = listSimulated(facts, selector && { matchLabels: selector });
  const starts = (given.length === 2 ? given : [[], ...given]).map((policies) =>
    startSide(facts, gpuNodes, policies, { startMs, days }),
  );
  const sides = starts.map(({ side }) => side);
  const nodes = sides[0]?.nodes ?? [];
  const gpus = nodes.flatMap((node) => node.gpus);
  if (!gpus.some(({ geometry }) => geometry.profiles.length > 0))
    throw new CliError(
      `no GPU with MIG to simulate: agents have reported none on ${countWords(gpuNodes.length, 'GPU node')}` +
        `${selector === undefined ? '' : ' with these labels'}; gpu-partition status says which agents report`,
    );
  const trace = options.trace === undefined ? undefined : await readTrace(options.trace, terminal);
  const load =
    trace === undefined
      ? loadByDemand(facts, gpuNodes, nodes, { days, seed, meanSeconds: durationMs(options.duration) / 1000 })
      : loadByTrace(trace, nodes, { days, seed, mapping: mappingOf(options), load: options.load });
  const pods = load.running.length + load.arrivals.length;
  return {
    simulation: { sides, ...load, days, seed, startMs } satisfies SimulationStart,
    names: given.length === 2 ? filename : ['now', ...filename],
    title: [
      countWords(days, 'day'),
      `${countWords(gpus.length, 'GPU')} on ${countWords(nodes.filter((node) => node.gpus.length > 0).length, 'node')}`,
      countWords(pods, 'pod'),
      `seed ${seed}`,
    ].join(', '),
    ignored: [...new Set(starts.flatMap(({ ignored }) => ignored)), ...(trace ? describeSkipped(trace) : [])],
    refused: starts.flatMap(({ refused }) =>
      refused.map(
        ({ node, policy, message }) => `node ${node} cannot take policy ${policy}, and stays as it is: ${message}`,
      ),
    ),
  };
}

function describeSkipped({ name, tasks, skipped }: TraceFile): readonly string[] {
  const all = countWords(tasks.length + skipped, 'task');
  return skipped === 0
    ? []
    : [`${skipped} of ${all} of ${name} are left out: they never ran, or asked for several GPUs or none`];
}

function mappingOf({ by, cardMemory }: Options): TraceMapping {
  return by === 'share' ? { by } : { by, cardGb: cardMemory };
}

function print(terminal: Terminal, output: Options['output'], view: SimulationView): void {
  const { stdout } = terminal;
  if (output === 'json') printJson(terminal, view);
  else if (output === 'csv') for (const line of writeSimulationCsv(view)) printLine(stdout, line);
  else printLines(stdout, drawSimulation(view));
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
