import { expect } from 'chai';
import { FairClock, Waiting } from '../../src/simulator/control-plane/run.ts';
import { boundWaits, eventually, stays } from './eventually.ts';

describe('eventually', () => {
  it('gives the first state that holds', async () => {
    let reads = 0;
    const read = (): number => (reads += 1);
    expect(await eventually(read, (state) => state === 3, { intervalMs: 1 })).to.equal(3);
  });

  it('shows what it waited for and the last state when nothing new is seen any more', async () => {
    const wait = eventually(
      () => ({ phase: 'Pending' }),
      ({ phase }) => phase === 'Running',
      { timeoutMs: 5, intervalMs: 1, what: 'the pod' },
    );
    expect(await messageOf(wait)).to.match(/after \d+ ms the pod was at last .*"phase": "Pending"/s);
  });

  it('has no end while there is progress, until mocha would end the test', async () => {
    let pods = 0;
    const read = (): object => ({ pods: (pods += 1), at: new Date().toISOString() });
    expect(await eventually(read, () => pods > 40, { timeoutMs: 5, intervalMs: 1 })).to.have.property('pods', 41);
    const time = (): object => ({ at: new Date().toISOString() });
    expect(await messageOf(eventually(time, () => false, { timeoutMs: 5, intervalMs: 1 })), 'times').to.match(/"at": /);
    boundWaits(() => 100);
    expect(await messageOf(eventually(read, () => false, { timeoutMs: 5, intervalMs: 1 }))).to.match(/"pods": \d+/);
  });

  it('takes an assertion that throws as not yet, and shows it at the end', async () => {
    const read = (): unknown => expect(1).to.equal(2);
    const wait = eventually(read, () => true, { timeoutMs: 5, intervalMs: 1 });
    expect(await messageOf(wait)).to.contain('expected 1 to equal 2');
  });
});

describe('a wait', () => {
  const looks = (patience: Waiting, ...all: readonly (readonly [atMs: number, seen: string])[]): readonly boolean[] =>
    all.map(([atMs, seen]) => patience.isOver(() => seen, atMs));

  it('lasts longer the less of the machine a program has', () => {
    const patience = new Waiting(1_000, new FairClock(() => 0.25));
    expect(looks(patience, [0, ''], [3_900, ''], [4_100, ''])).to.deep.equal([false, false, true]);
  });

  it('begins again with whatever was not seen before', () => {
    const patience = new Waiting(1_000, new FairClock());
    expect(looks(patience, [0, 'a'], [900, 'b'], [1_800, 'a'], [2_000, 'a'])).to.deep.equal([
      false,
      false,
      false,
      true,
    ]);
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
