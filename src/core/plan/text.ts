import { joinWords } from '../text/words.ts';
import { countWords, wrapHanging } from '../text/words.ts';
import type { ChangePlan } from './change.ts';
import { isMoving, type PlannedNode } from './node.ts';
import { describeDuration } from '../text/syntax.ts';

type PolicyPreview = ChangePlan['policies'][number];
type DemandPreview = ChangePlan['demands'][number];
type GpuPreview = PlannedNode['gpus'][number];
type EvictionPreview = PlannedNode['evictions'][number];

const width = 80;
const mostNodesOfWave = 8;

/** A plan for people, in 80 columns; without faults and summary. */
export function writeChangePlan({ policies, demands, nodes, waves }: ChangePlan): readonly string[] {
  const drawn: Drawn = new Map();
  const blocks = [
    policies.flatMap(writePolicy),
    ...demands.map(writeDemand),
    ...waves.map((wave, index) => {
      const when = wave.notBefore === undefined ? '' : `, not before ${wave.notBefore}`;
      const taking = wave.nodes.flatMap((name) => nodes.find(({ node }) => node === name) ?? []);
      return [`Wave ${index + 1} of ${waves.length}${when}: ${countMoves(taking)}`, ...writeAlike(taking, drawn)];
    }),
    ...still.map(([fate, title]) =>
      writeStill(
        title,
        nodes.filter((node) => node.fate === fate && !isLeftAlone(node)),
        drawn,
      ),
    ),
    writeStill('No layout applies', nodes.filter(isLeftAlone), drawn),
  ];
  return blocks.filter((lines) => lines.length > 0).flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

/** The headings for nodes that are in no wave, by their fate. */
const still: readonly (readonly [PlannedNode['fate'], string])[] = [
  ['Held', 'Held'],
  ['PlanOnly', 'Mode Plan, nothing changes'],
  ['UnderWay', 'Changing already'],
  ['Waits', 'Waiting'],
  ['Refused', 'Cannot take it'],
  ['OtherPolicy', 'Another policy applies'],
  ['Released', 'No policy any more; the layout stays'],
  ['Done', 'Already matches the policy'],
];

/** Whether nothing is to be done on a node, and not because it matches the policy: a selector may be misspelt. */
function isLeftAlone({ fate, reason }: PlannedNode): boolean {
  return fate === 'Done' && (reason === 'NothingToDo' || reason === 'NoGpus');
}

function writePolicy({ policy, change, selectsNothing, refusal, held }: PolicyPreview): readonly string[] {
  const idle = selectsNothing ? 'no node matches spec.nodeSelector' : held;
  const why = refusal === undefined ? idle : `not accepted: ${refusal}`;
  const more = why === undefined ? '' : `; ${why}`;
  return wrapHanging(`policy ${policy}: ${change.toLowerCase()}${more}`, width, '  ');
}

/** What of a demand exists, and what the layouts of this plan leave unmet. */
function writeDemand({ policy, slices, message }: DemandPreview): readonly string[] {
  if (slices.length === 0) return wrapHanging(`Demand of policy ${policy}: ${message}`, width, '  ');
  return [
    `Demand of policy ${policy}`,
    ...slices.flatMap(({ name, wanted, offered, used, waiting = 0, unmet, why }) => {
      const asked = waiting > 0 ? ` and ${waiting} requested by waiting pods` : '';
      const made = wanted - offered - unmet;
      const rest = [made > 0 ? `; ${made} to be made` : '', unmet > 0 ? `; ${unmet} unmet` : ''].join('');
      const text = `  ${name}: ${wanted} wanted, ${used} in use${asked}; ${offered} offered now${rest}`;
      return wrapHanging(why === undefined ? text : `${text}: ${why}`, width, '    ');
    }),
  ];
}

function writeStill(title: string, nodes: readonly PlannedNode[], drawn: Drawn): readonly string[] {
  if (nodes.length === 0) return [];
  const [first] = nodes;
  if (first?.fate === 'Held' || first?.fate === 'PlanOnly') return [title, ...writeAlike(nodes, drawn)];
  // For nodes that already match, the names are enough.
  if ((first?.fate === 'Done' && !isLeftAlone(first)) || first?.fate === 'Released')
    return wrapHanging(`${title}: ${listNames(nodes)}`, width, '  ');
  const groups = groupBy(nodes, ({ message }) => message);
  return [title, ...groups.flatMap((group) => writeMessage(group))];
}

function countMoves(nodes: readonly PlannedNode[]): string {
  const pods = nodes.flatMap(({ evictions }) => evictions.filter(({ fate }) => isMoving(fate))).length;
  return `${countWords(nodes.length, 'node')}, ${pods === 0 ? 'no pod' : countWords(pods, 'pod')} evicted`;
}

function writeMessage(group: readonly PlannedNode[]): readonly string[] {
  return wrapHanging(`  ${listNames(group)}: ${group[0]?.message ?? ''}`, width, '    ');
}

/** The first node for which a picture was drawn, by the picture. */
type Drawn = Map<string, string>;

/** Nodes with the same change are described once, and drawn once in all waves; the pods that go from each are named. */
function writeAlike(nodes: readonly PlannedNode[], drawn: Drawn): readonly string[] {
  const groups = groupBy(nodes, (node) =>
    JSON.stringify([node.policy, node.fate === 'Held' ? node.message : '', drawGpus(node.gpus)]),
  );
  return groups.flatMap((group, index) => {
    const [first] = group;
    if (first === undefined) return [];
    const { keep = 0, destroy = 0, create = 0 } = first.plan ?? {};
    const each = group.length > 1 ? 'each: ' : '';
    const why = first.fate === 'Held' ? `; ${first.message}` : '';
    const pictures = drawGpus(first.gpus);
    const picture = pictures.join('\n');
    const like = pictures.length > 0 ? drawn.get(picture) : undefined;
    if (like === undefined) drawn.set(picture, first.node);
    const head = `${listNames(group)} (policy ${first.policy}): ${each}keep ${keep}, destroy ${destroy}, create ${create}${like === undefined ? '' : `, as ${like}`}${why}`;
    return [
      ...(index === 0 ? [] : ['']),
      ...wrapHanging(`  ${head}`, width, '    '),
      ...(like === undefined ? pictures : []),
      ...group.flatMap(({ node, evictions }) => evictions.flatMap((one) => writeEviction(node, one))),
    ];
  });
}

/** GPUs with the same change share a picture. */
function drawGpus(gpus: readonly GpuPreview[]): readonly string[] {
  const changing = gpus.filter(({ isChanging }) => isChanging);
  const groups = groupBy(changing, (gpu) => JSON.stringify([gpu.product, draw(gpu)]));
  return groups.flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const indices = group.map(({ index }) => index);
    return [
      ...wrapHanging(`GPU ${indices.join(', ')} (${first.product})${describeRecut(first.recut)}`, width, '  '),
      ...draw(first),
    ];
  });
}

