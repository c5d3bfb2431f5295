import { expect } from 'chai';
import { FleetMemory } from '../../../src/core/node/fleet-memory.ts';
import type { NodeMemory } from '../../../src/core/node/memory.ts';

describe('what is remembered of a fleet', () => {
  const waiting: NodeMemory = { waits: { Closed: { since: 5 } }, evictions: {} };

  it('starts with what an earlier leader left, and continues with what the last decision left', () => {
    const memory = new FleetMemory();
    const status = { waits: [{ name: 'Advertised', since: '1970-01-01T00:00:01Z' }] };
    expect(memory.of('n', status).waits).to.deep.equal({ Advertised: { since: 1000 } });
    memory.put('n', waiting);
    expect(memory.of('n', status)).to.equal(waiting);
    memory.forget('n');
    expect(memory.of('n', undefined)).to.deep.equal({ waits: {}, evictions: {} });
  });

  it('keeps what a decision gave up even if nothing tells whether it was carried out, and nothing else of it', () => {
    const memory = new FleetMemory();
    const DrainRest = { since: 7, of: 'DrainTimeout a 0 ns/job' };
    memory.tries('n', waiting, { waits: { DrainRest, AdvertisedEarly: { since: 7 } }, evictions: {} });
    expect(memory.of('n', undefined)).to.deep.equal({ waits: { ...waiting.waits, DrainRest }, evictions: {} });
  });

  it('gives a node up for others after the third throw in a row, each time in the same words', () => {
    const memory = new FleetMemory();
    memory.put('n', waiting);
    expect([1, 2].map(() => memory.threw('n', 'no'))).to.deep.equal([undefined, undefined]);
    const words = memory.threw('n', 'no');
    expect(words).to.match(/^the controller could not process this node 3 times in a row: no\./);
    expect(memory.threw('n', 'no')).to.equal(words);
    expect(memory.of('n', undefined)).to.equal(waiting);
  });

  it('counts from the start once a decision was made, whether or not it could be carried out', () => {
    const memory = new FleetMemory();
    const status = { waits: [{ name: 'Labels', since: '1970-01-01T00:00:02Z' }] };
    memory.threw('n', 'no');
    memory.threw('n', 'no');
    memory.decided('n');
    expect(memory.of('n', status).waits).to.deep.equal({ Labels: { since: 2000 } });
    expect([1, 2].map(() => memory.threw('n', 'no'))).to.deep.equal([undefined, undefined]);
    memory.put('n', waiting);
    expect(memory.threw('n', 'no')).to.equal(undefined);
  });
});
