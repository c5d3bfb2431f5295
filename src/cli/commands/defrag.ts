import { drawGpu } from '../../core/gpu/picture.ts';
import { writeLayout } from '../../core/gpu/layout.ts';
import {
  type SlicePlace,
  askToFree,
  explainUnknown,
  isFree,
  explainUnfreed,
  explainMoves,
  listMoves,
  type PodMove,
  readFree,
} from '../../core/demand/defrag.ts';
import { canonicalJson } from '../../core/text/json.ts';
import { countWords, wrapHanging } from '../../core/text/words.ts';
import { paint, printLine, type Terminal, CliError, printJson } from '../terminal.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { ClassLayout } from '../../core/demand/solver/choose.ts';
import type { CostGap, PoolInstance } from '../../core/demand/solver/pool.ts';
import type { Geometry, Layout } from '../../core/gpu/geometry.ts';
import { prepareChange, type ClusterState, type ControllerSetup } from '../../core/plan/change.ts';
import { judgeFate } from '../../core/kubernetes/eviction.ts';
import { evictsNever } from '../../core/policy/slices.ts';
import { countPresent, noPast, type DemandGpu } from '../../core/demand/members.ts';
import { askFor } from '../../core/demand/plan-pool.ts';
import { indexHolders, weighGpus } from '../../core/demand/eviction-cost.ts';
import { wantedSlices } from '../../core/demand/wanted.ts';
import { planDemand } from '../../planner/solver-process.ts';
import { readMembers } from '../../planner/questions.ts';
import type { PodView } from '../../core/kubernetes/pod.ts';
import { Command, InvalidArgumentError } from 'commander';
import { defragAnnotation } from '../../api/names.ts';
import { policies } from '../../api/resources.ts';
import { asScheduled } from '../../core/policy/schedules.ts';
import { timeText } from '../../core/text/syntax.ts';
import type { KubeClient } from '../../kube/client.ts';
import { integer } from '../../process/options.ts';
import { addConnectionOptions, attempt, connect, type ConnectionOptions } from '../cluster/connection.ts';
import { readCluster } from '../cluster/facts.ts';
import type { CommandContext } from '../program.ts';
import { type OutputFormat, outputOption } from '../options.ts';
import { demandComplete, addSetupOptions, setupOf, type SetupOptions } from './plan.ts';
import { readSnapshot, snapshotCommand } from '../input/snapshot.ts';