function draw({ before, after }: GpuPreview): readonly string[] {
  return [`now   ${before.picture}`, `after ${after.picture}`];
}

function describeRecut(recut: GpuPreview['recut']): string {
  if (recut.length === 0) return '';
  return `: other compute instances on ${joinWords(recut.map(({ profile, start }) => `${profile} at ${start}`))}`;
}

const verbs: Readonly<Record<EvictionPreview['fate'], string>> = {
  Evicted: 'evicts',
  Deleted: 'deletes',
  Blocked: 'waits to evict',
  Stays: 'cannot evict',
  Awaited: 'waits for',
  Gone: 'no longer has',
};

function writeEviction(node: string, { pod, fate, holds, message }: EvictionPreview): readonly string[] {
  const what = holds.length === 0 ? '' : ` (${holds.join(', ')})`;
  const why = message === undefined ? '' : `: ${message}`;
  return wrapHanging(`  ${node} ${verbs[fate]} pod ${pod}${what}${why}`, width, '    ');
}

function listNames(nodes: readonly PlannedNode[]): string {
  const names = nodes.slice(0, mostNodesOfWave).map(({ node }) => node);
  const more = nodes.length - names.length;
  return joinWords(more > 0 ? [...names, `${more} more`] : names);
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  return [...Map.groupBy(items, keyOf).values()];
}

/** A finding about something in a plan that will go wrong or will not happen at all. */
export interface PlanFault {
  readonly code:
    | 'PolicyInvalid'
    | 'PolicyNotAccepted'
    | 'NodeRefused'
    | 'PodStays'
    | 'EvictionBlocked'
    | 'DemandUnmet'
    | 'DemandUnread';
  readonly policy?: string;
  readonly node?: string;
  /** `NAMESPACE/NAME` */
  readonly pod?: string;
  readonly message: string;
}

const mostNodesOfFault = 5;

/**
 * What is wrong with a change, and the plan in a sentence: `this change evicts 3 pods and changes 4 of 20 nodes in 2 waves`.
 *
 * @param cap over all policies, if that is what limits the waves; assumed if the controller's is unknown
 */
export function judgePlan(
  plan: Omit<ChangePlan, 'findings' | 'summary'>,
  cap: Cap | undefined,
): Pick<ChangePlan, 'findings' | 'summary'> {
  const findings = listFaults(plan);
  return { findings, summary: summarizeChange(plan, findings, cap) };
}

/** Faults that this change causes: what was wrong before, and stays so, is not one. */
function listFaults({ policies, demands, nodes }: Omit<ChangePlan, 'findings' | 'summary'>): readonly PlanFault[] {
  const changed = policies.filter(({ change }) => change !== 'Unchanged');
  return [
    ...changed.flatMap((policy) => judgePolicy(policy, nodes)),
    ...demands.filter((one) => changed.some(({ policy }) => policy === one.policy)).flatMap(judgeDemand),
    ...nodes.filter(({ isAffected }) => isAffected).flatMap(judgeNode),
  ];
}

