import { checkCommands, judgeSelftest, type Selftest } from '../../core/smi/selftest.ts';
import { askAll } from '../../core/text/asking.ts';
import { NvidiaSmi, recordRuns } from '../../device/nvidia-smi.ts';
import { Runner, type Execute, readTimeouts, type TimeoutOptions, makeExecute } from '../../device/child.ts';
import { demandDeviceError } from '../../device/apply.ts';
import type { SmiRun } from '../../core/smi/command.ts';
import { wrapHanging, messageOf } from '../../core/text/words.ts';
import {
  type PodOptions,
  findHostTool,
  addPodOptions,
  addChangeOptions,
  addNodeOptions,
  type NodeCommandOptions,
} from '../node/host.ts';
import { type Terminal, paint, printLine, type Style, CliError, type ExitCode, printJson } from '../terminal.ts';
import { type ChangeOptions, type ChangeWatcher, runChangeTest } from './trial.ts';
import { type HostView, describeMachine, readHostFacts, readProof, thisHost } from './host-facts.ts';
import type { ChangeTest } from '../../core/smi/selftest-change.ts';
import { Command } from 'commander';
import { integer } from '../../process/options.ts';
import type { CommandContext } from '../program.ts';
import { demandNewFile, nameNewFile, saveNewFile, readPath } from '../options.ts';
import { writeBundle } from '../../core/smi/selftest-bundle.ts';
import { timeText } from '../../core/text/syntax.ts';

/** Runs the commands that a self-test asks for, and times each. */
function runCommands(runner: Runner) {
  return askAll(checkCommands(), async (command) => {
    const begin = performance.now();
    const answer = await runner.run(command).catch(demandDeviceError);
    return { ms: performance.now() - begin, answer };
  });
}

async function readAsAgent(driver: NvidiaSmi, limitMs: number) {
  const begin = performance.now();
  const device = await driver.readDevice().catch(demandDeviceError);
  return { device, ms: performance.now() - begin, limitMs };
}

interface SelftestOptions extends TimeoutOptions, PodOptions {
  /** Settings of `--change`. */
  readonly change?: ChangeOptions;
}

/** The nvidia-smi under test. */
interface TestedTool {
  /** Path of the program. */
  readonly name: string;
  readonly execute: Execute;
  /** Its runs so far. */
  readonly runs: readonly SmiRun[];
}

/** A self-test with every nvidia-smi run that it made. */
export interface RecordedSelftest {
  readonly selftest: Selftest;
  readonly runs: readonly SmiRun[];
}

/** Default time limit of nvidia-smi; the same as the agent's. */
const usualReadMs = 15_000;

/**
 * Checks everything that the agent relies on; without `change` it only reads.
 *
 * @param onChecks the readings, before anything is changed
 * @throws CliError as {@link runChangeTest}
 */
export async function runSelftest(
  tool: TestedTool,
  options: SelftestOptions,
  host: HostView,
  watcher: ChangeWatcher & { readonly onChecks?: (checks: Selftest['checks']) => void },
  terminal: Terminal,
): Promise<Selftest> {
  const deadlines = readTimeouts(options);
  const [runner, driver] = [new Runner(tool.execute, deadlines), new NvidiaSmi(tool.execute, deadlines)];
  const commands = await runCommands(runner);
  const limitMs = deadlines.readMs ?? usualReadMs;
  const reading = commands.isSilent ? undefined : await readAsAgent(driver, limitMs);
  const proof = await readProof(commands.report?.gpus ?? [], options, host);
  const found = { tool: tool.name, commands, reading, host: proof, runs: tool.runs };
  watcher.onChecks?.(judgeSelftest(found).checks);
  const change = options.change && (await runChangeTest(driver, runner, options.change, watcher, terminal));
  return judgeSelftest({ ...found, change });
}

const width = 80;

type CheckVerdict = Selftest['checks'][number]['verdict'];

const marks: Readonly<Record<CheckVerdict, { readonly word: string; readonly style: Style }>> = {
  Good: { word: 'ok', style: 'green' },
  Note: { word: 'note', style: 'cyan' },
  Finding: { word: 'finding', style: 'red' },
  Unknown: { word: 'unknown', style: 'yellow' },
};