export function printDefrag(
  { stdout }: Terminal,
  answer: DefragAnswer & { readonly gpus: readonly PicturedGpu[] },
): void {
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

function drawChange({ node, index, product, profiles, geometry, now, keep, create }: PicturedGpu): readonly string[] {
  const then = [...keep, ...create.map((one) => ({ ...one, busy: false }))].toSorted((a, b) => a.start - b.start);
  return [
    `${node} GPU ${index} (${product.replace(/^NVIDIA /, '')}): ${writeLayout(profiles)}`,
    `  now   ${drawGpu(geometry, now)}`,
    `  then  ${drawGpu(geometry, then)}`,
  ];
}

function writePlace({ node, gpu, profile, start }: SlicePlace): string {
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
function writeEntries(gpus: readonly PicturedGpu[]): readonly string[] {
  const byLayout = Map.groupBy(gpus, ({ profiles }) => canonicalJson(profiles));
  return [...byLayout.values()].flatMap((alike) => {
    const profiles = Object.entries(alike[0]?.profiles ?? {}).map(([profile, count]) => `${profile}: ${count}`);
    return [
      `  - gpus: {uuids: [${alike.map(({ uuid }) => uuid).join(', ')}]}`,
      `    profiles: {${profiles.join(', ')}}`,
    ];
  });
}

/** The new layout of a GPU. */
export interface DefragGpu {
  readonly node: string;
  readonly index: number;
  readonly uuid: string;
  readonly product: string;
  readonly profiles: Layout;
  readonly destroy: readonly PoolInstance[];
  readonly create: readonly Pick<PoolInstance, 'profile' | 'start'>[];
}

/** The moves that free slices, and their bill; the shape of `-o json`. */
export interface DefragAnswer {
  readonly policy: string;
  /** Whether the policy has a demand, so that the controller chooses its layouts. */
  readonly hasDemand: boolean;
  readonly free: Layout;
  /** True if the slices are idle already. */
  readonly isDone: boolean;
  readonly isPossible: boolean;
  /** Whether it is proven that no other plan is cheaper. */
  readonly optimal: boolean;
  readonly gap?: CostGap;
  readonly gpusChanged: number;
  readonly instancesDestroyed: number;
  readonly moves: readonly PodMove[];
  /** GPUs that change. */
  readonly gpus: readonly DefragGpu[];
  /** Findings about what is in the way. */
  readonly findings: readonly string[];
}

/** A changed GPU with what a picture of it takes. */
export interface PicturedGpu extends DefragGpu {
  readonly geometry: Geometry;
  readonly now: readonly PoolInstance[];
  readonly keep: readonly PoolInstance[];
}

/** @throws CliError if there is no plan */
export async function planDefrag(
  cluster: ClusterState,
  policy: GpuPartitionPolicy,
  free: Layout,
  setup: ControllerSetup,
  seconds: number,
): Promise<DefragAnswer & { readonly gpus: readonly PicturedGpu[] }> {
  const { fleet } = prepareChange(cluster, [policy], setup);
  const { name } = policy.metadata;
  const record = fleet.policy(name);
  if (!record) throw new CliError(`policy ${name} is being deleted`);
  const nodes = new Map(cluster.nodes.map((node) => [node.metadata.name, node]));
  const partitions = new Map(cluster.partitions.map((one) => [one.metadata.name, one]));
  const holders = indexHolders(cluster);
  const { partitionOf, podOf } = holders;
  const members = await readMembers({ fleet, nodes, partitions }, record, noPast);
  const unknown = explainUnknown(free, members);
  if (unknown !== undefined) throw new CliError(`--free: ${unknown}`);
  const gpus = members.map(({ gpu }) => gpu);
  const weighed = weighGpus(members, holders, record.policy.spec.drain);
  const { demand } = record.policy.spec;
  // What runs and waits beyond is the controller's to follow; what runs keeps its slices in any case.
  const wanted = demand ? wantedSlices(demand, members, { waiting: undefined, steady: (_, count) => count }) : [];
  const evict = evictsNever(record.policy) ? 'Never' : 'IfNeeded';
  const asked = askToFree({ ...askFor(record.policy, wanted), evict }, free, members);
  const best = await planDemand(weighed, { ...asked, seconds });
  const isHeld = weighed.some(({ instances }) => instances.some(({ stays }) => stays === true));
  // What is in the way, where that does not go.
  const plan = isHeld && Object.keys(best.unserved).length > 0 ? await planDemand(gpus, { ...asked, seconds }) : best;
  const pool = { members, layouts: plan.layouts, partitionOf };
  const moves = listMoves(pool, nodes, podOf);
  const isShort = Object.keys(plan.unserved).length > 0;
  const forced =
    isShort && evict === 'Never' ? await planDemand(gpus, { ...asked, evict: 'IfNeeded', seconds }) : undefined;
  const shortage = explainUnfreed(plan, forced, seconds);
  const stays = moves.flatMap(({ pod }) => explainStay(podOf(pod), pod, cluster, record.policy));
  const findings = [...(shortage === undefined ? [] : [shortage]), ...stays, ...explainMoves(pool, moves)];
  const pictures = members.flatMap((member, index) => pictureMember(member, plan.layouts[index], partitionOf));
  return {
    policy: name,
    hasDemand: demand !== undefined,
    free,
    isDone: isFree(free, members) && pictures.length === 0,
    isPossible: findings.length === 0,
    optimal: plan.gap === undefined,
    ...(plan.gap && { gap: plan.gap }),
    gpusChanged: plan.cost.gpusChanged,
    instancesDestroyed: plan.cost.instancesDestroyed,
    moves,
    gpus: pictures,
    findings,
  };
}

function explainStay(
  pod: PodView | undefined,
  name: string,
  { budgets }: ClusterState,
  { spec: { drain } }: GpuPartitionPolicy,
): readonly string[] {
  const { fate, message = 'spec.drain.scope None evicts nobody' } = pod
    ? judgeFate(pod, drain, { budgets })
    : { fate: 'Evicted' };
  return fate === 'Stays' || fate === 'Awaited' ? [`pod ${name} would have to go: ${message}`] : [];
}

function pictureMember(
  { node, product, gpu, wish }: DemandGpu,
  layout: ClassLayout | undefined,
  partitionOf: (node: string) => GpuNodePartition | undefined,
): readonly PicturedGpu[] {
  const { keep = [], destroy = [], create = [] } = layout ?? {};
  if (destroy.length + create.length === 0) return [];
  const gpus = partitionOf(node)?.status?.device?.gpus ?? [];
  const index = gpus.find(({ uuid }) => uuid === wish.uuid)?.index ?? 0;
  const profiles = Object.fromEntries(countPresent([...keep, ...create]));
  const { geometry, instances: now } = gpu;
  return [{ node, index, uuid: wish.uuid, product, profiles, destroy, create, geometry, now, keep }];
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
