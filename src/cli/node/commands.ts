import { Command } from 'commander';
import type { CommandContext } from '../program.ts';
import { paint, printJson, printLine, type Terminal } from '../terminal.ts';
import { readLayoutFile, writeYaml } from './layout-file.ts';
import {
  openHost,
  readHost,
  addLayoutOptions,
  addNodeOptions,
  type LayoutOptions,
  type NodeCommandOptions,
  addPodOptions,
  addChangeOptions,
} from './host.ts';
import type { PolicyLayout } from '../../api/types.ts';
import { exportHost, type NodeLayout, planHost } from '../../core/host/plan.ts';
import { integer, oneOf } from '../../process/options.ts';
import { addHostUnitOption } from '../../device/host/loans.ts';
import { type ApplyLimits, applyLayout, type ApplyWatcher, type NodeApplyResult } from './apply.ts';
import { selftestCommand } from '../selftest/selftest.ts';

export function planCommand({ terminal, outcome }: CommandContext): Command {
  const command = new Command('plan').description(
    'Shows what apply would keep, destroy and create on each GPU. Changes nothing.',
  );
  return addNodeOptions(addLayoutOptions(command)).action(async (options: LayoutOptions & NodeCommandOptions) => {
    const layout = await readLayoutFile(options, terminal);
    const driver = openHost(options, terminal);
    const device = await readHost(driver);
    const { plan, lines, problems } = planHost(device, layout);
    if (plan.state === 'Refused') outcome.code = 1;
    if (options.output === 'json') return printJson(terminal, plan);
    for (const line of lines) printLine(terminal.stdout, line);
    printProblems(terminal, problems);
  });
}

/** How the device differs from a layout; the shape of `assert -o json`. */
export interface AssertAnswer {
  readonly equal: boolean;
  /** A sentence for each GPU that does not match its target. */
  readonly differences: readonly string[];
}

export function assertCommand({ terminal, outcome }: CommandContext): Command {
  const command = new Command('assert').description(
    'Succeeds if the GPUs match the layout, so that apply would do nothing.',
  );
  return addNodeOptions(addLayoutOptions(command)).action(async (options: LayoutOptions & NodeCommandOptions) => {
    const layout = await readLayoutFile(options, terminal);
    const driver = openHost(options, terminal);
    const { unmet: differences } = planHost(await readHost(driver), layout);
    const answer: AssertAnswer = { equal: differences.length === 0, differences };
    if (!answer.equal) outcome.code = 1;
    if (options.output === 'json') return printJson(terminal, answer);
    for (const difference of differences) printLine(terminal.stdout, difference);
    printLine(terminal.stdout, `${options.filename}: ${answer.equal ? 'applied' : 'not applied'}`);
  });
}

function printProblems({ stderr }: Terminal, problems: readonly string[]): void {
  for (const problem of problems) printLine(stderr, `${paint(stderr, 'red', 'error:')} ${problem}`);
}

interface ApplyOptions extends Partial<LayoutOptions>, NodeCommandOptions, ApplyLimits {}

export function applyCommand(context: CommandContext): Command {
  const command = new Command('apply').description(
    'Makes the GPUs match the layout: prints the plan, then carries it out with the fewest operations. Idle instances that the ' +
      'layout does not contain are destroyed; an instance in use is never touched. A GPU whose change fails is restored.',
  );
  return addApplyOptions(addLayoutOptions(command)).action(async (options: LayoutOptions & ApplyOptions) =>
    change(await readLayoutFile(options, context.terminal), options, context),
  );
}

export function resetCommand(context: CommandContext): Command {
  const command = new Command('reset').description(
    'Makes GPUs whole, with MIG mode off: all of the node, or those that the entries of a layout match. As safe as apply.',
  );
  return addApplyOptions(addLayoutOptions(command, false)).action(async (options: ApplyOptions) => {
    const { filename } = options;
    const layout =
      filename === undefined ? undefined : await readLayoutFile({ ...options, filename }, context.terminal);
    return change(resetLayout(layout), options, context);
  });
}

/** A layout of whole GPUs: the `reset` layout for all GPUs that the entries of a layout match, whatever their count, or for all. */
function resetLayout(layout: NodeLayout | undefined): NodeLayout {
  if (layout === undefined) return { layouts: [{ mig: 'Disabled' }], strategy: undefined, locate: () => 'reset' };
  const layouts = layout.layouts.map(({ gpus }): PolicyLayout => {
    // Which GPUs an entry with a count has taken is not known here: the others are whole, and would now be taken.
    const { count: _count, ...selector } = gpus ?? {};
    return { gpus: selector, mig: 'Disabled' };
  });
  return { layouts, strategy: undefined, locate: layout.locate };
}

function addApplyOptions(command: Command): Command {
  return addChangeOptions(addHostUnitOption(addPodOptions(addNodeOptions(command))))
    .option('--allow-gpu-reset', 'allow the reset of a single GPU if a change of its MIG mode requires it (A100, A30)')
    .option('--all-or-nothing', 'change no GPU unless all can reach the layout; implied by strategy single')
    .option('--deadline <seconds>', 'start no further operation after this time', integer(1, 86_400), 300);
}

