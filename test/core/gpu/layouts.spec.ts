import fc from 'fast-check';
import { expect } from 'chai';
import { type Geometry, findModel, MODELS, type GpuModel, type Layout } from '../../../src/core/gpu/geometry.ts';
import {
  listByMemory,
  fitLayout,
  expandPreset,
  listPresets,
  assignRows,
  planNode,
  type NodeGpu,
  type NodePlan,
  type NodeWish,
  type Want,
} from '../../../src/core/gpu/layouts.ts';
import { modelOf, someInstances } from './builders.ts';
import { readFileSync } from 'node:fs';
import { planGpu } from '../../../src/core/gpu/plan.ts';
import { listPlacedStates } from './placed-states.ts';

describe('profiles by the memory that a program can use', () => {
  it('are listed from the smallest, of equal ones first those of which a GPU holds most', () => {
    const [first, second, third] = listByMemory(modelOf('a100-40gb'));
    expect(first).to.deep.equal({ profile: '1g.5gb', memoryMiB: 4864, perGpu: 7 });
    expect(second).to.deep.equal({ profile: '1g.5gb+me', memoryMiB: 4864, perGpu: 1 });
    expect(third).to.include({ profile: '1g.10gb' });
    const reversed: Geometry = { ...modelOf('a100-40gb'), profiles: modelOf('a100-40gb').profiles.toReversed() };
    expect(listByMemory(reversed).slice(0, 2), 'in any order of the table').to.deep.equal([first, second]);
  });

  it('leave out what NVIDIA has not published', () => {
    const model = modelOf('a100-40gb');
    const { memoryMiB: _unknown, ...unpublished } = model.profiles[0] ?? expect.fail('a model without profiles');
    const listed = listByMemory({ ...model, profiles: [unpublished, ...model.profiles.slice(1)] });
    expect(listed.map(({ profile }) => profile)).to.not.include(unpublished.name);
    expect(listed).to.have.length(model.profiles.length - 1);
  });
});

/** mig-parted's config-default.yaml, a row per entry: name, PCI ids (none: every GPU), MIG mode, instances. */
type Row = readonly [name: string, deviceFilter: readonly string[], enabled: boolean, devices: Record<string, number>];

const rows: readonly Row[] = JSON.parse(
  readFileSync(new URL('../../fixtures/geometry/mig-parted-presets.json', import.meta.url), 'utf8'),
);

