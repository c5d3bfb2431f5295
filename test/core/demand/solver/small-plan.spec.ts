import { expect } from 'chai';
import { DemandPlanner } from '../../../../src/core/demand/solver/choose.ts';
import { classesOf } from './random-pool.ts';
import type { DemandSlice } from '../../../../src/core/demand/solver/pool.ts';
import type { Geometry, Profile } from '../../../../src/core/gpu/geometry.ts';
import { anInstance, modelOf } from '../../gpu/builders.ts';
import { WHOLE } from '../../../../src/core/gpu/profiles.ts';

type Pool = Readonly<Record<string, readonly [geometry: Geometry, ...instances: readonly string[]]>>;

function plannerOf(pool: Pool, ...slices: readonly DemandSlice[]): DemandPlanner {
  const gpus = Object.entries(pool).map(([id, [geometry, ...instances]]) => ({
    id,
    geometry,
    instances: instances.map((one) => anInstance(one)),
  }));
  return new DemandPlanner({ classes: classesOf(gpus).list(), slices, evict: 'Never' });
}

/** What is made, and how many GPUs get it. */
function made(pool: Pool, ...slices: readonly DemandSlice[]): readonly string[] {
  const { layouts = [] } = plannerOf(pool, ...slices).planSmall() ?? {};
  return layouts.flatMap(({ create, size }) =>
    create.length === 0 ? [] : [`${size}x ${create.map(({ profile }) => profile).join(' ')}`],
  );
}

const any = (count: number, ...profiles: readonly string[]): DemandSlice => ({
  name: 'any',
  profiles,
  count,
  weight: 1,
});
const a100 = modelOf('a100-40gb');
const a30 = modelOf('a30-24gb');

describe('the plan of a small pool', () => {
  it('serves with what takes the least share of a GPU, be it on another model', () => {
    const pool: Pool = { a: [a100], b: [a30] };
    expect(made(pool, any(1, '4g.24gb', '3g.20gb')), 'half of a GPU, not all of one').to.deep.equal(['1x 3g.20gb']);
    expect(made(pool, any(1, '1g.6gb', '7g.40gb')), 'a quarter, not all of one').to.deep.equal(['1x 1g.6gb']);
    expect(made(pool, any(1, '1g.6gb', '1g.5gb')), 'an eighth, not a quarter').to.deep.equal(['1x 1g.5gb']);
    expect(made(pool, any(1, '2g.12gb', '3g.20gb')), 'half of a GPU, with fewer compute slices').to.deep.equal([
      '1x 2g.12gb',
    ]);
    expect(made({ a: [a100] }, any(1, WHOLE, '7g.40gb')), 'an instance, not a GPU without MIG').to.deep.equal([
      '1x 7g.40gb',
    ]);
  });

  it('goes by compute slices where a GPU reports no memory slices', () => {
    const engines = { copy: 0, decoder: 0, encoder: 0, jpeg: 0, ofa: 0 };
    const profile = (name: string, id: number, computeSlices: number): Profile => ({
      name,
      id,
      computeSlices,
      memorySlices: 0,
      starts: [0],
      maxInstances: 1,
      engines,
    });
    const odd: Geometry = { computeSlices: 7, memorySlices: 0, profiles: [profile('a', 0, 3), profile('b', 1, 1)] };
    expect(made({ g: [odd] }, any(1, 'a', 'b'))).to.deep.equal(['1x b']);
  });

  it('makes nothing in place of what is there already, be that larger', () => {
    const pool: Pool = { a: [a100, '3g.20gb@0'], b: [a100, '3g.20gb@0'], c: [a100, '1g.5gb@6*'] };
    const large: DemandSlice = { name: 'large', profiles: ['4g.20gb'], count: 1, weight: 4 };
    expect(made(pool, any(3, '1g.5gb', '3g.20gb'), large)).to.deep.equal(['1x 4g.20gb']);
  });

  it('is left to the solver if it takes more than a few milliseconds, unless there is none', () => {
    const pool = Object.fromEntries(Array.from({ length: 6 }, (_, id): [string, Pool[string]] => [`g${id}`, [a100]]));
    const each = (profile: string): DemandSlice => ({ name: profile, profiles: [profile], count: 20, weight: 1 });
    const planner = plannerOf(pool, ...['1g.5gb', '1g.10gb', '2g.10gb', '3g.20gb'].map(each));
    expect(planner.planSmall()).to.equal(undefined);
    expect(planner.planSmall(true)).to.not.equal(undefined);
  });
});
