import { expect } from 'chai';
import { entryHashes, matchesGpu, resolveNode, type SkippedEntry } from '../../../src/core/policy/resolve-node.ts';
import { aGpu, uuidOf, aDevice, aPolicy } from '../../support/builders.ts';
import type { GpuSelector, GpuReport, PolicyLayout, PolicySpec, Wish } from '../../../src/api/types.ts';
import { findModel } from '../../../src/core/gpu/geometry.ts';
import { liveGeometry, planWish, wishHash } from '../../../src/core/device/plan.ts';
import { deviceText } from '../../../src/core/node/status.ts';
import { layoutLabelValue } from '../../../src/core/node/rules/verify-and-open.ts';

describe('the names of entries', () => {
  it('are those of their selectors, with a number where several have the same', () => {
    const gpus = { indices: [0] };
    const [first = '', other, second, third] = entryHashes([
      { gpus, preset: 'all-balanced' },
      { mig: 'Disabled' },
      { gpus, mig: 'Disabled' },
      { gpus, profiles: { '1g.5gb': 7 } },
    ]);
    expect([second, third]).to.deep.equal([`${first}-2`, `${first}-3`]);
    expect(other).to.not.equal(first);
  });
});

describe('the layout of a node in words', () => {
  it('counts equal GPUs, and tells one without instances from a whole one', () => {
    const gpus = [aGpu({ slices: ['3g.20gb@0'] }), aGpu({ index: 1, slices: [] }), aGpu({ index: 2, slices: [] })];
    expect(deviceText([...gpus, aGpu({ index: 3, mig: 'Disabled' })])).to.equal(
      '1 GPU: 1×3g.20gb; 2 GPUs: empty; 1 GPU: whole',
    );
  });

  it('counts GPU instances that a stopped change has left without compute instances', () => {
    const gpu = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1'] });
    const [made, ...rest] = gpu.instances;
    const left = rest.map((one) => ({ ...one, computeInstances: [] }));
    expect(deviceText([{ ...gpu, instances: [...(made ? [made] : []), ...left] }])).to.equal(
      '1 GPU: 1×1g.5gb and 1 without compute instance',
    );
    expect(deviceText([{ ...gpu, instances: left }])).to.equal('1 GPU: empty and 1 without compute instance');
  });

  it('says of a GPU that does not respond why', () => {
    expect(deviceText([aGpu({ error: 'GPU is lost', slices: ['3g.20gb@0'] })])).to.equal('1 GPU: GPU is lost');
  });

  it('is a label that says various where GPUs differ, or the value would be too long', () => {
    const valueOf = (...lengths: readonly number[]): string =>
      layoutLabelValue(lengths.map((length, index) => aGpu({ index, slices: [`${'x'.repeat(length - 2)}@0`] })));
    expect(valueOf(63, 63)).to.match(/^1xx{61}$/);
    expect([valueOf(64), valueOf(9, 8)]).to.deep.equal(['various', 'various']);
    expect([layoutLabelValue([aGpu()]), layoutLabelValue([aGpu(), aGpu({ slices: [] })])]).to.deep.equal([
      'whole',
      'various',
    ]);
  });

  it('is a label of the GPUs that work, for pods that select their nodes by it', () => {
    const broken = aGpu({ index: 1, error: 'GpuLost: gone' });
    expect(layoutLabelValue([aGpu({ slices: ['3g.20gb@0'] }), broken])).to.equal('1x3g.20gb');
  });

  it('is `empty` as a label, too', () => {
    expect(layoutLabelValue([aGpu({ slices: [] })])).to.equal('empty');
  });
});

const gpu = aGpu({ index: 1, pciDeviceId: '0x20B010DE' });
const matches = (selector: GpuSelector): boolean => matchesGpu(selector, gpu);