function printChecks({ stdout }: Terminal, checks: Selftest['checks']): void {
  for (const [area, some] of Map.groupBy(checks, (check) => check.area)) {
    printLine(stdout, paint(stdout, 'bold', area));
    for (const { verdict, message, ms } of some) {
      const { word, style } = marks[verdict];
      const time = ms === undefined ? '' : ` (${writeSeconds(ms)})`;
      const mark = `  ${word.padEnd(8)}`;
      const [first = '', ...rest] = wrapHanging(`${mark}${message}${time}`, width, ' '.repeat(mark.length));
      printLine(stdout, `  ${paint(stdout, style, word.padEnd(8))}${first.slice(mark.length)}`);
      for (const line of rest) printLine(stdout, line);
    }
  }
}

function printProfileTest({ stdout }: Terminal, test: ChangeTest['profiles'][number]): void {
  const { profile, start, makeMs, verifyMs, undoMs, error = 'unknown' } = test;
  const times = `made ${writeSeconds(makeMs)}, verified ${writeSeconds(verifyMs)}, undone ${writeSeconds(undoMs)}`;
  const [word, what] = test.outcome === 'Passed' ? ['ok', times] : ['finding', `failed: ${error}`];
  const text = `  ${word.padEnd(8)}${profile} at ${start}: ${what}`;
  for (const line of wrapHanging(text, width, ' '.repeat(10))) printLine(stdout, line);
}

function printOutcome({ stdout }: Terminal, { state, checks, change, commands = [] }: Selftest): void {
  const times = commands.map(({ command, runs, meanMs }) => `${command} ${writeSeconds(meanMs)} (${runs})`);
  const told = [
    ...(change === undefined ? [] : [writeChange(change), ...(change.notes ?? [])]),
    `seconds of each nvidia-smi command, mean (runs): ${times.join(', ')}`,
  ];
  for (const text of told) for (const line of wrapHanging(text, width, '  ')) printLine(stdout, line);
  const count = (verdict: CheckVerdict): string =>
    `${checks.filter((check) => check.verdict === verdict).length} ${marks[verdict].word}`;
  const figures = (['Good', 'Note', 'Finding', 'Unknown'] as const).map(count).join(', ');
  const style = state === 'Good' ? 'green' : state === 'Unknown' ? 'yellow' : 'red';
  printLine(stdout, `${paint(stdout, style, `selftest: ${describeState(state)}`)} (${figures})`);
}

function writeChange({ index, state, reason, profiles, isPutBack, otherUuids }: ChangeTest): string {
  const passed = profiles.filter(({ outcome }) => outcome === 'Passed').length;
  const why = reason === undefined ? '' : `: ${reason}`;
  if (state === 'Refused') return `GPU ${index}: nothing was tried${why}`;
  const uuids = otherUuids > 0 ? `; ${otherUuids} of its MIG devices have another UUID now` : '';
  const back = isPutBack ? `it is again what it was${uuids}` : 'IT IS NOT WHAT IT WAS';
  return `GPU ${index}: ${passed} of ${profiles.length} profiles made, verified and undone; ${back}${why}`;
}

function describeState(state: Selftest['state']): string {
  switch (state) {
    case 'Good':
      return 'good';
    case 'Findings':
      return 'something is in the way';
    case 'Unknown':
      return 'not everything could be found out';
  }
}

function writeSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

interface Options extends NodeCommandOptions, PodOptions, Omit<ChangeOptions, 'gpu'> {
  readonly change?: boolean;
  readonly gpu?: number;
  readonly bundle?: string;
  readonly unredacted?: boolean;
}

