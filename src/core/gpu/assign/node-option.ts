import { searchGpu, type SearchResult } from '../search/gpu-search.ts';
import { gridOf } from '../search/grid.ts';
import { readInstances } from '../search/occupancy.ts';
import type { Refusal } from '../search/refusal.ts';
import { completeSubject } from '../search/subject.ts';
import { NO_COST, type NodeCost } from './node-cost.ts';
import { type NodeGpu, type NodeWish, type Want, wantOf } from './node-wish.ts';

/** What a GPU becomes under a wish, and what that costs. */
export interface NodeOption {
  /** Undefined if the GPU is left alone. */
  readonly wish: number | undefined;
  /** Why the GPU cannot become what the wish says. */
  readonly refusal: Refusal | undefined;
  readonly modeChange: boolean;
  readonly cost: NodeCost;
}

/** What a GPU can become. */
export interface NodeOptions {
  /** By wish: those with a count that match, that fit, and that precede the GPU's first wish without a count. */
  readonly counted: ReadonlyMap<number, NodeOption>;
  /** What it becomes if no wish with a count takes it. */
  readonly otherwise: NodeOption;
}

/** A GPU in a place that it cannot take. */
export const REFUSED_OPTION: NodeOption = {
  wish: undefined,
  refusal: undefined,
  modeChange: false,
  cost: { ...NO_COST, refused: 1 },
};

export function listOptions(gpu: NodeGpu, wishes: readonly NodeWish[]): NodeOptions {
  const search = prepareSearch(gpu);
  const counted = new Map<number, NodeOption>();
  for (const [index, wish] of wishes.entries()) {
    const want = wantOf(wish, gpu);
    if (want === undefined) continue;
    const option = weighOption(gpu, index, wishes, want, search(want));
    if (wish.count === undefined) return { counted, otherwise: option };
    if (option.cost.refused === 0) counted.set(index, option);
  }
  const cost = { ...NO_COST, stickyBroken: countBroken(gpu, undefined, wishes) };
  return { counted, otherwise: { wish: undefined, refusal: undefined, modeChange: false, cost } };
}

/** Undefined if there is nothing to search: the GPU does not support MIG, or cannot become what is wanted. */
function prepareSearch(gpu: NodeGpu): (want: Want) => SearchResult | undefined {
  const { geometry } = gpu;
  if (geometry === undefined) return () => undefined;
  const subject = completeSubject(geometry, gpu);
  const grid = gridOf(geometry);
  const occupancy = readInstances(grid, gpu.have, subject.model);
  return (want) =>
    want === 'Impossible' ? undefined : searchGpu(grid, occupancy, want === 'Disabled' ? {} : want, subject);
}

function weighOption(
  gpu: NodeGpu,
  wish: number,
  wishes: readonly NodeWish[],
  want: Want,
  result: SearchResult | undefined,
): NodeOption {
  const lost = gpu.lost === true && wishes[wish]?.count !== undefined ? 1 : 0;
  const taken = { ...NO_COST, stickyBroken: countBroken(gpu, wish, wishes), lost };
  // A GPU without MIG is already whole.
  if (result === undefined && want === 'Disabled') return { wish, refusal: undefined, modeChange: false, cost: taken };
  const modeChange = (want === 'Disabled') !== (gpu.mig === 'Disabled');
  if (result?.fits !== true) return { wish, refusal: result?.refusal, modeChange, cost: { ...taken, refused: 1 } };
  const { cost, created } = result.found;
  return {
    wish,
    refusal: undefined,
    modeChange,
    cost: {
      ...taken,
      busyDisturbed: cost.busyDisturbed + (modeChange && gpu.busy === true ? 1 : 0),
      modeChanges: modeChange ? 1 : 0,
      destroyed: cost.destroyed,
      created,
      computeInstancesChanged: cost.computeInstancesDestroyed + cost.computeInstancesCreated,
    },
  };
}

/** 1 if another wish holds on to the GPU. */
function countBroken(gpu: NodeGpu, taker: number | undefined, wishes: readonly NodeWish[]): number {
  return wishes.some((wish, index) => index !== taker && wish.sticky?.includes(gpu.key) === true) ? 1 : 0;
}
