import { expect } from 'chai';
import type { Geometry } from '../../../src/core/gpu/geometry/geometry.ts';
import { findModel } from '../../../src/core/gpu/geometry/model-lookup.ts';
import type { GpuModel } from '../../../src/core/gpu/geometry/models.ts';
import { resolveProfile } from '../../../src/core/gpu/geometry/profile-lookup.ts';

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
