import { expect } from 'chai';
import fc from 'fast-check';
import type { Layout } from '../../../src/core/gpu/geometry/geometry.ts';
import { MODELS } from '../../../src/core/gpu/geometry/models.ts';
import { fitLayout } from '../../../src/core/gpu/plan/fit.ts';
import { planGpu } from '../../../src/core/gpu/plan/gpu-plan.ts';
import type { Refusal } from '../../../src/core/gpu/search/refusal.ts';
import { writeLayout } from '../../../src/core/gpu/search/layout-words.ts';
import { anInstance, expectRefusal, isIdle, modelOf } from './builders.ts';

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
