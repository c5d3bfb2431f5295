/**
 * How fast and how gentle the planner is, beside clearing and rebuilding the GPU, in the same run on the same inputs. Prints one
 * JSON object a line: metric, value, unit, baseline (the same number for clear-and-rebuild; null where it has none).
 *
 *   node test/bench/planning.ts
 */
import { setImmediate } from 'node:timers/promises';
import { type Geometry, type Layout, findModel } from '../../src/core/gpu/geometry.ts';
import { planGpu } from '../../src/core/gpu/plan.ts';
import type { Instance } from '../../src/core/gpu/grid.ts';
import { planNode, type NodeGpu, type NodeWish } from '../../src/core/gpu/layouts.ts';
import {
  keepMaximalStates,
  listPlacedStates,
  multisetOf,
  parseMultiset,
  type PlacedState,
} from '../core/gpu/placed-states.ts';

const PROFILES = ['1g.5gb', '1g.10gb', '2g.10gb', '3g.20gb', '4g.20gb', '7g.40gb'];
const NODES = 10_000;
const GPUS_OF_A_NODE = 8;
/** Work of one turn of the event loop before others get theirs, in milliseconds. */
const SLICE_MS = 10;

interface Transition {
  readonly have: readonly Instance[];
  readonly want: Layout;
}

const model = findModel('a100-40gb');
if (model === undefined) throw new Error('the table has no A100');
const geometry: Geometry = model;

const maximal = keepMaximalStates(listPlacedStates(geometry, PROFILES));
const layouts = [...new Set(maximal.map(multisetOf))].map(parseMultiset);
const random = makeRandom(20260101);

for (const busyShare of [0, 0.3, 0.6]) reportDisruption(busyShare);
reportGpuLatency();
reportNodeLatency();
await reportFleet();

function reportDisruption(busyShare: number): void {
  const transitions = listTransitions(busyShare);
  const plans = transitions.map(({ have, want }) => requirePlan(have, want));
  const cleared = transitions.map(({ have, want }) => clearAndRebuild(have, want));
  const share = `${busyShare * 100} % busy`;
  print(
    `instances destroyed per GPU, ${share}`,
    mean(plans.map((plan) => plan.destroy.length)),
    'instances',
    mean(cleared.map(({ destroyed }) => destroyed.length)),
  );
  if (busyShare === 0) return;
  print(
    `busy instances destroyed per GPU, ${share}`,
    mean(plans.map((plan) => plan.cost.busyDisturbed)),
    'instances',
    mean(cleared.map(({ destroyed }) => destroyed.filter(({ busy }) => busy).length)),
  );
}

function reportGpuLatency(): void {
  const transitions = Array.from({ length: 10 }, () => listTransitions(0.3)).flat();
  const first = time(transitions.slice(0, 100), ({ have, want }) => planGpu(geometry, have, want));
  print('plan of one GPU, first call', first[0] ?? 0, 'µs', null);
  // The first rounds warm the compiler up for both, so that neither is measured cold.
  time(transitions, ({ have, want }) => planGpu(geometry, have, want));
  time(transitions, ({ have, want }) => clearAndRebuild(have, want));
  const ours = time(transitions, ({ have, want }) => planGpu(geometry, have, want));
  const theirs = time(transitions, ({ have, want }) => clearAndRebuild(have, want));
  print('plan of one GPU, p50', percentile(ours, 0.5), 'µs', percentile(theirs, 0.5));
  print('plan of one GPU, p99', percentile(ours, 0.99), 'µs', percentile(theirs, 0.99));
  const refused = time(transitions.slice(0, 2000), ({ have }) =>
    planGpu(geometry, have, { '3g.20gb': 2, '1g.5gb': 1 }),
  );
  print('refusal with alternatives, p99', percentile(refused, 0.99), 'µs', null);
}

function reportNodeLatency(): void {
  const nodes = Array.from({ length: 2000 }, drawNode);
  time(nodes.slice(0, 500), ({ gpus, wishes }) => planNode(gpus, wishes));
  const ours = time(nodes, ({ gpus, wishes }) => planNode(gpus, wishes)).map((us) => us / 1000);
  const theirs = time(nodes, ({ gpus, wishes }) => assignInOrder(gpus, wishes)).map((us) => us / 1000);
  print('plan of a node of 8 GPUs, 4 layouts, p50', percentile(ours, 0.5), 'ms', percentile(theirs, 0.5));
  print('plan of a node of 8 GPUs, 4 layouts, p99', percentile(ours, 0.99), 'ms', percentile(theirs, 0.99));
  const busy = nodes.map(({ gpus, wishes }) => planNode(gpus, wishes).cost.busyDisturbed);
  const inOrder = nodes.map(
    ({ gpus, wishes }) => assignInOrder(gpus, wishes).filter((instance) => instance.busy).length,
  );
  print('busy instances destroyed per node of 8 GPUs, 30 % busy', mean(busy), 'instances', mean(inOrder));
}