async function change(layout: NodeLayout, options: ApplyOptions, { terminal, outcome }: CommandContext): Promise<void> {
  const driver = openHost(options, terminal);
  const isText = options.output === 'text';
  const watcher = isText ? watch(terminal) : {};
  const { done, planned } = await applyLayout(driver, layout, options, watcher, terminal);
  if (done.state === 'NotApplied') outcome.code = 1;
  if (!isText) return printJson(terminal, done);
  for (const result of done.results) printResult(terminal, result, planned.nameOf(result.uuid));
  for (const note of done.notes) printLine(terminal.stderr, `note: ${note}`);
  printProblems(terminal, planned.problems);
  printLine(terminal.stdout, summarize(done));
}

function watch({ stdout }: Terminal): ApplyWatcher {
  return {
    onCutOff: ({ gpus }) => {
      const names = gpus.map(({ uuid }) => uuid).join(', ');
      printLine(stdout, `an earlier apply was cut off (${names}); going on from what is there`);
    },
    onPlan: ({ lines }) => {
      for (const line of lines) printLine(stdout, line);
    },
    onProgress: (index, { done }) => printLine(stdout, `GPU ${index}: ${done}`),
  };
}

function printResult(
  terminal: Terminal,
  { outcome, operations, error, undoError }: NodeApplyResult['results'][number],
  name: string,
): void {
  const why = [
    ...(error === undefined ? [] : [error.message]),
    ...(undoError === undefined ? [] : [`it could not be brought back to what it was: ${undoError.message}`]),
  ];
  const line = `${name}: ${describe(outcome)}, ${operations} ${operations === 1 ? 'operation' : 'operations'}`;
  if (why.length === 0) printLine(terminal.stdout, line);
  else printProblems(terminal, [`${line}: ${why.join('; ')}`]);
}

function describe(outcome: NodeApplyResult['results'][number]['outcome']): string {
  switch (outcome) {
    case 'Applied':
      return 'applied';
    case 'Unchanged':
      return 'unchanged';
    case 'Refused':
      return 'refused, nothing was touched';
    case 'Failed':
      return 'failed';
    case 'Undone':
      return 'failed and brought back to what it was';
    case 'Skipped':
      return 'not begun';
  }
}

function summarize({ state, results }: NodeApplyResult): string {
  const operations = results.reduce((sum, result) => sum + result.operations, 0);
  switch (state) {
    case 'Applied':
      return `applied: ${operations} operations`;
    case 'Unchanged':
      return 'unchanged: 0 operations';
    case 'NotApplied':
      return `not applied: ${operations} operations; the node does not match the layout`;
  }
}

interface Options extends NodeCommandOptions {
  readonly by: (typeof KEYS)[number];
  readonly format: (typeof FORMATS)[number];
  readonly config: string;
}

const KEYS = ['uuids', 'indices'] as const;
const FORMATS = ['layouts', 'mig-parted'] as const;

export function exportCommand({ terminal, outcome }: CommandContext): Command {
  const command = new Command('export')
    .description('Prints the live layout as a file that plan, apply and assert read.')
    .option('--by <key>', 'how to identify GPUs: uuids or indices', oneOf(KEYS), 'uuids')
    .option('--format <format>', 'layouts or mig-parted', oneOf(FORMATS), 'layouts')
    .option('--config <name>', 'name of the config, with --format mig-parted', 'current');
  return addNodeOptions(command).action(async ({ output, ...options }: Options) => {
    const done = exportHost(await readHost(openHost(options, terminal)), options);
    if (output === 'json') printJson(terminal, done.file);
    else terminal.stdout.write(done.format === 'layouts' ? writeExport(done) : writeYaml(done.file));
    printProblems(terminal, done.problems);
    if (done.problems.length > 0) outcome.code = 1;
  });
}

/** The live layout as YAML, with the placements, which a layout does not specify, as comments. */
function writeExport({
  file,
  comments,
  others,
}: Extract<ReturnType<typeof exportHost>, { readonly format: 'layouts' }>): string {
  const entries = file.layouts.map((entry, at) => {
    const above = (comments[at] ?? []).map((comment) => `  # ${comment}\n`).join('');
    return above + writeYaml([entry]).replaceAll(/^(?=.)/gm, '  ');
  });
  const body = entries.length === 0 ? 'layouts: []\n' : `layouts:\n${entries.join('')}`;
  const head = others.map((comment) => `# ${comment}\n`).join('');
  return `# Exported by gpu-partition, driver ${file.device.driverVersion}.\n${head}${body}`;
}

/** Host mode: the GPUs of this machine, without Kubernetes. */
export function nodeCommand(context: CommandContext): Command {
  return new Command('node')
    .description(
      'Partitions the GPUs of this machine without Kubernetes, as mig-parted does, but prints a plan and never touches an instance in use.',
    )
    .addCommand(exportCommand(context))
    .addCommand(planCommand(context))
    .addCommand(applyCommand(context))
    .addCommand(assertCommand(context))
    .addCommand(resetCommand(context))
    .addCommand(selftestCommand(context))
    .addHelpText(
      'after',
      '\nEach of them has --nvidia-smi <file>, --driver-root <folder> and -o, --output <format> (json or text).',
    );
}
