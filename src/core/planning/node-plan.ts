import type { Geometry, Layout } from '../geometry/geometry.ts';
import { assignRows } from './assignment.ts';
import { planGpu, type GpuPlanResult } from './gpu-plan.ts';
import type { Instance } from './instance.ts';
import { packCosts, type NodeCost } from './node-cost.ts';
import { refuse, type Refusal } from './refusal.ts';
import type { Subject } from './subject.ts';

/** One GPU of a node. */
export interface NodeGpu extends Subject {
  /** UUID, or whatever names it among the node's GPUs. */
  readonly key: string;
  /** Of equally good GPUs the ones with the lower index are taken first. */
  readonly index?: number;
  readonly geometry: Geometry;
  readonly have: readonly Instance[];
  /** MIG mode now; absent means enabled. */
  readonly mig?: 'Enabled' | 'Disabled';
  /** With MIG off: true if a process or a pod holds the whole GPU, which switching MIG on would disturb. */
  readonly busy?: boolean;
}

/** What some GPUs of a node shall be; the entries of a policy in their order. */
export interface NodeWish {
  /** A layout (empty: MIG mode without instances), or MIG off. */
  readonly want: Layout | 'Disabled';
  /** Take exactly so many GPUs; absent: every matching GPU that no earlier wish takes. */
  readonly count?: number;
  /** Keys of the GPUs that the selectors meet; absent: all. */
  readonly keys?: readonly string[];
  /** Keys of GPUs that this wish took before and keeps where it can, whatever that costs. */
  readonly sticky?: readonly string[];
}

export interface AssignedGpu {
  readonly key: string;
  /** Index of the wish that the GPU goes to; undefined if it is left alone. */
  readonly wish: number | undefined;
  /** For MIG off: the plan that clears the GPU, before the mode is changed. Undefined if it is left alone. */
  readonly result: GpuPlanResult | undefined;
  /** True if MIG mode has to change. */
  readonly modeChange: boolean;
}

export interface NodePlan {
  /** True if every wish has its GPUs and every GPU with a wish has a plan. */
  readonly fits: boolean;
  /** By index, then key; empty if a wish cannot have its GPUs. */
  readonly gpus: readonly AssignedGpu[];
  /** Wishes that ask for more GPUs than can be had. */
  readonly refusals: readonly { readonly wish: number; readonly refusal: Refusal }[];
  readonly cost: NodeCost;
}

/** What a GPU becomes under a wish. */
interface Option {
  readonly wish: number | undefined;
  readonly result: GpuPlanResult | undefined;
  readonly modeChange: boolean;
  readonly cost: NodeCost;
}

const NOTHING: NodeCost = {
  refused: 0,
  stickyBroken: 0,
  busyDisturbed: 0,
  modeChanges: 0,
  destroyed: 0,
  created: 0,
  computeInstancesChanged: 0,
};

/**
 * Assigns the GPUs of a node to wishes and plans each, exactly: of all assignments that give every wish its count, the one that
 * is cheapest for the node as a whole (see {@link NodeCost} for the order). Per GPU the first wish that matches decides, as in a
 * policy; a wish with a count that is full leaves the GPU to the next.
 */
export function planNode(gpus: readonly NodeGpu[], wishes: readonly NodeWish[]): NodePlan {
  const sorted = gpus.toSorted(byIndexThenKey);
  const optionsOf = sorted.map((gpu) => listOptions(gpu, wishes));
  const slots = wishes.flatMap(({ count }, wish) => (count === undefined ? [] : Array<number>(count).fill(wish)));
  const refusals = listShortages(wishes, optionsOf, sorted.length);
  if (refusals.length > 0) return { fits: false, gpus: [], refusals, cost: NOTHING };
  const columns: readonly (number | undefined)[] = [
    ...slots,
    ...Array<undefined>(sorted.length - slots.length).fill(undefined),
  ];
  // A column is a place in a counted wish, or, at the end, whatever the GPU becomes when no counted wish takes it.
  const table = optionsOf.map((options, row) =>
    columns.map((wish) => (wish === undefined ? options.otherwise : options.counted.get(wish)) ?? refuseOption(row)),
  );
  const chosen = assignRows(packCosts(table.map((row) => row.map(({ cost }) => cost))));
  const picked = table.map((row, index) => row[chosen[index] ?? 0] ?? refuseOption(index));
  const unfilled = picked.some(
    (option, index) => option.result === undefined && columns[chosen[index] ?? 0] !== undefined,
  );
  return {
    fits: !unfilled && picked.every(({ result }) => result?.fits !== false),
    gpus: unfilled
      ? []
      : picked.map(({ wish, result, modeChange }, index) => ({
          key: sorted[index]?.key ?? '',
          wish,
          result,
          modeChange,
        })),
    refusals: unfilled
      ? listContested(
          wishes,
          picked.map((option, index) => [option, columns[chosen[index] ?? 0]]),
        )
      : [],
    cost: picked.reduce((sum, { cost }) => addCosts(sum, cost), NOTHING),
  };
}

