import { expect } from 'chai';
import { FleetMemory } from '../../../src/core/node/decide.ts';
import type { NodeMemory } from '../../../src/core/node/memory.ts';

describe('what is remembered of a fleet', () => {
  const waiting: NodeMemory = { waits: { Closed: { since: 5 } }, evictions: {} };
  const node = { name: 'n', uid: 'uid-n' };

  it('starts with what an earlier leader left, and continues with what the last decision left', () => {
    const memory = new FleetMemory();
    const status = { waits: [{ name: 'Advertised', since: '1970-01-01T00:00:01Z' }] };
    expect(memory.of(node, status).waits).to.deep.equal({ Advertised: { since: 1000 } });
    memory.put(node, waiting);
    expect(memory.of(node, status)).to.equal(waiting);
    memory.forget('n');
    expect(memory.of(node, undefined)).to.deep.equal({ waits: {}, evictions: {} });
  });

  it('is not about another node of the same name', () => {
    const memory = new FleetMemory();
    const other = { name: 'n', uid: 'uid-other' };
    memory.put(node, waiting);
    memory.threw(node, 'no');
    memory.threw(node, 'no');
    expect(memory.of(other, undefined)).to.deep.equal({ waits: {}, evictions: {} });
    expect(memory.threw(other, 'no')).to.equal(undefined);
    expect(memory.of(other, undefined)).to.deep.equal({ waits: {}, evictions: {} });
  });

  it('keeps what a decision gave up even if nothing tells whether it was carried out, and nothing else of it', () => {
    const memory = new FleetMemory();
    const DrainRest = { since: 7, of: 'DrainTimeout a 0 ns/job' };
    memory.tries(node, waiting, { waits: { DrainRest, AdvertisedEarly: { since: 7 } }, evictions: {} });
    expect(memory.of(node, undefined)).to.deep.equal({ waits: { ...waiting.waits, DrainRest }, evictions: {} });
  });

  it('gives a node up for others after the third throw in a row, each time in the same words', () => {
    const memory = new FleetMemory();
    memory.put(node, waiting);
    expect([1, 2].map(() => memory.threw(node, 'no'))).to.deep.equal([undefined, undefined]);
    const words = memory.threw(node, 'no');
    expect(words).to.match(/^the controller could not process this node 3 times in a row: no\./);
    expect(memory.threw(node, 'no')).to.equal(words);
    expect(memory.of(node, undefined)).to.equal(waiting);
  });

  it('counts from the start once a decision was made, whether or not it could be carried out', () => {
    const memory = new FleetMemory();
    const status = { waits: [{ name: 'Labels', since: '1970-01-01T00:00:02Z' }] };
    memory.threw(node, 'no');
    memory.threw(node, 'no');
    memory.decided(node);
    expect(memory.of(node, status).waits).to.deep.equal({ Labels: { since: 2000 } });
    expect([1, 2].map(() => memory.threw(node, 'no'))).to.deep.equal([undefined, undefined]);
    memory.put(node, waiting);
    expect(memory.threw(node, 'no')).to.equal(undefined);
  });
});
