import { expect } from 'chai';
import fc from 'fast-check';
import type { PolicySpec } from '../../../src/api/types.ts';
import { MODELS } from '../../../src/core/gpu/geometry.ts';
import { listPresets } from '../../../src/core/gpu/layouts.ts';
import { claimKey } from '../../../src/core/policy/spec.ts';
import { RULE_MESSAGES, findBrokenRules } from '../../../src/core/policy/schema.ts';
import { checkPolicy, validatePolicy } from '../../../src/core/policy/check.ts';

const policy = (spec: object) => ({
  apiVersion: 'gpupartition.dev/v1alpha1',
  kind: 'GpuPartitionPolicy',
  metadata: { name: 'p' },
  spec,
});
const selector = { matchLabels: { pool: 'x' } };
const spec = { nodeSelector: selector, strategy: 'mixed' } as const;

describe('validatePolicy', () => {
  it('refuses any value that is not a policy, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(validatePolicy(value).findings).to.not.be.empty;
      }),
    );
  });

  it('hands out the policy if its shape is right', () => {
    const good = policy({ nodeSelector: selector, strategy: 'mixed', layouts: [{ mig: 'Disabled' }] });
    const { policy: checked, findings } = validatePolicy(good);
    expect([checked, findings]).to.deep.equal([good, []]);
    const broken = policy({ nodeSelector: {}, strategy: 'mixed', layouts: [{ mig: 'Disabled' }] });
    expect(validatePolicy(broken).policy).to.deep.equal(broken);
  });

  it('reports a window that never opens, or in no time zone, at its own place', () => {
    const windows = [
      { schedule: '0 22 * * *', duration: '6h', timeZone: 'Europe/Berlin' },
      { schedule: '0 25 * * *', duration: '6h' },
      { schedule: '0 22 * * *', duration: '6h', timeZone: 'Mars/Olympus' },
    ];
    const spec = { nodeSelector: selector, strategy: 'mixed', layouts: [{ mig: 'Disabled' }], rollout: { windows } };
    const found = validatePolicy(policy(spec)).findings;
    expect(found.map(({ code, path }) => [code, path.join('.')])).to.deep.equal([
      ['BadWindow', 'spec.rollout.windows.1'],
      ['BadWindow', 'spec.rollout.windows.2'],
    ]);
  });

  const findingsOf = (spec: object) =>
    validatePolicy(policy({ nodeSelector: selector, strategy: 'mixed', ...spec })).findings;

  it('reports sharing of what no layout offers', () => {
    const share = (resource: string) => ({
      layouts: [{ gpus: { models: ['A30'] }, profiles: { '1g.6gb': 4 } }],
      sharing: { timeSlicing: [{ resource, replicas: 2 }] },
    });
    expect(findingsOf(share('nvidia.com/mig-1g.6gb'))).to.deep.equal([]);
    expect(findingsOf(share('nvidia.com/gpu')), 'GPUs that no entry matches stay whole').to.deep.equal([]);
    expect(findingsOf(share('nvidia.com/mig-2g.12gb')).map(({ path }) => path.join('.'))).to.deep.equal([
      'spec.sharing.timeSlicing.0.resource',
    ]);
    const { layouts, sharing } = share('nvidia.com/mig-2g.12gb');
    const besidePreset = { layouts: [...layouts, { preset: 'all-balanced' }], sharing };
    expect(findingsOf(besidePreset), 'whose slices differ by model').to.deep.equal([]);
  });

  it('reports sharing that a rule refuses once', () => {
    const codesOf = (spec: object) => findingsOf(spec).map(({ code, path }) => [code, path.join('.')]);
    expect(codesOf({ layouts: [{ mig: 'Disabled' }], sharing: { mps: {} } })).to.deep.equal([
      ['RuleBroken', 'spec.sharing.mps'],
    ]);
    const demand = { slices: [{ profiles: ['1g.5gb'], count: 1 }] };
    const sharing = { timeSlicing: [{ resource: 'nvidia.com/mig-1g.5gb', replicas: 2 }] };
    expect(codesOf({ demand, sharing })).to.deep.equal([['RuleBroken', 'spec.sharing']]);
  });

  it('warns of a selector that no known model meets, with what it asks for and where', () => {
    const gpus = { models: ['X9000-*'], pciDeviceIds: ['0xFFFF10DE'] };
    const [first, ...others] = findingsOf({ layouts: [{ gpus, profiles: { '1g.5gb': 7 } }] });
    expect(others).to.deep.equal([]);
    expect(first).to.include({ severity: 'warning', code: 'NoSuchModel' });
    expect(first?.path).to.deep.equal(['spec', 'layouts', 0, 'gpus', 'models']);
    expect(first?.message).to.match(
      /^no known GPU model matches X9000-\*, 0xFFFF10DE, .*; known models are a100-40gb,/,
    );
    const [whole] = findingsOf({ layouts: [{ gpus: { models: ['A10G', 'L40S*'] }, preset: 'all-balanced' }] });
    expect([whole?.severity, whole?.code]).to.deep.equal(['warning', 'NoSuchModel']);
    expect(whole?.message).to.equal(
      'A10G and L40S* have no MIG and cannot be sliced: the entry leaves such GPUs alone; to share them whole, write mig: Disabled and spec.sharing',
    );
    const [vendor] = findingsOf({ layouts: [{ gpus: { models: ['NVIDIA-A30', 'nvidia h100*'] }, mig: 'Disabled' }] });
    expect(vendor?.message).to.match(/could not be checked; leave out NVIDIA: write A30, h100\*$/);
    const [byId] = findingsOf({ layouts: [{ gpus: { pciDeviceIds: ['0xFFFF10DE'] }, preset: 'all-balanced' }] });
    expect(byId?.path.at(-1)).to.equal('pciDeviceIds');
    expect(byId?.message).to.match(/^no known GPU model matches 0xFFFF10DE, so the layout could not be checked$/);
  });

  it('warns of a model that meets only a board whose memory is a guess, and lets no guess refuse a layout', () => {
    for (const content of [
      { profiles: { '1g.10gb': 7 } },
      { profiles: { '1g.8gb': 7 } },
      { preset: 'all-balanced' },
      { mig: 'Disabled' },
    ]) {
      const found = findingsOf({ layouts: [{ gpus: { models: ['h100'] }, ...content }] });
      expect(
        found.map(({ severity, code }) => [severity, code]),
        JSON.stringify(content),
      ).to.deep.equal([['warning', 'NoSuchModel']]);
      expect(found[0]?.message)
        .to.contain('h100 matches only a board of which little is published (NVIDIA H100')
        .and.to.contain('write h100-*');
    }
    expect(findingsOf({ layouts: [{ gpus: { models: ['H100-80GB*'] }, profiles: { '1g.10gb': 7 } }] })).to.deep.equal(
      [],
    );
    expect(checkPolicy({ ...spec, layouts: [{ gpus: { models: ['H100'] }, profiles: { '1g.10gb': 7 } }] })).to.equal(
      undefined,
    );
  });

  it('warns of slices under strategy none, which no pod can ask for', () => {
    const under = (strategy: string, ...layouts: readonly object[]) =>
      validatePolicy(policy({ nodeSelector: selector, strategy, layouts })).findings;
    const sliced = [{ gpus: { models: ['a30'] }, profiles: { '1g.6gb': 4 } }, { preset: 'all-balanced' }];
    const found = under('none', ...sliced).map(({ severity, code, path }) => [severity, code, path.join('.')]);
    expect(found).to.deep.equal([
      ['warning', 'StrategyMismatch', 'spec.layouts.0.profiles'],
      ['warning', 'StrategyMismatch', 'spec.layouts.1.preset'],
    ]);
    expect(under('mixed', ...sliced)).to.deep.equal([]);
    expect(under('none', { preset: 'all-disabled' }), 'a preset').to.deep.equal([]);
    expect(under('none', { mig: 'Disabled' })).to.deep.equal([]);
  });

  it('advises a glob for the beginning of a name, and warns of no model that has nothing to check: whole GPUs may lack MIG', () => {
    const messagesOf = (...layouts: readonly object[]) =>
      validatePolicy(policy({ nodeSelector: selector, strategy: 'mixed', layouts })).findings.map(
        ({ message }) => message,
      );
    const profiles = { '1g.5gb': 7 };
    expect(messagesOf({ gpus: { models: ['A100', 'A100-PCIE'] }, profiles })).to.deep.equal([
      'no known GPU model matches A100, A100-PCIE, so the layout could not be checked; write A100-*, A100-PCIE-*',
    ]);
    expect(messagesOf({ gpus: { models: ['NVIDIA-A100-SXM4-40GB'] }, profiles })).to.deep.equal([
      'no known GPU model matches NVIDIA-A100-SXM4-40GB, so the layout could not be checked; leave out NVIDIA: write A100-SXM4-40GB',
    ]);
    const whole = [{ mig: 'Disabled' }, { preset: 'all-disabled' }];
    expect(whole.flatMap((layout) => messagesOf({ gpus: { models: ['T4'] }, ...layout }))).to.deep.equal([]);
    expect(messagesOf({ gpus: { models: ['NVIDIA-T4'] }, mig: 'Disabled' })).to.have.length(1);
  });

  it('warns of models that cannot hold a layout, by their names or else their ids, and of no table that is superseded', () => {
    const warned = (models: readonly string[], profiles: object) =>
      findingsOf({ layouts: [{ gpus: { models }, profiles }] }).map(({ message }) => message.replace(/,.*/, ''));
    expect(warned(['h100-*'], { '1g.10gb': 1 })).to.deep.equal([
      'the entry also matches H100 NVL',
      'the entry also matches h100-64gb',
    ]);
    expect(warned(['rtx-pro-5000*'], { '1g.24gb': 1 })).to.deep.equal([]);
    const byId = { pciDeviceIds: ['0x20B010DE', '0x20B710DE'] };
    expect(
      findingsOf({ layouts: [{ gpus: byId, profiles: { '1g.6gb': 1 } }] }).map(({ models }) => models),
    ).to.deep.equal([['a100-40gb']]);
  });

  it('refuses a layout that no model could take, for the reason of the nearest or else of the first', () => {
    const refused = (profiles: object, gpus?: object) => {
      const [first, ...others] = findingsOf({ layouts: [{ profiles, ...(gpus && { gpus }) }] });
      expect(others).to.deep.equal([]);
      expect(first?.severity).to.equal('error');
      return [first?.code, first?.message];
    };
    expect(refused({ '1g.6gb': 5 }).join()).to.match(/^DoesNotFit,fits no GPU model; for example 5×1g\.6gb on A30: /);
    expect(refused({ '1g.99gb': 1 }).join()).to.match(
      /^UnknownProfile,fits no GPU model; for example A100-SXM4-40GB has no profile 1g\.99gb/,
    );
    const both = { pciDeviceIds: ['0x20B010DE', '0x20B710DE'] };
    expect(refused({ '1g.6gb': 5 }, both).join()).to.match(
      /^DoesNotFit,A100-SXM4-40GB has no profile 1g\.6gb.*; 5×1g\.6gb on A30: /,
    );
  });

  it('reports a slice of a demand that no model has', () => {
    const demand = {
      slices: [
        { profiles: ['1g.5gb'], count: 1 },
        { profiles: ['9g.99gb'], count: 1 },
      ],
    };
    const found = (spec: object) => findingsOf(spec).map(({ code, path }) => `${code} ${path.join('.')}`);
    expect(found({ demand })).to.deep.equal(['UnknownProfile spec.demand.slices.1.profiles']);
    expect(found({ demand, nodeSelector: {} }), 'beside a mistake elsewhere').to.deep.equal([
      'RuleBroken spec.nodeSelector',
      'UnknownProfile spec.demand.slices.1.profiles',
    ]);
    const byMemory = { slices: [{ memory: '900Gi', count: 1 }] };
    expect(found({ demand: byMemory })).to.deep.equal(['UnknownProfile spec.demand.slices.0.memory']);
    const uncounted = { slices: [{ profiles: ['9g.99gb'] }] };
    expect(found({ demand: uncounted })).to.deep.equal(['RuleBroken spec.demand']);
  });

  it('names no preset that it would refuse, where it refuses one', () => {
    for (const model of MODELS)
      for (const preset of listPresets(model)) {
        const found = findingsOf({ layouts: [{ gpus: { models: [model.id] }, preset }] });
        expect(found, `${preset} on ${model.id}`).to.deep.equal([]);
      }
  });

  it('tells a preset that a model lacks from a profile', () => {
    const codes = (entry: object) =>
      findingsOf({ layouts: [{ gpus: { models: ['A30'] }, ...entry }] }).map(({ code, path }) => [code, path.at(-1)]);
    expect(codes({ preset: 'all-1g.5gb' })).to.deep.equal([['UnknownPreset', 'preset']]);
    expect(codes({ profiles: { '1g.5gb': 1 } })).to.deep.equal([['UnknownProfile', 'profiles']]);
    expect(codes({ profiles: { '1g.6gb': 5 } })).to.deep.equal([['DoesNotFit', 'profiles']]);
  });

  it('reports a preset that strategy single cannot have, at its own place', () => {
    const night = { name: 'night', schedule: '0 22 * * *', duration: '6h', layouts: [{ preset: 'all-enabled' }] };
    const found = findingsOf({ strategy: 'single', layouts: [{ preset: 'all-balanced' }], schedules: [night] });
    expect(found.map(({ severity, code, path }) => [severity, code, path.join('.')])).to.deep.equal([
      ['error', 'SingleNeedsOneProfile', 'spec.layouts.0.preset'],
      ['error', 'SingleNeedsOneProfile', 'spec.schedules.0.layouts.0.preset'],
    ]);
  });

  it('says that an entry never applies only behind one that takes every GPU of the model', () => {
    const codes = (selects: object) =>
      findingsOf({
        layouts: [
          { gpus: { models: ['A30'], ...selects }, mig: 'Disabled' },
          { gpus: { models: ['A30'] }, profiles: { '1g.6gb': 4 } },
        ],
      }).map(({ code }) => code);
    expect(codes({})).to.deep.equal(['NeverApplies']);
    for (const selects of [{ indices: [0] }, { count: 1 }, { uuids: ['GPU-01234567-89ab-cdef-0123-456789abcdef'] }])
      expect(codes(selects), JSON.stringify(selects)).to.deep.equal([]);
  });

  it('names the models that an earlier entry takes, unless they are many', () => {
    const takenOf = (count: number) => {
      const models = MODELS.slice(0, count).map(({ id }) => id);
      const [found] = findingsOf({ layouts: [{ mig: 'Disabled' }, { gpus: { models }, mig: 'Disabled' }] });
      expect(found?.models).to.deep.equal(models);
      return /^the entry never applies: (.*) by an earlier entry, and the first match wins$/.exec(
        found?.message ?? '',
      )?.[1];
    };
    expect(takenOf(1)).to.equal('A100-SXM4-40GB is taken');
    expect(takenOf(5)).to.match(/^A100-SXM4-40GB, \S+, \S+, \S+ and \S+ are taken$/);
    expect(takenOf(6)).to.equal('every GPU that it matches is covered');
  });

  it('judges geometry even where other fields are wrong in meaning, but not where a layout is', () => {
    const layouts = [{ gpus: { models: ['A30'] }, profiles: { '7g.40gb': 1 } }];
    const codes = (spec: object) => validatePolicy(policy(spec)).findings.map(({ code }) => code);
    expect(codes({ nodeSelector: {}, strategy: 'mixed', layouts })).to.deep.equal(['RuleBroken', 'UnknownProfile']);
    expect(codes({ nodeSelector: selector, strategy: 'mixed', layouts: [...layouts, {}] })).to.deep.equal([
      'RuleBroken',
    ]);
  });
});

