import { Command, InvalidArgumentError } from 'commander';
import { defragAnnotation } from '../../api/names.ts';
import { policies } from '../../api/resources.ts';
import type { GpuPartitionPolicy } from '../../api/types.ts';
import type { Layout } from '../../core/gpu/geometry/geometry.ts';
import { writeLayout } from '../../core/gpu/search/layout-words.ts';
import type { ClusterState } from '../../core/plan/cluster-state.ts';
import { asScheduled } from '../../core/policy/schedules.ts';
import { readFree } from '../../core/supply/defrag.ts';
import { timeText } from '../../core/text/duration.ts';
import type { KubeClient } from '../../kube/client.ts';
import { integer } from '../../process/option.ts';
import { addConnectionOptions, attempt, connect, type ConnectionOptions } from '../cluster/connection.ts';
import { readCluster } from '../cluster/facts.ts';
import type { CommandContext } from '../command-table.ts';
import { printDefrag } from '../defrag/defrag-text.ts';
import { type DefragAnswer, type PicturedGpu, planDefrag } from '../defrag/plan-defrag.ts';
import { CliError } from '../exit.ts';
import { type OutputFormat, outputOption } from '../output-option.ts';
import { demandComplete } from '../plan/complete-snapshot.ts';
import { addSetupOptions, setupOf, type SetupOptions } from '../plan/setup-options.ts';
import { readSnapshot, snapshotCommand } from '../plan/snapshot-file.ts';
import { paint, printJson, printLine } from '../terminal.ts';

interface Options extends ConnectionOptions, SetupOptions {
  readonly free: Layout;
  readonly policy?: string;
  readonly snapshot?: readonly string[];
  readonly apply?: boolean;
  readonly timeLimit: number;
  readonly output: OutputFormat;
}

export function defragCommand({ terminal, outcome }: CommandContext): Command {
  return addConnectionOptions(addSetupOptions(new Command('defrag')))
    .description(
      'Finds the cheapest moves after which these slices are idle together: the fewest evictions, by weight, then the fewest changed ' +
        'GPUs, then the fewest destroyed instances. Every evicted pod finds an idle slice of its profile. Writes nothing without --apply.',
    )
    .requiredOption(
      '--free <slices>',
      'profiles and how many of each are to be idle, for example 3g.20gb=2,1g.5gb=1',
      parseFree,
    )
    .option('--policy <name>', 'on the nodes of this policy; needed if several policies decide over nodes')
    .option('--snapshot <file...>', `read a saved cluster instead: ${snapshotCommand}`)
    .option(
      '--apply',
      `have the controller do it, within drain and rollout: for a policy with a demand, by its annotation ${defragAnnotation}`,
    )
    .option('--time-limit <seconds>', 'take the best plan found after this time of solving', integer(1, 3600), 30)
    .addOption(outputOption())
    .action(async (options: Options) => {
      const { snapshot, apply = false, output } = options;
      if (snapshot && apply) throw new CliError('--snapshot is a saved cluster, in which nothing can be applied');
      const client = snapshot ? undefined : connect(options);
      const cluster = client ? await readCluster(client) : await readSnapshot(snapshot ?? [], terminal);
      if (!client) demandComplete(cluster, []);
      const policy = pickPolicy(cluster, options.policy);
      const answer = await planDefrag(cluster, policy, options.free, setupOf(options), options.timeLimit);
      if (!answer.isPossible) outcome.code = 1;
      if (output === 'json') printJson(terminal, withoutPictures(answer));
      else printDefrag(terminal, answer);
      if (!apply || !client) return;
      await request(client, policy, options.free, answer);
      const { stderr } = terminal;
      const how = `kubectl get gpp ${policy.metadata.name} -o jsonpath={.status.defrag} shows how it goes`;
      printLine(stderr, paint(stderr, 'green', `requested of policy ${policy.metadata.name}; ${how}`));
    });
}

/** The answer for programs: what becomes of GPUs, without what only a picture of them takes. */
function withoutPictures({ gpus, ...answer }: Awaited<ReturnType<typeof planDefrag>>): DefragAnswer {
  const pictured: readonly PicturedGpu[] = gpus;
  return { ...answer, gpus: pictured.map(({ geometry: _geometry, now: _now, keep: _keep, ...gpu }) => gpu) };
}

function parseFree(text: string): Layout {
  const free = readFree(text);
  if (isError(free)) throw new InvalidArgumentError(`${free.error}.`);
  return free;
}

function isError(free: ReturnType<typeof readFree>): free is { readonly error: string } {
  return typeof free['error'] === 'string';
}

/** @throws CliError if it has to be named, or does not decide over a node */
function pickPolicy({ policies: all, partitions }: ClusterState, name: string | undefined): GpuPartitionPolicy {
  const deciding = new Set(partitions.flatMap(({ spec }) => spec.policy?.name ?? []));
  const found = all.filter(({ metadata }) =>
    name === undefined ? deciding.has(metadata.name) : metadata.name === name,
  );
  const [policy, ...others] = found;
  const names = [...deciding].toSorted().join(', ');
  if (policy === undefined)
    throw new CliError(
      name === undefined ? 'no policy decides over a node' : `no policy ${JSON.stringify(name)}; there are: ${names}`,
    );
  if (others.length > 0) throw new CliError(`several policies decide over nodes: name one with --policy: ${names}`);
  if (policy.spec.strategy !== 'mixed')
    throw new CliError(
      `policy ${policy.metadata.name} has strategy ${policy.spec.strategy}: defrag lays each GPU by itself, which only strategy mixed advertises`,
    );
  return policy;
}

/** @throws CliError that says why it is not requested */
async function request(
  client: KubeClient,
  policy: GpuPartitionPolicy,
  free: Layout,
  { isPossible, moves, isDone, hasDemand }: DefragAnswer,
): Promise<void> {
  const { name, uid } = policy.metadata;
  const { rest = 'Keep' } = asScheduled(policy).spec.demand ?? {};
  if (!hasDemand)
    throw new CliError(
      `policy ${name} has layouts, which its nodes keep: they would take the moves back. Put the entries above before its own, or give it a demand`,
      1,
    );
  if (isDone) throw new CliError('nothing to apply: these slices are idle already', 1);
  if (!isPossible) throw new CliError('not applied: see above', 1);
  if (moves.some(({ to }) => to === undefined))
    throw new CliError('not applied: a pod that goes would find no slice', 1);
  if (rest !== 'Keep')
    throw new CliError(
      `not applied: demand.rest ${rest} of policy ${name} would re-lay the slices again; set it to Keep`,
      1,
    );
  const value = `${Object.entries(free)
    .map(([profile, count]) => `${profile}=${count}`)
    .join(',')} ${timeText(Date.now())}`;
  const patch = { metadata: { uid, annotations: { [defragAnnotation]: value } } };
  await attempt(`cannot request ${writeLayout(free)} of policy ${name}`, () =>
    client.merge({ resource: policies, name }, patch, { metadataOnly: true }),
  );
}
