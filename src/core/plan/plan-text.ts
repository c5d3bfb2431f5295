import { joinWords } from '../gpu/search/layout-words.ts';
import { countWords } from '../text/cut-text.ts';
import { wrapHanging } from '../text/wrap.ts';
import type { ChangePlan } from './change-plan.ts';
import type { DemandOutlook } from './demand-outlook.ts';
import { type EvictionOutlook, isMoving, type PodOutlook } from './eviction-outlook.ts';
import type { GpuOutlook, HeldSlice } from './gpu-outlook.ts';
import type { NodeFate, PlannedNode } from './planned-node.ts';
import type { PolicyOutlook } from './policy-change.ts';

const width = 80;
const mostNames = 8;

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

/** What becomes of nodes that are in no wave. */
const still: readonly (readonly [NodeFate, string])[] = [
  ['Held', 'Held'],
  ['PlanOnly', 'Mode Plan, nothing changes'],
  ['UnderWay', 'Changing already'],
  ['Waits', 'Waiting'],
  ['Refused', 'Cannot take it'],
  ['OtherPolicy', 'Another policy applies'],
  ['Released', 'No policy any more; the layout stays'],
  ['Done', 'Already matches the policy'],
];

/** Nothing is to be done there, and not because it is as the policy says: a selector may be misspelt. */
function isLeftAlone({ fate, reason }: PlannedNode): boolean {
  return fate === 'Done' && (reason === 'NothingToDo' || reason === 'NoGpus');
}

function writePolicy({ policy, change, selectsNothing, refusal, held }: PolicyOutlook): readonly string[] {
  const idle = selectsNothing ? 'no node matches spec.nodeSelector' : held;
  const why = refusal === undefined ? idle : `not accepted: ${refusal}`;
  const more = why === undefined ? '' : `; ${why}`;
  return wrapHanging(`policy ${policy}: ${change.toLowerCase()}${more}`, width, '  ');
}

/** What of a demand exists, and what the layouts of this plan leave unmet. */
function writeDemand({ policy, slices, message }: DemandOutlook): readonly string[] {
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
function drawGpus(gpus: readonly GpuOutlook[]): readonly string[] {
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

function draw({ before, after }: GpuOutlook): readonly string[] {
  return [`now   ${before.picture}`, `after ${after.picture}`];
}

function describeRecut(recut: readonly HeldSlice[]): string {
  if (recut.length === 0) return '';
  return `: other compute instances on ${joinWords(recut.map(({ profile, start }) => `${profile} at ${start}`))}`;
}

const verbs: Readonly<Record<PodOutlook, string>> = {
  Evicted: 'evicts',
  Deleted: 'deletes',
  Blocked: 'waits to evict',
  Stays: 'cannot evict',
  Awaited: 'waits for',
  Gone: 'no longer has',
};

function writeEviction(node: string, { pod, fate, holds, message }: EvictionOutlook): readonly string[] {
  const what = holds.length === 0 ? '' : ` (${holds.join(', ')})`;
  const why = message === undefined ? '' : `: ${message}`;
  return wrapHanging(`  ${node} ${verbs[fate]} pod ${pod}${what}${why}`, width, '    ');
}

function listNames(nodes: readonly PlannedNode[]): string {
  const names = nodes.slice(0, mostNames).map(({ node }) => node);
  const more = nodes.length - names.length;
  return joinWords(more > 0 ? [...names, `${more} more`] : names);
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  return [...Map.groupBy(items, keyOf).values()];
}