describe('the selector of a layout', () => {
  it('matches every GPU if it says nothing', () => {
    expect(matches({})).to.equal(true);
  });

  it('takes any one of what a field lists, in either case', () => {
    const selectors: readonly GpuSelector[] = [
      { models: ['H100-*', 'a100-*-40gb'] },
      { indices: [0, 1] },
      { uuids: [uuidOf(0), gpu.uuid.toLowerCase()] },
      { pciDeviceIds: ['0x233010de', '0x20b010de'] },
    ];
    for (const selector of selectors) expect(matches(selector), JSON.stringify(selector)).to.equal(true);
  });

  it('requires each of its fields', () => {
    const all = { models: ['A100-*'], indices: [1], uuids: [gpu.uuid], pciDeviceIds: ['0x20B010DE'] };
    expect(matches(all)).to.equal(true);
    const others: readonly GpuSelector[] = [
      { models: ['H100-*'] },
      { indices: [0] },
      { uuids: [uuidOf(0)] },
      { pciDeviceIds: ['0x233010DE'] },
    ];
    for (const other of others) expect(matches({ ...all, ...other }), JSON.stringify(other)).to.equal(false);
  });
});

describe('resolveNode', () => {
  it('gives each GPU the first layout that matches it, and leaves alone what matches none', () => {
    const spec = aPolicy({
      layouts: [
        { gpus: { models: ['A100-*-40GB'], indices: [0] }, profiles: { '3g.20gb': 2 } },
        { gpus: { models: ['a30-*'] }, profiles: { '1g.6gb': 4 } },
      ],
    }).spec;
    const device = aDevice(aGpu(), aGpu({ index: 1 }), aGpu({ index: 2, product: 'NVIDIA A30' }));
    expect(resolveNode(spec, device, undefined)).to.deep.equal({
      wish: {
        gpus: [
          { uuid: uuidOf(0), profiles: { '3g.20gb': 2 } },
          { uuid: uuidOf(2), profiles: { '1g.6gb': 4 } },
        ],
      },
      skipped: [],
    });
  });

  it('skips a GPU without MIG where slices are asked for, and counts it as done where MIG is to be off', () => {
    const t4 = aGpu({ index: 1, product: 'Tesla T4', migCapable: false });
    const slices = resolveNode(aPolicy().spec, aDevice(aGpu(), t4), undefined);
    expect(slices).to.have.nested.property('wish.gpus').with.lengthOf(1);
    const whole = resolveNode(aPolicy({ layouts: [{ mig: 'Disabled' }] }).spec, aDevice(t4), undefined);
    expect(whole).to.deep.equal({ wish: { gpus: [{ uuid: uuidOf(1), mig: 'Disabled' }] }, skipped: [] });
  });

  it('refuses a profile that the model does not have, with what it has', () => {
    const result = resolveNode(aPolicy().spec, aDevice(aGpu({ product: 'NVIDIA A100-SXM4-80GB' })), undefined);
    expect(result).to.have.nested.property('refusal.reason', 'UnknownProfile');
    expect(result).to.have.nested.property('refusal.message').that.includes('1g.10gb');
  });

  it('refuses a layout that does not fit, with numbers', () => {
    const { spec } = aPolicy({ layouts: [{ profiles: { '3g.20gb': 2, '1g.5gb': 1 } }] });
    const result = resolveNode(spec, aDevice(aGpu()), undefined);
    expect(result).to.have.nested.property('refusal.reason', 'DoesNotFit');
    expect(result)
      .to.have.nested.property('refusal.message')
      .that.matches(/9 of 8 memory slices/);
  });

  it('expands presets from the geometry of each GPU', () => {
    const { spec } = aPolicy({ layouts: [{ preset: 'all-balanced' }] });
    expect(resolveNode(spec, aDevice(aGpu()), undefined)).to.deep.equal({
      wish: { gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 } }] },
      skipped: [],
    });
  });

  it('keeps compute instance profiles as they are written', () => {
    const { spec } = aPolicy({ strategy: 'single', layouts: [{ profiles: { '1c.3g.20gb': 6 } }] });
    expect(resolveNode(spec, aDevice(aGpu()), undefined)).to.deep.equal({
      wish: { gpus: [{ uuid: uuidOf(0), profiles: { '1c.3g.20gb': 6 } }] },
      skipped: [],
    });
  });

  it('reads a compute instance over all of its GPU instance as that GPU instance, as the driver names it', () => {
    const { spec } = aPolicy({ strategy: 'single', layouts: [{ profiles: { '3c.3g.20gb': 2 } }] });
    const resolved = resolveNode(spec, aDevice(aGpu()), undefined);
    const wish = 'wish' in resolved ? resolved.wish.gpus : [];
    expect(wish).to.deep.equal([{ uuid: uuidOf(0), profiles: { '3g.20gb': 2 } }]);
    const both = aPolicy({ layouts: [{ profiles: { '3g.20gb': 1, '3c.3g.20gb': 1 } }] }).spec;
    expect(resolveNode(both, aDevice(aGpu()), undefined), 'by both names').to.deep.include({ wish: { gpus: wish } });
  });

  it('speaks the names of the driver that is there', () => {
    const { spec } = aPolicy({ layouts: [{ profiles: { '7g.79gb': 1 } }] });
    expect(resolveNode(spec, aDevice(aGpu({ product: 'NVIDIA A100-SXM4-80GB' })), undefined)).to.deep.equal({
      wish: { gpus: [{ uuid: uuidOf(0), profiles: { '7g.80gb': 1 } }] },
      skipped: [],
    });
  });

  it('refuses strategy single on a node that would keep a whole GPU beside slices', () => {
    const { spec } = aPolicy({ strategy: 'single', layouts: [{ gpus: { indices: [0] }, profiles: { '1g.5gb': 7 } }] });
    const result = resolveNode(spec, aDevice(aGpu(), aGpu({ index: 1 })), undefined);
    expect(result).to.have.nested.property('refusal.reason', 'SingleNeedsOneProfile');
    expect(result).to.have.nested.property('refusal.message').that.includes('GPU 1');
  });

  it('believes the driver’s table rather than the built-in one, even for an unknown model', () => {
    const profile = { name: '1g.9gb', id: 19, computeSlices: 1, memorySlices: 1, starts: [0, 1], maxInstances: 2 };
    const device = {
      ...aDevice(aGpu({ product: 'NVIDIA X9000' })),
      models: [{ product: 'NVIDIA X9000', computeSlices: 2, memorySlices: 2, profiles: [profile] }],
    };
    const { spec } = aPolicy({ layouts: [{ profiles: { '1g.9gb': 2 } }] });
    expect(resolveNode(spec, device, undefined)).to.have.property('wish');
    const tooMany = aPolicy({ layouts: [{ profiles: { '1g.9gb': 3 } }] }).spec;
    expect(resolveNode(tooMany, device, undefined)).to.have.nested.property('refusal.reason', 'DoesNotFit');
  });
});

