import { stringify } from 'yaml';
import { adviseCluster } from '../../core/demand/recommend.ts';
import type { ClusterFacts } from '../../core/cluster/facts.ts';
import { drawTable, type Line, plainText, span } from '../../core/view/lines.ts';
import type { PlannedPool } from '../../core/demand/plan-pool.ts';
import { think } from '../../planner/questions.ts';
import { CliError, printLines, paint, printLine, type Terminal } from '../terminal.ts';
import { resolveProfile, WHOLE, isProfileNameError, parseProfile } from '../../core/gpu/profiles.ts';
import { drawGpu } from '../../core/gpu/grid.ts';
import { countPresent, listProfiles, writeLayout, type Layout, type GpuModel } from '../../core/gpu/geometry.ts';
import { countWords, joinWithin, wrapHanging } from '../../core/text/words.ts';
import type { FiledGpu } from './inputs.ts';
import { listByMemory } from '../../core/gpu/layouts.ts';
import { describeDuration, mebibytes } from '../../core/text/syntax.ts';

type ClusterAdvice = Awaited<ReturnType<typeof answerCluster>>;
type PoolAdvice = ClusterAdvice['pools'][number];

/** @param seconds that each plan may take @throws CliError if there is nothing to advise on, or the solver fails */
export async function answerCluster(facts: ClusterFacts, rules: Parameters<typeof adviseCluster>[1], seconds: number) {
  const advice = await think(adviseCluster(facts, rules), { seconds });
  if (advice.pools.length > 0) return advice;
  throw new CliError(
    rules.selection === undefined
      ? 'no node has GPUs: none offers nvidia.com/gpu or a slice, and no agent reports any'
      : 'no node with GPUs has the labels of --selector',
    3,
  );
}

/** Whether something is asked for that no layout serves. */
export function hasShortage({ pools, homeless }: ClusterAdvice): boolean {
  return homeless.length > 0 || pools.some(({ slices }) => slices.some(({ best, wanted }) => best < wanted));
}

export function printClusterAnswer({ stdout }: Terminal, { pools, homeless, unknown = [] }: ClusterAdvice): void {
  printLines(stdout, drawAdvice(pools, homeless, stdout.columns));
  for (const resource of unknown)
    printLine(stdout, `in the past pods asked for ${resource}, which no GPU here can offer`);
  if (!pools.some(({ advised }) => advised)) return;
  printLine(stdout, '');
  printLine(stdout, 'to apply it, append to this command: -o yaml | kubectl apply -f -');
  printLine(
    stdout,
    paint(stdout, 'dim', 'mode Plan changes nothing: status.demand and status.plan show what it would do'),
  );
}

/** Policies for `kubectl apply`, and what they are for as comments. */
export function writePolicies({ pools, homeless }: ClusterAdvice): string {
  const documents = pools.flatMap((pool) => {
    if (pool.advised === undefined) return [];
    const policy = stringify(pool.advised, { aliasDuplicateObjects: false });
    return [`${comment(draw([pool], []))}${comment(howToUse(pool))}${policy}`];
  });
  const others = pools.filter(({ advised }) => advised === undefined);
  return `${comment(draw(others, homeless))}${documents.join('---\n')}`;
}

function draw(pools: readonly PoolAdvice[], homeless: ClusterAdvice['homeless']): readonly string[] {
  return drawAdvice(pools, homeless, 100).map((line) => plainText(line).trimEnd());
}

function howToUse({ policy, advised }: PoolAdvice): readonly string[] {
  const takes =
    policy === undefined || policy === advised?.metadata.name
      ? ''
      : ` It then takes the nodes from policy ${policy}, and gives them back when it is deleted.`;
  return [`mode: Plan changes nothing. Set mode: Enforce to have it.${takes}`];
}

function comment(lines: readonly string[]): string {
  return lines.map((line) => (line === '' ? '#\n' : `# ${line}\n`)).join('');
}

type Bill = NonNullable<PoolAdvice['bill']>;
type HomelessPods = ClusterAdvice['homeless'][number];

