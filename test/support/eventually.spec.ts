import { expect } from 'chai';

import { eventually, stays } from './eventually.ts';

describe('eventually', () => {
  it('gives the first state that holds', async () => {
    let reads = 0;
    const read = (): number => (reads += 1);
    expect(await eventually(read, (state) => state === 3, { intervalMs: 1 })).to.equal(3);
  });

  it('shows what it waited for and the last state when the time is over', async () => {
    const wait = eventually(
      () => ({ phase: 'Pending' }),
      ({ phase }) => phase === 'Running',
      { timeoutMs: 5, intervalMs: 1, what: 'the pod' },
    );
    expect(await messageOf(wait)).to.match(/after 20 ms the pod was at last .*"phase": "Pending"/s);
  });

  it('takes an assertion that throws as not yet, and shows it at the end', async () => {
    const read = (): unknown => expect(1).to.equal(2);
    const wait = eventually(read, () => true, { timeoutMs: 5, intervalMs: 1 });
    expect(await messageOf(wait)).to.contain('expected 1 to equal 2');
  });
});

describe('stays', () => {
  it('fails at the first state that does not hold', async () => {
    let reads = 0;
    const wait = stays(
      () => (reads += 1),
      (state) => state < 3,
      { forMs: 1_000, intervalMs: 1 },
    );
    expect(await messageOf(wait)).to.equal('the state did not stay: 3');
  });
});

async function messageOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no error',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