describe('a reported profile table', () => {
  const product = 'NVIDIA A100-SXM4-40GB';
  const a100 = findModel(product);
  if (a100 === undefined) throw new Error('the table has no A100');
  const table = {
    product,
    computeSlices: a100.computeSlices,
    memorySlices: a100.memorySlices,
    profiles: a100.profiles.map(({ name, id = 0, computeSlices, memorySlices, starts, maxInstances }) => {
      return { name, id, computeSlices, memorySlices, starts: [...starts], maxInstances };
    }),
  };
  const geometryOf = (model: object) => {
    const gpu = aGpu();
    return liveGeometry({ ...aDevice(gpu), models: [{ ...table, ...model }] }, gpu);
  };

  it('is used where it can be that of the model, other names and new profiles included', () => {
    const renamed = table.profiles.map((one) => (one.name === '7g.40gb' ? { ...one, name: '7g.39gb' } : one));
    const added = { name: '1g.6gb', id: 99, computeSlices: 1, memorySlices: 1, starts: [0], maxInstances: 1 };
    const geometry = geometryOf({ profiles: [...renamed, added] });
    expect(geometry?.profiles.map(({ name }) => name))
      .to.include('7g.39gb')
      .and.include('1g.6gb');
  });

  it('is not used where it contradicts what is known of the model', () => {
    const change = (part: object) => ({
      profiles: table.profiles.map((one) => (one.id === 19 ? { ...one, ...part } : one)),
    });
    for (const wrong of [
      { memorySlices: 16 },
      { computeSlices: 16 },
      change({ memorySlices: 2 }),
      change({ computeSlices: 2 }),
      change({ starts: [0, 7] }),
      change({ maxInstances: 16 }),
    ]) {
      expect(geometryOf(wrong), JSON.stringify(wrong)).to.equal(a100);
    }
  });
});

