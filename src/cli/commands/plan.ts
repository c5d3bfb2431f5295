import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { ClusterState } from '../../core/plan/change.ts';
import { listReportedPods } from '../../core/device/holders.ts';
import { CliError, paint, printJson, printLine, type Terminal } from '../terminal.ts';
import { snapshotCommand, readPolicies, readSnapshot } from '../input/snapshot.ts';
import { Command, InvalidArgumentError } from 'commander';
import { limit, configMapName, equalitySelector } from '../../process/options.ts';
import type { KueueReading } from '../../core/demand/kueue.ts';
import { wrapHanging } from '../../core/text/words.ts';
import { readKueue } from '../../kube/client.ts';
import { predictChange } from '../../planner/questions.ts';
import { addConnectionOptions, ask, connect, type ConnectionOptions } from '../cluster/connection.ts';
import { readCluster, tellUnknownNamespaces } from '../cluster/facts.ts';
import type { CommandContext } from '../program.ts';
import { type OutputFormat, outputOption } from '../options.ts';

/**
 * A snapshot made without `-A`, or without policies, would show pods as gone that run, or give nodes to the wrong policy.
 *
 * @throws CliError if something in the snapshot shows that
 */
export function demandComplete(cluster: ClusterState, given: readonly GpuPartitionPolicy[]): void {
  demandNamespaces(cluster);
  const known = new Set([...cluster.policies, ...given].map(({ metadata }) => metadata.name));
  for (const { metadata, spec } of cluster.partitions) {
    const served = spec.policy?.name;
    if (served === undefined || known.has(served)) continue;
    throw new CliError(
      `node ${metadata.name} serves policy ${served}, which is neither in the snapshot nor given with -f; make the snapshot with: ${snapshotCommand}`,
    );
  }
}

/** Demands that a snapshot has all namespaces: with GPUs, at least the device plugin's pods are of another namespace than users' pods. */
function demandNamespaces({ pods, partitions }: ClusterState): void {
  const [only, ...others] = new Set(pods.map(({ metadata }) => metadata.namespace ?? 'default'));
  if (only === undefined || others.length > 0) return;
  for (const partition of partitions) {
    const pod = holdersOn(partition).find((name) => !name.startsWith(`${only}/`));
    if (pod === undefined) continue;
    throw new CliError(
      `all pods of the snapshot are of namespace ${only}, but the agent of node ${partition.metadata.name} reports pod ${pod}; make it with: ${snapshotCommand}`,
    );
  }
}

function holdersOn({ status }: GpuNodePartition): readonly string[] {
  return listReportedPods(status?.device).holders;
}

/** Options of the controller that a plan must know: the API has them nowhere, or only once there are policies. */
export interface SetupOptions {
  readonly maxConcurrentNodes?: string;
  readonly devicePluginSelector?: ReturnType<typeof equalitySelector>;
  readonly devicePluginConfigMap?: ReturnType<typeof configMapName>;
}

export function addSetupOptions(command: Command): Command {
  return command
    .option(
      '--max-concurrent-nodes <n>',
      'instead of the controller’s own, which it writes to the status of policies, else 10%',
      limit,
    )
    .option('--device-plugin-selector <labels>', 'value of the controller: key=value,…', equalitySelector)
    .option('--device-plugin-config-map <namespace/name>', 'value of the controller', configMapName);
}

export function setupOf(options: SetupOptions): Parameters<typeof predictChange>[2] {
  const { maxConcurrentNodes, devicePluginSelector, devicePluginConfigMap } = options;
  return {
    maxConcurrentNodes,
    pluginSelector: devicePluginSelector,
    pluginConfigMap: devicePluginConfigMap,
  };
}

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
      const foreseen = await predictChange(cluster, policies, setupOf(options), readQueues, at);
      if (foreseen.plan.findings.length > 0) outcome.code = 1;
      if (options.output === 'json') printJson(terminal, foreseen.plan);
      else printPlan(terminal, foreseen);
    });
}

/** A time with a zone: without one it would be that of whoever asks. `Date.parse` takes nearly anything, `5` for May 2001. */
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
    const cluster = await readCluster(client, given);
    tellUnknownNamespaces(cluster, terminal, { given, isSaved: false });
    return { cluster, readQueues: () => ask('Kueue', () => readKueue(client)) };
  }
  if (snapshot.includes('-') && filename.includes('-'))
    throw new CliError('standard input is the policies or the snapshot, not both');
  const cluster = await readSnapshot(snapshot, terminal);
  demandComplete(cluster, given);
  tellUnknownNamespaces(cluster, terminal, { given, isSaved: true });
  return { cluster, readQueues: async () => cluster.kueue };
}

function printPlan({ stdout }: Terminal, { plan, lines }: Awaited<ReturnType<typeof predictChange>>): void {
  for (const line of lines) printLine(stdout, line);
  if (plan.findings.length > 0) printLine(stdout, '');
  for (const { message } of plan.findings) {
    const [first = '', ...rest] = wrapHanging(`finding: ${message}`, 80, '  ');
    printLine(stdout, first.replace('finding:', paint(stdout, 'yellow', 'finding:')));
    for (const line of rest) printLine(stdout, line);
  }
  printLine(stdout, '');
  for (const line of wrapHanging(plan.summary, 80, '  ')) printLine(stdout, paint(stdout, 'bold', line));
}
