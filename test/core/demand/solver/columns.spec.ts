import { expect } from 'chai';
import { ColumnLister } from '../../../../src/core/demand/solver/problem.ts';
import {
  type ColumnGroup,
  RankLevels,
  readDemand,
  type EvictionRule,
  NOBODY,
  type PoolGpu,
} from '../../../../src/core/demand/solver/pool.ts';
import { compareText } from '../../../../src/core/text/json.ts';
import { Random } from '../../../model/random.ts';
import { anInstance, modelOf } from '../../gpu/builders.ts';
import { compareNumbers, listWays } from './brute-force.ts';
import { classesOf, drawGpu, POOL_MODELS } from './random-pool.ts';
import { WHOLE } from '../../../../src/core/gpu/profiles.ts';

/** `DEMAND_SEEDS=2000` tries more. */
const seeds = 2 * Number(process.env['DEMAND_SEEDS'] ?? 30);

type Column = ColumnGroup['columns'][number];

function classOf(gpu: PoolGpu): Parameters<ColumnLister['list']>[0] {
  const [only] = classesOf([gpu]).list();
  if (only === undefined) throw new Error('no class');
  return only;
}

function columnsOf(gpu: PoolGpu, caps: Readonly<Record<string, number>>, evict: EvictionRule): readonly Column[] {
  const slices = Object.entries(caps).map(([name, count]) => ({ name, profiles: [name], count, weight: 1 }));
  const levels = evict === 'Never' ? undefined : new RankLevels(slices, [NOBODY]);
  return new ColumnLister(
    readDemand(
      slices,
      () => true,
      () => 1,
      levels,
    ),
    evict,
  ).list(classOf(gpu));
}

const costOf = ({ evictions, restsBroken, gpusChanged, modesChanged, instancesDestroyed }: Column) => [
  evictions[0] ?? 0,
  restsBroken,
  gpusChanged,
  modesChanged,
  instancesDestroyed,
];

/** What no other way beats, the cheapest first, and of equal ones the one with more of the first profile. */
function listUnbeaten(gpu: PoolGpu, profiles: readonly string[], evict: EvictionRule) {
  const ways = listWays(gpu, profiles, evict);
  return ways
    .filter(
      (way) =>
        !ways.some(
          (other) =>
            other !== way &&
            compareNumbers(other.cost, way.cost) <= 0 &&
            other.offered.every((count, index) => count >= (way.offered[index] ?? 0)),
        ),
    )
    .toSorted((a, b) => compareNumbers(a.cost, b.cost) || compareNumbers(b.offered, a.offered));
}

describe('what a GPU can become', () => {
  it('is every way to re-lay it that no other beats, the cheapest first', () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const random = new Random(seed);
      const model = random.pick(POOL_MODELS) ?? modelOf('a30');
      const drawn = random.chance(0.1) ? [] : drawGpu(random, 'a', model, 0.4).instances;
      const gpu: PoolGpu = {
        id: 'a',
        geometry: model,
        instances: drawn.map((one) => (random.chance(0.2) ? { ...one, stays: true } : one)),
        keepsMode: random.chance(0.3),
        isResting: random.chance(0.1),
        rests: random.chance(0.2),
      };
      const names = [...model.profiles.map(({ name }) => name), WHOLE, WHOLE, 'of another model'];
      const profiles = [...new Set([0, 1, 2].map(() => random.pick(names) ?? WHOLE))].sort(compareText);
      const evict = random.chance(0.3) ? 'Never' : 'IfNeeded';
      const columns = columnsOf(gpu, Object.fromEntries(profiles.map((name) => [name, 99])), evict);
      const found = columns.map((column) => ({ offered: column.offered, cost: costOf(column) }));
      expect(found, `seed ${seed}`).to.deep.equal(listUnbeaten(gpu, profiles, evict));
      const { instances } = classOf(gpu);
      for (const { offered, kept, created } of columns) {
        const stay = instances.filter((_, index) => (kept & (1 << index)) !== 0);
        const counts = profiles.map(
          (name, index) => stay.filter(({ profile }) => profile === name).length + (created[index] ?? 0),
        );
        expect(offered, `seed ${seed}`).to.deep.equal(counts);
      }
    }
  });

  it('has no more made than the demand can use, beside what is there', () => {
    const gpu: PoolGpu = { id: 'a', geometry: modelOf('a100-40gb'), instances: [anInstance('1g.5gb@0')] };
    const made = (caps: Readonly<Record<string, number>>) =>
      columnsOf(gpu, caps, 'Never').map(({ created }) => created.join());
    expect(made({ '1g.5gb': 2, '3g.20gb': 0 })).to.deep.equal(['0,0', '2,0']);
    expect(made({ [WHOLE]: 0 })).to.deep.equal(['0']);
    expect(made({ [WHOLE]: 3 })).to.deep.equal(['0', '1']);
  });
});
