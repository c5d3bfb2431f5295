import type { DemandSlice, PoolGpu } from '../../../src/core/demand/solver/pool.ts';
import type { Random } from '../../../src/core/plan/simulation/trace.ts';
import { keepMaximalStates, listPlacedStates } from '../gpu/placed-states.ts';
import { modelOf } from '../plan/simulation/simulation-builder.ts';

const profiles = ['1g.5gb', '1g.10gb', '2g.10gb', '3g.20gb'];
const sizes: Readonly<Record<string, number>> = { '1g.5gb': 1, '1g.10gb': 2, '2g.10gb': 2, '3g.20gb': 4 };
const model = modelOf('a100-40gb');
const states = keepMaximalStates(listPlacedStates(model, profiles));

/** A few GPUs, and a demand for slices of single profiles that weigh what they take. */
export function aPool(
  random: Random,
  restShare = 0.1,
): { readonly gpus: readonly PoolGpu[]; readonly slices: readonly DemandSlice[] } {
  const gpus = Array.from({ length: 2 + random.integer(3) }, (_, index): PoolGpu => ({
    id: `g${index}`,
    geometry: model,
    isResting: random.chance(restShare),
    instances: (random.pick(states) ?? []).flatMap((placed) => {
      const [profile = '', start = ''] = placed.split('@');
      return random.chance(0.75) ? [{ profile, start: Number(start), busy: random.chance(0.6) }] : [];
    }),
  }));
  const slices = profiles.map((name) => ({
    name,
    profiles: [name],
    count: random.integer(8),
    weight: sizes[name] ?? 1,
  }));
  return { gpus, slices };
}
