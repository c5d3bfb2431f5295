import { expect } from 'chai';
import { type Geometry, findModel, MODELS, type GpuModel } from '../../../src/core/gpu/geometry.ts';
import { listByMemory, fitLayout, expandPreset, listPresets } from '../../../src/core/gpu/layouts.ts';
import { modelOf } from './builders.ts';
import { readFileSync } from 'node:fs';

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