export function selftestCommand({ terminal, outcome }: CommandContext): Command {
  const command = new Command('selftest').description(
    'Tells whether this node is safe to manage: whether the output of every command of the agent is understood, what proves that ' +
      'nobody uses a GPU, and what would block a reset. It only reads. With --change it tests each profile on one idle GPU and ' +
      'restores everything.',
  );
  return addChangeOptions(addPodOptions(addNodeOptions(command)))
    .option('--change', 'create, verify and destroy each profile on the GPU of --gpu')
    .option('--gpu <index>', 'index of the GPU to test; it must be idle', integer(0, 63))
    .option('--allow-gpu-reset', 'allow the reset of that GPU if a change of its MIG mode requires it (A100, A30)')
    .option('--deadline <seconds>', 'start no further profile after this time', integer(1, 86_400), 900)
    .option(
      '--bundle <file>',
      'write a support bundle (a new file, a folder for one named by the time, or -): the output of every nvidia-smi run, the findings, and what the host shows of its driver',
      readPath,
    )
    .option('--unredacted', 'keep serial numbers, names of processes and of this machine in the bundle')
    .action(async (options: Options) => {
      const { output } = options;
      const bundle = options.bundle && nameNewFile(options.bundle, nameBundle(), terminal);
      const asked = readOptions(options);
      if (bundle !== undefined) demandNewFile(bundle, terminal);
      // With the bundle on standard output the report goes to standard error.
      const shown = bundle === '-' ? { ...terminal, stdout: terminal.stderr } : terminal;
      const tool = findTestedTool(options, terminal);
      const watcher = output === 'text' ? watch(shown) : {};
      let selftest: Selftest = { state: 'Unknown', versions: { driver: null, cuda: null }, products: [], checks: [] };
      const onChecks = (checks: Selftest['checks']): void => {
        selftest = { ...selftest, checks };
        watcher.onChecks?.(checks);
      };
      try {
        selftest = await runSelftest(tool, asked, thisHost, { ...watcher, onChecks }, terminal);
        outcome.code = codeOf(selftest);
        if (output === 'text') printOutcome(shown, selftest);
        else printJson(shown, selftest);
      } catch (error) {
        const message = `the test ended early: ${messageOf(error)}`;
        selftest = { ...selftest, checks: [...selftest.checks, { area: 'Tool', verdict: 'Unknown', message }] };
        throw error;
      } finally {
        // Most of all a test that could not be finished needs its bundle.
        if (bundle !== undefined) await writeOut(bundle, { selftest, runs: tool.runs }, options, terminal);
      }
    });
}

async function writeOut(bundle: string, done: RecordedSelftest, options: Options, terminal: Terminal): Promise<void> {
  const { output, unredacted } = options;
  const host = await readHostFacts(options, thisHost, terminal.cwd);
  const now = Date.now();
  const text = writeBundle({ ...done, machine: describeMachine(), host, now, isUnredacted: unredacted === true });
  if (bundle === '-') {
    terminal.stdout.write(text);
    return;
  }
  await saveNewFile(bundle, text, terminal);
  if (output === 'text') printLine(terminal.stdout, `bundle: ${bundle}`);
}

function readOptions({ change = false, gpu, ...options }: Options): SelftestOptions {
  if (change && gpu === undefined) throw new CliError('--change needs --gpu INDEX: a GPU that nobody uses');
  if (!change && gpu !== undefined) throw new CliError('--gpu is for --change; without it every GPU is read');
  return gpu === undefined ? options : { ...options, change: { ...options, gpu } };
}

/** @throws CliError with code 3 if there is none */
function findTestedTool(options: Options, terminal: Terminal): TestedTool {
  const tool = findHostTool(options, terminal);
  const name = tool.root === undefined ? tool.file : `${tool.prefix.at(-1)} in ${tool.root}`;
  const runs: SmiRun[] = [];
  return { name, execute: recordRuns(makeExecute(tool), (run) => runs.push(run)), runs };
}

/** `gpu-partition-selftest-20260101T120000Z.jsonl` */
function nameBundle(): string {
  return `gpu-partition-selftest-${timeText(Date.now()).replaceAll(/[-:]/g, '')}.jsonl`;
}

function watch(terminal: Terminal): Parameters<typeof runSelftest>[3] {
  return {
    onChecks: (checks) => printChecks(terminal, checks),
    onBegin: ({ index, product }) =>
      printLine(terminal.stdout, `Change of GPU ${index} (${product.replace(/^NVIDIA /, '')})`),
    onProfile: (test) => printProfileTest(terminal, test),
  };
}

function codeOf({ state }: Selftest): ExitCode {
  switch (state) {
    case 'Good':
      return 0;
    case 'Findings':
      return 1;
    case 'Unknown':
      return 3;
  }
}