const mostPods = 3;

/** What `gpu-partition recommend` advises for a cluster, on a screen. */
function drawAdvice(pools: readonly PoolAdvice[], homeless: readonly HomelessPods[], columns: number): readonly Line[] {
  return [
    ...pools.flatMap((pool, index) => [...(index === 0 ? [] : [[]]), ...drawPool(pool, columns)]),
    ...homeless.flatMap((one) => [[], ...wrap(describeHomeless(one), columns, 'bad')]),
  ];
}

function drawPool(pool: PoolAdvice, columns: number): readonly Line[] {
  const { slices, why, unread, withEvictions } = pool;
  return [
    ...wrap(describePool(pool), columns, 'title'),
    ...(unread.length > 0
      ? wrap(`no agent reports the GPUs of ${joinWithin(unread, columns, ', ')}: not counted`, columns, 'warn')
      : []),
    ...(slices.length > 0 ? drawSlices(pool) : []),
    ...describeWhole(pool).flatMap((text) => wrap(text, columns)),
    ...describeBest(pool).flatMap((text) => wrap(text, columns)),
    ...(withEvictions
      ? wrap(
          `with --evict if-needed it would be ${writeBest(withEvictions.best)}: ${describeBill(withEvictions)}`,
          columns,
        )
      : []),
    ...(why === undefined ? [] : wrap(`no policy is advised: ${why}`, columns, 'dim')),
  ];
}

function describePool({ name, policy, nodes, gpus }: PoolAdvice): string {
  const who = policy === undefined ? 'no policy' : policy === name ? 'its policy decides' : `policy ${policy} decides`;
  const what = Object.entries(gpus).map(([product, count]) => `${count}×${product}`);
  return `${name} (${who}): ${countWords(nodes, 'node')}${what.length === 0 ? '' : `, ${what.join(', ')}`}`;
}

function drawSlices({ slices }: PoolAdvice): readonly Line[] {
  const rows = slices.map(({ name, running, inUse, waiting, wanted, now, best }) => [
    span(`  ${name}`),
    span(String(running)),
    span(String(inUse)),
    span(String(waiting), waiting > 0 ? 'warn' : 'plain'),
    span(String(wanted)),
    span(String(now), now < wanted ? 'warn' : 'plain'),
    span(String(best), best < wanted ? 'bad' : best > now ? 'good' : 'plain'),
  ]);
  return drawTable(['  SLICE', 'RUNNING', 'IN USE', 'WAITING', 'WANTED', 'NOW', 'BEST'], rows);
}

function describeWhole({ slices, wholeGpus: { held, offered, waiting } }: PoolAdvice): readonly string[] {
  if (slices.length > 0 || (held === 0 && waiting === 0)) return [];
  return [`nvidia.com/gpu: ${held} of ${offered} held, ${waiting} waited for; not part of the plan`];
}

function describeBest({ slices, bill, optimal, gap }: PoolAdvice): readonly string[] {
  if (bill === undefined) return [];
  const sum = (amounts: readonly number[]): number => amounts.reduce((all, one) => all + one, 0);
  const wanted = sum(slices.map((one) => one.wanted));
  const now = sum(slices.map((one) => one.now));
  const best = sum(slices.map((one) => one.best));
  const proof = optimal === true ? 'proven' : `not proven in time: ${gap?.figure ?? ''} may be ${gap?.bound ?? 0}`;
  const way = bill.gpusChanged === 0 ? 'no GPU changes' : describeBill(bill);
  return [
    `the layouts offer ${now} of ${wanted} now, at best ${best}: ${way} (${proof})`,
    ...slices.flatMap(({ name, why }) => (why === undefined ? [] : [`${name}: ${why}`])),
  ];
}

