import type { DemandSlice, PoolGpu, PoolInstance } from '../../../../src/core/demand/solver/pool.ts';
import { PoolClasses } from '../../../../src/core/demand/solver/problem.ts';
import type { GpuModel } from '../../../../src/core/gpu/geometry.ts';
import type { Random } from '../../../model/random.ts';
import { modelOf } from '../../gpu/builders.ts';
import { listPlacedStates } from '../../gpu/placed-states.ts';
import { WHOLE } from '../../../../src/core/gpu/profiles.ts';

/** The GPUs of a pool by their classes. */
export function classesOf(gpus: readonly PoolGpu[]): PoolClasses {
  const classes = new PoolClasses();
  for (const gpu of gpus) classes.add(gpu);
  return classes;
}

export const POOL_MODELS = [
  'a100-40gb',
  'a100-80gb',
  'h100-80gb-sxm',
  'a30-24gb',
  'h200-141gb',
  'b200-180gb',
  'rtx-pro-6000-96gb',
].map(modelOf);

const states = new Map(POOL_MODELS.map((model) => [model, listPlacedStates(model)]));

/** A GPU in any state that its model can be in. */
export function drawGpu(random: Random, id: string, model: GpuModel, busyShare: number): PoolGpu {
  const state = random.chance(0.2) ? [`${WHOLE}@0`] : pick(random, states.get(model) ?? []);
  const instances = state.map((placed): PoolInstance => {
    const [profile = '', start = ''] = placed.split('@');
    const busy = random.chance(busyShare);
    return {
      profile,
      start: Number(start),
      busy,
      ...(busy && random.chance(0.2) ? { evictionWeight: random.integer(4) + 2 } : {}),
    };
  });
  return {
    id,
    geometry: model,
    instances,
    ...(random.chance(0.1) && { keepsMode: true }),
    ...(random.chance(0.2) && { rests: true }),
  };
}

/** GPUs of one model or of two, many of them equal or but for what is in use, as in a real pool. */
export function drawPool(random: Random, size: number): readonly PoolGpu[] {
  const models = random.chance(0.7)
    ? [pick(random, POOL_MODELS)]
    : [pick(random, POOL_MODELS), pick(random, POOL_MODELS)];
  const busyShare = pick(random, [0, 0.2, 0.5, 0.9]);
  const gpus: PoolGpu[] = [];
  for (let index = 0; index < size; index += 1) {
    const id = `gpu-${index}`;
    const before = random.pick(gpus);
    if (before !== undefined && random.chance(0.3)) gpus.push({ ...before, id });
    else if (before !== undefined && random.chance(0.4))
      gpus.push({ ...before, id, instances: redrawUse(random, before) });
    else if (random.chance(0.15)) gpus.push({ id, geometry: pick(random, models), instances: [] });
    else gpus.push(drawGpu(random, id, pick(random, models), busyShare));
  }
  return gpus;
}

/** A demand that a pool of the size may or may not serve: single profiles, any of several, all from a size on, or whole GPUs. */
export function drawDemand(random: Random, pool: readonly PoolGpu[], kinds: number): readonly DemandSlice[] {
  const names = [...new Set(pool.flatMap(({ geometry }) => geometry.profiles.map(({ name }) => name)))];
  const slices: DemandSlice[] = [];
  for (let index = 0; index < kinds; index += 1) {
    const kind = random.integer(10);
    const profiles = kind < 2 ? [WHOLE] : kind < 4 ? drawSize(random, pool) : drawProfiles(random, names);
    const weight = random.chance(0.5) ? sizeOf(pool, profiles[0] ?? '') : random.integer(5) + 1;
    slices.push({ name: `slice-${index}`, profiles, count: random.integer(4 * pool.length + 1), weight });
  }
  return slices;
}

function drawProfiles(random: Random, names: readonly string[]): readonly string[] {
  return [...new Set(Array.from({ length: random.chance(0.3) ? 2 : 1 }, () => pick(random, names)))];
}

/** Every plain profile with at least some memory. */
function drawSize(random: Random, pool: readonly PoolGpu[]): readonly string[] {
  const plain = pool.flatMap(({ geometry }) => geometry.profiles.filter(({ name }) => !/[+-]/.test(name)));
  const least = pick(random, plain).memoryMiB ?? 0;
  return [...new Set(plain.flatMap(({ name, memoryMiB = 0 }) => (memoryMiB >= least ? [name] : [])))];
}

function redrawUse(random: Random, { instances }: PoolGpu): readonly PoolInstance[] {
  return instances.map(({ profile, start }) => ({ profile, start, busy: random.chance(0.5) }));
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = random.pick(items);
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

function sizeOf(pool: readonly PoolGpu[], name: string): number {
  for (const { geometry } of pool) {
    const profile = geometry.profiles.find((one) => one.name === name);
    if (profile !== undefined) return profile.memorySlices;
  }
  return 1;
}