async function reportFleet(): Promise<void> {
  const fleet = Array.from({ length: NODES }, drawNode);
  const ours = await runSliced(fleet, ({ gpus, wishes }) => planNode(gpus, wishes));
  const theirs = await runSliced(fleet, ({ gpus, wishes }) => assignInOrder(gpus, wishes));
  print(`plan of ${NODES} nodes of 8 GPUs, 4 layouts each`, ours.totalMs, 'ms', theirs.totalMs);
  print('longest turn of the event loop meanwhile', ours.longestMs, 'ms', theirs.longestMs);
  const uniform = fleet.map(({ gpus }) => ({ gpus, wishes: [{ want: layouts[0] ?? {} }] }));
  const same = await runSliced(uniform, ({ gpus, wishes }) => planNode(gpus, wishes));
  print(`plan of ${NODES} nodes of 8 GPUs, one layout`, same.totalMs, 'ms', null);
  // As in a cluster, where every node reports its own table.
  const reported = uniform.map(({ gpus, wishes }) => {
    const table = structuredClone(geometry);
    return { gpus: gpus.map((gpu) => ({ ...gpu, geometry: table })), wishes };
  });
  const live = await runSliced(reported, ({ gpus, wishes }) => planNode(gpus, wishes));
  print(`plan of ${NODES} nodes of 8 GPUs, one layout, a table of its own per node`, live.totalMs, 'ms', null);
}

interface DrawnNode {
  readonly gpus: readonly NodeGpu[];
  readonly wishes: readonly LayoutWish[];
}

type LayoutWish = NodeWish & { readonly want: Layout };

/** Eight GPUs in any maximal state, 30 % of the instances busy; four layouts, three of them for two GPUs each. */
function drawNode(): DrawnNode {
  const gpus = Array.from({ length: GPUS_OF_A_NODE }, (_, index) => ({
    key: `GPU-${index}`,
    index,
    geometry,
    have: toInstances(pick(maximal), 0.3),
  }));
  const counted = [0, 1, 2].map(() => ({ want: pick(layouts), count: 2 }));
  return { gpus, wishes: [...counted, { want: pick(layouts) }] };
}

/** What mig-parted does: if a GPU differs from its layout all of its instances go, and the new ones are made largest first. */
function clearAndRebuild(
  have: readonly Instance[],
  want: Layout,
): { destroyed: readonly Instance[]; created: unknown[] } {
  const counts = new Map<string, number>();
  for (const { profile } of have) counts.set(profile, (counts.get(profile) ?? 0) + 1);
  const same =
    counts.size === Object.keys(want).length &&
    Object.entries(want).every(([profile, count]) => counts.get(profile) === count);
  if (same) return { destroyed: [], created: [] };
  const taken = new Set<number>();
  const created: unknown[] = [];
  for (const profile of geometry.profiles.toReversed())
    for (let left = want[profile.name] ?? 0; left > 0; left -= 1) {
      const start = profile.starts.findLast((unit) =>
        listUnits(unit, profile.memorySlices).every((each) => !taken.has(each)),
      );
      if (start === undefined) break;
      for (const unit of listUnits(start, profile.memorySlices)) taken.add(unit);
      created.push({ profile: profile.name, start });
    }
  return { destroyed: have, created };
}

/** GPUs taken by index, each cleared and rebuilt; returns the instances destroyed. */
function assignInOrder(gpus: readonly NodeGpu[], wishes: readonly LayoutWish[]): readonly Instance[] {
  const order = wishes.flatMap(({ want, count = GPUS_OF_A_NODE }) => Array<Layout>(count).fill(want));
  return gpus.flatMap(({ have }, index) => {
    const want = order[index];
    return want === undefined ? [] : clearAndRebuild(have, want).destroyed;
  });
}

function listUnits(start: number, size: number): readonly number[] {
  return Array.from({ length: size }, (_, unit) => start + unit);
}

function requirePlan(have: readonly Instance[], want: Layout): Extract<ReturnType<typeof planGpu>, { fits: true }> {
  const plan = planGpu(geometry, have, want);
  if (!plan.fits) throw new Error(plan.refusal.message);
  return plan;
}

function listTransitions(busyShare: number): readonly Transition[] {
  return maximal.flatMap((state) =>
    layouts
      .filter(
        (layout) =>
          multisetOf(state) !==
          Object.entries(layout)
            .map(([name, count]) => `${name}=${count}`)
            .toSorted()
            .join(),
      )
      .map((want) => ({ have: toInstances(state, busyShare), want })),
  );
}

function toInstances(state: PlacedState, busyShare: number): readonly Instance[] {
  return state.map((placed) => {
    const [profile = '', start = ''] = placed.split('@');
    return { profile, start: Number(start), busy: random() < busyShare };
  });
}

async function runSliced<Item>(
  items: readonly Item[],
  work: (item: Item) => unknown,
): Promise<{ totalMs: number; longestMs: number }> {
  const begin = performance.now();
  let longestMs = 0;
  let turn = begin;
  for (const item of items) {
    work(item);
    const spent = performance.now() - turn;
    longestMs = Math.max(longestMs, spent);
    if (spent < SLICE_MS) continue;
    await setImmediate();
    turn = performance.now();
  }
  return { totalMs: performance.now() - begin, longestMs };
}

function time<Item>(items: readonly Item[], work: (item: Item) => unknown): readonly number[] {
  return items.map((item) => {
    const begin = process.hrtime.bigint();
    work(item);
    return Number(process.hrtime.bigint() - begin) / 1000;
  });
}

function percentile(numbers: readonly number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * share)] ?? 0;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function pick<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** Repeatable numbers from 0 to 1 (mulberry32). */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function print(metric: string, value: number, unit: string, baseline: number | null): void {
  const round = (number: number): number => Number(number.toPrecision(4));
  process.stdout.write(
    `${JSON.stringify({ metric, value: round(value), unit, baseline: baseline === null ? null : round(baseline) })}\n`,
  );
}