describe('presets', () => {
  it('mean on every GPU that mig-parted filters by its PCI id what mig-parted means', () => {
    const filtered = rows.filter(([, filter]) => filter.length > 0);
    expect(filtered).to.have.length(16);
    for (const [name, filter, , devices] of filtered)
      for (const id of filter) {
        const model = findModel(id);
        expect(model && expandPreset(model, name), `${name} on ${id}`).to.deep.equal({
          mig: 'Enabled',
          layout: devices,
        });
      }
  });

  it('mean what the entries without a filter mean, wherever these fit the GPU', () => {
    const checked = rows
      .filter(([name, filter]) => filter.length === 0 && name.startsWith('all-'))
      .flatMap(([name, , enabled, devices]) =>
        MODELS.filter((model) => enabled && hasProfiles(model, devices) && fitLayout(model, devices).fits).map(
          (model) => {
            const preset = expandPreset(model, name);
            const instances = 'layout' in preset ? Object.values(preset.layout) : [];
            return [`${name} on ${model.id}`, instances, Object.values(devices)] as const;
          },
        ),
      );
    expect(checked.length).to.be.greaterThan(100);
    for (const [what, instances, expected] of checked) expect(instances, what).to.deep.equal(expected);
  });

  it('balance every GPU of seven or four slices: two 1g, one 2g and, of seven, one 3g', () => {
    for (const model of MODELS) {
      const preset = expandPreset(model, 'all-balanced');
      const shape =
        'layout' in preset ? Object.entries(preset.layout).map(([name, count]) => `${name.slice(0, 2)}:${count}`) : [];
      const largest = Math.max(...model.profiles.map(({ computeSlices }) => computeSlices));
      if (largest === 7) expect(shape, model.id).to.deep.equal(['1g:2', '2g:1', '3g:1']);
      else if (['a30-24gb', 'rtx-pro-6000-96gb'].includes(model.id)) expect(shape).to.deep.equal(['1g:2', '2g:1']);
      else expect(preset, model.id).to.have.nested.property('refusal.code', 'UnknownPreset');
    }
  });

  it('balance no other GPU, and none that lacks one of these profiles', () => {
    const a30 = modelOf('a30');
    const without = (slices: number) => ({
      ...a30,
      profiles: a30.profiles.filter(({ computeSlices }) => computeSlices !== slices),
    });
    for (const slices of [2, 4]) {
      expect(expandPreset(without(slices), 'all-balanced'), `${slices}`).to.have.nested.property(
        'refusal.code',
        'UnknownPreset',
      );
      expect(listPresets(without(slices))).to.not.include('all-balanced');
    }
    expect(listPresets(a30)).to.include.members(['all-disabled', 'all-enabled', 'all-balanced', 'all-1g.6gb+me']);
  });

  it('switch MIG off, or on without instances', () => {
    expect(expandPreset(modelOf('a30'), 'all-disabled')).to.deep.equal({ mig: 'Disabled' });
    expect(expandPreset(modelOf('a30'), 'all-enabled')).to.deep.equal({ mig: 'Enabled', layout: {} });
  });

  it('take a variant with a dot or with a plus', () => {
    const expected = { mig: 'Enabled', layout: { '1g.24gb+me.all': 1 } };
    expect(expandPreset(modelOf('rtx-pro-6000'), 'all-1g.24gb.me.all')).to.deep.equal(expected);
    expect(expandPreset(modelOf('rtx-pro-6000'), 'all-1g.24gb+me.all')).to.deep.equal(expected);
    expect(expandPreset(modelOf('rtx-pro-6000'), 'all-1g.24gb-me')).to.deep.equal({
      mig: 'Enabled',
      layout: { '1g.24gb-me': 4 },
    });
  });

  it('of a model can all be expanded, and fit it', () => {
    for (const model of MODELS)
      for (const name of listPresets(model)) {
        const preset = expandPreset(model, name);
        expect(preset, `${name} on ${model.id}`).not.to.have.property('refusal');
        if ('layout' in preset) expect(fitLayout(model, preset.layout).fits, `${name} on ${model.id}`).to.equal(true);
      }
  });

  for (const name of ['all-1g.5gb', 'any-1g.6gb', 'balanced', 'all-', 'all-1c.2g.12gb'])
    it(`refuse ${name} on an A30 and name those that it has`, () => {
      const preset = expandPreset(modelOf('a30'), name);
      expect('refusal' in preset && preset.refusal.message).to.include('all-2g.12gb+me');
    });
});

/** By the names of today: a former name (1g.24gb on an early GB200) has another meaning in the file. */
function hasProfiles({ profiles }: GpuModel, devices: Readonly<Record<string, number>>): boolean {
  const names = Object.keys(devices);
  return names.length > 0 && names.every((name) => profiles.some((profile) => profile.name === name));
}

describe('assigning rows to columns', () => {
  it('finds the least sum that any permutation has', () => {
    const aMatrix = fc
      .integer({ min: 1, max: 6 })
      .chain((size) =>
        fc.array(fc.array(fc.nat(50), { minLength: size, maxLength: size }), { minLength: size, maxLength: size }),
      );
    fc.assert(
      fc.property(aMatrix, (costs) => {
        const columns = assignRows(costs);
        expect(new Set(columns).size).to.equal(costs.length);
        expect(sumOf(costs, columns)).to.equal(Math.min(...permute(costs.length).map((each) => sumOf(costs, each))));
      }),
      { numRuns: 200 },
    );
  });

  it('has nothing to do for no rows', () => {
    expect(assignRows([])).to.deep.equal([]);
  });
});

