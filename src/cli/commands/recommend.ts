import { Command, Option } from 'commander';
import { stringify } from 'yaml';

import type { ClassLayout } from '../../core/demand/demand-plan.ts';
import type { CostGap } from '../../core/demand/pool.ts';
import type { Layout } from '../../core/gpu/geometry/geometry.ts';
import { resolveProfile } from '../../core/gpu/geometry/profile-lookup.ts';
import { drawGpu } from '../../core/gpu/plan/picture.ts';
import { listProfiles, writeLayout } from '../../core/gpu/search/layout-words.ts';
import { countWords } from '../../core/text/cut-text.ts';
import { wrapHanging } from '../../core/text/wrap.ts';
import { type DemandPlan, planDemand } from '../../process/demand-solver.ts';
import { integer } from '../../process/option.ts';
import type { CommandContext } from '../command-table.ts';
import { CliError } from '../exit.ts';
import { readPath } from '../path-option.ts';
import { readDataFile } from '../recommend/data-file.ts';
import { readDemandFile } from '../recommend/demand-file.ts';
import { type FiledGpu, readPool } from '../recommend/pool-file.ts';
import { paint, printJson, printLine, type Terminal } from '../terminal.ts';

interface Options {
  readonly pool: string;
  readonly demand: string;
  readonly evict: 'never' | 'if-needed';
  readonly timeLimit: number;
  readonly output: 'json' | 'yaml' | 'text';
}

interface PlacedSlice {
  readonly profile: string;
  readonly start: number;
  /** In memory slices. */
  readonly size: number;
}

/** What one GPU is to become. */
interface RecommendedGpu {
  readonly id: string;
  readonly profiles: Layout;
  /** Every instance once the layout is in place; by start, like the lists of what goes and comes. */
  readonly placements: readonly PlacedSlice[];
  readonly destroy: readonly PlacedSlice[];
  readonly create: readonly PlacedSlice[];
}

export interface RecommendAnswer {
  /** Whether it is proven that no plan is better. */
  readonly optimal: boolean;
  /** Slice of the demand to how many of it cannot be offered. */
  readonly unserved: Readonly<Record<string, number>>;
  /** Busy instances that must go, by weight. */
  readonly evictions: number;
  readonly gpusChanged: number;
  /** Idle ones. */
  readonly instancesDestroyed: number;
  /** Absent if the plan is optimal: no plan has less than `bound` of this figure. */
  readonly gap?: CostGap;
  /** In the order of the pool. */
  readonly gpus: readonly RecommendedGpu[];
}

/** GPUs drawn as text; programs read all of them as JSON. */
const MOST_DRAWN = 40;

export function recommendCommand({ terminal, outcome }: CommandContext): Command {
  return new Command('recommend')
    .description(
      'Finds layouts for a pool of GPUs that offer the slices that are wanted: as many as possible, then with the fewest evictions, ' +
        'then with the fewest GPUs changed, then with the fewest idle instances destroyed. Proves that no plan is better. Works offline and changes nothing.',
    )
    .requiredOption(
      '--pool <file>',
      'JSON or YAML, - for standard input: {"gpus": [{"id", "model", "instances": [{"profile", "start", "busy"}]}]}',
      readPath,
    )
    .requiredOption(
      '--demand <file>',
      'JSON or YAML, - for standard input: {"1g.5gb": 40, "3g.20gb": 4}, those in use included',
      readPath,
    )
    .addOption(
      new Option('--evict <rule>', 'whether busy instances may go')
        .choices(['never', 'if-needed'])
        .default('if-needed'),
    )
    .option('--time-limit <seconds>', 'take the best plan found after this time of solving', integer(1, 3600), 30)
    .addOption(
      new Option('-o, --output <format>', 'json or yaml for programs, text for people')
        .choices(['json', 'yaml', 'text'])
        .default('text'),
    )
    .action(async (options: Options) => {
      const { gpus, plan } = await makePlan(options, terminal);
      const answer = writeAnswer(gpus, plan);
      if (Object.keys(answer.unserved).length > 0) outcome.code = 1;
      if (options.output === 'json') return printJson(terminal, answer);
      if (options.output === 'yaml') return terminal.stdout.write(stringify(answer, { aliasDuplicateObjects: false }));
      return printAnswer(terminal, gpus, answer);
    });
}