describe('entries with a count', () => {
  const A30 = { product: 'NVIDIA A30', mig: 'Disabled' as const };

  /** Layouts by GPU index: `1×7g.40gb`, `whole`, or undefined for a GPU that is left alone. */
  function layoutsOf(result: ReturnType<typeof resolveNode>): Readonly<Record<string, unknown>> {
    if (!('wish' in result)) throw new Error(result.refusal.message);
    return Object.fromEntries(result.wish.gpus.map(({ uuid, profiles }) => [uuid.slice(-1), profiles ?? 'whole']));
  }

  function wishOf(result: ReturnType<typeof resolveNode>): Wish {
    if (!('wish' in result)) throw new Error(result.refusal.message);
    return result.wish;
  }

  it('take the GPU for which least is destroyed and created, and never one whose slices are in use if another will do', () => {
    const want = { '1g.5gb': 4, '3g.20gb': 1 };
    const { spec } = aPolicy({ layouts: [{ gpus: { count: 1 }, profiles: want }] });
    const idle = ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2', '1g.5gb@3'];
    const device = aDevice(aGpu({ slices: ['7g.40gb@0*'] }), aGpu({ index: 1, slices: idle }));
    const { gpus } = wishOf(resolveNode(spec, device, undefined));
    expect(gpus.map(({ uuid }) => uuid)).to.deep.equal([uuidOf(1)]);
    expect(planWish(device, { gpus }).report).to.include({ keep: 4, destroy: 0, create: 1 });
  });

  it('count the instances that somebody else made as those that are in use, unless they may be replaced', () => {
    const layouts = [{ gpus: { count: 1 }, profiles: { '7g.40gb': 1 } }];
    const device = {
      ...aDevice(aGpu({ slices: ['3g.20gb@0'] }), aGpu({ index: 1, slices: ['1g.5gb@0', '1g.5gb@1'] })),
      bootID: 'b',
      lastGood: { bootID: 'b', gpus: [{ uuid: uuidOf(1), placements: ['1g.5gb@0', '1g.5gb@1'] }] },
    };
    const kept = resolveNode(aPolicy({ layouts }).spec, device, undefined);
    expect(layoutsOf(kept)).to.deep.equal({ 1: { '7g.40gb': 1 } });
    const replaced = resolveNode(
      aPolicy({ layouts, allow: { replaceForeignInstances: true } }).spec,
      device,
      undefined,
    );
    expect(layoutsOf(replaced)).to.deep.equal({ 0: { '7g.40gb': 1 } });
  });

  it('take a GPU whose MIG mode need not change before one whose mode must', () => {
    const allow = { replaceForeignInstances: true };
    const { spec } = aPolicy({ allow, layouts: [{ gpus: { count: 1 }, profiles: { '7g.40gb': 1 } }] });
    const device = aDevice(aGpu(), aGpu({ index: 1, slices: ['1g.5gb@0'] }));
    expect(layoutsOf(resolveNode(spec, device, undefined))).to.deep.equal({ 1: { '7g.40gb': 1 } });
  });

  it('keep the GPUs that they chose when their profiles are edited', () => {
    const layouts = (profiles: Readonly<Record<string, number>>) => [
      { gpus: { count: 2 }, profiles },
      { mig: 'Disabled' as const },
    ];
    const sliced = ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2', '1g.5gb@3', '1g.5gb@4', '1g.5gb@5', '1g.5gb@6'];
    const first = aDevice(
      aGpu(),
      aGpu({ index: 1 }),
      aGpu({ index: 2, slices: sliced }),
      aGpu({ index: 3, slices: sliced }),
    );
    const before = wishOf(resolveNode(aPolicy({ layouts: layouts({ '1g.5gb': 7 }) }).spec, first, undefined));
    expect(before.gpus.map(({ mig }) => mig)).to.deep.equal(['Disabled', 'Disabled', undefined, undefined]);
    const edited = aPolicy({ layouts: layouts({ '1g.5gb': 6 }) }).spec;
    const after = wishOf(resolveNode(edited, first, before));
    expect(planWish(first, after).report).to.deep.include({ keep: 12, destroy: 2, create: 0, gpusChanging: 2 });
    expect(planWish(first, after).report).not.to.have.property('modeChanges');
  });

  it('keep them when their profiles are edited, although it would be cheaper elsewhere', () => {
    const specOf = (profiles: Readonly<Record<string, number>>) =>
      aPolicy({ layouts: [{ gpus: { count: 1 }, profiles }] }).spec;
    const empty = aGpu({ index: 1, mig: 'Enabled' });
    const before = wishOf(resolveNode(specOf({ '7g.40gb': 1 }), aDevice(aGpu(), empty), undefined));
    expect(before.gpus.map(({ uuid }) => uuid)).to.deep.equal([uuidOf(1)]);
    const sliced = aDevice(aGpu({ mig: 'Enabled' }), aGpu({ index: 1, slices: ['7g.40gb@0'] }));
    const edited = specOf({ '3g.20gb': 2 });
    expect(layoutsOf(resolveNode(edited, sliced, before))).to.deep.equal({ 1: { '3g.20gb': 2 } });
    expect(layoutsOf(resolveNode(edited, sliced, undefined))).to.deep.equal({ 0: { '3g.20gb': 2 } });
  });

  it('keep them even if another GPU has become cheaper meanwhile', () => {
    const spec = aPolicy({ layouts: [{ gpus: { count: 1 }, profiles: { '7g.40gb': 1 } }] }).spec;
    const before = wishOf(resolveNode(spec, aDevice(aGpu(), aGpu({ index: 1 })), undefined));
    const cheaper = aDevice(aGpu(), aGpu({ index: 1, slices: ['7g.40gb@0'] }));
    expect(layoutsOf(resolveNode(spec, cheaper, before))).to.deep.equal({ 0: { '7g.40gb': 1 } });
    expect(layoutsOf(resolveNode(spec, cheaper, undefined))).to.deep.equal({ 1: { '7g.40gb': 1 } });
  });

  it('keep each its own where two have the same selector, or one is put before another', () => {
    const gpus = { count: 1 };
    const layouts = [
      { gpus, profiles: { '7g.40gb': 1 } },
      { gpus, profiles: { '3g.20gb': 2 } },
    ];
    const device = aDevice(aGpu(), aGpu({ index: 1 }), aGpu({ index: 2 }));
    const before = wishOf(resolveNode(aPolicy({ layouts }).spec, device, undefined));
    const edited = [
      { gpus: { indices: [2], count: 1 }, mig: 'Disabled' as const },
      { gpus, profiles: { '4g.20gb': 1 } },
      { gpus, profiles: { '2g.10gb': 3 } },
    ];
    expect(layoutsOf(resolveNode(aPolicy({ layouts: edited }).spec, device, before))).to.deep.equal({
      0: { '4g.20gb': 1 },
      1: { '2g.10gb': 3 },
      2: 'whole',
    });
  });

  it('record what chose a GPU without any effect on the plan', () => {
    const { spec } = aPolicy({ layouts: [{ gpus: { count: 1 }, profiles: { '7g.40gb': 1 } }] });
    const wish = wishOf(resolveNode(spec, aDevice(aGpu()), undefined));
    expect(wish.gpus[0])
      .to.have.property('entry')
      .that.matches(/^[0-9a-f]{16}$/);
    const bare = { gpus: wish.gpus.map(({ entry: _entry, ...rest }) => rest) };
    expect(wishHash(wish)).to.equal(wishHash(bare));
  });

  it('are all served where that is possible, whatever comes first', () => {
    const { spec } = aPolicy({
      layouts: [
        { gpus: { count: 1 }, mig: 'Disabled' },
        { gpus: { count: 1, indices: [0] }, profiles: { '1g.6gb': 2 } },
      ],
    });
    const device = aDevice(aGpu(A30), aGpu({ ...A30, index: 1 }));
    expect(layoutsOf(resolveNode(spec, device, undefined))).to.deep.equal({ 0: { '1g.6gb': 2 }, 1: 'whole' });
  });

  it('refuse a node that has some of the GPUs, but too few, with the numbers', () => {
    const { spec } = aPolicy({
      layouts: [
        { mig: 'Disabled', gpus: { indices: [2] } },
        { gpus: { count: 4 }, preset: 'all-1g.5gb' },
      ],
    });
    const result = resolveNode(spec, aDevice(aGpu(), aGpu({ index: 1 }), aGpu({ index: 2 })), undefined);
    expect(result).to.deep.include({ entry: 1 });
    expect(result).to.have.nested.property('refusal.reason', 'NotEnoughGpus');
    expect(result)
      .to.have.nested.property('refusal.message')
      .that.matches(/exactly 4 of the GPUs that match; 2 of this node/);
  });

  it('refuse a node on which they need more GPUs together than there are', () => {
    const entry = { gpus: { count: 1, indices: [0] } };
    const { spec } = aPolicy({
      layouts: [
        { ...entry, mig: 'Disabled' },
        { ...entry, profiles: { '7g.40gb': 1 } },
      ],
    });
    const result = resolveNode(spec, aDevice(aGpu(), aGpu({ index: 1 })), undefined);
    expect(result).to.have.nested.property('refusal.reason', 'NotEnoughGpus');
  });

  it('pass over GPUs that cannot take the layout, and say why where too few can', () => {
    const { spec } = aPolicy({ layouts: [{ gpus: { count: 1 }, profiles: { '1g.10gb': 7 } }] });
    const a80 = aGpu({ index: 1, product: 'NVIDIA A100-SXM4-80GB' });
    expect(layoutsOf(resolveNode(spec, aDevice(aGpu(), a80), undefined))).to.deep.equal({ 1: { '1g.10gb': 7 } });
    const none = resolveNode(spec, aDevice(aGpu()), undefined);
    expect(none).to.have.nested.property('refusal.reason', 'DoesNotFit');
    const two = { gpus: { count: 2 }, profiles: { '1g.10gb': 7 } };
    const short = resolveNode(aPolicy({ layouts: [two] }).spec, aDevice(aGpu(), a80), undefined);
    expect(short).to.have.nested.property('refusal.reason', 'NotEnoughGpus');
  });

  it('pass over a GPU that does not respond, and one that is in use as a whole', () => {
    const { spec } = aPolicy({ layouts: [{ gpus: { count: 1 }, profiles: { '7g.40gb': 1 } }] });
    const lost = aGpu({ error: 'GPU is lost' });
    expect(layoutsOf(resolveNode(spec, aDevice(lost, aGpu({ index: 1 })), undefined))).to.have.all.keys('1');
    const used = aGpu({ busy: true });
    expect(layoutsOf(resolveNode(spec, aDevice(used, aGpu({ index: 1 })), undefined))).to.have.all.keys('1');
  });

  it('count whole GPUs without MIG too', () => {
    const t4 = (index: number) => aGpu({ index, product: 'Tesla T4', migCapable: false });
    const { spec } = aPolicy({ layouts: [{ gpus: { count: 1 }, mig: 'Disabled' }] });
    expect(layoutsOf(resolveNode(spec, aDevice(t4(0), t4(1)), undefined))).to.deep.equal({ 0: 'whole' });
  });
});

