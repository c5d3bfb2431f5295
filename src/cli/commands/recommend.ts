import { Command, Option } from 'commander';
import { stringify } from 'yaml';

import { MODELS } from '../../core/gpu/geometry/models.ts';
import { type DemandPlan, planDemand } from '../../process/demand-solver.ts';
import { integer } from '../../process/option.ts';
import type { CommandContext } from '../command-table.ts';
import { CliError } from '../exit.ts';
import { readModel } from '../model-argument.ts';
import { readPath } from '../path-option.ts';
import { readDataFile } from '../recommend/data-file.ts';
import { readDemandFile } from '../recommend/demand-file.ts';
import { printPoolAnswer, writePoolAnswer } from '../recommend/pool-answer.ts';
import { type FiledGpu, readPool } from '../recommend/pool-file.ts';
import { answerSize, printSizeAnswer, readSize } from '../recommend/size-answer.ts';
import { printJson, type Terminal } from '../terminal.ts';

interface Options {
  readonly pool?: string;
  readonly demand?: string;
  readonly size?: string;
  readonly model?: string;
  readonly evict: 'never' | 'if-needed';
  readonly timeLimit: number;
  readonly output: 'json' | 'yaml' | 'text';
}

export function recommendCommand({ terminal, outcome }: CommandContext): Command {
  return new Command('recommend')
    .description(
      'Finds layouts for a pool of GPUs that offer the slices that are wanted: as many as possible, then with the fewest evictions, ' +
        'then with the fewest GPUs changed, then with the fewest idle instances destroyed. Proves that no plan is better. ' +
        'Or, with --size, the slices that hold a program of this size. Works offline and changes nothing.',
    )
    .option(
      '--pool <file>',
      'JSON or YAML, - for standard input: {"gpus": [{"id", "model", "instances": [{"profile", "start", "busy"}]}]}; a whole GPU has "mig": "Disabled" and "busy" instead',
      readPath,
    )
    .option(
      '--demand <file>',
      'JSON or YAML, - for standard input: {"1g.5gb": 40, "3g.20gb": 4, "whole": 2}, those in use included',
      readPath,
    )
    .addOption(
      new Option('--evict <rule>', 'whether busy instances may go')
        .choices(['never', 'if-needed'])
        .default('if-needed'),
    )
    .option('--time-limit <seconds>', 'take the best plan found after this time of solving', integer(1, 3600), 30)
    .addOption(
      new Option('--size <memory>', 'instead: which slices have so much usable memory, as 38GiB or 40GB').conflicts([
        'pool',
        'demand',
      ]),
    )
    .option('--model <model>', 'with --size: this model alone')
    .addOption(
      new Option('-o, --output <format>', 'json or yaml for programs, text for people')
        .choices(['json', 'yaml', 'text'])
        .default('text'),
    )
    .action(async (options: Options) => {
      if (options.size !== undefined) {
        const models = options.model === undefined ? MODELS : [readModel(options.model)];
        const answer = answerSize(readSize(options.size), models);
        if (answer.models.every(({ profiles }) => profiles.length === 0)) outcome.code = 1;
        return print(terminal, options.output, answer, () => printSizeAnswer(terminal, answer));
      }
      const { gpus, plan } = await makePlan(options, terminal);
      const answer = writePoolAnswer(gpus, plan);
      if (Object.keys(answer.unserved).length > 0) outcome.code = 1;
      return print(terminal, options.output, answer, () => printPoolAnswer(terminal, gpus, answer));
    });
}

function print(terminal: Terminal, output: Options['output'], answer: unknown, asText: () => void): void {
  if (output === 'json') printJson(terminal, answer);
  else if (output === 'yaml') terminal.stdout.write(stringify(answer, { aliasDuplicateObjects: false }));
  else asText();
}

async function makePlan(
  { pool, demand, model, evict, timeLimit }: Options,
  terminal: Terminal,
): Promise<{ readonly gpus: readonly FiledGpu[]; readonly plan: DemandPlan }> {
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
  try {
    const plan = await planDemand(gpus, {
      slices,
      evict: evict === 'never' ? 'Never' : 'IfNeeded',
      seconds: timeLimit,
    });
    return { gpus, plan };
  } catch (error) {
    const reasons = [error, error instanceof Error ? error.cause : undefined].flatMap((one) =>
      one instanceof Error ? [one.message] : [],
    );
    throw new CliError(`no plan: ${reasons.join(': ')}`, 3, { cause: error });
  }
}