async function makePlan(
  { pool, demand, evict, timeLimit }: Options,
  terminal: Terminal,
): Promise<{ readonly gpus: readonly FiledGpu[]; readonly plan: DemandPlan }> {
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

function writeAnswer(gpus: readonly FiledGpu[], { cost, gap, unserved, layouts }: DemandPlan): RecommendAnswer {
  return {
    optimal: gap === undefined,
    unserved,
    evictions: cost.evictions,
    gpusChanged: cost.gpusChanged,
    instancesDestroyed: cost.instancesDestroyed,
    ...(gap === undefined ? {} : { gap }),
    gpus: gpus.map((gpu, index) => writeGpu(gpu, layouts[index])),
  };
}

function writeGpu({ id, geometry }: FiledGpu, layout: ClassLayout | undefined): RecommendedGpu {
  const { keep = [], destroy = [], create = [] } = layout ?? {};
  const place = ({ profile, start }: Omit<PlacedSlice, 'size'>): PlacedSlice => ({
    profile,
    start,
    size: resolveProfile(geometry, profile)?.memorySlices ?? 0,
  });
  const placements = [...keep, ...create].map(place).toSorted((a, b) => a.start - b.start);
  const counts: Record<string, number> = {};
  for (const { profile } of placements) counts[profile] = (counts[profile] ?? 0) + 1;
  return {
    id,
    profiles: Object.fromEntries(listProfiles(counts)),
    placements,
    destroy: destroy.map(place),
    create: create.map(place),
  };
}

function printAnswer({ stdout }: Terminal, gpus: readonly FiledGpu[], answer: RecommendAnswer): void {
  const changed = answer.gpus.flatMap((gpu, index) => {
    const now = gpus[index];
    return now === undefined || gpu.destroy.length + gpu.create.length === 0 ? [] : [{ now, gpu }];
  });
  for (const { now, gpu } of changed.slice(0, MOST_DRAWN)) {
    const isKept = (start: number) => !gpu.create.some((one) => one.start === start);
    const isBusy = (start: number) => isKept(start) && now.instances.some((one) => one.busy && one.start === start);
    printLine(stdout, `${gpu.id} (${now.geometry.id}): ${writeLayout(gpu.profiles)}`);
    printLine(stdout, `  now   ${drawGpu(now.geometry, now.instances)}`);
    printLine(
      stdout,
      `  then  ${drawGpu(
        now.geometry,
        gpu.placements.map((one) => ({ ...one, busy: isBusy(one.start) })),
      )}`,
    );
  }
  if (changed.length > MOST_DRAWN)
    printLine(stdout, `… and ${countWords(changed.length - MOST_DRAWN, 'more GPU')}; -o json has all`);
  const lacking = Object.entries(answer.unserved);
  const served =
    lacking.length === 0
      ? paint(stdout, 'green', 'the demand is served')
      : `${paint(stdout, 'yellow', 'unserved')}: ${writeLayout(answer.unserved)}`;
  printLine(stdout, served);
  const bill = [
    `${countWords(answer.gpusChanged, 'GPU')} of ${gpus.length} changed`,
    answer.evictions === 0 ? 'no eviction' : `evictions: ${answer.evictions}`,
    `${countWords(answer.instancesDestroyed, 'idle instance')} destroyed`,
  ];
  printLine(stdout, bill.join(', '));
  for (const line of wrapHanging(explainProof(answer.gap), 80, '  ')) printLine(stdout, line);
}

function explainProof(gap: CostGap | undefined): string {
  if (gap === undefined)
    return 'proven: no plan serves more, or as much with fewer evictions, changes or destroyed instances';
  const words = {
    unserved: 'weight unserved',
    evictions: 'evictions',
    gpusChanged: 'GPUs changed',
    instancesDestroyed: 'idle instances destroyed',
  } as const;
  return `not proven in time: this plan has ${gap.value} ${words[gap.figure]}, and a better one has at least ${gap.bound}; raise --time-limit`;
}
