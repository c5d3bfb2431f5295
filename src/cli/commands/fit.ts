import { Command } from 'commander';
import { resolveProfile } from '../../core/gpu/profiles.ts';
import { planGpu } from '../../core/gpu/plan.ts';
import { type Instance, drawGpu } from '../../core/gpu/grid.ts';
import { writeLayout, type Layout, type GpuModel, type Geometry, MODELS } from '../../core/gpu/geometry.ts';
import type { CommandContext } from '../program.ts';
import { CliError, paint, printJson, printLine, type Terminal } from '../terminal.ts';
import { readHave, readWant, readModel, type OutputFormat, outputOption } from '../options.ts';
import { enumerateLayouts, fitLayout } from '../../core/gpu/layouts.ts';

interface Options {
  readonly model: string;
  readonly want: string;
  readonly have?: string;
  readonly keepBusy?: boolean;
  readonly output: OutputFormat;
}

/** An instance in the answer; start and size are null where NVIDIA has not published placements (Thor). */
interface Place {
  readonly profile: string;
  readonly start: number | null;
  readonly size: number | null;
  /** Compute instances; absent unless the instance is divided into some. */
  readonly computeInstances?: readonly string[];
}

export interface FitAnswer {
  readonly fits: boolean;
  /** Every instance once the layout is in place. */
  readonly placements: readonly Place[];
  readonly destroy: readonly Place[];
  readonly create: readonly Place[];
  readonly keep: readonly Place[];
  /** Why it does not fit; empty if it does. */
  readonly reason: string;
  /** Layouts close to the wanted one that fit, nearest first. */
  readonly alternatives: readonly Layout[];
}

export function fitCommand({ terminal, outcome }: CommandContext): Command {
  return new Command('fit')
    .description(
      'Checks whether one GPU can take a layout: where each slice goes, and the minimum that must be destroyed.',
    )
    .requiredOption('--model <model>', 'model or product: a100-40gb, "H100 80GB HBM3", a PCI device id')
    .requiredOption('--want <json>', 'the layout: \'{"1g.5gb": 2, "3g.20gb": 1}\'')
    .option(
      '--have <json>',
      'what is on the GPU now (default: nothing): \'[{"profile": "1g.5gb", "start": 0, "busy": true}]\'',
    )
    .option('--keep-busy', 'fail rather than destroy a busy instance')
    .addOption(outputOption())
    .action((options: Options) => {
      const model = readModel(options.model);
      const want = readWant(options.want);
      const have = options.have === undefined ? undefined : readHave(options.have);
      refuseStarts(model, have ?? []);
      const answer = answerFit(model, want, have, options.keepBusy === true);
      if (!answer.fits) outcome.code = 1;
      if (options.output === 'json') printJson(terminal, answer);
      else printAnswer(terminal, model, want, have, answer);
    });
}

/** A driver is believed that an instance is where it says; a person has mistyped. @throws CliError */
function refuseStarts(model: GpuModel, have: readonly Instance[]): void {
  for (const [index, { profile, start }] of have.entries()) {
    const { name, starts = [] } = resolveProfile(model, profile, model) ?? {};
    if (starts.length > 0 && !starts.includes(start))
      throw new CliError(
        `--have[${index}].start: a ${name} of ${model.id} cannot start at ${start}; it starts at ${starts.join(', ')}`,
      );
  }
}

const nothing = { placements: [], destroy: [], create: [], keep: [], reason: '', alternatives: [] };

/** Assumes an empty GPU if the current instances are not given. */
function answerFit(model: GpuModel, want: Layout, have: readonly Instance[] | undefined, keepBusy: boolean): FitAnswer {
  if (have === undefined) {
    const fit = fitLayout(model, want);
    if (!fit.fits) return refuse(fit.refusal);
    const placements = fit.placements?.map((instance) => place(model, instance)) ?? listUnplaced(want);
    return { fits: true, ...nothing, placements, create: placements };
  }
  const plan = planGpu(model, have, want, keepBusy ? { mayDisturb: ({ busy }) => !busy } : {});
  if (!plan.fits) return refuse(plan.refusal);
  const write = (instances: readonly Described[]) => instances.map((instance) => place(model, instance));
  return {
    fits: true,
    ...nothing,
    placements: write(plan.placements),
    destroy: write(plan.destroy),
    create: write(plan.create),
    keep: write(plan.keep),
  };
}

