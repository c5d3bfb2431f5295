import { expect } from 'chai';
import { WasteSamples } from '../../src/ui/waste-samples.ts';
import { wastefulDay } from '../core/waste/waste-stories.ts';

describe('looks at the waste of a cluster', () => {
  it('are remembered, the newest twelve of them', async () => {
    let turn = 0;
    const waste = new WasteSamples(async () => {
      const facts = wastefulDay[turn % 3];
      turn += 1;
      if (!facts) throw new Error('no such moment');
      return facts;
    });
    expect((await waste.report()).samples).to.equal(1);
    expect((await waste.report()).gpus[0]?.profiles[0]?.neverUsed).to.equal(4);
    for (let more = 0; more < 20; more += 1) await waste.report();
    expect((await waste.report()).samples).to.equal(12);
  });
});