/** `2 GPUs on 1 node change, no eviction, 3 idle slices go, about 4 min` */
function describeBill({ gpusChanged, nodes, evictions, instancesDestroyed, minutes }: Bill): string {
  const verb = gpusChanged === 1 ? 'changes' : 'change';
  const parts = [
    `${countWords(gpusChanged, 'GPU')} on ${countWords(nodes.length, 'node')} ${verb}`,
    evictions === 0 ? 'no eviction' : countWords(evictions, 'eviction'),
    `${countWords(instancesDestroyed, 'idle slice')} ${instancesDestroyed === 1 ? 'goes' : 'go'}`,
    ...(minutes === undefined ? [] : [`about ${describeDuration(minutes * 60)}`]),
  ];
  return parts.join(', ');
}

/** `2 of 1g.5gb, 4 of 3g.20gb` */
function writeBest(best: Readonly<Record<string, number>>): string {
  return Object.entries(best)
    .map(([name, count]) => `${count} of ${name}`)
    .join(', ');
}

function describeHomeless({ resource, pods }: HomelessPods): string {
  const named = pods.slice(0, mostPods).join(', ');
  const rest = pods.length > mostPods ? `, and ${pods.length - mostPods} more` : '';
  return `no pool can offer ${resource} to ${named}${rest}: gpu-partition explain pod says why`;
}

function wrap(text: string, columns: number, tone: Line[number]['tone'] = 'plain'): readonly Line[] {
  return wrapHanging(text, columns, '  ').map((line) => [span(line, tone)]);
}

interface PlacedSlice {
  readonly profile: string;
  readonly start: number;
  /** Size in memory slices. */
  readonly size: number;
}

/** The layout that one GPU is to get. */
interface RecommendedGpu {
  readonly id: string;
  /** Present if the GPU is whole, or becomes so. */
  readonly mig?: 'Disabled';
  readonly profiles: Layout;
  /** Every instance once the layout is in place; by start, like the lists of what goes and comes. */
  readonly placements: readonly PlacedSlice[];
  readonly destroy: readonly PlacedSlice[];
  readonly create: readonly PlacedSlice[];
}

export interface PoolAnswer {
  /** Whether it is proven that no plan is better. */
  readonly optimal: boolean;
  /** Slice of the demand to how many of it cannot be offered. */
  readonly unserved: Readonly<Record<string, number>>;
  /** Busy instances that must go, by weight. */
  readonly evictions: number;
  readonly gpusChanged: number;
  /** Whole GPUs that are partitioned, and partitioned ones that become whole. */
  readonly modesChanged: number;
  /** Idle instances that go; a whole GPU that is partitioned counts as one. */
  readonly instancesDestroyed: number;
  /** How far the proof came: no plan has less than `bound` of this figure. Absent if the plan is optimal. */
  readonly gap?: NonNullable<PlannedPool['gap']>;
  /** GPUs in the order of the pool. */
  readonly gpus: readonly RecommendedGpu[];
}

/** GPUs drawn as text; programs read all of them as JSON. */
const MOST_DRAWN = 40;

export function writePoolAnswer(gpus: readonly FiledGpu[], { cost, gap, unserved, layouts }: PlannedPool): PoolAnswer {
  return {
    optimal: gap === undefined,
    unserved,
    evictions: cost.evictions,
    gpusChanged: cost.gpusChanged,
    modesChanged: cost.modesChanged,
    instancesDestroyed: cost.instancesDestroyed,
    ...(gap && { gap }),
    gpus: gpus.map((gpu, index) => writeGpu(gpu, layouts[index])),
  };
}

function writeGpu({ id, geometry }: FiledGpu, layout: PlannedPool['layouts'][number] | undefined): RecommendedGpu {
  const { keep = [], destroy = [], create = [] } = layout ?? {};
  const isSlice = ({ profile }: { readonly profile: string }): boolean => profile !== WHOLE;
  const place = ({ profile, start }: Omit<PlacedSlice, 'size'>): PlacedSlice => ({
    profile,
    start,
    size: resolveProfile(geometry, profile)?.memorySlices ?? 0,
  });
  const placements = [...keep, ...create]
    .filter(isSlice)
    .map(place)
    .toSorted((a, b) => a.start - b.start);
  return {
    id,
    ...([...keep, ...create].every(isSlice) ? {} : { mig: 'Disabled' as const }),
    profiles: Object.fromEntries(listProfiles(Object.fromEntries(countPresent(placements)))),
    placements,
    destroy: destroy.filter(isSlice).map(place),
    create: create.filter(isSlice).map(place),
  };
}

