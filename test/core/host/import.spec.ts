import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { parse } from 'yaml';
import { MODELS } from '../../../src/core/gpu/geometry.ts';
import { parseConfigFile } from '../../../src/core/host/mig-parted.ts';
import { ConfigFile, judgeSpec, namePolicies } from '../../../src/core/host/import.ts';
import { fitLayout } from '../../../src/core/gpu/layouts.ts';
import { validatePolicy } from '../../../src/core/policy/check.ts';
import { checkForm } from '../../../src/core/policy/schema.ts';
import { file, off, spec } from './config-builder.ts';

const codes = (...specs: readonly unknown[]) =>
  new ConfigFile(file(...specs)).toPolicies().findings.map(({ severity, code }) => `${severity} ${code}`);
const layouts = (...specs: readonly unknown[]) => new ConfigFile(file(...specs)).toPolicies().policies[0]?.spec.layouts;
const strategy = (...specs: readonly unknown[]) =>
  new ConfigFile(file(...specs)).toPolicies().policies[0]?.spec.strategy;
const fixture = (name: string): unknown =>
  parse(readFileSync(new URL(`../../fixtures/mig-parted/${name}`, import.meta.url), 'utf8'));

const A100 = { 'device-filter': '0x20B010DE' };
const twoAndOne = { 'mig-devices': { '1g.5gb': 2, '3g.20gb': 1 } };

