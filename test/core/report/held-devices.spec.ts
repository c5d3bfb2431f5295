import { expect } from 'chai';
import { cutHolders, withHolders } from '../../../src/core/report/held-devices.ts';
import { aGpu, withPods } from '../../support/builders.ts';

describe('the claims that a report names', () => {
  it('stand beside the pods that have a slice or a GPU by them', () => {
    const gpu = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1'] });
    const [first, second] = gpu.instances.map((one, at) => ({
      ...one,
      computeInstances: [{ profile: '1g.5gb', uuid: `MIG-${at}` }],
    }));
    if (!first || !second) throw new Error('the GPU has two slices');
    const pods = new Map([
      ['MIG-0', ['team/a']],
      ['MIG-1', ['team/b']],
      [gpu.uuid, ['team/c']],
    ]);
    const claimsOf = new Map([
      ['MIG-0', ['team/a-gpu']],
      [gpu.uuid, ['team/c-gpu']],
    ]);
    const holders = { ofDevice: pods, ofAny: [], stale: [], claimsOf };
    const [found] = withHolders([{ ...gpu, instances: [first, second] }], holders);
    expect(found).to.deep.include({ busy: true, pods: ['team/c'], claims: ['team/c-gpu'] });
    expect(found?.instances[0]).to.deep.include({ busy: true, pods: ['team/a'], claims: ['team/a-gpu'] });
    expect(found?.instances[1])
      .to.deep.include({ busy: true, pods: ['team/b'] })
      .and.not.to.have.property('claims');
  });

  it('are cut with the pods, within the same size', () => {
    const names = Array.from({ length: 40 }, (_, at) => `team/claim-${at}-${'x'.repeat(200)}`);
    const gpu = { ...aGpu(), busy: true, pods: names, claims: names };
    const [cut] = cutHolders([gpu, gpu]);
    expect(cut?.claims).to.have.lengthOf(cut?.pods?.length ?? 0);
    expect(names.slice(0, cut?.pods?.length).join('').length * 4).to.be.within(6_000, 8_000);
  });
});

describe('the pods that a report names', () => {
  const manyPods = (length: number): readonly string[] =>
    Array.from({ length }, (_, index) => `research-team-${index}/training-${'x'.repeat(30)}`);

  it('are sixteen of a device', () => {
    const gpu = { ...aGpu(), busy: true, pods: [...manyPods(20)] };
    expect(cutHolders([gpu])[0]?.pods).to.deep.equal(manyPods(16));
    expect(cutHolders([aGpu()])).to.deep.equal([aGpu()]);
  });

  it('are fewer where many devices are shared by many, so that the report stays within what an agent may write', () => {
    const gpus = Array.from({ length: 8 }, (_, index) => {
      const slices = Array.from({ length: 7 }, (_none, start) => `1g.5gb@${start}`);
      return withPods(aGpu({ index, slices }), Object.fromEntries(slices.map((slice) => [slice, manyPods(48)])));
    });
    const lists = cutHolders(gpus).flatMap(({ instances }) => instances.map(({ pods = [] }) => pods));
    expect(lists.flat().join('').length).to.be.within(4_000, 8_000);
    for (const pods of lists) expect(pods).to.have.lengthOf.at.least(1);
  });
});
