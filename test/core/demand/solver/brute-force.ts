import type { Geometry } from '../../../../src/core/gpu/geometry.ts';
import type { DemandCost, DemandSlice, EvictionRule, PoolGpu } from '../../../../src/core/demand/solver/pool.ts';
import { listPlacedStates } from '../../gpu/placed-states.ts';
import { WHOLE } from '../../../../src/core/gpu/profiles.ts';

/** A way to re-lay one GPU: what it offers of each profile that is asked for, and what it costs. */
export interface Way {
  readonly offered: readonly number[];
  /** Evictions by weight, resting GPUs changed, GPUs changed, MIG modes changed, idle instances destroyed. */
  readonly cost: readonly [number, number, number, number, number];
}

export type Figures = readonly [
  unserved: number,
  evictions: number,
  restsBroken: number,
  gpusChanged: number,
  modesChanged: number,
  instancesDestroyed: number,
];

export function figuresOf(cost: DemandCost): Figures {
  const { unserved, evictions, restsBroken, gpusChanged, modesChanged, instancesDestroyed } = cost;
  return [unserved, evictions, restsBroken, gpusChanged, modesChanged, instancesDestroyed];
}

/** Every state of a geometry, as starts and profile names; found without the planner. */
const states = new Map<Geometry, readonly (readonly string[])[]>();

/**
 * Every way to re-lay a GPU, the cheapest for each offer: all states of the GPU are compared with what is there. Shares nothing with
 * the planner.
 */
export function listWays(gpu: PoolGpu, profiles: readonly string[], evict: EvictionRule): readonly Way[] {
  const all = states.get(gpu.geometry) ?? [[`${WHOLE}@0`], ...listPlacedStates(gpu.geometry)];
  states.set(gpu.geometry, all);
  const isWhole = gpu.instances[0]?.profile === WHOLE;
  const ways = new Map<string, Way>();
  for (const state of all) {
    const turns = isWhole !== (state[0] === `${WHOLE}@0`);
    if (gpu.keepsMode === true && turns) continue;
    const placed = new Set(state);
    let evictions = 0;
    let destroyed = 0;
    let kept = 0;
    for (const { profile, start, busy, evictionWeight = 1, stays = false } of gpu.instances) {
      if (placed.has(`${profile}@${start}`)) kept += 1;
      else if (busy) evictions += stays ? Infinity : evictionWeight;
      else destroyed += 1;
    }
    if (evictions > (evict === 'Never' ? 0 : Number.MAX_SAFE_INTEGER)) continue;
    const isSame = kept === gpu.instances.length && kept === state.length;
    if (gpu.isResting === true && !isSame) continue;
    const offered = profiles.map((name) => state.filter((one) => one.slice(0, one.indexOf('@')) === name).length);
    const way: Way = {
      offered,
      cost: [evictions, isSame || gpu.rests !== true ? 0 : 1, isSame ? 0 : 1, turns ? 1 : 0, destroyed],
    };
    const known = ways.get(offered.join());
    if (known === undefined || compareNumbers(way.cost, known.cost) < 0) ways.set(offered.join(), way);
  }
  return [...ways.values()];
}

/** The best figures of all combinations of ways, each tried. For few GPUs. */
export function tryAll(gpus: readonly PoolGpu[], slices: readonly DemandSlice[], evict: EvictionRule): Figures {
  const profiles = [...new Set(slices.flatMap((slice) => slice.profiles))];
  const ways = gpus.map((gpu) => listWays(gpu, profiles, evict));
  const lacking = new Map<string, number>();
  const lackingOf = (offered: readonly number[]): number => {
    const key = offered.join();
    const known = lacking.get(key) ?? weighLacking(slices, profiles, offered);
    lacking.set(key, known);
    return known;
  };
  let best: Figures = [Infinity, 0, 0, 0, 0, 0];
  const offered = profiles.map(() => 0);

  function choose(index: number, cost: Way['cost']): void {
    const list = ways[index];
    if (list === undefined) {
      const figures: Figures = [lackingOf(offered), ...cost];
      if (compareNumbers(figures, best) < 0) best = figures;
      return;
    }
    const [evictions, broken, changed, turned, destroyed] = cost;
    for (const way of list) {
      const [evicts, breaks, changes, turns, destroys] = way.cost;
      way.offered.forEach((count, profile) => (offered[profile] = (offered[profile] ?? 0) + count));
      choose(index + 1, [evictions + evicts, broken + breaks, changed + changes, turned + turns, destroyed + destroys]);
      way.offered.forEach((count, profile) => (offered[profile] = (offered[profile] ?? 0) - count));
    }
  }

  choose(0, [0, 0, 0, 0, 0]);
  return best;
}

/** The least weight that goes short, by trying every way to hand out the slices. */
export function weighLacking(
  slices: readonly DemandSlice[],
  profiles: readonly string[],
  offered: readonly number[],
): number {
  const free = [...offered];

  function serve(slice: number): number {
    const wanted = slices[slice];
    return wanted === undefined ? 0 : give(wanted, slice, 0, wanted.count);
  }

  function give(wanted: DemandSlice, slice: number, from: number, left: number): number {
    const name = wanted.profiles[from];
    if (name === undefined || left === 0) return left * wanted.weight + serve(slice + 1);
    const profile = profiles.indexOf(name);
    const most = Math.min(left, free[profile] ?? 0);
    let best = Infinity;
    for (let count = 0; count <= most; count += 1) {
      free[profile] = (free[profile] ?? 0) - count;
      best = Math.min(best, give(wanted, slice, from + 1, left - count));
      free[profile] = (free[profile] ?? 0) + count;
    }
    return best;
  }

  return serve(0);
}

export function compareNumbers(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
