import { expect } from 'chai';
import { cutHolders } from '../../../src/core/report/held-devices.ts';
import { aGpu, withPods } from '../../support/builders.ts';

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
