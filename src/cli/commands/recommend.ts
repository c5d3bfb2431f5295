import { Command, Option } from 'commander';
import { stringify } from 'yaml';
import type { ClusterFacts } from '../../core/cluster/facts.ts';
import { MODELS } from '../../core/gpu/geometry.ts';
import { planDemand } from '../../planner/solver-process.ts';
import { integer, equalitySelector } from '../../process/options.ts';
import { addConnectionOptions, type ConnectionOptions } from '../cluster/connection.ts';
import { readSavedOrLive, tellUnknownNamespaces } from '../cluster/facts.ts';
import type { CommandContext } from '../program.ts';
import { CliError, type CommandOutcome, paint, printJson, printLine, type Terminal } from '../terminal.ts';
import { readModel, readPath } from '../options.ts';
import { snapshotCommand } from '../input/snapshot.ts';
import {
  answerCluster,
  hasShortage,
  printClusterAnswer,
  writePolicies,
  printPoolAnswer,
  writePoolAnswer,
  answerSize,
  printSizeAnswer,
  readSize,
} from '../recommend/answers.ts';
import {
  readDataFile,
  readDemandFile,
  type FiledGpu,
  readPool,
  readQuantile,
  readUrl,
  readWindow,
  readRequests,
} from '../recommend/inputs.ts';

interface Options extends ConnectionOptions {
  readonly snapshot?: readonly string[];
  readonly selector?: ReturnType<typeof equalitySelector>;
  readonly prometheus?: URL;
  readonly prometheusLabels?: ReturnType<typeof equalitySelector>;
  /** Seconds. */
  readonly window: number;
  readonly quantile?: number;
  readonly pool?: string;
  readonly demand?: string;
  readonly size?: string;
  readonly model?: string;
  readonly evict?: 'never' | 'if-needed';
  readonly timeLimit: number;
  readonly output: 'json' | 'yaml' | 'text';
}

/** Options of questions that need no cluster. */
const offline = ['pool', 'demand', 'size'];
const connection = ['kubeconfig', 'context'];

export function recommendCommand({ terminal, outcome }: CommandContext): Command {
  return addConnectionOptions(new Command('recommend'))
    .description(
      'Finds layouts for a pool of GPUs that offer the slices that are wanted: as many as possible, then with the fewest evictions, ' +
        'then with the fewest GPUs changed, then with the fewest idle instances destroyed. Proves that no plan is better. ' +
        'For a cluster, or a saved one: what pods use and wait for, what the layouts offer of it and could offer, and a policy ' +
        'to apply. With --pool and --demand: for the pool in a file. With --size: the slices that hold a program of this size. ' +
        'Changes nothing.',
    )
    .addOption(
      new Option('--snapshot <file...>', `read a saved cluster instead: ${snapshotCommand}`).conflicts(offline),
    )
    .addOption(
      new Option('--selector <labels>', 'only the nodes with these labels, as one pool: key=value,…')
        .argParser(equalitySelector)
        .conflicts(offline),
    )
    .addOption(
      new Option(
        '--prometheus <url>',
        'also count what pods asked for in the past, from kube-state-metrics: the maximum for profiles of at most 2 memory slices, for larger ones what was enough 95 % of the time',
      )
        .argParser(readUrl)
        .conflicts(offline),
    )
    .option(
      '--prometheus-labels <labels>',
      'with --prometheus: labels of this cluster’s series in a shared Prometheus: cluster=eu,…',
      equalitySelector,
    )
    .addOption(
      new Option('--window <time>', 'with --prometheus: how far back, such as 12h or 7d')
        .argParser(readWindow)
        .default(7 * 86_400, '7d'),
    )
    .option(
      '--quantile <share>',
      'with --prometheus: for all slices, what was enough for this share of the time',
      readQuantile,
    )
    .addOption(
      new Option(
        '--pool <file>',
        'JSON or YAML, - for standard input: {"gpus": [{"id", "model", "instances": [{"profile", "start", "busy"}]}]}; a whole GPU has "mig": "Disabled" and "busy" instead',
      )
        .argParser(readPath)
        .conflicts(connection),
    )
    .addOption(
      new Option(
        '--demand <file>',
        'JSON or YAML, - for standard input: {"1g.5gb": 40, "3g.20gb": 4, "whole": 2}, those in use included',
      )
        .argParser(readPath)
        .conflicts(connection),
    )
    .addOption(
      new Option(
        '--evict <rule>',
        'whether busy instances may go: if-needed unless given with --pool, never for a cluster',
      ).choices(['never', 'if-needed']),
    )
    .option('--time-limit <seconds>', 'take the best plan found after this time of solving', integer(1, 3600), 30)
    .addOption(
      new Option('--size <memory>', 'instead: which slices have so much usable memory, as 38GiB or 40GB').conflicts([
        'pool',
        'demand',
        'evict',
        'timeLimit',
        ...connection,
      ]),
    )
    .option('--model <model>', 'with --size: this model alone')
    .addOption(
      new Option(
        '-o, --output <format>',
        'json or yaml for programs, text for people; for a cluster yaml is the policies',
      )
        .choices(['json', 'yaml', 'text'])
        .default('text'),
    )
    .action(async (options: Options, command: Command) => {
      refuseWithoutPrometheus(options, command);
      if (options.size !== undefined) {
        const models = options.model === undefined ? MODELS : [readModel(options.model)];
        const answer = answerSize(readSize(options.size), models);
        if (answer.models.every(({ profiles }) => profiles.length === 0)) outcome.code = 1;
        return print(terminal, options.output, answer, () => printSizeAnswer(terminal, answer));
      }
      if (options.pool === undefined && options.demand === undefined) return advise(options, terminal, outcome);
      const { gpus, plan } = await makePlan(options, terminal);
      const answer = writePoolAnswer(gpus, plan);
      if (Object.keys(answer.unserved).length > 0) outcome.code = 1;
      return print(terminal, options.output, answer, () => printPoolAnswer(terminal, gpus, answer));
    });
}

