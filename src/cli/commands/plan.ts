import { Command, InvalidArgumentError } from 'commander';
import type { GpuPartitionPolicy } from '../../api/types.ts';
import type { ChangePlan } from '../../core/plan/change-plan.ts';
import type { ClusterState } from '../../core/plan/cluster-state.ts';
import { writeChangePlan } from '../../core/plan/plan-text.ts';
import type { KueueReading } from '../../core/supply/kueue.ts';
import { wrapHanging } from '../../core/text/wrap.ts';
import { readKueue } from '../../kube/read-kueue.ts';
import { foreseeChange } from '../../process/change-plan.ts';
import { addConnectionOptions, ask, connect, type ConnectionOptions } from '../cluster/connection.ts';
import { readCluster } from '../cluster/facts.ts';
import type { CommandContext } from '../command-table.ts';
import { CliError } from '../exit.ts';
import { type OutputFormat, outputOption } from '../output-option.ts';
import { readPolicies } from '../plan/policy-files.ts';
import { demandComplete } from '../plan/complete-snapshot.ts';
import { addSetupOptions, setupOf, type SetupOptions } from '../plan/setup-options.ts';
import { readSnapshot, snapshotCommand } from '../plan/snapshot-file.ts';
import { paint, printJson, printLine, type Terminal } from '../terminal.ts';

interface Options extends ConnectionOptions, SetupOptions {
  readonly filename?: readonly string[];
  readonly at?: number;
  readonly snapshot?: readonly string[];
  readonly output: OutputFormat;
}

export function planCommand({ terminal, outcome }: CommandContext): Command {
  return addConnectionOptions(addSetupOptions(new Command('plan')))
    .description(
      'Previews what applying policies would do: what each GPU keeps, loses and gets, which pods are evicted, what is in the way, and in which order ' +
        'nodes change. Writes nothing. Reads the cluster, or with --snapshot a saved one.',
    )
    .option(
      '-f, --filename <path...>',
      'policies: files, folders, or - for standard input; they replace policies of the same name; with --at by default those of the cluster that have schedules',
    )
    .option(
      '--at <time>',
      'with the schedules that are in force then, and from then on, for example 2026-01-31T22:00:00Z; pods and GPUs count as they are now',
      readTime,
    )
    .option('--snapshot <file...>', `read a saved cluster instead: ${snapshotCommand}`)
    .addOption(outputOption())
    .action(async (options: Options) => {
      const { filename, at } = options;
      if (filename === undefined && at === undefined)
        throw new CliError('give policies with -f, or a time with --at for the schedules of the cluster');
      const given = filename && (await readPolicies(filename, terminal));
      const { cluster, readQueues } = await readState(options, given ?? [], terminal);
      const policies = given ?? cluster.policies.filter(({ spec }) => spec.schedules !== undefined);
      if (policies.length === 0) throw new CliError('no policy of the cluster has schedules');
      const plan = await foreseeChange(cluster, policies, setupOf(options), readQueues, at);
      if (plan.findings.length > 0) outcome.code = 1;
      if (options.output === 'json') printJson(terminal, plan);
      else printPlan(terminal, plan);
    });
}

/** With a zone: without one it would be that of whoever asks. `Date.parse` takes nearly anything, `5` for May 2001. */
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

function readTime(text: string): number {
  const time = timePattern.test(text) ? Date.parse(text) : Number.NaN;
  // It takes the 31st of February for the 3rd of March, too.
  const isDay = new Date(`${text.slice(0, 10)}T00:00Z`).getUTCDate() === Number(text.slice(8, 10));
  if (Number.isNaN(time) || !isDay)
    throw new InvalidArgumentError('must be a time with its zone, such as 2026-01-31T22:00:00Z.');
  return time;
}

async function readState(
  options: Options,
  given: readonly GpuPartitionPolicy[],
  terminal: Terminal,
): Promise<{ readonly cluster: ClusterState; readonly readQueues: () => Promise<KueueReading> }> {
  const { snapshot, filename = [] } = options;
  if (snapshot === undefined) {
    const client = connect(options);
    return { cluster: await readCluster(client), readQueues: () => ask('Kueue', () => readKueue(client)) };
  }
  if (snapshot.includes('-') && filename.includes('-'))
    throw new CliError('standard input is the policies or the snapshot, not both');
  const cluster = await readSnapshot(snapshot, terminal);
  demandComplete(cluster, given);
  return { cluster, readQueues: async () => cluster.kueue };
}

function printPlan({ stdout }: Terminal, plan: ChangePlan): void {
  for (const line of writeChangePlan(plan)) printLine(stdout, line);
  if (plan.findings.length > 0) printLine(stdout, '');
  for (const { message } of plan.findings) {
    const [first = '', ...rest] = wrapHanging(`finding: ${message}`, 80, '  ');
    printLine(stdout, first.replace('finding:', paint(stdout, 'yellow', 'finding:')));
    for (const line of rest) printLine(stdout, line);
  }
  printLine(stdout, '');
  for (const line of wrapHanging(plan.summary, 80, '  ')) printLine(stdout, paint(stdout, 'bold', line));
}