function refuse({
  code,
  message,
  alternatives,
}: Pick<FitAnswer, 'alternatives'> & { readonly code: string; readonly message: string }): FitAnswer {
  // What no GPU can contain is an error in the question, not an answer to it.
  if (code === 'OverlappingInstances' || code === 'UnknownInstance') throw new CliError(`--have: ${message}`);
  return { fits: false, ...nothing, reason: message, alternatives };
}

type Described = Omit<Instance, 'busy'>;

function place(model: GpuModel, { profile, start, size, computeInstances }: Described): Place {
  const known = resolveProfile(model, profile, model);
  const isCut =
    computeInstances !== undefined && computeInstances.join() !== profile && computeInstances.join() !== known?.name;
  return { profile, start, size: known?.memorySlices ?? size ?? null, ...(isCut ? { computeInstances } : {}) };
}

function listUnplaced(want: Layout): readonly Place[] {
  return Object.entries(want).flatMap(([profile, count]) =>
    Array.from({ length: count }, () => ({ profile, start: null, size: null })),
  );
}

function printAnswer(
  terminal: Terminal,
  model: GpuModel,
  want: Layout,
  have: readonly Instance[] | undefined,
  answer: FitAnswer,
): void {
  const { stdout } = terminal;
  if (have !== undefined) printLine(stdout, `now   ${drawGpu(model, have)}`);
  if (!answer.fits) {
    printLine(stdout, `${paint(stdout, 'red', 'does not fit')}: ${answer.reason}`);
    return;
  }
  const isBusy = (at: Place) => have?.some(({ start, busy }) => busy && start === at.start) === true;
  const busyStarts = new Set(answer.keep.filter(isBusy).map(({ start }) => start));
  const placed = answer.placements.flatMap(({ profile, start }) =>
    start === null ? [] : [{ profile, start, busy: busyStarts.has(start) }],
  );
  const isDrawn = placed.length === answer.placements.length;
  if (isDrawn) printLine(stdout, `${have === undefined ? '' : 'then  '}${drawGpu(model, placed)}`);
  printLine(stdout, `${paint(stdout, 'green', 'fits')}: ${writeLayout(want)} on ${model.id}`);
  if (have === undefined) return;
  for (const [word, places] of [
    ['keep', answer.keep],
    ['destroy', answer.destroy],
    ['create', answer.create],
  ] as const) {
    const list = places.map((at) => `${at.profile} at ${at.start}${isBusy(at) && word !== 'create' ? ' (busy)' : ''}`);
    printLine(stdout, `${word}: ${list.length === 0 ? 'nothing' : list.join(', ')}`);
  }
}

interface LayoutsOptions {
  readonly maximal?: boolean;
  readonly base?: boolean;
  readonly output: OutputFormat;
}

export function layoutsCommand({ terminal }: CommandContext): Command {
  return new Command('layouts')
    .description('Lists every layout that a GPU model can hold, smallest slices first, with placements.')
    .argument('<model>', 'model or product: a100-40gb, "A100-SXM4-40GB", H200, a PCI device id')
    .option('--maximal', 'only layouts to which no slice can be added')
    .option('--base', 'only plain profiles, without +me, -me, +gfx and double-memory variants')
    .addOption(outputOption())
    .addHelpText('after', `\nModels: ${MODELS.map(({ id }) => id).join(', ')}`)
    .action((name: string, { maximal = false, base = false, output }: LayoutsOptions) => {
      const model = readModel(name);
      const layouts = enumerateLayouts(model, { maximal, base });
      if (output === 'json') return printJson(terminal, layouts);
      const what = `${maximal ? 'maximal ' : ''}layouts${base ? ' of plain profiles' : ''}`;
      printLine(terminal.stdout, paint(terminal.stdout, 'bold', `${model.id}: ${layouts.length} ${what}`));
      for (const layout of layouts) printLine(terminal.stdout, drawLayout(model, layout));
    });
}

/** The picture followed by the layout; only the layout if placements are not published. */
function drawLayout(geometry: Geometry, layout: Layout): string {
  const fit = fitLayout(geometry, layout);
  const words = writeLayout(layout);
  return fit.fits && fit.placements !== undefined ? `${drawGpu(geometry, fit.placements)} ${words}` : words;
}