describe('entries that apply to no GPU of a node', () => {
  function skippedOf(layouts: readonly PolicyLayout[], ...gpus: readonly GpuReport[]): readonly SkippedEntry[] {
    const result = resolveNode(aPolicy({ layouts }).spec, aDevice(...gpus), undefined);
    if (!('wish' in result)) throw new Error(result.refusal.message);
    return result.skipped;
  }
  const t4 = aGpu({ product: 'Tesla T4', migCapable: false });
  const profiles = { '1g.5gb': 7 };

  it('are named where no GPU has MIG', () => {
    expect(skippedOf([{ profiles }], t4)).to.deep.equal([
      { entry: 0, reason: 'NoMig', message: 'GPU 0 (Tesla T4) has no MIG support, so it cannot be sliced' },
    ]);
  });

  it('are named in the plural where there are several', () => {
    const [skipped] = skippedOf([{ profiles }], t4, { ...t4, index: 1 });
    expect(skipped?.message).to.equal('GPUs 0 and 1 (Tesla T4) have no MIG support, so they cannot be sliced');
  });

  it('are named where no GPU is of the model, with what there is', () => {
    const layouts = [{ gpus: { models: ['a1000-*'] }, profiles }, { mig: 'Disabled' as const }];
    expect(skippedOf(layouts, aGpu(), aGpu({ index: 1 }), aGpu({ index: 2, product: 'NVIDIA A30' }))).to.deep.equal([
      {
        entry: 0,
        reason: 'NoGpuMatches',
        message: 'no GPU of this node is of models a1000-*; it has 2 × A100-SXM4-40GB and 1 × A30',
      },
    ]);
  });

  it('are named where the indices are beyond those of the node', () => {
    const skipped = (...indices: readonly number[]) =>
      skippedOf([{ gpus: { indices: [8, 9] }, profiles }], ...indices.map((index) => aGpu({ index })));
    const missing = 'this node has no GPU 8 or 9; it has';
    const reason = 'NoSuchIndex';
    expect(skipped(0, 1, 2)).to.deep.equal([{ entry: 0, reason, message: `${missing} GPUs 0 to 2` }]);
    expect(skipped(0)[0]?.message).to.equal(`${missing} GPU 0`);
    expect(skipped(1, 0)[0]?.message).to.equal(`${missing} GPUs 0 and 1`);
    expect(skipped(3, 1, 2)[0]?.message).to.equal(`${missing} GPUs 1 to 3`);
    expect(skipped(0, 1, 3)[0]?.message, 'one is lost').to.equal(`${missing} GPUs 0, 1 and 3`);
  });

  it('are named on a node without GPUs', () => {
    const message = 'this node has no GPU';
    expect(skippedOf([{ gpus: { indices: [0] }, profiles }])).to.deep.equal([
      { entry: 0, reason: 'NoGpuMatches', message },
    ]);
  });

  it('are named by all that their selector says where no GPU is so, although some of the indices exist', () => {
    const uuids = [uuidOf(7)];
    const skipped = skippedOf([{ gpus: { models: ['a30'], indices: [0, 9], uuids }, profiles }], aGpu());
    expect(skipped).to.deep.equal([
      {
        entry: 0,
        reason: 'NoGpuMatches',
        message: `no GPU of this node is of models a30, with index 0, 9 and with UUID ${uuidOf(7)}; it has 1 × A100-SXM4-40GB`,
      },
    ]);
  });

  it('are explained by a lost GPU that no agent has read yet', () => {
    const lost = (index: number): GpuReport => {
      const pciBusId = `00000000:0${index}:00.0`;
      return { uuid: pciBusId, pciBusId, index, product: 'unknown', error: 'GpuLost: no answer', instances: [] };
    };
    const skippedBy = (gpus: GpuSelector) =>
      skippedOf([{ gpus, profiles }], aGpu(), lost(1), lost(2)).map(({ message }) => message);
    expect(skippedBy({ indices: [1] })).to.deep.equal(['GPU 1 is lost, and no agent has read yet what it is']);
    expect(skippedBy({ models: ['a100-*'], indices: [1, 2, 9] })).to.deep.equal([
      'GPUs 1 and 2 are lost, and no agent has read yet what they are',
    ]);
    expect(skippedBy({ models: ['a30'] })).to.deep.equal([
      'no GPU of this node is of models a30; it has 1 × A100-SXM4-40GB and 2 × lost GPU',
    ]);
    const short = resolveNode(
      aPolicy({ layouts: [{ gpus: { count: 2 }, profiles }] }).spec,
      aDevice(aGpu(), lost(1)),
      undefined,
    );
    expect(short)
      .to.have.nested.property('refusal.message')
      .that.matches(/^count asks for exactly 2 .*; GPU 1 is lost, and no agent has read yet what it is$/);
  });

  it('are named by the PCI device id that no GPU has', () => {
    const [skipped] = skippedOf([{ gpus: { pciDeviceIds: ['0x233010DE'] }, profiles }], aGpu());
    expect(skipped?.message).to.match(/^no GPU of this node is with PCI device id 0x233010DE; it has /);
  });

  it('are named where earlier entries take every GPU that they match', () => {
    const layouts = [{ profiles }, { gpus: { indices: [0] }, mig: 'Disabled' as const }];
    expect(skippedOf(layouts, aGpu())).to.deep.equal([
      { entry: 1, reason: 'Taken', message: 'earlier entries apply to every GPU that it matches: GPU 0' },
    ]);
    const whole = { mig: 'Disabled' as const };
    expect(
      skippedOf([whole, whole], t4).map(({ reason }) => reason),
      'a whole GPU needs no MIG',
    ).to.deep.equal(['Taken']);
  });

  it('are named also with a count, which only a node that has such GPUs must be able to meet', () => {
    const layouts = [{ gpus: { models: ['h100-*'], count: 2 }, mig: 'Disabled' as const }, { profiles }];
    expect(skippedOf(layouts, aGpu()).map(({ entry, reason }) => [entry, reason])).to.deep.equal([[0, 'NoGpuMatches']]);
  });

  it('are refused, not skipped, where a GPU with MIG does not know the profile', () => {
    const spec = aPolicy({ layouts: [{ profiles: { '1g.6gb': 1 } }] }).spec;
    const result = resolveNode(spec, aDevice(aGpu()), undefined);
    expect(result).to.deep.include({ entry: 0 });
    expect(result).to.have.nested.property('refusal.reason', 'UnknownProfile');
  });
});

