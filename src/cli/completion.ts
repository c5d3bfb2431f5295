import { Command, Argument } from 'commander';
import { type CommandContext, commands } from './program.ts';

/** The words that can be typed after a command. */
export interface CompletedCommand {
  /** `status`, `explain pod` */
  readonly path: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  readonly parts: readonly string[];
}

interface CompletedOption {
  readonly names: readonly string[];
  readonly summary: string;
  /** Words that it accepts; empty if it takes another value, undefined if it takes none. */
  readonly choices: readonly string[] | undefined;
}

/** A command and its subcommands. */
export function describeCommand(
  command: Command,
  summary: string,
  before: readonly string[] = [],
): readonly CompletedCommand[] {
  const path = [...before, command.name()];
  const options = command.options.map(({ long, short, description, argChoices, required, optional }) => ({
    names: [short, long].filter((name) => name !== undefined),
    summary: description,
    choices: required || optional ? (argChoices ?? []) : undefined,
  }));
  const help = { names: ['-h', '--help'], summary: 'display help for command', choices: undefined };
  return [
    { path: path.join(' '), summary, options: [...options, help], parts: command.commands.map((one) => one.name()) },
    ...command.commands.flatMap((one) => describeCommand(one, one.summary() || one.description(), path)),
  ];
}

/** Names of objects come from the cluster, through kubectl, which every user of a cluster has. */
const nodeNames = "kubectl get gpunodepartitions -o name 2>/dev/null | sed 's|.*/||'";
const namesOf: Readonly<Record<string, string>> = {
  status: nodeNames,
  retry: nodeNames,
  undo: "kubectl get gpupartitionpolicies -o name 2>/dev/null | sed 's|.*/||'",
  'explain pod':
    'kubectl get pods -A --field-selector status.phase=Pending -o \'jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name}{"\\n"}{end}\' 2>/dev/null',
};

/** Writes the completion for bash, and for zsh through its bashcompinit. */
export function writeBashCompletion(commands: readonly CompletedCommand[]): string {
  const top = commands.filter(({ path }) => !path.includes(' ')).map(({ path }) => path);
  return [
    '_gpu_partition() {',
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" path="" word',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$path $word" in',
    ...commands.map(({ path }) => `      "${spaced(path)}") path="${path}" ;;`),
    '    esac',
    '  done',
    '  case "$path $prev" in',
    ...commands.flatMap(({ path, options }) =>
      options
        .filter(({ choices }) => choices !== undefined && choices.length > 0)
        .map(
          ({ names, choices = [] }) =>
            `    ${names.map((name) => `"${path} ${name}"`).join('|')}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$cur")); return ;;`,
        ),
    ),
    '  esac',
    '  local words=""',
    '  case "$path" in',
    `    "") words="${[...top, 'help', '--help', '--version'].join(' ')}" ;;`,
    ...commands.map(({ path, options, parts }) => {
      const words = [...parts, ...options.flatMap(({ names }) => names)].join(' ');
      const names = namesOf[path];
      const more = names === undefined ? '' : `; [[ "$cur" == -* ]] || words="$words $(${names})"`;
      return `    "${path}") words="${words}"${more} ;;`;
    }),
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '  [[ ${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "$cur"))',
    '}',
    'complete -F _gpu_partition gpu-partition kubectl-gpu_partition',
    '',
  ].join('\n');
}

export function writeZshCompletion(commands: readonly CompletedCommand[]): string {
  return `#compdef gpu-partition\nautoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${writeBashCompletion(commands)}`;
}

export function writeFishCompletion(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ path, summary, options }) => {
    const words = path.split(' ');
    const [name = '', part] = words;
    const here =
      part === undefined
        ? `__fish_seen_subcommand_from ${name}`
        : `__fish_seen_subcommand_from ${name}; and __fish_seen_subcommand_from ${part}`;
    const before = part === undefined ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${name}`;
    const names = namesOf[path];
    return [
      `complete -c gpu-partition -f -n '${before}' -a ${part ?? name} -d ${quote(summary)}`,
      ...options.map(
        (option) =>
          `complete -c gpu-partition -n '${here}' ${option.names.map(fishName).join(' ')}${fishChoices(option)} -d ${quote(option.summary)}`,
      ),
      ...(names === undefined ? [] : [`complete -c gpu-partition -f -n '${here}' -a ${quote(`(${names})`)}`]),
    ];
  });
  return `${lines.join('\n')}\n`;
}

function fishName(name: string): string {
  return name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
}

function fishChoices({ choices }: CompletedOption): string {
  if (choices === undefined) return '';
  return choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : ' -r';
}

/** Inside single quotes fish recognizes only backslashes before quotes and backslashes. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}

/** A path as the walk over the words sees it: ` status`, `explain pod`. */
function spaced(path: string): string {
  return path.includes(' ') ? path : ` ${path}`;
}

const shells = { bash: writeBashCompletion, zsh: writeZshCompletion, fish: writeFishCompletion } as const;

export function completionCommand(context: CommandContext): Command {
  return new Command('completion')
    .description(
      'Prints a script that completes commands, options, nodes and pending pods. For bash: source <(gpu-partition completion bash)',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .action(async (shell: keyof typeof shells) => {
      const described = await Promise.all(
        commands.map(async ({ summary, load }) => describeCommand((await load())(context), summary)),
      );
      context.terminal.stdout.write(shells[shell](described.flat()));
    });
}
