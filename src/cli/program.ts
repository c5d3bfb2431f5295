import { Command, CommanderError } from 'commander';
import {
  CommandOutcome,
  type Terminal,
  CliError,
  type ExitCode,
  openTerminal,
  paint,
  printLine,
  type Streams,
} from './terminal.ts';
import { findNearestWords } from '../core/text/words.ts';
import { programVersion } from '../process/options.ts';

/** The parts that a command is built from. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly outcome: CommandOutcome;
}

interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Loads the command's code: only for the command that runs, so that `--help` does not wait for the others. */
  readonly load: () => Promise<(context: CommandContext) => Command>;
}

/** Every command, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'validate',
    summary:
      'check policies and mig-parted files: schema, rules, and whether layouts fit every GPU model that they can meet',
    load: async () => (await import('./commands/validate.ts')).validateCommand,
  },
  {
    name: 'fit',
    summary: 'check whether one GPU can take a layout, where its slices go, and what must be destroyed',
    load: async () => (await import('./commands/fit.ts')).fitCommand,
  },
  {
    name: 'layouts',
    summary: 'list every layout that a GPU model can hold',
    load: async () => (await import('./commands/fit.ts')).layoutsCommand,
  },
  {
    name: 'labels',
    summary: 'predict the labels and resources of a node',
    load: async () => (await import('./commands/labels.ts')).labelsCommand,
  },
  {
    name: 'import',
    summary: 'convert the configuration of other tools to policies',
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  {
    name: 'export',
    summary:
      'write what DRA, Kueue, autoscalers or a first boot need of policies: export dra|kueue|autoscaler|karpenter|boot -f POLICY',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  {
    name: 'plan',
    summary: 'preview what policies would do to a cluster: GPUs, pods, waves of nodes; writes nothing',
    load: async () => (await import('./commands/plan.ts')).planCommand,
  },
  {
    name: 'undo',
    summary: 'go back one edit of a policy: print it, or write it with --apply',
    load: async () => (await import('./commands/undo.ts')).undoCommand,
  },
  {
    name: 'retry',
    summary: 'retry now what failed on nodes, or on all nodes of a policy',
    load: async () => (await import('./commands/retry.ts')).retryCommand,
  },
  {
    name: 'release',
    summary: 'clean up nodes, policies and queues after a controller that is gone',
    load: async () => (await import('./commands/release.ts')).releaseCommand,
  },
  {
    name: 'status',
    summary: 'show the fleet, or draw each GPU of a node; --watch follows',
    load: async () => (await import('./commands/status.ts')).statusCommand,
  },
  {
    name: 'ui',
    summary: 'serve a web page of the fleet, or of a saved cluster, on this machine',
    load: async () => (await import('./commands/ui.ts')).uiCommand,
  },
  {
    name: 'doctor',
    summary: 'find what is wrong around the GPUs of a cluster, a saved one, or this machine, and what to do',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    name: 'report',
    summary:
      'report waste: slices that are unused or cannot be allocated, what pods wait for, and layouts that would serve more',
    load: async () => (await import('./commands/report.ts')).reportCommand,
  },
  {
    name: 'recommend',
    summary: 'find the layouts that serve what pods ask for, or a demand in a file, with a proof; print a policy',
    load: async () => (await import('./commands/recommend.ts')).recommendCommand,
  },
  {
    name: 'defrag',
    summary:
      'find the fewest evictions that free slices, with room for every evicted pod; --apply has the controller do it',
    load: async () => (await import('./commands/defrag.ts')).defragCommand,
  },
  {
    name: 'simulate',
    summary: 'play policies against a model of a cluster: slices served, waits, evictions, layout changes',
    load: async () => (await import('./commands/simulate.ts')).simulateCommand,
  },
  {
    name: 'explain',
    summary: 'explain why a pod is pending and what would let it run: explain pod NAMESPACE/NAME',
    load: async () => (await import('./commands/explain.ts')).explainCommand,
  },
  {
    name: 'node',
    summary: 'partition the GPUs of this machine without Kubernetes: export, plan, apply, assert, reset, selftest',
    load: async () => (await import('./node/commands.ts')).nodeCommand,
  },
  {
    name: 'support-bundle',
    summary: 'collect what others need to help with a cluster: objects, Events and logs, no secrets',
    load: async () => (await import('./commands/support-bundle.ts')).supportBundleCommand,
  },
  {
    name: 'completion',
    summary: 'print the completion script for bash, zsh or fish',
    load: async () => (await import('./completion.ts')).completionCommand,
  },
];

const EXIT_CODES =
  'Exit codes: 0 success; 1 a finding; 2 usage error or unreadable input; 3 the state could not be determined.';

/**
 * Runs the command line as a program does, on the caller's streams.
 *
 * @param argv arguments without node and the script: `['fit', '--model', 'A30', …]`
 * @param programName the program's name in help texts: `kubectl gpu-partition` if kubectl started it
 */
