import { Command, CommanderError } from 'commander';

import { findNearestWords } from '../core/text/nearest-word.ts';
import { programVersion } from '../process/version.ts';
import { commands, type CommandEntry } from './command-table.ts';
import { CliError, type ExitCode, CommandOutcome } from './exit.ts';
import { openTerminal, paint, printLine, type Streams, type Terminal } from './terminal.ts';

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