function judgePolicy({ policy, refusal }: PolicyPreview, nodes: readonly PlannedNode[]): readonly PlanFault[] {
  if (refusal === undefined) return [];
  const refused = nodes.filter((node) => node.policy === policy && node.fate === 'Refused');
  const isInvalid = refused.length === 0 || refused.some(({ reason }) => reason === 'PolicyInvalid');
  if (isInvalid) return [{ code: 'PolicyInvalid', policy, message: `policy ${policy} is not valid: ${refusal}` }];
  const names = refused.slice(0, mostNodesOfFault).map(({ node }) => node);
  const more = refused.length - names.length;
  const words = joinWords(more > 0 ? [...names, `${more} more`] : names);
  const message = `policy ${policy} is not accepted, and none of it starts, while it selects nodes that cannot take it: ${words}`;
  return [{ code: 'PolicyNotAccepted', policy, message }];
}

function judgeDemand({ policy, slices, reason, message }: DemandPreview): readonly PlanFault[] {
  const isUnmet = reason === 'PlannerFailed' || slices.some(({ unmet }) => unmet > 0);
  const found = { policy, message: `demand of policy ${policy}: ${message}` };
  if (reason === 'KueueUnavailable') return [{ code: 'DemandUnread', ...found }];
  return isUnmet ? [{ code: 'DemandUnmet', ...found }] : [];
}

function judgeNode({ node, fate, reason, message, evictions }: PlannedNode): readonly PlanFault[] {
  if (fate === 'Refused' && reason !== 'PolicyInvalid') {
    return [{ code: 'NodeRefused', node, message: `node ${node}: ${message}` }];
  }
  return evictions.flatMap(({ pod, fate: end, message: why = '' }): readonly PlanFault[] => {
    if (end === 'Blocked')
      return [{ code: 'EvictionBlocked', node, pod, message: `pod ${pod} is not evicted now: ${why}` }];
    if (end === 'Stays') return [{ code: 'PodStays', node, pod, message: `pod ${pod} cannot be evicted: ${why}` }];
    return [];
  });
}

function summarizeChange(
  { nodes, seconds }: Pick<ChangePlan, 'nodes' | 'seconds'>,
  faults: readonly PlanFault[],
  cap: Cap | undefined,
): string {
  const isStopped = faults.some(({ code }) => code === 'PolicyInvalid' || code === 'PolicyNotAccepted');
  const moves = `${isStopped ? 'nothing starts now; once that is fixed, ' : ''}${describeMoves(nodes, cap, seconds)}`;
  return [moves, ...describeRest(nodes), ...describeFaults(faults)].join('; ');
}

interface Cap {
  readonly most: number;
  readonly isAssumed: boolean;
}

function describeMoves(nodes: readonly PlannedNode[], cap: Cap | undefined, seconds: number | undefined): string {
  const moving = nodes.filter(({ fate, isAffected }) => fate === 'Changes' && isAffected);
  const all = countWords(nodes.length, 'node');
  if (moving.length === 0) return 'this change affects no nodes';
  const evicted = moving.flatMap(({ evictions }) => evictions).filter(({ fate }) => isMoving(fate));
  const pods = evicted.length === 0 ? 'no pod' : countWords(evicted.length, 'pod');
  const waves = Math.max(...moving.map(({ wave = 0 }) => wave));
  const limit =
    cap === undefined || waves < 2
      ? ''
      : ` of at most ${countWords(cap.most, 'node')} (--max-concurrent-nodes${cap.isAssumed ? ', assumed to be the default of 10%: no policy tells the controller’s' : ' of the controller'})`;
  const time =
    seconds === undefined ? '' : `, in about ${describeDuration(Math.max(1, seconds))} at the pace of earlier changes`;
  return `this change evicts ${pods} and changes ${moving.length} of ${all} in ${countWords(waves, 'wave')}${limit}${time}`;
}

function describeRest(nodes: readonly PlannedNode[]): readonly string[] {
  const number = (fate: PlannedNode['fate']) => nodes.filter((node) => node.fate === fate).length;
  const others = nodes.filter(({ fate, isAffected }) => fate === 'Changes' && !isAffected).length;
  const words = [
    [number('Held'), 'held'],
    [number('Waits'), 'waiting'],
    [number('UnderWay'), 'changing already'],
    [number('PlanOnly'), 'with mode Plan'],
    [others, 'still to change for unchanged policies'],
  ] as const;
  return words.flatMap(([found, word]) => (found > 0 ? [`${countWords(found, 'node')} ${word}`] : []));
}

function describeFaults(faults: readonly PlanFault[]): readonly string[] {
  const number = (code: PlanFault['code']) => faults.filter((fault) => fault.code === code).length;
  const [refused, staying, blocked] = [number('NodeRefused'), number('PodStays'), number('EvictionBlocked')];
  return [
    ...(refused > 0 ? [`${countWords(refused, 'node')} cannot take it`] : []),
    ...(staying > 0 ? [`${countWords(staying, 'pod')} cannot be evicted`] : []),
    ...(blocked > 0 ? [`${countWords(blocked, 'pod')} blocked by PodDisruptionBudgets`] : []),
  ];
}
