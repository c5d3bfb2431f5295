import { expect } from 'chai';
import fc from 'fast-check';
import { compareText } from '../../../src/core/text/json.ts';
import { CostQueue, RolloutStates } from '../../../src/core/rollout/states.ts';
import { FleetRollout, type NodeRolloutState } from '../../../src/core/rollout/budget.ts';
import { readKeptMemory } from '../../support/kept-memory.ts';
import { anAsking, aRolloutState } from './rollout-builders.ts';

describe('a queue by cost', () => {
  it('has the cheapest first, and those of equal cost by name, in whichever order they came', () => {
    const queue = new CostQueue();
    for (const [name, cost] of [
      ['d', 5],
      ['b', 1],
      ['c', 5],
      ['a', 1],
    ] as const)
      queue.add(name, cost);
    expect([...queue.inOrder()]).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('has a name once that is added again at the same cost', () => {
    const queue = new CostQueue();
    for (const name of ['b', 'a', 'b']) queue.add(name, 1);
    expect([...queue.inOrder()]).to.deep.equal(['a', 'b']);
    expect(queue.size).to.equal(2);
  });

  it('is what a sorted list would be, whatever is added and taken away', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const change = fc.oneof(fc.tuple(name, fc.integer({ min: 0, max: 4 })), fc.tuple(name));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const queue = new CostQueue();
        let list: { readonly name: string; readonly cost: number }[] = [];
        for (const [one, cost] of changes) {
          if (cost === undefined) queue.delete(one);
          else queue.add(one, cost);
          if (list.some((known) => known.name === one && known.cost === cost)) continue;
          list = list.filter((known) => known.name !== one);
          if (cost !== undefined) list.push({ name: one, cost });
        }
        const sorted = list
          .toSorted((left, right) => left.cost - right.cost || compareText(left.name, right.name))
          .map((known) => known.name);
        expect([...queue.inOrder()]).to.deep.equal(sorted);
        expect(queue.size).to.equal(list.length);
      }),
    );
  });
});

const askersOf = (fleet: FleetRollout, policy: string): readonly string[] =>
  [...fleet.of(policy).inOrder('New')].map(({ node }) => node);

describe('the rollouts of a fleet', () => {
  it('tell which policy a change may move on, and of no change none', () => {
    const fleet = new FleetRollout();
    expect(fleet.put(anAsking('a'))).to.deep.equal(['p']);
    expect(fleet.put(anAsking('a'))).to.deep.equal([]);
    expect(fleet.put(aRolloutState('a', { isVerified: true }))).to.deep.equal(['p']);
    expect(fleet.remove('a')).to.deep.equal(['p']);
    expect(fleet.remove('a')).to.deep.equal([]);
  });

  it('keep nothing of a policy that is gone, whose nodes are looked at later', () => {
    const fleet = new FleetRollout();
    const count = 2_000;
    const replace = (): void => {
      for (let at = 0; at < count; at += 1) {
        fleet.put(aRolloutState('a', { policy: `p${at}` }));
        fleet.dropPolicy(`p${at}`);
        fleet.put(aRolloutState('a', { policy: undefined }));
      }
    };
    const before = readKeptMemory().heapUsed;
    replace();
    expect((readKeptMemory().heapUsed - before) / count, 'bytes of each policy').to.be.below(200);
    expect(fleet.known).to.equal(1);
  });

  it('have a node with the policy that decides over it, and with no other', () => {
    const fleet = new FleetRollout();
    fleet.put(anAsking('a'));
    expect(fleet.put(anAsking('a', 'New', { policy: 'q' }))).to.deep.equal(['p', 'q']);
    expect(askersOf(fleet, 'p')).to.deep.equal([]);
    expect(askersOf(fleet, 'q')).to.deep.equal(['a']);
    expect(fleet.put(aRolloutState('a', { policy: undefined }))).to.deep.equal(['q']);
    expect(askersOf(fleet, 'q')).to.deep.equal([]);
    expect(fleet.rolloutStateOf('a')?.policy).to.equal(undefined);
  });

  it('give turns among nodes of equal cost by name, whoever asked first', () => {
    const fleet = new FleetRollout();
    for (const node of ['a', 'b']) fleet.put(anAsking(node));
    fleet.put(anAsking('a', 'New', { isReady: false }));
    expect(askersOf(fleet, 'p')).to.deep.equal(['a', 'b']);
    fleet.put(aRolloutState('a'));
    fleet.put(anAsking('a'));
    expect(askersOf(fleet, 'p')).to.deep.equal(['a', 'b']);
  });

  it('know nothing any more of a node that is gone', () => {
    const fleet = new FleetRollout();
    fleet.put(anAsking('a', 'Retry', { isReady: false, isUnderWay: true }));
    const rolloutStates = fleet.of('p');
    expect([rolloutStates.failed.size, rolloutStates.unavailable.size, rolloutStates.underWay.size]).to.deep.equal([
      1, 1, 1,
    ]);
    expect(rolloutStates.failedOpen.size).to.equal(0);
    fleet.put(anAsking('a', 'Retry'));
    expect([rolloutStates.failedOpen.size, rolloutStates.unavailable.size, rolloutStates.underWay.size]).to.deep.equal([
      1, 0, 0,
    ]);
    fleet.remove('a');
    expect([rolloutStates.failed.size, rolloutStates.failedOpen.size, rolloutStates.isAsked]).to.deep.equal([
      0,
      0,
      false,
    ]);
  });

  it('count the nodes that have GPUs, and tell policies whose nodes wait that there are more', () => {
    const fleet = new FleetRollout();
    fleet.put(anAsking('a'));
    fleet.put(aRolloutState('b', { policy: 'q' }));
    expect(fleet.put(aRolloutState('cpu', { policy: undefined, hasGpus: false }))).to.deep.equal([]);
    expect([fleet.size, fleet.of('p').countGpuNodes()]).to.deep.equal([2, 1]);
    expect(fleet.put(aRolloutState('c', { policy: undefined }))).to.deep.equal(['p']);
    expect(fleet.size).to.equal(3);
    fleet.remove('c');
    fleet.put(anAsking('a', 'New', { hasGpus: false }));
    expect([fleet.size, fleet.of('p').countGpuNodes()]).to.deep.equal([1, 0]);
  });

  it('keep a node that is closed for a change in the ledger while it is looked at, and know none that is not there', () => {
    const fleet = new FleetRollout();
    fleet.put(aRolloutState('x', { isUnderWay: true }));
    fleet.begin('x');
    fleet.begin('nobody');
    fleet.put(aRolloutState('y'));
    fleet.begin('y');
    expect(fleet.rolloutStateOf('y')).to.deep.equal(aRolloutState('y', { isUnderWay: true, isBegun: true }));
    fleet.remove('y');
    expect(fleet.rolloutStateOf('y')).to.equal(undefined);
    expect(fleet.rolloutStateOf('x')).to.deep.equal(aRolloutState('x', { isUnderWay: true }));
    expect(fleet.rolloutStateOf('nobody')).to.equal(undefined);
  });

  it('take a node with a slot for one under way while it is looked at', () => {
    const fleet = new FleetRollout();
    fleet.begin('unknown');
    expect(fleet.rolloutStateOf('unknown')).to.equal(undefined);
    fleet.put(anAsking('a'));
    fleet.begin('a');
    expect(fleet.rolloutStateOf('a')?.isUnderWay).to.equal(true);
    expect([...fleet.of('p').underWay]).to.deep.equal(['a']);
  });

  it('start over with a policy that was deleted and made again', () => {
    const fleet = new FleetRollout();
    fleet.put(anAsking('a'));
    fleet.dropPolicy('p');
    expect(askersOf(fleet, 'p')).to.deep.equal([]);
    expect(fleet.put(anAsking('a'))).to.deep.equal(['p']);
    expect(askersOf(fleet, 'p')).to.deep.equal(['a']);
  });
});

