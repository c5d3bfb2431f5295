import { Command } from 'commander';

import type { CommandContext } from '../command-table.ts';
import { paint, printJson, printLine, type Terminal } from '../terminal.ts';
import { readLayoutFile } from './layout-file.ts';
import { openHost, readHost } from './host.ts';
import { addLayoutOptions, addNodeOptions, type LayoutOptions, type NodeCommandOptions } from './node-options.ts';
import { type HostGpuPlan, planHost } from '../../core/host/host-plan.ts';
import { listProblems, nameGpu, writePlan, writeWant } from '../../core/host/host-plan-text.ts';

export function planCommand({ terminal, outcome }: CommandContext): Command {
  const command = new Command('plan').description(
    'Shows what apply would keep, destroy and create on each GPU. Changes nothing.',
  );
  return addNodeOptions(addLayoutOptions(command)).action(async (options: LayoutOptions & NodeCommandOptions) => {
    const layout = await readLayoutFile(options, terminal);
    const driver = openHost(options, terminal);
    const device = await readHost(driver);
    const plan = planHost(device, layout);
    if (plan.state === 'Refused') outcome.code = 1;
    if (options.output === 'json') return printJson(terminal, plan);
    for (const line of writePlan(plan, device)) printLine(terminal.stdout, line);
    printProblems(terminal, listProblems(plan));
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
    const plan = planHost(await readHost(driver), layout);
    const differences =
      plan.reason === undefined
        ? [...plan.gpus.flatMap(describeDifference), ...listProblems({ ...plan, gpus: [] })]
        : listProblems(plan);
    const answer: AssertAnswer = { equal: differences.length === 0, differences };
    if (!answer.equal) outcome.code = 1;
    if (options.output === 'json') return printJson(terminal, answer);
    for (const difference of differences) printLine(terminal.stdout, difference);
    printLine(terminal.stdout, `${options.filename}: ${answer.equal ? 'applied' : 'not applied'}`);
  });
}

function describeDifference(gpu: HostGpuPlan): readonly string[] {
  if (gpu.outcome === 'LeftAlone' || gpu.outcome === 'Unchanged') return [];
  const has = [...gpu.keep, ...gpu.destroy].toSorted((a, b) => a.start - b.start);
  const places = has.map(({ profile, start }) => `${profile} at ${start}`).join(', ') || 'no instances';
  const now = gpu.mig.now === 'Enabled' ? places : gpu.mig.now === 'Disabled' ? 'MIG off' : 'no MIG mode';
  const why = gpu.error === undefined ? '' : `; it cannot be had now: ${gpu.error.message}`;
  return [`${nameGpu(gpu)}: has ${now}; should be ${writeWant(gpu.want)}${why}`];
}

export function printProblems({ stderr }: Terminal, problems: readonly string[]): void {
  for (const problem of problems) printLine(stderr, `${paint(stderr, 'red', 'error:')} ${problem}`);
}
