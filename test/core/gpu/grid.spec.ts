import fc from 'fast-check';
import { expect } from 'chai';
import { planGpu } from '../../../src/core/gpu/plan.ts';
import {
  gridOf,
  type Refusal,
  MOST_CHOICES,
  withinBudget,
  SearchBudget,
  BudgetExceeded,
  drawCells,
  drawGpu,
} from '../../../src/core/gpu/grid.ts';
import { enumerateLayouts, fitLayout } from '../../../src/core/gpu/layouts.ts';
import { modelOf, someInstances, anInstance, expectRefusal, isIdle, expectPlan } from './builders.ts';
import { writeLayout, type Layout, MODELS, type Geometry } from '../../../src/core/gpu/geometry.ts';

describe('the grid of a geometry', () => {
  it('is shared by equal tables, of which every node of a fleet brings its own', () => {
    const { id: _id, ...live } = modelOf('a100-40gb');
    const copy = structuredClone(live);
    expect(gridOf(copy)).to.equal(gridOf(modelOf('a100-40gb')));
    expect(planGpu(copy, someInstances('1g.5gb@0'), { '3g.20gb': 2 })).to.deep.equal(
      planGpu(modelOf('a100-40gb'), someInstances('1g.5gb@0'), { '3g.20gb': 2 }),
    );
    expect(enumerateLayouts(copy, { base: true })).to.have.length(37);
  });

  it('changes if anything changes that a layout depends on', () => {
    const model = modelOf('a100-40gb');
    const fewer = { ...model, profiles: model.profiles.map((profile) => ({ ...profile, maxInstances: 1 })) };
    expect(gridOf(fewer)).not.to.equal(gridOf(model));
    expect(gridOf(modelOf('a100-80gb'))).not.to.equal(gridOf(model));
  });

  it('does not plan on a table with more units than it can hold, and says so', () => {
    const model = modelOf('a100-40gb');
    const result = planGpu({ ...model, memorySlices: 64 }, [], { '1g.5gb': 1 });
    expect(result).to.have.nested.property('refusal.code', 'PlacementsUnknown');
  });
});

function refusalOf(model: string, layout: Layout): Refusal {
  return expectRefusal(fitLayout(modelOf(model), layout));
}

