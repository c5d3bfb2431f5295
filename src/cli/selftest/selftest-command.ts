import { Command } from 'commander';

import type { SmiRun } from '../../core/smi/output.ts';
import { makeExecute } from '../../device/command/child.ts';
import { recordRuns } from '../../device/command/recorder.ts';
import { integer } from '../../process/option.ts';
import type { CommandContext } from '../command-table.ts';
import { CliError, type ExitCode } from '../exit.ts';
import { demandNewFile, nameNewFile, saveNewFile } from '../new-file.ts';
import { findHostTool } from '../node/host.ts';
import { addPodOptions, type PodOptions } from '../node/host-pods.ts';
import { addChangeOptions, addNodeOptions, type NodeCommandOptions } from '../node/node-options.ts';
import { readPath } from '../path-option.ts';
import { printJson, printLine, type Terminal } from '../terminal.ts';
import { bundleName, writeBundle } from '../../core/selftest/bundle.ts';
import type { ChangeOptions } from './change-run.ts';
import { describeMachine } from './this-machine.ts';
import { readHostFacts } from './host-facts.ts';
import { thisHost } from './host-view.ts';
import type { Selftest } from '../../core/selftest/selftest.ts';
import { type RecordedSelftest, runSelftest, type SelftestOptions, type TestedTool } from './selftest.ts';
import { printChecks, printOutcome, printProfileTest } from './selftest-text.ts';
import { messageOf } from '../../core/text/message-of.ts';

interface Options extends NodeCommandOptions, PodOptions, Omit<ChangeOptions, 'gpu'> {
  readonly change?: boolean;
  readonly gpu?: number;
  readonly bundle?: string;
  readonly unredacted?: boolean;
}

export function selftestCommand({ terminal, outcome }: CommandContext): Command {
  const command = new Command('selftest').description(
    'Tells whether this node is safe to manage: whether the output of every command of the agent is understood, what proves that ' +
      'nobody uses a GPU, and what would block a reset. It only reads. With --change it tests each profile on one idle GPU and ' +
      'restores everything.',
  );
  return addChangeOptions(addPodOptions(addNodeOptions(command)))
    .option('--change', 'create, verify and destroy each profile on the GPU of --gpu')
    .option('--gpu <index>', 'index of the GPU to test; it must be idle', integer(0, 63))
    .option('--allow-gpu-reset', 'allow the reset of that GPU if a change of its MIG mode requires it (A100, A30)')
    .option('--deadline <seconds>', 'start no further profile after this time', integer(1, 86_400), 900)
    .option(
      '--bundle <file>',
      'write a support bundle (a new file, a folder for one named by the time, or -): the output of every nvidia-smi run, the findings, and what the host shows of its driver',
      readPath,
    )
    .option('--unredacted', 'keep serial numbers, names of processes and of this machine in the bundle')
    .action(async (options: Options) => {
      const { output } = options;
      const bundle = options.bundle && nameNewFile(options.bundle, bundleName(Date.now()), terminal);
      const asked = readOptions(options);
      if (bundle !== undefined) demandNewFile(bundle, terminal);
      // With the bundle on standard output the report goes to standard error.
      const shown = bundle === '-' ? { ...terminal, stdout: terminal.stderr } : terminal;
      const tool = findTestedTool(options, terminal);
      const watcher = output === 'text' ? watch(shown) : {};
      const runs: SmiRun[] = [];
      const recorded = { ...tool, execute: recordRuns(tool.execute, (run) => runs.push(run)) };
      let selftest: Selftest = { state: 'Unknown', versions: { driver: null, cuda: null }, products: [], checks: [] };
      const onChecks = (checks: Selftest['checks']): void => {
        selftest = { ...selftest, checks };
        watcher.onChecks?.(checks);
      };
      try {
        selftest = await runSelftest(recorded, asked, thisHost, { ...watcher, onChecks }, terminal);
        outcome.code = codeOf(selftest);
        if (output === 'text') printOutcome(shown, selftest);
        else printJson(shown, selftest);
      } catch (error) {
        const message = `the test ended early: ${messageOf(error)}`;
        selftest = { ...selftest, checks: [...selftest.checks, { area: 'Tool', verdict: 'Unknown', message }] };
        throw error;
      } finally {
        // Most of all a test that could not be finished needs its bundle.
        if (bundle !== undefined) await writeOut(bundle, { selftest, runs }, options, terminal);
      }
    });
}

async function writeOut(bundle: string, done: RecordedSelftest, options: Options, terminal: Terminal): Promise<void> {
  const { output, unredacted } = options;
  const host = await readHostFacts(options, thisHost, terminal.cwd);
  const now = Date.now();
  const text = writeBundle({ ...done, machine: describeMachine(), host, now, isUnredacted: unredacted === true });
  if (bundle === '-') {
    terminal.stdout.write(text);
    return;
  }
  await saveNewFile(bundle, text, terminal);
  if (output === 'text') printLine(terminal.stdout, `bundle: ${bundle}`);
}

function readOptions({ change = false, gpu, ...options }: Options): SelftestOptions {
  if (change && gpu === undefined) throw new CliError('--change needs --gpu INDEX: a GPU that nobody uses');
  if (!change && gpu !== undefined) throw new CliError('--gpu is for --change; without it every GPU is read');
  return gpu === undefined ? options : { ...options, change: { ...options, gpu } };
}

/** @throws CliError with code 3 if there is none */
function findTestedTool(options: Options, terminal: Terminal): TestedTool {
  const tool = findHostTool(options, terminal);
  const name = tool.root === undefined ? tool.file : `${tool.prefix.at(-1)} in ${tool.root}`;
  return { name, execute: makeExecute(tool) };
}

function watch(terminal: Terminal): Parameters<typeof runSelftest>[3] {
  return {
    onChecks: (checks) => printChecks(terminal, checks),
    onBegin: ({ index, product }) =>
      printLine(terminal.stdout, `Change of GPU ${index} (${product.replace(/^NVIDIA /, '')})`),
    onProfile: (test) => printProfileTest(terminal, test),
  };
}

function codeOf({ state }: Selftest): ExitCode {
  switch (state) {
    case 'Good':
      return 0;
    case 'Findings':
      return 1;
    case 'Unknown':
      return 3;
  }
}