describe('validatePolicy of a policy with hundreds of thousands of mistakes', () => {
  const many = 50_000;
  const repeat = <Item>(item: Item): readonly Item[] => Array<Item>(many).fill(item);
  const keys = Object.fromEntries(Array.from({ length: many }, (_, at) => [`-${at}`, 1]));
  const selector = { matchLabels: { pool: 'p' } };
  const cases: Readonly<Record<string, object>> = {
    'in layouts': { spec: { nodeSelector: selector, strategy: 'single', layouts: repeat({ x: 1 }) } },
    'in profiles': { spec: { nodeSelector: selector, strategy: 'mixed', layouts: [{ profiles: keys }] } },
    'in selectors': { spec: { nodeSelector: { matchLabels: keys, matchExpressions: repeat({ key: '-' }) } } },
    'in windows': { spec: { rollout: { windows: repeat({ schedule: '' }) } } },
    'in unknown fields': { spec: keys, ...keys },
    'in metadata': {
      metadata: { ...keys, labels: keys, annotations: keys, finalizers: repeat('-'), ownerReferences: repeat({}) },
    },
  };
  for (const [where, mistakes] of Object.entries(cases)) {
    it(`finds the first of them ${where}`, () => {
      const { policy, findings } = validatePolicy({ kind: 'GpuPartitionPolicy', metadata: {}, ...mistakes });
      expect(policy).to.equal(undefined);
      expect(findings.length).to.be.within(100, 3000);
    });
  }
});