function sumOf(costs: readonly (readonly number[])[], columns: readonly number[]): number {
  return columns.reduce((sum, column, row) => sum + (costs[row]?.[column] ?? 0), 0);
}

function permute(size: number): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  return permute(size - 1).flatMap((rest) =>
    Array.from({ length: size }, (_, position) => [...rest.slice(0, position), size - 1, ...rest.slice(position)]),
  );
}

const a100 = modelOf('a100-40gb');
const h100 = modelOf('h100-80gb');
const ALL_1G: Layout = { '1g.5gb': 7 };
const HALVES: Layout = { '3g.20gb': 2 };
const WHOLE: Layout = { '7g.40gb': 1 };

describe('planning a node', () => {
  it('gives each counted wish the GPUs for which it is cheapest, the rest to the wish without a count', () => {
    const gpus = [aGpu('a', '7g.40gb@0*'), aGpu('b'), aGpu('c', '3g.20gb@0*', '3g.20gb@4'), aGpu('d', '1g.5gb@0*')];
    const plan = planNode(gpus, [{ want: HALVES, count: 1 }, { want: WHOLE, count: 1 }, { want: ALL_1G }]);
    expect(plan.fits).to.equal(true);
    expect(wishesOf(plan)).to.deep.equal({ a: 1, b: 2, c: 0, d: 2 });
    expect(plan.cost).to.include({ busyDisturbed: 0, destroyed: 0 });
  });

  it('leaves alone what no wish matches', () => {
    const plan = planNode([aGpu('a', '1g.5gb@0'), aGpu('b')], [{ want: ALL_1G, keys: ['b'] }]);
    expect(plan.gpus[0]).to.deep.equal({ key: 'a', wish: undefined, refusal: undefined, modeChange: false });
    expect(wishesOf(plan)).to.deep.equal({ a: undefined, b: 0 });
  });

  it('lets the first wish that matches decide, even if a later one asks for a count', () => {
    const plan = planNode(
      [aGpu('a'), aGpu('b')],
      [
        { want: ALL_1G, keys: ['a'] },
        { want: HALVES, count: 1 },
      ],
    );
    expect(wishesOf(plan)).to.deep.equal({ a: 0, b: 1 });
  });

  it('takes the GPUs with the lower index where it makes no difference', () => {
    const gpus = [aGpu('z'), aGpu('y'), aGpu('x')].map((gpu, index) => ({ ...gpu, index }));
    const plan = planNode(gpus, [{ want: HALVES, count: 2 }, { want: ALL_1G }]);
    expect(wishesOf(plan)).to.deep.equal({ z: 0, y: 0, x: 1 });
  });

  it('keeps the GPUs that a wish had before, whatever it costs', () => {
    const gpus = [aGpu('a'), aGpu('b', '1g.5gb@0*')];
    const sticky = planNode(gpus, [{ want: WHOLE, count: 1, sticky: ['b'] }, { want: ALL_1G }]);
    expect(wishesOf(sticky)).to.deep.equal({ a: 1, b: 0 });
    expect(sticky.cost).to.include({ stickyBroken: 0, busyDisturbed: 1 });
  });

  it('does not switch MIG on where a process holds the whole GPU if another GPU will do', () => {
    const gpus: readonly NodeGpu[] = [
      { ...aGpu('a'), mig: 'Disabled', busy: true },
      { ...aGpu('b'), mig: 'Disabled' },
    ];
    const plan = planNode(gpus, [{ want: HALVES, count: 1 }, { want: 'Disabled' }]);
    expect(wishesOf(plan)).to.deep.equal({ a: 1, b: 0 });
    expect(plan.gpus.map(({ modeChange }) => modeChange)).to.deep.equal([false, true]);
  });

  it('takes a GPU that does not answer only where no other will do', () => {
    const gpus: readonly NodeGpu[] = [{ ...aGpu('a', '7g.40gb@0'), lost: true }, aGpu('b', '1g.5gb@0')];
    const one = planNode(gpus, [{ want: WHOLE, count: 1 }, { want: ALL_1G }]);
    expect(wishesOf(one)).to.deep.equal({ a: 1, b: 0 });
    expect(wishesOf(planNode(gpus, [{ want: WHOLE, count: 2 }]))).to.deep.equal({ a: 0, b: 0 });
  });

  it('lets what a wish makes of a GPU depend on the GPU', () => {
    const gpus: readonly NodeGpu[] = [
      aGpu('a'),
      { ...aGpu('b'), geometry: h100 },
      { ...aGpu('c'), geometry: undefined },
    ];
    const want = new Map<string, Want>([
      ['a', 'Impossible'],
      ['b', { '7g.80gb': 1 }],
      ['c', 'Disabled'],
    ]);
    const plan = planNode(gpus, [{ want, count: 2 }]);
    expect(wishesOf(plan)).to.deep.equal({ a: undefined, b: 0, c: 0 });
    expect(planNode(gpus, [{ want, count: 3 }]).refusals[0]?.refusal.message).to.include(
      'exactly 3 of the GPUs that match; 2 of',
    );
  });

  it('clears a GPU that is to leave MIG mode', () => {
    const plan = planNode([aGpu('a', '1g.5gb@0', '3g.20gb@4')], [{ want: 'Disabled' }]);
    expect(plan.gpus[0]).to.include({ modeChange: true });
    expect(plan.cost).to.include({ modeChanges: 1, destroyed: 2 });
  });

  it('judges each GPU by its own geometry', () => {
    const gpus = [aGpu('a'), { ...aGpu('b'), geometry: h100 }];
    const plan = planNode(gpus, [{ want: { '1g.10gb': 7 }, count: 1 }, { want: ALL_1G }]);
    expect(wishesOf(plan)).to.deep.equal({ a: 1, b: 0 });
    expect(plan.fits).to.equal(true);
  });

  it('reports a GPU whose wish does not fit it, and plans the others', () => {
    const plan = planNode([aGpu('a'), { ...aGpu('b'), geometry: h100 }], [{ want: ALL_1G }]);
    expect(plan.fits).to.equal(false);
    expect(plan.gpus.map(({ refusal }) => refusal?.code)).to.deep.equal([undefined, 'UnknownProfile']);
  });

  it('says how many GPUs are missing', () => {
    const plan = planNode([aGpu('a'), aGpu('b')], [{ want: WHOLE, count: 3 }]);
    expect(plan.fits).to.equal(false);
    const refusal = plan.refusals[0]?.refusal;
    expect(refusal?.code).to.equal('NotEnoughGpus');
    expect(refusal?.message).to.include('exactly 3 of the GPUs that match; 2 of this node match');
    const [one] = planNode([aGpu('a')], [{ want: WHOLE, count: 3 }]).refusals;
    expect(one?.refusal.message).to.match(/; 1 of this node matches, can hold the layout and is not needed by another/);
  });

  it('says so if wishes can each have their GPUs, but not all of them together', () => {
    const wishes: readonly NodeWish[] = [
      { want: WHOLE, count: 1, keys: ['a'] },
      { want: HALVES, count: 1, keys: ['a'] },
    ];
    const plan = planNode([aGpu('a'), aGpu('b')], wishes);
    expect(plan.fits).to.equal(false);
    expect(plan.refusals).to.have.length(1);
    expect(plan.refusals[0]?.refusal.code).to.equal('NotEnoughGpus');
  });

  it('says so if the counts add up to more GPUs than there are', () => {
    const plan = planNode(
      [aGpu('a'), aGpu('b')],
      [
        { want: WHOLE, count: 1 },
        { want: HALVES, count: 2 },
      ],
    );
    expect(plan.refusals).to.have.length(1);
    expect(plan.refusals[0]).to.include({ wish: 1 });
    expect(plan.refusals[0]?.refusal.message).to.include('exactly 3 GPUs in all; the node has 2');
  });

  it('stays exact in what matters most on a node of 64 GPUs', () => {
    const gpus = Array.from({ length: 64 }, (_, index) =>
      aGpu(`gpu-${index}`, ...(index % 2 === 0 ? ['1g.5gb@0*', '1g.5gb@1*'] : ['1g.5gb@0', '2g.10gb@2', '3g.20gb@4'])),
    );
    const plan = planNode(gpus, [{ want: WHOLE, count: 32 }, { want: ALL_1G }]);
    expect(plan.cost).to.include({ refused: 0, busyDisturbed: 0 });
    expect(plan.gpus.filter(({ wish }) => wish === 0)).to.have.length(32);
  });

  it('plans nothing for a node without GPUs', () => {
    expect(planNode([], [{ want: ALL_1G }])).to.deep.include({ fits: true, gpus: [], refusals: [] });
  });

  it('finds an assignment that is as cheap as the cheapest of all', () => {
    const states = listPlacedStates(a100);
    const layouts: readonly Layout[] = [
      ALL_1G,
      HALVES,
      WHOLE,
      { '2g.10gb': 3 },
      { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 },
    ];
    const aNode = fc.tuple(
      fc.array(fc.tuple(fc.constantFrom(...states), fc.infiniteStream(fc.boolean())), { minLength: 2, maxLength: 4 }),
      fc.shuffledSubarray([...layouts], { minLength: 3, maxLength: 3 }),
    );
    fc.assert(
      fc.property(aNode, ([drawn, [first = WHOLE, second = WHOLE, third = WHOLE]]) => {
        const gpus = drawn.map(([state, busy], index) =>
          aGpu(`gpu-${index}`, ...state.map((placed) => (busy.next().value ? `${placed}*` : placed))),
        );
        const plan = planNode(gpus, [{ want: first, count: 1 }, { want: second, count: 1 }, { want: third }]);
        const { busyDisturbed, destroyed, created } = plan.cost;
        expect([busyDisturbed, destroyed, created]).to.deep.equal(cheapest(gpus, [first, second], third));
        expect(
          planNode(gpus.toReversed(), [{ want: first, count: 1 }, { want: second, count: 1 }, { want: third }]),
        ).to.deep.equal(plan);
      }),
      { numRuns: 100 },
    );
  });
});