export function printPoolAnswer({ stdout }: Terminal, gpus: readonly FiledGpu[], answer: PoolAnswer): void {
  const changed = answer.gpus.flatMap((gpu, index) => {
    const now = gpus[index];
    const isChanged = gpu.destroy.length + gpu.create.length > 0 || (now && isWhole(now)) !== (gpu.mig === 'Disabled');
    return now !== undefined && isChanged ? [{ now, gpu }] : [];
  });
  for (const { now, gpu } of changed.slice(0, MOST_DRAWN)) {
    const isKept = (start: number) => !gpu.create.some((one) => one.start === start);
    const isBusy = (start: number) => isKept(start) && now.instances.some((one) => one.busy && one.start === start);
    const then = gpu.placements.map((one) => ({ ...one, busy: isBusy(one.start) }));
    printLine(stdout, `${gpu.id} (${now.geometry.id}): ${gpu.mig === 'Disabled' ? WHOLE : writeLayout(gpu.profiles)}`);
    printLine(stdout, `  now   ${drawGpu(now.geometry, isWhole(now) ? undefined : now.instances)}`);
    printLine(stdout, `  then  ${drawGpu(now.geometry, gpu.mig === 'Disabled' ? undefined : then)}`);
  }
  if (changed.length > MOST_DRAWN)
    printLine(stdout, `… and ${countWords(changed.length - MOST_DRAWN, 'more GPU')}; -o json has all`);
  const lacking = Object.entries(answer.unserved);
  const served =
    lacking.length === 0
      ? paint(stdout, 'green', 'the demand is served')
      : `${paint(stdout, 'yellow', 'unserved')}: ${writeLayout(answer.unserved)}`;
  printLine(stdout, served);
  const bill = [
    `${countWords(answer.gpusChanged, 'GPU')} of ${gpus.length} changed`,
    answer.evictions === 0 ? 'no eviction' : `evictions: ${answer.evictions}`,
    `${countWords(answer.instancesDestroyed, 'idle instance')} destroyed`,
  ];
  printLine(stdout, bill.join(', '));
  for (const line of wrapHanging(explainProof(answer.gap), 80, '  ')) printLine(stdout, line);
}

function isWhole({ instances }: FiledGpu): boolean {
  return instances.some(({ profile }) => profile === WHOLE);
}

function explainProof(gap: PlannedPool['gap']): string {
  if (gap === undefined)
    return 'proven: no plan serves more, or as much with fewer evictions, changes or destroyed instances';
  const words = {
    unserved: 'weight unserved',
    evictions: 'evictions',
    minutesLost: 'minutes of work lost',
    restsBroken: 'GPUs changed that rest',
    gpusChanged: 'GPUs changed',
    modesChanged: 'MIG modes changed',
    instancesDestroyed: 'idle instances destroyed',
  } as const;
  return `not proven in time: this plan has ${gap.value} ${words[gap.figure]}, and a better one has at least ${gap.bound}; raise --time-limit`;
}

/** A size in MiB that no GPU has. */
const MOST_MIB = 2 ** 30;

type MemoryFit = ReturnType<typeof listByMemory>[number];

/** What one model offers to a program that needs so much memory. */
interface ModelForSize {
  readonly model: string;
  /** Every profile that holds it, the smallest first. */
  readonly profiles: readonly (MemoryFit & { readonly leftMiB: number })[];
  /** The largest whose memory is published; absent if none is. */
  readonly largest?: MemoryFit;
  /** Whether the memory of a profile is unpublished: one of these may hold it. */
  readonly isIncomplete: boolean;
  /** Smaller profiles that hold it too if their memory, which is unpublished, is near that of their name. */
  readonly perhaps: readonly string[];
}