describe('the policies of a config file', () => {
  it('writes what an entry says in the words of a policy', () => {
    expect(layouts(spec())).to.deep.equal([{ profiles: { '1g.5gb': 7 } }]);
    expect(layouts(off())).to.deep.equal([{ mig: 'Disabled' }]);
    expect(layouts(spec({ 'mig-devices': {} }))).to.deep.equal([{ preset: 'all-enabled' }]);
    expect(layouts(spec({ ...A100, devices: [0, 2] }))).to.deep.equal([
      { gpus: { indices: [0, 2], pciDeviceIds: ['0x20B010DE'] }, profiles: { '1g.5gb': 7 } },
    ]);
    expect(layouts(spec({ 'mig-devices': { '1g.5gb': 0, '2g.10gb': 3 } }))).to.deep.equal([
      { profiles: { '2g.10gb': 3 } },
    ]);
  });

  it('names more indices, or device ids, than one entry of a policy can in several', () => {
    const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
    const [first, second, ...others] = layouts(spec({ ...A100, devices: range(0, 40) })) ?? [];
    expect(first).to.have.deep.nested.property('gpus.indices', range(0, 32));
    expect(second).to.deep.equal({ ...first, gpus: { ...first?.gpus, indices: range(32, 40) } });
    expect(others).to.deep.equal([]);
    const ids = range(0, 40).map((id) => `0x20${String(id).padStart(2, '0')}10DE`);
    const both = new ConfigFile(file(off({ 'device-filter': ids, devices: range(0, 64) }))).toPolicies().policies;
    expect(both[0]?.spec.layouts).to.have.length(4);
    expect(both.flatMap((policy) => checkForm(policy).shape)).to.deep.equal([]);
  });

  it('chooses single only where every device has one and the same profile', () => {
    expect(strategy(spec())).to.equal('single');
    expect(
      strategy(
        spec({ ...A100, 'mig-devices': { '1g.10gb': 4 } }),
        spec({ 'device-filter': '0x20B210DE', 'mig-devices': { '1g.10gb': 7 } }),
      ),
    ).to.equal('single');
    expect(strategy(spec(twoAndOne))).to.equal('mixed');
    expect(strategy(spec({ devices: [0] }))).to.equal('mixed');
    expect(strategy(spec(A100), off({ 'device-filter': '0x20B210DE' }))).to.equal('mixed');
    expect(strategy(spec({ 'mig-devices': {} }))).to.equal('mixed');
  });

  it('gives no policy where no GPU can take the layout: mig-parted would wipe it', () => {
    for (const layout of [
      { '1g.99gb': 7 },
      { '1g.5gb': 3, '2g.99gb': 1 },
      { '3g.20gb': 2, '1g.5gb': 1 },
      { '1g.5gb': 999 },
    ]) {
      expect(new ConfigFile(file(spec({ 'mig-devices': layout }))).toPolicies().policies).to.deep.equal([]);
      expect(codes(spec({ 'mig-devices': layout }))).to.deep.equal(['error WipesGpu']);
    }
    expect(codes(spec({ ...A100, 'mig-devices': { '1g.10gb': 7 } }))).to.deep.equal(['error WipesGpu']);
  });

  it('warns of the models that mig-parted would wipe', () => {
    const both = spec({ 'device-filter': ['0x20B010DE', '0x20B210DE'] });
    const [finding] = new ConfigFile(file(both)).toPolicies().findings;
    expect(finding).to.deep.include({ severity: 'warning', code: 'WipesGpu', models: ['a100-80gb'] });
    const [unfiltered] = new ConfigFile(file(spec())).toPolicies().findings;
    expect(unfiltered?.models).to.have.length.above(15).and.not.include('a100-40gb');
  });

  it('warns of a GPU that it does not know, and imports the entry', () => {
    const unknown = spec({ 'device-filter': '0x1FB010DE' });
    expect(codes(unknown)).to.deep.equal(['warning UnknownGpu']);
    expect(layouts(unknown)).to.deep.equal([{ gpus: { pciDeviceIds: ['0x1FB010DE'] }, profiles: { '1g.5gb': 7 } }]);
    expect(codes(off({ 'device-filter': '0x1FB010DE' }))).to.deep.equal([]);
  });

  it('refuses entries that want the mode of one GPU on and off', () => {
    expect(codes(off(), spec({ devices: [0], ...A100 }))).to.deep.equal(['error Contradiction']);
    expect(codes(off({ devices: [1] }), spec({ devices: [0], ...A100 }))).to.deep.equal([]);
    expect(codes(off({ 'device-filter': '0x20B210DE' }), spec(A100))).to.deep.equal([]);
  });

  it('lets the last entry win where several match one GPU, as mig-parted does, and says so', () => {
    const [first, second] = [spec(A100), spec({ ...A100, devices: [0], ...twoAndOne })];
    expect(codes(first, second)).to.deep.equal(['warning Overlap']);
    expect(layouts(first, second)?.map(({ gpus }) => gpus?.indices)).to.deep.equal([[0], undefined]);
    expect(codes(first, first)).to.deep.equal([]);
  });

  it('leaves out entries that match nothing, and gives no policy where none is left', () => {
    expect(layouts(spec({ devices: [], ...A100 }), off({ devices: [3] }))).to.deep.equal([
      { gpus: { indices: [3] }, mig: 'Disabled' },
    ]);
    expect(codes(spec({ devices: [], ...A100 }))).to.deep.equal(['warning MatchesNoGpu', 'error NothingToImport']);
  });

  it('refuses a filter on a subsystem: the policy would repartition boards that mig-parted leaves alone', () => {
    const one = spec({ 'device-filter': '0x20B010DE:0x134F10DE' });
    expect(codes(one)).to.deep.equal(['error NarrowerFilter']);
    expect(new ConfigFile(file(one)).toPolicies().policies).to.deep.equal([]);
  });

  it('makes policies that only plan, and may take the nodes over from mig-manager', () => {
    const [policy] = new ConfigFile(file(spec(A100))).toPolicies().policies;
    expect(policy?.spec).to.deep.include({ mode: 'Plan', allow: { takeOver: ['mig-manager'] } });
  });

  it('refuses compute instances under strategy mixed, and takes them under single', () => {
    const cut = spec({ ...A100, 'mig-devices': { '1c.3g.20gb': 2, '1g.5gb': 1 } });
    expect(codes(cut)).to.deep.equal(['error StrategyMismatch']);
    expect(new ConfigFile(file(cut)).toPolicies({ strategy: 'none' }).policies).to.have.length(1);
  });

  it('refuses MIG mode without instances under strategy single, as the policy would be', () => {
    const empty = file(spec({ ...A100, 'mig-devices': {} }));
    const { policies, findings } = new ConfigFile(empty).toPolicies({ strategy: 'single' });
    expect(policies).to.deep.equal([]);
    expect(findings.map(({ severity, code, path }) => [severity, code, path.join('.')])).to.deep.include([
      'error',
      'SingleNeedsOneProfile',
      'mig-configs.mine',
    ]);
    expect(new ConfigFile(empty).toPolicies({ strategy: 'mixed' }).policies).to.have.length(1);
  });

  it('warns of slices that no pod could ask for under the strategy that was given', () => {
    const mixed = file(spec({ ...A100, ...twoAndOne }));
    expect(new ConfigFile(mixed).toPolicies({ strategy: 'mixed' }).findings).to.deep.equal([]);
    const { policies, findings } = new ConfigFile(mixed).toPolicies({ strategy: 'none' });
    expect(policies).to.have.length(1);
    expect(findings.map(({ severity, code, path }) => [severity, code, path.join('.')])).to.deep.equal([
      ['warning', 'StrategyMismatch', 'mig-configs.mine'],
    ]);
    expect(new ConfigFile(file(off())).toPolicies({ strategy: 'none' }).findings).to.deep.equal([]);
  });

  it('splits a long list of devices over entries that a policy may have', () => {
    const ids = Array.from({ length: 40 }, (_, index) => `0x${(0x2000 + index).toString(16)}10DE`);
    const found = layouts(spec({ 'device-filter': [...ids, '0x20B010DE'] })) ?? [];
    expect(found.map(({ gpus }) => gpus?.pciDeviceIds?.length)).to.deep.equal([32, 9]);
  });

  for (const name of ['gpu-operator-HEAD-default-mig-parted-config.yaml', 'mig-parted-HEAD-examples-config.yaml']) {
    it(`agrees with the geometry of each model on every entry of ${name}`, () => {
      for (const { specs } of parseConfigFile(fixture(name)).configs) {
        for (const one of specs) {
          const verdicts = judgeSpec(one);
          expect(
            verdicts.some(({ outcome }) => outcome === 'Applies'),
            String(one.path),
          ).to.equal(true);
          for (const { model, outcome } of verdicts) {
            const fits = one.layout === undefined || fitLayout(model, one.layout).fits;
            expect(outcome === 'Applies', `${String(one.path)} on ${model.id}`).to.equal(fits);
          }
          const ids = new Set(one.filters.map(({ id }) => id));
          const met = MODELS.filter(({ products }) =>
            products.some(({ pciDeviceId }) => pciDeviceId !== undefined && ids.has(pciDeviceId)),
          );
          const listed = verdicts.map(({ model }) => model.id);
          for (const { id, superseded } of met) if (superseded !== true) expect(listed).to.include(id);
        }
      }
    });
  }

  it('knows the models that entries of the default catalogue are for', () => {
    const { configs } = parseConfigFile(fixture('gpu-operator-HEAD-default-mig-parted-config.yaml'));
    const fitting = (name: string, entry = 0) => {
      const found = configs.find((config) => config.name === name)?.specs[entry];
      return judgeSpec(found ?? expect.fail(name))
        .filter(({ outcome }) => outcome === 'Applies')
        .map(({ model }) => model.id);
    };
    // By the comments of the file, and by the boards that share a profile's name.
    expect(fitting('all-1g.5gb')).to.deep.equal(['a100-40gb']);
    expect(fitting('all-4g.24gb')).to.deep.equal(['a30-24gb']);
    expect(fitting('all-7g.80gb')).to.deep.equal(['a100-80gb', 'h100-80gb-sxm', 'h100-80gb-pcie']);
    expect(fitting('all-1g.10gb', 0)).to.deep.equal(['a100-80gb', 'h100-80gb-sxm', 'h100-80gb-pcie']);
    expect(fitting('all-1g.10gb', 1)).to.deep.equal(['a100-40gb']);
    expect(fitting('all-7g.94gb')).to.deep.equal(['h100-94gb']);
    expect(fitting('all-4g.96gb.gfx')).to.deep.equal(['rtx-pro-6000-96gb']);
    expect(fitting('all-7g.189gb'), 'the name of an early driver').to.deep.equal(['gb200-186gb']);
  });

  it('makes of any layout of a model a policy that validate takes', () => {
    const models = MODELS.filter(
      ({ products, superseded }) => superseded !== true && products[0]?.pciDeviceId !== undefined,
    );
    fc.assert(
      fc.property(fc.constantFrom(...models), fc.nat(), fc.nat(8), (model, pick, count) => {
        const profile = model.profiles[pick % model.profiles.length]?.name ?? '';
        const entry = spec({ 'device-filter': model.products[0]?.pciDeviceId, 'mig-devices': { [profile]: count } });
        for (const policy of new ConfigFile(file(entry)).toPolicies().policies) {
          expect(validatePolicy(policy).findings.filter(({ severity }) => severity === 'error')).to.deep.equal([]);
        }
      }),
    );
  });
});

describe('namePolicies', () => {
  it('keeps a name that Kubernetes allows and changes others', () => {
    expect(namePolicies(['all-1g.5gb', 'My_Config', 'a..b', 'x.-y', '___'])).to.deep.equal([
      'all-1g.5gb',
      'my-config',
      'a.b',
      'x.y',
      'mig-config',
    ]);
  });

  it('numbers names that become one, and leaves the one that needs no change its name', () => {
    expect(namePolicies(['A', 'a', 'A_', 'a_b', 'a-b'])).to.deep.equal(['a-2', 'a', 'a-3', 'a-b-2', 'a-b']);
  });

  it('gives valid and different names, whatever the configs are called', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.string({ minLength: 1, maxLength: 80, unit: fc.constantFrom('a', 'A', 'b', '-', '_', '.', '1') }),
          {
            maxLength: 20,
          },
        ),
        (configs) => {
          const names = namePolicies(configs);
          expect(new Set(names).size).to.equal(configs.length);
          for (const name of names)
            expect(name).to.match(/^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
        },
      ),
    );
  });
});