describe('the failed nodes of a policy that slow its rollout down', () => {
  it('are those that are open and available: the others count anyway', () => {
    const { failed, failedOpen, unavailable } = statesOf(
      aRolloutState('open', { hasFailed: true }),
      aRolloutState('closed', { hasFailed: true, isClosedAnyway: true }),
      aRolloutState('down', { hasFailed: true, isReady: false }),
      aRolloutState('cordoned', { hasFailed: true, isCordoned: true }),
      aRolloutState('well'),
    );
    expect([...failed]).to.deep.equal(['open', 'closed', 'down', 'cordoned']);
    expect([...failedOpen]).to.deep.equal(['open']);
    expect([...unavailable]).to.deep.equal(['down', 'cordoned']);
  });
});

describe('the nodes of a policy', () => {
  it('are counted without those that an edit has just taken from it', () => {
    const states = statesOf(aRolloutState('own'), aRolloutState('left'), aRolloutState('cpu', { hasGpus: false }));
    expect(states.countGpuNodes()).to.equal(2);
    const own = { changes: 0, has: (node: string) => node !== 'left' };
    expect(states.countGpuNodes(own)).to.equal(1);
  });

  it('are counted again only when others are its own, or have GPUs', () => {
    const states = statesOf(aRolloutState('a'), aRolloutState('b'));
    let looks = 0;
    const own = { changes: 0, has: () => (looks += 1) > 0 };
    const count = () => [states.countGpuNodes(own), looks];
    expect([count(), count()]).to.deep.equal([
      [2, 2],
      [2, 2],
    ]);
    states.put(aRolloutState('a', { isReady: false }));
    expect(count()).to.deep.equal([2, 2]);
    states.put(aRolloutState('a', { hasGpus: false }));
    expect(count()).to.deep.equal([1, 3]);
    own.changes += 1;
    expect(count()).to.deep.equal([1, 4]);
    states.remove('b');
    expect(count()).to.deep.equal([0, 4]);
  });

  it('that are unavailable are named up to a limit, the first ones', () => {
    const names = ['a', 'b', 'c'];
    const states = statesOf(...names.map((node) => aRolloutState(node, { isReady: false })));
    const first = (most: number): readonly string[] => states.firstUnavailable(most).map(({ node }) => node);
    expect([first(0), first(2), first(9)]).to.deep.equal([[], ['a', 'b'], names]);
  });

  it('are forgotten once, when they go', () => {
    const states = statesOf(anAsking('x'));
    expect([states.remove('y'), states.remove('x'), states.remove('x')]).to.deep.equal([false, true, false]);
    expect(states.get('x')).to.equal(undefined);
  });
});

function statesOf(...all: readonly NodeRolloutState[]): RolloutStates {
  const states = new RolloutStates();
  for (const one of all) states.put(one);
  return states;
}
