import { assignRows } from './assignment.ts';
import { addCosts, NO_COST, packCosts, type NodeCost } from './node-cost.ts';
import { listOptions, REFUSED_OPTION, type NodeOption, type NodeOptions } from './node-option.ts';
import type { NodeGpu, NodeWish } from './node-wish.ts';
import { refuse, type Refusal } from '../search/refusal.ts';

export type { NodeCost } from './node-cost.ts';
export type { NodeGpu, NodeWish, Want } from './node-wish.ts';

export interface AssignedGpu {
  readonly key: string;
  /** Index of the wish that the GPU goes to; undefined if it is left alone. */
  readonly wish: number | undefined;
  /** Why it cannot become what the wish says; undefined if it can, or is left alone. */
  readonly refusal: Refusal | undefined;
  /** True if MIG mode has to change. */
  readonly modeChange: boolean;
}

export interface NodePlan {
  /** True if every wish has its GPUs and every GPU can become what its wish says. */
  readonly fits: boolean;
  /** By index, then key; empty if a wish cannot have its GPUs. */
  readonly gpus: readonly AssignedGpu[];
  /** Wishes that request more GPUs than are available. */
  readonly refusals: readonly { readonly wish: number; readonly refusal: Refusal }[];
  readonly cost: NodeCost;
}

/**
 * Assigns the GPUs of a node to wishes, exactly: of all assignments that give every wish its count, the one that is cheapest for the
 * node as a whole (see {@link NodeCost} for the order). Per GPU the first wish that matches decides, as in a policy; a wish whose
 * count is reached leaves the GPU to the next.
 */
export function planNode(gpus: readonly NodeGpu[], wishes: readonly NodeWish[]): NodePlan {
  const sorted = gpus.toSorted(byIndexThenKey);
  const optionsOf = sorted.map((gpu) => listOptions(gpu, wishes));
  const slots = wishes.flatMap(({ count }, wish) => (count === undefined ? [] : Array<number>(count).fill(wish)));
  const refusals = listShortages(wishes, optionsOf, slots.length);
  if (refusals.length > 0) return { fits: false, gpus: [], refusals, cost: NO_COST };
  // A column is a place in a counted wish or, beyond these, whatever the GPU becomes if no counted wish takes it.
  const table = optionsOf.map(({ counted, otherwise }) =>
    sorted.map((_, column) => {
      const wish = slots[column];
      return wish === undefined ? otherwise : (counted.get(wish) ?? REFUSED_OPTION);
    }),
  );
  const picked = pickOptions(table, slots.length);
  const contested = listContested(wishes, slots, picked);
  if (contested.length > 0) return { fits: false, gpus: [], refusals: contested, cost: NO_COST };
  return {
    fits: picked.every(({ option }) => option.cost.refused === 0),
    gpus: picked.map(({ option: { wish, refusal, modeChange } }, index) => {
      return { key: sorted[index]?.key ?? '', wish, refusal, modeChange };
    }),
    refusals: [],
    cost: picked.reduce((sum, { option }) => addCosts(sum, option.cost), NO_COST),
  };
}

interface Picked {
  readonly option: NodeOption;
  readonly column: number;
}

function pickOptions(table: readonly (readonly NodeOption[])[], slots: number): readonly Picked[] {
  // Without counted wishes, as in most policies, there is no choice.
  const columns =
    slots === 0 ? table.map((_, row) => row) : assignRows(packCosts(table.map((row) => row.map(({ cost }) => cost))));
  return table.map((row, index) => {
    const column = columns[index] ?? 0;
    return { option: row[column] ?? REFUSED_OPTION, column };
  });
}

function listShortages(
  wishes: readonly NodeWish[],
  options: readonly NodeOptions[],
  slots: number,
): NodePlan['refusals'] {
  const short = wishes.flatMap((wish, index) => {
    const available = options.filter(({ counted }) => counted.has(index)).length;
    const needed = wish.count ?? 0;
    return needed > available ? [{ wish: index, refusal: refuseCount(needed, available) }] : [];
  });
  if (short.length > 0 || slots <= options.length) return short;
  const last = wishes.findLastIndex(({ count }) => count !== undefined);
  return [{ wish: last, refusal: refuseTotal(slots, options.length) }];
}

/** Wishes that could each have their GPUs alone, but not all together. */
function listContested(
  wishes: readonly NodeWish[],
  slots: readonly number[],
  picked: readonly Picked[],
): NodePlan['refusals'] {
  return wishes.flatMap((wish, index) => {
    const needed = wish.count ?? 0;
    const available = picked.filter(
      ({ option, column }) => slots[column] === index && option !== REFUSED_OPTION,
    ).length;
    return available < needed ? [{ wish: index, refusal: refuseCount(needed, available) }] : [];
  });
}

function refuseCount(needed: number, available: number): Refusal {
  const [match, are] = available === 1 ? ['matches', 'is'] : ['match', 'are'];
  return refuse(
    'NotEnoughGpus',
    `count asks for exactly ${needed} of the GPUs that match; ${available} of this node ${match}, can hold the layout and ${are} not needed by another entry`,
  );
}

function refuseTotal(needed: number, available: number): Refusal {
  return refuse(
    'NotEnoughGpus',
    `the entries with a count ask for exactly ${needed} GPUs in all; the node has ${available}`,
  );
}

function byIndexThenKey(left: NodeGpu, right: NodeGpu): number {
  const difference = (left.index ?? 0) - (right.index ?? 0);
  if (difference !== 0) return difference;
  return left.key < right.key ? -1 : Number(left.key > right.key);
}
