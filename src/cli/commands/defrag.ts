import { drawGpu } from '../../core/gpu/grid.ts';
import { writeLayout, type Layout } from '../../core/gpu/geometry.ts';
import { readFree } from '../../core/demand/defrag.ts';
import { canonicalJson } from '../../core/text/json.ts';
import { countWords, wrapHanging } from '../../core/text/words.ts';
import { paint, printLine, type Terminal, CliError, printJson } from '../terminal.ts';
import type { GpuPartitionPolicy } from '../../api/types.ts';
import { ForeseenChange, type ClusterState } from '../../core/plan/change.ts';
import { think } from '../../planner/questions.ts';
import { Command, InvalidArgumentError } from 'commander';
import { defragAnnotation } from '../../api/names.ts';
import { policies } from '../../api/resources.ts';
import { asScheduled } from '../../core/policy/spec.ts';
import { timeText } from '../../core/text/syntax.ts';
import type { KubeClient } from '../../kube/client.ts';
import { integer } from '../../process/options.ts';
import { addConnectionOptions, attempt, connect, type ConnectionOptions } from '../cluster/connection.ts';
import { readCluster } from '../cluster/facts.ts';
import type { CommandContext } from '../program.ts';
import { type OutputFormat, outputOption } from '../options.ts';
import { demandComplete, addSetupOptions, setupOf, type SetupOptions } from './plan.ts';
import { readSnapshot, snapshotCommand } from '../input/snapshot.ts';

function printDefrag({ stdout }: Terminal, answer: DefragAnswer): void {
  const { gpus, moves, findings } = answer;
  const print = (text: string): void => {
    for (const line of wrapHanging(text, 80, '  ')) printLine(stdout, line);
  };
  for (const gpu of gpus) drawChange(gpu).forEach((line) => printLine(stdout, line));
  for (const { pod, from, to } of moves)
    print(
      `pod ${pod} goes from ${from.map(writePlace).join(' and ')}; room for it: ${to?.map(writePlace).join(' and ') ?? 'none'}`,
    );
  for (const finding of findings) print(`${paint(stdout, 'yellow', 'finding')}: ${finding}`);
  print(paint(stdout, 'bold', summarize(answer)));
  if (!answer.hasDemand && gpus.length > 0 && answer.isPossible) {
    print(`policy ${answer.policy} has layouts, and would take this back: put these entries before its own`);
    for (const line of writeEntries(gpus)) printLine(stdout, line);
  }
}

type FreedGpu = DefragAnswer['gpus'][number];

function drawChange({ node, index, product, profiles, geometry, now, keep, create }: FreedGpu): readonly string[] {
  const then = [...keep, ...create.map((one) => ({ ...one, busy: false }))].toSorted((a, b) => a.start - b.start);
  return [
    `${node} GPU ${index} (${product.replace(/^NVIDIA /, '')}): ${writeLayout(profiles)}`,
    `  now   ${drawGpu(geometry, now)}`,
    `  then  ${drawGpu(geometry, then)}`,
  ];
}

function writePlace({ node, gpu, profile, start }: DefragAnswer['moves'][number]['from'][number]): string {
  return `${node} GPU ${gpu}: ${profile} at ${start}`;
}

function summarize({
  free,
  isDone,
  isPossible,
  optimal,
  gap,
  moves,
  gpusChanged,
  instancesDestroyed,
  gpus,
}: DefragAnswer): string {
  if (isDone) return `${writeLayout(free)} idle already: nothing has to change`;
  const nodes = new Set(gpus.map(({ node }) => node)).size;
  const pods =
    moves.length === 0 ? 'no pod moves' : `${countWords(moves.length, 'pod')} ${moves.length === 1 ? 'moves' : 'move'}`;
  const bill = `${pods}, ${countWords(gpusChanged, 'GPU')} of ${countWords(nodes, 'node')} ${gpusChanged === 1 ? 'changes' : 'change'}, ${countWords(instancesDestroyed, 'idle instance')} ${instancesDestroyed === 1 ? 'goes' : 'go'}`;
  const proof = optimal ? 'proven: nothing cheaper does' : 'not proven in time: raise --time-limit';
  if (isPossible) return `${writeLayout(free)} idle: ${bill}; ${proof}`;
  const how = `${writeLayout(free)} ${gap?.figure === 'unserved' ? 'not freed in time' : 'cannot be freed'}`;
  return gpus.length === 0 ? how : `${how}; the nearest: ${bill}`;
}

/** Writes an entry of a policy with layouts for each layout, for the GPUs that get it. */
function writeEntries(gpus: readonly FreedGpu[]): readonly string[] {
  const byLayout = Map.groupBy(gpus, ({ profiles }) => canonicalJson(profiles));
  return [...byLayout.values()].flatMap((alike) => {
    const profiles = Object.entries(alike[0]?.profiles ?? {}).map(([profile, count]) => `${profile}: ${count}`);
    return [
      `  - gpus: {uuids: [${alike.map(({ uuid }) => uuid).join(', ')}]}`,
      `    profiles: {${profiles.join(', ')}}`,
    ];
  });
}

/** The moves that free slices, and their bill; the shape of `-o json`, without what only a picture of a GPU takes. */
export type DefragAnswer = Awaited<ReturnType<typeof planDefrag>>;

/** @throws CliError if there is no plan */
async function planDefrag(
  cluster: ClusterState,
  policy: GpuPartitionPolicy,
  free: Layout,
  options: SetupOptions,
  seconds: number,
) {
  const { name } = policy.metadata;
  const change = new ForeseenChange(cluster, [policy], setupOf(options));
  const found = await think(change.free(name, free, seconds), { seconds });
  if (found === undefined) throw new CliError(`policy ${name} is being deleted`);
  if (typeof found === 'string') throw new CliError(`--free: ${found}`);
  return found;
}

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
      const answer = await planDefrag(cluster, policy, options.free, options, options.timeLimit);
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
function withoutPictures({ gpus, ...answer }: DefragAnswer): object {
  return { ...answer, gpus: gpus.map(({ geometry: _geometry, now: _now, keep: _keep, ...gpu }) => gpu) };
}

function parseFree(text: string): Layout {
  const free = readFree(text);
  if (typeof free === 'string') throw new InvalidArgumentError(`${free}.`);
  return free;
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