function aGpu(key: string, ...instances: readonly string[]): NodeGpu {
  return { key, geometry: a100, have: someInstances(...instances) };
}

function wishesOf(plan: NodePlan): Readonly<Record<string, number | undefined>> {
  return Object.fromEntries(plan.gpus.map(({ key, wish }) => [key, wish]));
}

/** The least cost over every way to give the first layouts one GPU each and the last one the rest. */
function cheapest(gpus: readonly NodeGpu[], [first, second]: readonly Layout[], rest: Layout): readonly number[] {
  const costs = gpus.flatMap((one) =>
    gpus
      .filter((other) => other !== one)
      .map((other) =>
        gpus
          .map((gpu) => costOf(gpu, gpu === one ? (first ?? {}) : gpu === other ? (second ?? {}) : rest))
          .reduce((sum, cost) => sum.map((number, index) => number + (cost[index] ?? 0))),
      ),
  );
  return (
    costs.toSorted((a, b) => {
      const index = a.findIndex((number, position) => number !== b[position]);
      return index === -1 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
    })[0] ?? []
  );
}

function costOf(gpu: NodeGpu, layout: Layout): readonly number[] {
  const plan = planGpu(gpu.geometry ?? a100, gpu.have, layout);
  return plan.fits ? [plan.cost.busyDisturbed, plan.cost.destroyed, plan.create.length] : [Infinity];
}
