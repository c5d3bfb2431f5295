import { Command } from 'commander';

import { integer } from '../../process/option.ts';
import { addHostUnitOption } from '../../device/host/host-unit-option.ts';
import type { CommandContext } from '../command-table.ts';
import { printJson, printLine, type Terminal } from '../terminal.ts';
import { addPodOptions } from './host-pods.ts';
import { readLayoutFile } from './layout-file.ts';
import { openHost } from './host.ts';
import {
  type ApplyLimits,
  applyLayout,
  type ApplyWatcher,
  type GpuApplyResult,
  type NodeApplyResult,
} from './node-apply.ts';
import { type NodeLayout, resetLayout } from '../../core/host/host-layout.ts';
import {
  addChangeOptions,
  addLayoutOptions,
  addNodeOptions,
  type LayoutOptions,
  type NodeCommandOptions,
} from './node-options.ts';
import type { HostPlan } from '../../core/host/host-plan.ts';
import { printProblems } from './plan-command.ts';
import { listProblems, nameGpu, writePlan } from '../../core/host/host-plan-text.ts';

interface Options extends Partial<LayoutOptions>, NodeCommandOptions, ApplyLimits {}

export function applyCommand(context: CommandContext): Command {
  const command = new Command('apply').description(
    'Makes the GPUs match the layout: prints the plan, then carries it out with the fewest operations. Idle instances that the ' +
      'layout does not contain are destroyed; an instance in use is never touched. A GPU whose change fails is restored.',
  );
  return addApplyOptions(addLayoutOptions(command)).action(async (options: LayoutOptions & Options) =>
    change(await readLayoutFile(options, context.terminal), options, context),
  );
}

export function resetCommand(context: CommandContext): Command {
  const command = new Command('reset').description(
    'Makes GPUs whole, with MIG mode off: all of the node, or those that the entries of a layout match. As safe as apply.',
  );
  return addApplyOptions(addLayoutOptions(command, false)).action(async (options: Options) => {
    const { filename } = options;
    const layout =
      filename === undefined ? undefined : await readLayoutFile({ ...options, filename }, context.terminal);
    return change(resetLayout(layout), options, context);
  });
}

function addApplyOptions(command: Command): Command {
  return addChangeOptions(addHostUnitOption(addPodOptions(addNodeOptions(command))))
    .option('--allow-gpu-reset', 'allow the reset of a single GPU if a change of its MIG mode requires it (A100, A30)')
    .option('--all-or-nothing', 'change no GPU unless all can reach the layout; implied by strategy single')
    .option('--deadline <seconds>', 'start no further operation after this time', integer(1, 86_400), 300);
}

async function change(layout: NodeLayout, options: Options, { terminal, outcome }: CommandContext): Promise<void> {
  const driver = openHost(options, terminal);
  const isText = options.output === 'text';
  const watcher = isText ? watch(terminal) : {};
  const done = await applyLayout(driver, layout, options, watcher, terminal);
  if (done.state === 'NotApplied') outcome.code = 1;
  if (!isText) return printJson(terminal, done);
  for (const result of done.results) printResult(terminal, result, done.plan);
  for (const note of done.notes) printLine(terminal.stderr, `note: ${note}`);
  printProblems(terminal, listProblems(done.plan));
  printLine(terminal.stdout, summarize(done));
}

function watch({ stdout }: Terminal): ApplyWatcher {
  return {
    onCutOff: ({ gpus }) => {
      const names = gpus.map(({ uuid }) => uuid).join(', ');
      printLine(stdout, `an earlier apply was cut off (${names}); going on from what is there`);
    },
    onPlan: (plan, device) => {
      for (const line of writePlan(plan, device)) printLine(stdout, line);
    },
    onProgress: ({ index }, { done }) => printLine(stdout, `GPU ${index}: ${done}`),
  };
}

function printResult(
  terminal: Terminal,
  { uuid, outcome, operations, error, undoError }: GpuApplyResult,
  { gpus }: HostPlan,
): void {
  const gpu = gpus.find((one) => one.uuid === uuid);
  const name = gpu === undefined ? uuid : nameGpu(gpu);
  const why = [
    ...(error === undefined ? [] : [error.message]),
    ...(undoError === undefined ? [] : [`it could not be brought back to what it was: ${undoError.message}`]),
  ];
  const line = `${name}: ${describe(outcome)}, ${operations} ${operations === 1 ? 'operation' : 'operations'}`;
  if (why.length === 0) printLine(terminal.stdout, line);
  else printProblems(terminal, [`${line}: ${why.join('; ')}`]);
}

function describe(outcome: GpuApplyResult['outcome']): string {
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