describe('the refusal of a layout', () => {
  it('names the resource that ran out, with numbers, and the nearest layouts that fit', () => {
    expect(refusalOf('a100-40gb', { '3g.20gb': 2, '1g.5gb': 1 })).to.deep.equal({
      code: 'NotEnoughMemorySlices',
      message:
        '1×1g.5gb + 2×3g.20gb on A100-40GB: needs 9 of 8 memory slices (2×3g.20gb take 8, 1×1g.5gb takes 1); nearest layouts that fit: ' +
        '1×1g.5gb + 1×2g.10gb + 1×3g.20gb, or 2×3g.20gb, or 1×1g.5gb + 1×2g.10gb + 1×4g.20gb',
      alternatives: [
        { '1g.5gb': 1, '2g.10gb': 1, '3g.20gb': 1 },
        { '3g.20gb': 2 },
        { '1g.5gb': 1, '2g.10gb': 1, '4g.20gb': 1 },
      ],
    });
  });

  it('names only layouts that fit beside what has to stay', () => {
    const a100 = modelOf('a100-40gb');
    const unknown = { ...anInstance('5g.30gb@0'), size: 4 };
    const want = { '3g.20gb': 2, '1g.5gb': 1 };
    const beside = expectRefusal(planGpu(a100, [unknown], want));
    expect(beside.code).to.equal('NotEnoughMemorySlices');
    const busy = expectRefusal(planGpu(a100, [anInstance('4g.20gb@0*')], want, { mayDisturb: isIdle }));
    for (const [{ alternatives, message }, have] of [
      [beside, unknown],
      [busy, anInstance('4g.20gb@0*')],
    ] as const) {
      expect(alternatives).to.have.length(3);
      expect(message).to.include(`; nearest layouts that fit: ${writeLayout(alternatives[0] ?? {})}, or`);
      for (const layout of alternatives) {
        expect(planGpu(a100, [have], layout, { mayDisturb: isIdle }), writeLayout(layout)).to.include({ fits: true });
      }
    }
  });

  for (const [model, layout, code, why] of [
    ['a100-40gb', { '1g.5gb': 8 }, 'NotEnoughComputeSlices', 'needs 8 of 7 compute slices'],
    [
      'a100-40gb',
      { '1g.5gb+me': 2 },
      'TooManyInstances',
      'needs 2 instances of 1g.5gb+me, of which a GPU holds at most 1',
    ],
    ['a30', { '1g.6gb+me': 1, '2g.12gb+me': 1 }, 'NotEnoughEngines', 'needs 2 of 1 JPEG engines'],
    ['rtx-pro-6000', { '1g.24gb+me.all': 1, '1g.24gb': 1 }, 'NotEnoughEngines', 'needs 5 of 4 video decoders'],
    [
      'thor',
      { '1g.0gb': 1, '2g.0gb': 1 },
      'ExclusiveProfiles',
      'needs 2 instances of profiles of which a GPU holds at most 1',
    ],
  ] as const)
    it(`says of ${JSON.stringify(layout)} on ${model} that it ${why}`, () => {
      const refusal = refusalOf(model, layout);
      expect(refusal.code).to.equal(code);
      expect(refusal.message).to.include(`: ${why}`);
    });

  for (const [engine, resource] of [
    ['copy', 'copy engines'],
    ['encoder', 'video encoders'],
    ['ofa', 'optical flow engines'],
  ] as const)
    it(`names ${resource} where a live table makes them the limit`, () => {
      const { id: _id, ...model } = modelOf('rtx-pro-6000');
      const live = {
        ...model,
        engines: { copy: 9, decoder: 9, encoder: 9, jpeg: 9, ofa: 9, [engine]: 1 },
        profiles: model.profiles.map((profile) => ({ ...profile, engines: { ...profile.engines, [engine]: 1 } })),
      };
      expect(expectRefusal(fitLayout(live, { '1g.24gb': 2 })).message).to.include(`needs 2 of 1 ${resource}`);
    });

  it('says that starts do not combine where a live table has enough slices but too few places', () => {
    const model = modelOf('a30');
    const narrow = {
      ...model,
      profiles: model.profiles.map((profile) => ({ ...profile, starts: profile.starts.slice(0, 1) })),
    };
    const refusal = expectRefusal(fitLayout(narrow, { '1g.6gb': 2 }));
    expect(refusal.code).to.equal('NoPlacement');
    expect(refusal.message).to.include('do not combine');
    expect(refusal.alternatives).to.deep.include({ '1g.6gb': 1 });
  });

  it('counts the GPU instances that compute instances need', () => {
    const refusal = refusalOf('a100-40gb', { '1c.3g.20gb': 7 });
    expect(refusal.code).to.equal('NotEnoughMemorySlices');
    expect(refusal.message).to.include('3×3g.20gb take 12');
  });

  it('keeps compute instances in what it offers where all of their GPU instances fit', () => {
    const { alternatives } = refusalOf('a100-40gb', { '1c.3g.20gb': 6, '1g.5gb': 1 });
    expect(alternatives).to.deep.include({ '1c.3g.20gb': 6 });
  });

  it('says which slice an unknown name is on this model, and offers the layout with it', () => {
    const refusal = refusalOf('a100-80gb', { '1g.5gb': 2, '3g.40gb': 1 });
    expect(refusal.code).to.equal('UnknownProfile');
    expect(refusal.message).to.include(
      'A100-80GB has no profile 1g.5gb (1g.10gb is the same slice here); it has 1g.10gb,',
    );
    expect(refusal.alternatives[0]).to.deep.equal({ '1g.10gb': 2, '3g.40gb': 1 });
  });

  it('names the nearest profile where no other model explains the name', () => {
    expect(refusalOf('a100-40gb', { '3g.21gb': 1 }).message).to.include('3g.21gb (nearest is 3g.20gb)');
  });

  it('says how a malformed name is written', () => {
    const refusal = refusalOf('a100-40gb', { '1g.5gb.me': 1, '3g.20gb': 1 });
    expect(refusal.code).to.equal('InvalidProfileName');
    expect(refusal.message).to.include('write 1g.5gb+me');
    expect(refusal.alternatives).to.deep.equal([]);
  });

  it('says which compute instances a profile can hold', () => {
    const refusal = refusalOf('a100-40gb', { '3c.4g.20gb': 1 });
    expect(refusal.code).to.equal('InvalidComputeInstance');
    expect(refusal.message).to.include('1, 2, 4 slices, not of 3');
  });

  for (const count of [0, -1, 1.5, Number.NaN, 1e9])
    it(`refuses a count of ${count}`, () => {
      expect(refusalOf('a100-40gb', { '1g.5gb': count }).code).to.equal('InvalidCount');
    });

  it('calls the GPU what the caller calls it', () => {
    const { id: _, ...live } = modelOf('a100-40gb');
    const refusal = expectRefusal(fitLayout(live, { '1g.5gb': 8 }, 'A100-SXM4-40GB'));
    expect(refusal.message).to.include('on A100-SXM4-40GB:');
  });

  it('offers only layouts that fit, each once', () => {
    const aWish = fc.constantFrom(...MODELS).chain((model) =>
      fc
        .dictionary(fc.constantFrom(...model.profiles.map(({ name }) => name)), fc.integer({ min: 1, max: 9 }), {
          maxKeys: 4,
        })
        .map((layout) => ({ id: model.id, layout })),
    );
    fc.assert(
      fc.property(aWish, ({ id, layout }) => {
        const model = modelOf(id);
        const result = fitLayout(model, layout);
        if (result.fits) return;
        const { alternatives, message } = result.refusal;
        expect(alternatives.length).to.be.within(1, 3);
        expect(new Set(alternatives.map((each) => JSON.stringify(each))).size).to.equal(alternatives.length);
        for (const each of alternatives) expect(fitLayout(model, each).fits).to.equal(true);
        expect(message).to.include(id.toUpperCase());
      }),
      { numRuns: 300 },
    );
  });

  it('never becomes an exception, whatever the layout and whatever is on the GPU', () => {
    const anyInstances = fc.array(
      fc.record({
        profile: fc.oneof(fc.constantFrom('1g.5gb', '3g.20gb', '9g.99gb'), fc.string()),
        start: fc.double(),
        busy: fc.boolean(),
      }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(anyInstances, fc.dictionary(fc.string(), fc.double()), (have, want) => {
        expect(planGpu(modelOf('a100-40gb'), have, want).fits).to.be.a('boolean');
      }),
    );
  });
});

/** A table that no driver prints: every profile may start anywhere. */
function aTable(slices: number, profiles: number, maxInstances: number): Geometry {
  return {
    computeSlices: slices,
    memorySlices: slices,
    profiles: Array.from({ length: profiles }, (_, index) => ({
      name: `${index + 1}g.${index + 1}gb`,
      id: index,
      computeSlices: 1,
      memorySlices: index + 1,
      starts: Array.from({ length: slices - index }, (_unit, start) => start),
      maxInstances,
      engines: { copy: 0, decoder: 0, encoder: 0, jpeg: 0, ofa: 0 },
    })),
  };
}

describe('the work of a search', () => {
  // Without a bound these take from seconds to hours.
  for (const [what, table, want] of [
    ['more combinations than a number can tell apart', aTable(30, 8, 30), { '1g.1gb': 3, '2g.2gb': 3, '3g.3gb': 3 }],
    ['more layouts than can be listed', aTable(16, 8, 7), { '1g.1gb': 1, '8g.8gb': 2 }],
    ['more arrangements than can be tried', aTable(30, 3, 9), { '1g.1gb': 9, '2g.2gb': 9, '3g.3gb': 2 }],
  ] as const satisfies readonly (readonly [string, Geometry, Layout])[]) {
    it(`ends in a refusal, or without alternatives, for a table with ${what}`, () => {
      const refusal = expectRefusal(planGpu(table, someInstances(), want));
      expect(refusal.code).to.be.oneOf(['TooManyCombinations', 'NotEnoughMemorySlices']);
      expect(refusal.alternatives).to.deep.equal([]);
    }).timeout(5000);
  }

  it('is done once for a layout, whatever the number of GPUs that are to have it', () => {
    const table = aTable(30, 3, 9);
    for (let gpu = 0; gpu < 10_000; gpu += 1) {
      const refusal = expectRefusal(planGpu(table, someInstances(), { '1g.1gb': 9, '2g.2gb': 9, '3g.3gb': 1 }));
      expect(refusal.code).to.equal('TooManyCombinations');
    }
  }).timeout(5000);

  it('is bounded for compute instances too', () => {
    const [model] = MODELS;
    if (model === undefined) throw new Error('the table is empty');
    const want = { '1c.7g.40gb': 16, '2c.7g.40gb': 16, '3c.7g.40gb': 16 };
    const wide = { ...model, profiles: model.profiles.map((profile) => ({ ...profile, maxInstances: 16 })) };
    expect(expectRefusal(planGpu(wide, someInstances(), want)).code).to.be.oneOf([
      'TooManyCombinations',
      'NotEnoughMemorySlices',
    ]);
  }).timeout(5000);

  it('is enough for every model of the table', () => {
    for (const model of MODELS) {
      expect(gridOf(model).countable, model.id).to.equal(true);
      const layouts = enumerateLayouts(model);
      expect(layouts.length, model.id).to.be.greaterThan(0);
    }
  });

  it('is counted, and goes over once', () => {
    const budget = new SearchBudget(2);
    budget.spend();
    budget.spend();
    expect(() => budget.spend()).to.throw(BudgetExceeded);
    expect(withinBudget(() => 1)).to.deep.equal({ result: 1 });
    expect(
      withinBudget((counted) => {
        for (let spent = 0; spent <= MOST_CHOICES; spent += 1) counted.spend();
      }),
    ).to.equal(undefined);
  });
});

const a100 = modelOf('a100-40gb');

describe('the picture of a GPU', () => {
  it('shows instances at their places, busy ones with a star, and free slices as dots', () => {
    expect(drawGpu(a100, someInstances('3g.20gb@4', '1g.5gb@0*', '2g.10gb@2'))).to.equal(
      '|1g.5gb* |........|2g.10gb          |3g.20gb                            |',
    );
  });

  it('leaves the memory out of a name that does not fit its cell', () => {
    expect(drawGpu(a100, someInstances('1g.5gb+me@6*'))).to.include('|1g+me*  |');
  });

  it('keeps a name that just fits, its star included', () => {
    expect(drawGpu(modelOf('a100-80gb'), someInstances('1g.10gb@0*'))).to.match(/^\|1g\.10gb\*\|\.{8}\|/);
  });

  it('says in the middle that MIG is off', () => {
    expect(drawGpu(a100, undefined)).to.equal(
      '|                          MIG off: whole GPU                           |',
    );
  });

  it('takes compute slices for units where placements are not published', () => {
    const thor = modelOf('thor');
    expect(drawGpu(thor, someInstances('2g.0gb@1'))).to.equal(
      '|.......................|2g.0gb                                         |',
    );
    expect(drawGpu(thor, [])).to.equal('|.......................|.......................|.......................|');
    expect(drawGpu({ ...thor, computeSlices: 1 }, [])).to.equal(`|${'.'.repeat(71)}|`);
    expect(drawGpu({ ...thor, computeSlices: 0 }, [])).to.match(/^\| +MIG on: no instances +\|$/);
  });

  it('has cells of any width, which know their instance and carry the mark that they are given', () => {
    const [first, second] = [anInstance('1g.5gb@0'), anInstance('3g.20gb@4')];
    const cells = drawCells(a100, [second, first], 39, ({ start }) => (start === 0 ? '!' : ''));
    expect(cells).to.deep.equal([
      { instance: first, text: '1g! ' },
      ...[1, 2, 3].map(() => ({ instance: undefined, text: '....' })),
      { instance: second, text: '3g.20gb            ' },
    ]);
  });

  it('draws an instance of an unknown profile in its size', () => {
    expect(drawGpu(a100, [{ profile: '5g.30gb', start: 0, size: 4 }])).to.equal(
      '|5g.30gb                            |........|........|........|........|',
    );
    expect(drawGpu(modelOf('rtx-pro-6000'), [{ profile: '5g.30gb', start: 0 }]), 'one unit if not known').to.match(
      /^\|5g {3}\|\./,
    );
  });

  it('is 73 characters wide for every layout of every model', () => {
    for (const model of MODELS) {
      const drawn = enumerateLayouts(model).map((layout) => {
        const plan = planGpu(model, [], layout);
        return plan.fits ? plan.placements : [];
      });
      for (const instances of [...drawn, [], undefined]) expect(drawGpu(model, instances)).to.have.length(73);
    }
  });

  it('names each instance of a layout in full or in short', () => {
    for (const layout of enumerateLayouts(modelOf('rtx-pro-6000'))) {
      const { placements } = expectPlan(planGpu(modelOf('rtx-pro-6000'), [], layout));
      const picture = drawGpu(modelOf('rtx-pro-6000'), placements);
      for (const { profile } of placements) expect(picture).to.include(profile);
    }
  });
});