interface Options {
  /** Per counted wish that comes before the GPU's first wish without a count. */
  readonly counted: ReadonlyMap<number, Option>;
  readonly otherwise: Option;
}

function listOptions(gpu: NodeGpu, wishes: readonly NodeWish[]): Options {
  const counted = new Map<number, Option>();
  for (const [index, wish] of wishes.entries()) {
    if (wish.keys?.includes(gpu.key) === false) continue;
    const option = weighOption(gpu, index, wish, wishes);
    if (wish.count === undefined) return { counted, otherwise: option };
    if (option.result?.fits === true) counted.set(index, option);
  }
  const cost = { ...NOTHING, stickyBroken: countBroken(gpu, undefined, wishes) };
  return { counted, otherwise: { wish: undefined, result: undefined, modeChange: false, cost } };
}

function weighOption(gpu: NodeGpu, index: number, wish: NodeWish, wishes: readonly NodeWish[]): Option {
  const result = planGpu(gpu.geometry, gpu.have, wish.want === 'Disabled' ? {} : wish.want, gpu);
  const modeChange = (wish.want === 'Disabled') !== (gpu.mig === 'Disabled');
  const stickyBroken = countBroken(gpu, index, wishes);
  if (!result.fits) return { wish: index, result, modeChange, cost: { ...NOTHING, refused: 1, stickyBroken } };
  const { busyDisturbed, destroyed, computeInstancesDestroyed, computeInstancesCreated } = result.cost;
  const cost: NodeCost = {
    refused: 0,
    stickyBroken,
    busyDisturbed: busyDisturbed + (modeChange && gpu.busy === true ? 1 : 0),
    modeChanges: modeChange ? 1 : 0,
    destroyed,
    created: result.create.length,
    computeInstancesChanged: computeInstancesDestroyed + computeInstancesCreated,
  };
  return { wish: index, result, modeChange, cost };
}

/** 1 if another wish holds on to the GPU. */
function countBroken(gpu: NodeGpu, taker: number | undefined, wishes: readonly NodeWish[]): number {
  return wishes.some((wish, index) => index !== taker && wish.sticky?.includes(gpu.key) === true) ? 1 : 0;
}

function refuseOption(_row: number): Option {
  return { wish: undefined, result: undefined, modeChange: false, cost: { ...NOTHING, refused: 1 } };
}

function listShortages(wishes: readonly NodeWish[], options: readonly Options[], gpus: number): NodePlan['refusals'] {
  const short = wishes.flatMap((wish, index) => {
    const available = options.filter(({ counted }) => counted.has(index)).length;
    const needed = wish.count ?? 0;
    return needed > available ? [{ wish: index, refusal: refuseCount(index, needed, available) }] : [];
  });
  const needed = wishes.reduce((sum, { count = 0 }) => sum + count, 0);
  if (short.length > 0 || needed <= gpus) return short;
  return [{ wish: wishes.findLastIndex(({ count }) => count !== undefined), refusal: refuseTotal(needed, gpus) }];
}

/** Wishes that, each on its own, could have their GPUs, but not all together. */
function listContested(
  wishes: readonly NodeWish[],
  picked: readonly (readonly [Option, number | undefined])[],
): NodePlan['refusals'] {
  return wishes.flatMap((wish, index) => {
    const places = picked.filter(([, slot]) => slot === index);
    const available = places.filter(([option]) => option.result !== undefined).length;
    const needed = wish.count ?? 0;
    return available < needed ? [{ wish: index, refusal: refuseCount(index, needed, available) }] : [];
  });
}

function refuseCount(wish: number, needed: number, available: number): Refusal {
  return refuse(
    'NotEnoughGpus',
    `layouts[${wish}] asks for ${needed} GPUs; ${available} of this node match it, can hold its layout and are not needed by another entry`,
    { resource: 'Gpus', needed, available },
  );
}

function refuseTotal(needed: number, available: number): Refusal {
  return refuse('NotEnoughGpus', `the entries with a count ask for ${needed} GPUs in all; the node has ${available}`, {
    resource: 'Gpus',
    needed,
    available,
  });
}

function byIndexThenKey(left: NodeGpu, right: NodeGpu): number {
  const difference = (left.index ?? 0) - (right.index ?? 0);
  if (difference !== 0) return difference;
  return left.key < right.key ? -1 : Number(left.key > right.key);
}

function addCosts(left: NodeCost, right: NodeCost): NodeCost {
  return {
    refused: left.refused + right.refused,
    stickyBroken: left.stickyBroken + right.stickyBroken,
    busyDisturbed: left.busyDisturbed + right.busyDisturbed,
    modeChanges: left.modeChanges + right.modeChanges,
    destroyed: left.destroyed + right.destroyed,
    created: left.created + right.created,
    computeInstancesChanged: left.computeInstancesChanged + right.computeInstancesChanged,
  };
}