describe('findBrokenRules', () => {
  it('finds a rule at the entry that breaks it', () => {
    const spec = {
      nodeSelector: selector,
      strategy: 'single',
      layouts: [{ profiles: { '1g.5gb': 1 } }, { profiles: { a: 1, b: 1 } }],
    };
    const found = findBrokenRules(policy(spec));
    expect(found[0]).to.deep.equal({ path: ['spec', 'layouts', 1, 'profiles'], message: RULE_MESSAGES.singleProfile });
    expect(found.slice(1).map(({ path }) => path.at(-1))).to.deep.equal(['a', 'b']);
  });

  it('finds nothing in values of wrong types: they are the schema’s to report', () => {
    for (const value of [
      undefined,
      null,
      1,
      [],
      { spec: [] },
      { spec: { layouts: {}, nodeSelector: 1, rollout: 'x' } },
    ]) {
      expect(findBrokenRules(value)).to.deep.equal([]);
    }
  });
});

describe('claimKey', () => {
  const key = (nodeSelector: PolicySpec['nodeSelector'], priority?: number) =>
    claimKey({ nodeSelector, strategy: 'mixed', layouts: [], ...(priority === undefined ? {} : { priority }) });

  it('is the same for selectors that mean the same', () => {
    const expression = { key: 'pool', operator: 'In' as const, values: ['x', 'x'] };
    expect(key({ matchExpressions: [expression] })).to.equal(key(selector, 0));
    expect(key({ ...selector, matchExpressions: [expression] })).to.equal(key(selector));
  });

  it('differs where the nodes or the priority differ', () => {
    expect(key({ matchLabels: { pool: 'y' } })).to.not.equal(key(selector));
    expect(key(selector, 1)).to.not.equal(key(selector));
  });
});