describe('a wish', () => {
  it('says where no GPU may be reset, or foreign instances may be replaced, and nothing of what is usual', () => {
    const optionsOf = (allow: NonNullable<PolicySpec['allow']>) => {
      const resolved = resolveNode(aPolicy({ allow }).spec, aDevice(aGpu()), undefined);
      if (!('wish' in resolved)) throw new Error(resolved.refusal.message);
      const { gpus: _gpus, ...options } = resolved.wish;
      return options;
    };
    expect(optionsOf({ gpuReset: false })).to.deep.equal({ allowGpuReset: false });
    expect(optionsOf({ replaceForeignInstances: true })).to.deep.equal({ replaceForeignInstances: true });
    for (const usual of [{ gpuReset: true, replaceForeignInstances: false }, {}])
      expect(optionsOf(usual)).to.deep.equal({});
  });
});

describe('strategy single', () => {
  /** What is wrong of a node; undefined if nothing is. */
  function wrongWith(layouts: readonly PolicyLayout[], ...gpus: readonly GpuReport[]): string | undefined {
    const resolved = resolveNode(aPolicy({ strategy: 'single', layouts }).spec, aDevice(...gpus), undefined);
    if ('wish' in resolved) return undefined;
    expect(resolved.refusal.reason).to.equal('SingleNeedsOneProfile');
    return /with the same profile, or none in MIG mode: (.*?);/.exec(resolved.refusal.message)?.[1];
  }
  const first = { gpus: { indices: [0] } };
  const sliced = aGpu({ index: 1, slices: ['1g.5gb@0', '1g.5gb@1'] });

  it('takes a node whose GPUs are all whole, or all have slices of one profile', () => {
    expect(wrongWith([{ mig: 'Disabled' }], aGpu(), sliced)).to.equal(undefined);
    expect(wrongWith([{ profiles: { '1g.5gb': 7 } }], aGpu(), sliced)).to.equal(undefined);
    expect(wrongWith([{ ...first, profiles: { '1g.5gb': 7 } }], aGpu(), sliced), 'beside what is there').to.equal(
      undefined,
    );
  });

  it('refuses a node that would have two profiles, whole GPUs beside slices, or MIG mode without a slice', () => {
    const profiles = { '3g.20gb': 2 };
    expect(wrongWith([{ ...first, profiles }, { profiles: { '1g.5gb': 7 } }], aGpu(), sliced)).to.equal(
      'the node would have slices of 3g.20gb and 1g.5gb',
    );
    expect(wrongWith([{ ...first, profiles }], aGpu(), sliced)).to.match(/slices of 3g\.20gb and 1g\.5gb$/);
    expect(wrongWith([{ ...first, mig: 'Disabled' }], aGpu(), sliced)).to.equal(
      'GPU 0 (NVIDIA A100-SXM4-40GB) would stay whole beside sliced GPUs',
    );
    const empty = aGpu({ index: 1, slices: [] });
    expect(wrongWith([{ ...first, profiles }], aGpu(), empty)).to.equal('GPU 1 would be in MIG mode without a slice');
  });

  it('ignores a lost GPU over which no layout decides: nothing tells how it was sliced', () => {
    const { mig: _mig, ...rest } = aGpu({ index: 1 });
    const lost = { ...rest, error: 'GpuLost: no answer', instances: [] };
    const profiles = { '1g.5gb': 7 };
    expect(wrongWith([{ ...first, profiles }], aGpu(), lost)).to.equal(undefined);
    const nameless = { ...lost, uuid: lost.pciBusId, product: 'unknown' };
    expect(wrongWith([{ profiles }], aGpu(), nameless), 'of which only the address is known').to.equal(undefined);
    expect(wrongWith([{ ...first, profiles }, { mig: 'Disabled' }], aGpu(), lost), 'a layout does').to.match(/^GPU 1 /);
  });
});
