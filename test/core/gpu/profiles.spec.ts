import { expect } from 'chai';
import { type Geometry, findModel, type GpuModel, MODELS } from '../../../src/core/gpu/geometry.ts';
import {
  resolveProfile,
  computeInstanceName,
  computeInstanceSlices,
  isProfileNameError,
  parseProfile,
} from '../../../src/core/gpu/profiles.ts';
import fc from 'fast-check';

describe('resolving a profile name on a GPU', () => {
  it('finds the profile itself', () => {
    expect(resolveProfile(model('a100-40gb'), '1g.10gb')?.id).to.equal(15);
    expect(resolveProfile(model('a100-80gb'), '1g.10gb')?.id).to.equal(19);
  });

  it('finds the GPU instance of a compute instance', () => {
    expect(resolveProfile(model('a100-40gb'), '1c.3g.20gb')?.name).to.equal('3g.20gb');
  });

  it('finds a profile by the name that older drivers gave it', () => {
    expect(resolveProfile(model('a100-80gb'), '7g.79gb')?.name).to.equal('7g.80gb');
    expect(resolveProfile(model('gb200-186gb'), '7g.189gb')?.name).to.equal('7g.186gb');
  });

  it('finds a new name on an old driver by the id of the profile', () => {
    const old = renamed(model('a100-80gb'), '7g.80gb', '7g.79gb');
    expect(resolveProfile(old, '7g.80gb')).to.equal(undefined);
    expect(resolveProfile(old, '7g.80gb', model('a100-80gb'))?.name).to.equal('7g.79gb');
  });

  it('carries a name from one driver branch of a GB300 to the other', () => {
    const station = model('gb300-station-251gb');
    expect(resolveProfile(station, '3g.139gb', station)?.name).to.equal('3g.126gb');
    expect(resolveProfile(model('gb300-278gb'), '7g.251gb', model('gb300-278gb'))?.name).to.equal('7g.278gb');
  });

  it('prefers what the driver has to what the name once meant', () => {
    const early = renamed(model('gb200-186gb'), '1g.47gb', '1g.24gb');
    expect(resolveProfile(early, '1g.24gb', model('gb200-186gb'))?.id).to.equal(15);
  });

  it('finds nothing for a profile of another model', () => {
    expect(resolveProfile(model('a100-80gb'), '1g.5gb', model('a100-80gb'))).to.equal(undefined);
  });
});

function model(id: string): GpuModel {
  const found = findModel(id);
  if (found === undefined) throw new Error(`no model ${id}`);
  return found;
}

/** The table as a driver prints it that knows the profile by another name, and knows no former names. */
function renamed(geometry: GpuModel, from: string, to: string): Geometry {
  return {
    ...geometry,
    profiles: geometry.profiles.map((profile) => ({
      ...profile,
      name: profile.name === from ? to : profile.name,
      formerNames: [],
    })),
  };
}

describe('the grammar of profile names', () => {
  it('takes apart every form that nvidia-smi prints', () => {
    expect(parseProfile('1g.5gb')).to.deep.equal(parsed('1g.5gb', { gpuSlices: 1, gb: 5 }));
    expect(parseProfile('1g.5gb+me')).to.deep.equal(parsed('1g.5gb+me', { gpuSlices: 1, gb: 5, added: ['me'] }));
    expect(parseProfile('1g.24gb+me.all')).to.deep.equal(
      parsed('1g.24gb+me.all', { gpuSlices: 1, gb: 24, added: ['me.all'] }),
    );
    expect(parseProfile('1g.24gb-me')).to.deep.equal(parsed('1g.24gb-me', { gpuSlices: 1, gb: 24, removed: ['me'] }));
    expect(parseProfile('2g.48gb+gfx')).to.deep.equal(parsed('2g.48gb+gfx', { gpuSlices: 2, gb: 48, added: ['gfx'] }));
    expect(parseProfile('1g.0gb')).to.deep.equal(parsed('1g.0gb', { gpuSlices: 1, gb: 0 }));
  });

  it('tells the compute instance from its GPU instance', () => {
    expect(parseProfile('1c.3g.20gb')).to.deep.equal({
      ...parsed('1c.3g.20gb', { gpuSlices: 3, gb: 20 }),
      instanceProfile: '3g.20gb',
      computeInstanceSlices: 1,
    });
  });

  it('spells a compute instance over the whole GPU instance without its prefix', () => {
    expect(parseProfile('3c.3g.20gb')).to.deep.equal(parseProfile('3g.20gb'));
  });

  it('knows the names of every model of the table', () => {
    for (const { profiles } of MODELS)
      for (const { name, computeSlices } of profiles)
        expect(parseProfile(name)).to.include({ name, gpuSlices: computeSlices });
  });

  for (const [text, hint] of [
    ['1G.5GB', 'write 1g.5gb'],
    ['MIG 1g.5gb', 'write 1g.5gb'],
    ['1g.5gb.me', 'write 1g.5gb+me'],
    ['mig-1g.24gb.me.all', 'write 1g.24gb+me.all'],
    ['4c.3g.20gb', 'cannot be larger than its GPU instance of 3'],
    ['', 'write it as 1g.5gb'],
    ['0g.5gb', 'write it as 1g.5gb'],
    ['1g.5gb;reboot', 'write it as 1g.5gb'],
  ] as const) {
    it(`refuses "${text}" and says: ${hint}`, () => {
      const result = parseProfile(text);
      expect(isProfileNameError(result) && result.message).to.include(hint);
    });
  }

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const result = parseProfile(text);
        expect(isProfileNameError(result) ? result.code : result.name).to.be.a('string');
      }),
    );
  });

  it('reads the slices of a compute instance by its prefix only, since the driver leaves +me out', () => {
    expect(computeInstanceSlices('1g.5gb', 1)).to.equal(1);
    expect(computeInstanceSlices('2c.3g.20gb', 3)).to.equal(2);
    expect(computeInstanceName('3g.20gb', 2, 3)).to.equal('2c.3g.20gb');
    expect(computeInstanceName('3g.20gb', 3, 3)).to.equal('3g.20gb');
  });
});

interface Parts {
  readonly gpuSlices: number;
  readonly gb: number;
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
}

function parsed(name: string, { gpuSlices, gb, added = [], removed = [] }: Parts): object {
  return { name, instanceProfile: name, gpuSlices, gb, added, removed };
}
