import { expect } from 'chai';
import type { GpuPartitionPolicy } from '../../../src/api/types.ts';
import { accept, currentOf, isAccepted, readGenerations, readVersions } from '../../../src/core/policy/versions.ts';
import { aPolicy } from '../../support/builders.ts';

const { spec } = aPolicy();

/** Generation 2 of a policy of which generation 1 is in force, and nothing says that 2 is accepted. */
function anEdit(inForce: object = { generation: 1, spec }): GpuPartitionPolicy {
  const policy = aPolicy({ generation: 2, layouts: [{ profiles: { '3g.20gb': 2 } }] });
  return { ...policy, status: { acceptedGeneration: 1, inForce } } as GpuPartitionPolicy;
}

describe('the versions of a policy', () => {
  it('tell nodes the version in force until the newest is accepted', () => {
    const versions = readVersions(anEdit());
    expect(currentOf(versions).metadata.generation).to.equal(1);
    expect(currentOf(accept(versions)).metadata.generation).to.equal(2);
  });

  it('keep the spec that is in force as the object that it was, when another status comes', () => {
    const before = readVersions(anEdit());
    const after = readVersions(anEdit({ generation: 1, spec: structuredClone(spec) }), before);
    expect(after.inForce?.spec).to.equal(before.inForce?.spec);
  });

  it('have the metadata of now: it changes without a new generation', () => {
    const before = readVersions(anEdit());
    const edit = anEdit();
    const annotations = { team: 'a' };
    const after = readVersions({ ...edit, metadata: { ...edit.metadata, annotations } }, before);
    expect(after.inForce?.metadata).to.deep.include({ generation: 1, annotations });
  });

  it('are those that the API server tells: which its author wrote last, and which its nodes are told', () => {
    expect(readGenerations(anEdit())).to.deep.equal({ uid: 'uid-p', generation: 2, told: 1 });
  });

  it('are not accepted of a file, which has no generation', () => {
    const { generation: _none, ...metadata } = aPolicy().metadata;
    expect(isAccepted(readVersions({ ...aPolicy(), metadata }))).to.equal(false);
  });

  it('may have a demand instead of layouts', () => {
    const { layouts: _none, ...rest } = spec;
    const demand = { slices: [{ profiles: ['1g.5gb'], count: 4 }] };
    expect(readVersions(anEdit({ generation: 1, spec: { ...rest, demand } })).inForce?.spec).to.deep.include({
      demand,
    });
  });

  it('do not go by what a status holds if it is not a spec', () => {
    for (const broken of [
      {},
      { ...spec, nodeSelector: null },
      { ...spec, nodeSelector: 'pool=p' },
      { ...spec, strategy: 1 },
      { ...spec, layouts: undefined },
      { ...spec, layouts: undefined, demand: null },
    ]) {
      expect(readVersions(anEdit({ generation: 1, spec: broken })).inForce, JSON.stringify(broken)).to.equal(undefined);
    }
  });
});