export interface SizeAnswer {
  readonly sizeMiB: number;
  readonly models: readonly ModelForSize[];
}

/** A number and its unit: a bare number could be bytes or GB. */
const pattern = /^([0-9.]+ ?[MGT]i?)B?$/;

/** A size as users write it, in MiB, rounded up: `38GiB`, `38Gi`, `40GB`, `40 G`. @throws CliError */
export function readSize(text: string): number {
  const size = mebibytes(pattern.exec(text.trim())?.[1]?.replace(' ', '') ?? '');
  if (size >= 1 && size <= MOST_MIB) return size;
  throw new CliError(
    `${JSON.stringify(text)} is not a size of memory; write 38GiB (of 2^30 bytes) or 40GB (of 10^9 bytes)`,
  );
}

export function answerSize(sizeMiB: number, models: readonly GpuModel[]): SizeAnswer {
  return { sizeMiB, models: models.map((model) => answerModel(model, sizeMiB)) };
}

function answerModel(model: GpuModel, sizeMiB: number): ModelForSize {
  const all = listByMemory(model);
  const largest = all.at(-1);
  const profiles = all
    .filter(({ memoryMiB }) => memoryMiB >= sizeMiB)
    .map((fit) => ({ ...fit, leftMiB: fit.memoryMiB - sizeMiB }));
  return {
    model: model.id,
    profiles,
    ...(largest && { largest }),
    isIncomplete: all.length < model.profiles.length,
    perhaps: listUnpublished(model, sizeMiB, profiles[0]?.profile),
  };
}

/** Slices have a little less memory than their name says, never more. */
function listUnpublished({ profiles }: GpuModel, sizeMiB: number, smallest: string | undefined): readonly string[] {
  const most = profiles.find(({ name }) => name === smallest)?.memorySlices ?? Infinity;
  return profiles
    .filter(({ name, memoryMiB, memorySlices }) => {
      const parsed = parseProfile(name);
      const isLarge = !isProfileNameError(parsed) && parsed.gb * 1024 >= sizeMiB;
      return memoryMiB === undefined && memorySlices < most && isLarge;
    })
    .map(({ name }) => name);
}

export function printSizeAnswer({ stdout }: Terminal, { sizeMiB, models }: SizeAnswer): void {
  printLine(stdout, paint(stdout, 'bold', `The smallest slices with ${writeMiB(sizeMiB)} of usable memory:`));
  const width = Math.max(...models.map(({ model }) => model.length));
  for (const one of models) {
    const line = describeModel(one);
    if (line !== undefined) printLine(stdout, `${one.model.padEnd(width)}  ${line}`);
  }
  const unknown = models.filter(isUnknown).map(({ model }) => model);
  if (unknown.length === 0) return;
  printLine(stdout, `Not known, since NVIDIA has not published the memory of their slices: ${unknown.join(', ')}.`);
  printLine(stdout, '`nvidia-smi mig -lgip` on such a GPU shows it.');
}

/** Whether only profiles without a published memory could hold it. */
function isUnknown({ profiles, isIncomplete }: ModelForSize): boolean {
  return profiles.length === 0 && isIncomplete;
}

function describeModel(model: ModelForSize): string | undefined {
  if (isUnknown(model)) return undefined;
  const [first] = model.profiles;
  const { largest } = model;
  if (first === undefined)
    return largest && `none: the largest, ${largest.profile}, has ${writeMiB(largest.memoryMiB)}`;
  const alike = model.profiles.filter(({ memoryMiB }) => memoryMiB === first.memoryMiB);
  const names = alike.map(({ profile, perGpu }) => `${profile} (${perGpu} a GPU)`).join(', ');
  const less = model.perhaps.length === 0 ? '' : `; perhaps ${model.perhaps.join(', ')}, whose memory is not published`;
  return `${names}: ${writeMiB(first.memoryMiB)}, ${writeMiB(first.leftMiB)} more than needed${less}`;
}

function writeMiB(mebibytes: number): string {
  return `${mebibytes.toLocaleString('en-US')} MiB`;
}