/**
 * Refuses options about the past without Prometheus: they would change nothing, and the answer be taken for one that counts the past.
 * @throws CliError
 */
function refuseWithoutPrometheus({ prometheus }: Options, command: Command): void {
  if (prometheus !== undefined) return;
  const ofHistory = { window: '--window', quantile: '--quantile', prometheusLabels: '--prometheus-labels' };
  for (const [name, option] of Object.entries(ofHistory))
    if (command.getOptionValueSource(name) === 'cli')
      throw new CliError(`${option} goes with --prometheus: it is about what pods asked for in the past`);
}

function print(terminal: Terminal, output: Options['output'], answer: unknown, asText: () => void): void {
  if (output === 'json') printJson(terminal, answer);
  else if (output === 'yaml') terminal.stdout.write(stringify(answer, { aliasDuplicateObjects: false }));
  else asText();
}

/** Advises for a cluster. */
async function advise(options: Options, terminal: Terminal, outcome: CommandOutcome): Promise<void> {
  const { model, selector, evict, timeLimit, output, prometheus, quantile } = options;
  if (model !== undefined) throw new CliError('--model goes with --size; choose nodes of a cluster with --selector');
  const facts = await readSavedOrLive(options, terminal);
  demandRights(facts, evict);
  tellUnknownNamespaces(facts, terminal, { isSaved: options.snapshot !== undefined });
  const past = prometheus && (await readPast(prometheus, options, terminal));
  const history = past && { ...past, quantile };
  const selection = selector && { matchLabels: selector };
  const rules = { evict: evict === 'if-needed' ? 'IfNeeded' : 'Never', selection, history } as const;
  const answer = await orExplain(answerCluster(facts, rules, timeLimit));
  if (hasShortage(answer)) outcome.code = 1;
  if (output === 'json') printJson(terminal, answer);
  else if (output === 'yaml') terminal.stdout.write(writePolicies(answer));
  else printClusterAnswer(terminal, answer);
}

/** @throws CliError if the user may not see what a recommendation goes by: it would be proven for a smaller demand */
function demandRights({ pods, budgets }: ClusterFacts, evict: Options['evict']): void {
  const refuse = (what: string, why: string): CliError =>
    new CliError(`cannot read ${what}: you may not list them, and ${why}`, 3);
  if (pods === undefined) throw refuse('pods', 'they say which slices are wanted');
  if (budgets === undefined && evict === 'if-needed')
    throw refuse('poddisruptionbudgets', 'they say which pods may be evicted');
}

async function readPast(url: URL, { window, prometheusLabels }: Options, { stderr }: Terminal) {
  const { warnings, ...past } = await readRequests({
    url,
    length: window,
    end: Date.now() / 1000,
    labels: prometheusLabels,
  });
  for (const text of warnings) printLine(stderr, `${paint(stderr, 'yellow', 'warning:')} ${text}`);
  return past;
}

async function makePlan(
  { pool, demand, model, evict, timeLimit }: Options,
  terminal: Terminal,
): Promise<{ readonly gpus: readonly FiledGpu[]; readonly plan: Awaited<ReturnType<typeof planDemand>> }> {
  if (pool === undefined || demand === undefined)
    throw new CliError(
      'name what is there with --pool FILE, and what is wanted with --demand FILE; or ask with --size 38GiB which slices hold a program',
    );
  if (model !== undefined) throw new CliError('--model goes with --size; the models of a pool are in its file');
  if (pool === '-' && demand === '-') throw new CliError('standard input is the pool or the demand, not both');
  const poolFile = await readDataFile(pool, terminal);
  const gpus = readPool(poolFile.value, poolFile.name);
  const demandFile = await readDataFile(demand, terminal);
  const models = [...new Set(gpus.map(({ geometry }) => geometry))];
  const slices = readDemandFile(demandFile.value, demandFile.name, models);
  const rule = evict === 'never' ? 'Never' : 'IfNeeded';
  return { gpus, plan: await orExplain(planDemand(gpus, { slices, evict: rule, seconds: timeLimit })) };
}

/** @throws CliError if the solver fails */
async function orExplain<T>(plan: Promise<T>): Promise<T> {
  try {
    return await plan;
  } catch (error) {
    if (error instanceof CliError) throw error;
    const reasons = [error, error instanceof Error ? error.cause : undefined].flatMap((one) =>
      one instanceof Error ? [one.message] : [],
    );
    throw new CliError(`no plan: ${reasons.join(': ')}`, 3, { cause: error });
  }
}
