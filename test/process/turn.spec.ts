import { expect } from 'chai';
import { Turn } from '../../src/process/turn.ts';

describe('Turn', () => {
  it('lets others run once it has lasted for 10 ms: leases are renewed, probes answered', async () => {
    const turn = new Turn();
    let others = 0;
    setImmediate(() => (others += 1));
    const end = performance.now() + 10;
    while (performance.now() < end);
    expect(others).to.equal(0);
    await turn.pause();
    expect(others).to.equal(1);
  });
});