export async function runCli(
  argv: readonly string[],
  streams: Streams,
  programName = 'gpu-partition',
): Promise<ExitCode> {
  const terminal = openTerminal(streams);
  const outcome = new CommandOutcome();
  const program = new Command(programName);
  try {
    await buildProgram(program, argv, terminal, outcome);
    await program.parseAsync(argv.map(joinShortOption), { from: 'user' });
    return outcome.code;
  } catch (error) {
    return reportError(error, terminal, commandPath(program, argv).join(' '));
  }
}

/** `-o=json` is `-o json`, as with kubectl: commander would take the sign for a part of the value. */
function joinShortOption(word: string): string {
  return word.replace(/^(-[A-Za-z])=/, '$1');
}

async function buildProgram(
  program: Command,
  argv: readonly string[],
  terminal: Terminal,
  outcome: CommandOutcome,
): Promise<void> {
  program
    .description(
      'Partitions NVIDIA GPUs with MIG by policy: check, plan and import layouts; inspect and explain a cluster.',
    )
    .version(programVersion)
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('afterAll', `\n${EXIT_CODES}`);
  const words = argv.filter((word) => !word.startsWith('-'));
  const wanted = words[0] === 'help' ? words[1] : words[0];
  refuseUnknown(wanted, argv);
  for (const entry of commands) program.addCommand(await buildCommand(entry, entry.name === wanted, terminal, outcome));
  redirect(program, terminal);
}

async function buildCommand(
  { name, summary, load }: CommandEntry,
  isWanted: boolean,
  terminal: Terminal,
  outcome: CommandOutcome,
): Promise<Command> {
  if (!isWanted) return new Command(name).summary(summary).description(summary);
  const build = await load();
  return build({ terminal, outcome }).summary(summary);
}

/** Commander would only report an unknown command; the list of existing commands is what a user needs next. */
function refuseUnknown(wanted: string | undefined, argv: readonly string[]): void {
  const names = commands.map(({ name }) => name);
  if (wanted === undefined || wanted === 'help' || names.includes(wanted) || argv[0]?.startsWith('-') === true) return;
  const [nearest] = findNearestWords(wanted, names, 1);
  const hint = nearest === undefined ? '' : `did you mean ${nearest}? `;
  throw new CliError(`unknown command ${JSON.stringify(wanted)}; ${hint}the commands are ${names.join(', ')}`);
}

/** Commander neither ends the process nor writes to other streams than ours. reportError prints errors. */
function redirect(command: Command, terminal: Terminal): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => terminal.stdout.write(text),
    writeErr: (text) => terminal.stderr.write(text),
    outputError: () => undefined,
  });
  // The longest option leaves 32 of 80 columns, with which commander would not wrap.
  command.showHelpAfterError(false).configureHelp({ minWidthToWrap: 24 });
  for (const child of command.commands) redirect(child, terminal);
}

/** The command whose help is relevant: the words before the first option or argument. */
function commandPath(command: Command, words: readonly string[]): readonly string[] {
  const part = command.commands.find((one) => one.name() === words[0]);
  return [command.name(), ...(part === undefined ? [] : commandPath(part, words.slice(1)))];
}

function reportError(error: unknown, terminal: Terminal, command: string): ExitCode {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // Unrequested help: commander has written it to stderr.
    if (error.code !== 'commander.help')
      printError(terminal, [
        `${error.message
          .replaceAll(/^error: |\.$/g, '')
          .replaceAll('\n', ' ')
          .replace(/is invalid\. must/, 'is invalid: it must')}; see ${command} --help`,
      ]);
    return 2;
  }
  if (error instanceof CliError) {
    printError(terminal, error.lines);
    return error.exitCode;
  }
  throw error;
}

function printError({ stderr }: Terminal, [first = '', ...others]: readonly string[]): void {
  printLine(stderr, `${paint(stderr, 'red', 'error:')} ${first}`);
  for (const line of others) printLine(stderr, line);
}
