import { Argument, Command } from 'commander';
import { type CommandContext, commands } from '../command-table.ts';
import { describeCommand, writeBashCompletion, writeFishCompletion, writeZshCompletion } from '../completion.ts';

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
