import { expect } from 'chai';
import { anAsking, aRolloutState, step, aSlotOf, manyAsking, namesOf, noon } from './rollout-builders.ts';
import type { NodeRolloutState } from '../../../src/core/rollout/budget.ts';
import { describeGate } from '../../../src/core/rollout/ledger.ts';

describe('a policy may admit', () => {
  it('leaves those that evict pods in the queue: one that was not looked at yet may be cheaper', () => {
    const nodes = [
      anAsking('evicts', 'New', { request: { evictions: 1, destroys: 0 } }),
      anAsking('idle', 'New', { request: { evictions: 0, destroys: 7 } }),
    ];
    const rollout = { maxUnavailable: 2 };
    expect(step({ nodes, rollout, admits: 'WithoutEvictions' }).admitted).to.deep.equal(['idle']);
    expect(step({ nodes, rollout, admits: 'Everybody' }).admitted).to.deep.equal(['idle', 'evicts']);
  });
});

describe('the ledger', () => {
  describe('admits', () => {
    it('as many as maxUnavailable says, one unless told otherwise', () => {
      expect(namesOf(step({ nodes: manyAsking(5) }))).to.deep.equal(['a0 New']);
      expect(namesOf(step({ nodes: manyAsking(5), rollout: { maxUnavailable: 2 } }))).to.deep.equal([
        'a0 New',
        'a1 New',
      ]);
    });

    it('with the time that pods have to go, from now', () => {
      const [slot] = step({ nodes: manyAsking(1), drain: { timeout: '90s' } }).ledger;
      expect(slot).to.deep.equal(aSlotOf('a0', { deadline: '2026-01-01T12:01:30Z' }));
    });

    it('cheap nodes first: the fewest evictions, then the fewest instances destroyed', () => {
      const nodes = [
        anAsking('dear', 'New', { request: { evictions: 2, destroys: 0 } }),
        anAsking('middle', 'New', { request: { evictions: 1, destroys: 9 } }),
        anAsking('cheap', 'New', { request: { evictions: 1, destroys: 2 } }),
        anAsking('free', 'New', { request: { evictions: 0, destroys: 900 } }),
      ];
      const { admitted } = step({ nodes, rollout: { maxUnavailable: 4 } });
      expect(admitted).to.deep.equal(['free', 'cheap', 'middle', 'dear']);
    });

    it('nodes whose pods did not go after those that were not tried as often: they starve no node', () => {
      const nodes = [
        anAsking('twice', 'New', { request: { evictions: 1, failedDrains: 2 } }),
        anAsking('once', 'New', { request: { evictions: 1, failedDrains: 1 } }),
        anAsking('dear', 'New', { request: { evictions: 200_000, destroys: 1000 } }),
      ];
      expect(step({ nodes, rollout: { maxUnavailable: 3 } }).admitted).to.deep.equal(['dear', 'once', 'twice']);
    });

    it('no node before all have been looked at and the generation is accepted', () => {
      const { ledger, gate } = step({ nodes: manyAsking(5), admits: 'Nobody' });
      expect(ledger).to.deep.equal([]);
      expect(gate).to.equal(undefined);
    });

    it('no more than the cap over all policies allows, whatever the policy allows', () => {
      expect(step({ nodes: manyAsking(5), rollout: { maxUnavailable: 5 }, cap: 2 }).ledger).to.have.length(2);
      expect(step({ nodes: manyAsking(5, 'Fresh'), cap: 2 }).ledger).to.have.length(2);
      expect(step({ nodes: manyAsking(5), cap: 0 }).ledger).to.deep.equal([]);
    });

    it('no more than the nodes of other policies leave of the cap, and says which these are', () => {
      const others = [
        { policy: 'a', node: 'x', since: '2026-01-01T11:59:00Z' },
        { policy: 'a', node: 'y', since: '2026-01-01T11:59:30Z' },
        { policy: 'c', node: 'z', since: undefined },
      ];
      const last = step({ nodes: manyAsking(5), rollout: { maxUnavailable: 5 }, cap: 4, others });
      expect([namesOf(last), last.gate], 'the last place').to.deep.equal([['a0 New'], undefined]);
      const { ledger, gate } = step({ nodes: manyAsking(5), cap: 3, others });
      expect(ledger).to.deep.equal([]);
      expect(gate && describeGate(gate)).to.equal(
        '--max-concurrent-nodes of the controller allows 3 nodes of all policies at a time, and others change now: ' +
          'policy a x (since 2026-01-01T11:59:00Z), y (since 2026-01-01T11:59:30Z); policy c z',
      );
      expect(step({ nodes: manyAsking(5), cap: 1, others }).ledger, 'lowered').to.deep.equal([]);
      expect(step({ nodes: [aRolloutState('x')], cap: 3, others }).gate, 'none asks').to.equal(undefined);
    });

    it('never more than the API can keep', () => {
      const { ledger } = step({ nodes: manyAsking(600), rollout: { maxUnavailable: '100%' } });
      expect(ledger).to.have.length(500);
    });

    it('repairs before what is new, and what has failed before last', () => {
      const nodes = [anAsking('retry', 'Retry'), anAsking('new'), anAsking('repair', 'Repair')];
      const rollout = { maxUnavailable: 3, failureThreshold: 9 };
      expect(step({ nodes, rollout }).admitted.slice(0, 2)).to.deep.equal(['repair', 'new']);
      expect(step({ nodes, rollout }).ledger.at(-1)?.node).to.equal('retry');
    });

    it('repairs, new nodes and retries within one and the same budget', () => {
      const [repair, retry] = [anAsking('repair', 'Repair'), anAsking('retry', 'Retry')];
      const admit = (nodes: readonly (typeof retry)[], maxUnavailable: number): readonly string[] =>
        step({ nodes, rollout: { maxUnavailable, failureThreshold: 9 } }).admitted;
      const withNew = [repair, anAsking('new'), anAsking('newer')];
      expect(admit(withNew, 1)).to.deep.equal(['repair']);
      expect(admit(withNew, 2)).to.deep.equal(['repair', 'new']);
      expect(admit([repair, retry], 1)).to.deep.equal(['repair']);
      expect(admit([anAsking('new'), retry], 1)).to.deep.equal(['new']);
      // The failed node counts itself until it gets a slot.
      expect(admit([...withNew, retry], 2)).to.deep.equal(['repair', 'retry']);
      expect(admit([...withNew, retry], 3)).to.deep.equal(['repair', 'new', 'retry']);
    });
  });

  describe('counts', () => {
    it('nodes in flight', () => {
      const nodes = [aRolloutState('x', { isUnderWay: true }), ...manyAsking(5)];
      const { ledger } = step({ nodes, inFlight: [aSlotOf('x')], rollout: { maxUnavailable: 2 } });
      expect(namesOf({ ledger })).to.deep.equal(['x New', 'a0 New']);
    });

    it('nodes that are not ready, whoever is to blame, and one that is in flight as well once', () => {
      const notReady = aRolloutState('down', { isReady: false });
      expect(step({ nodes: [notReady, ...manyAsking(5)] }).admitted).to.deep.equal([]);
      const both = aRolloutState('x', { isUnderWay: true, isReady: false });
      const { admitted } = step({
        nodes: [both, ...manyAsking(5)],
        inFlight: [aSlotOf('x')],
        rollout: { maxUnavailable: 2 },
      });
      expect(admitted).to.deep.equal(['a0']);
    });

    it('nodes that somebody has cordoned: no pod can be bound to them either', () => {
      const cordoned = aRolloutState('out', { isCordoned: true });
      const { admitted, gate } = step({ nodes: [cordoned, ...manyAsking(5)] });
      expect(admitted).to.deep.equal([]);
      expect(gate && describeGate(gate)).to.equal(
        'spec.rollout.maxUnavailable allows 1 unavailable node, and there is 1 already: out (cordoned). The rollout continues when fewer are',
      );
      const down = aRolloutState('down', { isReady: false, isCordoned: true });
      const two = step({ nodes: [cordoned, down, ...manyAsking(5)], rollout: { maxUnavailable: 2 } });
      expect(two.gate && describeGate(two.gate)).to.include(
        '2 unavailable nodes, and there are 2 already: out (cordoned), down (not Ready)',
      );
      const beside = (more: Partial<NodeRolloutState>) => {
        const nodes = [aRolloutState('x', { isUnderWay: true, ...more }), cordoned, ...manyAsking(5)];
        const inFlight = [aSlotOf('x'), aSlotOf('y')];
        const found = step({
          nodes: [...nodes, aRolloutState('y', { isUnderWay: true })],
          inFlight,
          rollout: { maxUnavailable: 3 },
        });
        return found.gate && describeGate(found.gate);
      };
      expect(beside({})).to.include(
        '3 unavailable nodes, and there is 1 already beside 2 that change: out (cordoned). ',
      );
      expect(beside({ isReady: false })).to.include('there are 2 already beside 1 that changes: x (not Ready), out (');
      expect(step({ nodes: [cordoned, ...manyAsking(5)], rollout: { maxUnavailable: 2 } }).admitted).to.deep.equal([
        'a0',
      ]);
    });

    it('not those that were never there: closed since they joined, and their kubelet not up yet', () => {
      const joining = aRolloutState('joining', { isReady: false, isClosedAnyway: true });
      expect(step({ nodes: [joining, ...manyAsking(5)] }).admitted).to.deep.equal(['a0']);
    });

    it('failed nodes, so that with them a rollout slows down to one node at a time, and does not stop', () => {
      const failed = ['f0', 'f1', 'f2'].map((name) => aRolloutState(name, { hasFailed: true }));
      const nodes = [...failed, ...manyAsking(9)];
      const rollout = { maxUnavailable: 3, failureThreshold: 9 };
      expect(step({ nodes, rollout }).admitted).to.deep.equal(['a0']);
      const underWay = nodes.map((one) => (one.node === 'a0' ? aRolloutState('a0', { isUnderWay: true }) : one));
      expect(step({ nodes: underWay, rollout, inFlight: [aSlotOf('a0')] }).admitted).to.deep.equal([]);
      expect(step({ nodes: nodes.slice(1), rollout: { ...rollout, maxUnavailable: 4 } }).admitted).to.have.length(2);
    });

    it('a percentage of the nodes that there are now: growth admits more, shrinking revokes nothing', () => {
      const rollout = { maxUnavailable: '10%' };
      const underWay = ['x0', 'x1', 'x2'].map((name) => aRolloutState(name, { isUnderWay: true }));
      const inFlight = underWay.map(({ node }) => aSlotOf(node));
      const ofSize = (size: number) => [
        ...underWay,
        ...manyAsking(7),
        ...Array.from({ length: size - 10 }, (_, at) => aRolloutState(`z${at}`)),
      ];
      expect(step({ nodes: ofSize(30), rollout, inFlight }).admitted).to.deep.equal([]);
      expect(step({ nodes: ofSize(50), rollout, inFlight }).admitted).to.deep.equal(['a0', 'a1']);
      expect(step({ nodes: ofSize(10), rollout, inFlight }).ledger).to.deep.equal(inFlight);
    });

    it('a percentage of the nodes that have GPUs', () => {
      const without = Array.from({ length: 90 }, (_, at) =>
        aRolloutState(`cpu${at}`, { hasGpus: false, isVerified: true }),
      );
      const nodes = [...without, ...manyAsking(10)];
      const { admitted, limits } = step({ nodes, rollout: { maxUnavailable: '10%' }, cap: 4 });
      expect(admitted).to.deep.equal(['a0']);
      expect(limits).to.deep.equal({ nodes: 10, maxUnavailable: 1, maxConcurrentNodes: 4 });
      const { gate } = step({
        nodes: [...nodes, ...['f0', 'f1', 'f2'].map((name) => aRolloutState(name, { hasFailed: true }))],
        rollout: { failureThreshold: '30%' },
      });
      expect(gate).to.include({ reason: 'Halted', threshold: 3 });
    });

    it('what it allowed before it was lowered: nothing is revoked, and nothing new starts until there is room', () => {
      const underWay = ['x0', 'x1', 'x2'].map((name) => aRolloutState(name, { isUnderWay: true }));
      const inFlight = underWay.map(({ node }) => aSlotOf(node));
      const nodes = [...underWay, ...manyAsking(5)];
      const lowered = step({ nodes, inFlight, generation: 2, rollout: { maxUnavailable: 2 } });
      expect(lowered.ledger).to.deep.equal(inFlight);
      const held = step({ nodes, inFlight, generation: 2, rollout: { maxUnavailable: 0 } });
      expect(held.ledger).to.deep.equal(inFlight);
      const [, ...done] = underWay;
      const after = [
        aRolloutState('x0', { isVerified: true, slot: '2026-01-01T12:00:00Z' }),
        ...done,
        ...manyAsking(5),
      ];
      expect(step({ nodes: after, inFlight, generation: 2, rollout: { maxUnavailable: 2 } }).admitted).to.deep.equal(
        [],
      );
    });
  });

  describe('gives a slot back', () => {
    const slot = aSlotOf('x');
    const found = slot.startTime;
    const isHeld = (
      rolloutState: ReturnType<typeof aRolloutState> | undefined,
      more: Parameters<typeof step>[0] = {},
    ): boolean =>
      step({ nodes: rolloutState ? [rolloutState] : [], inFlight: [slot], uids: { x: 'uid-x' }, ...more }).ledger
        .length === 1;

    it('when the node was looked at with that very slot, and nothing is under way', () => {
      expect(isHeld(aRolloutState('x', { slot: found, isVerified: true }))).to.equal(false);
      expect(isHeld(aRolloutState('x', { slot: found }))).to.equal(false);
      expect(isHeld(aRolloutState('x', { slot: found, isUnderWay: true }))).to.equal(true);
    });

    it('not because of a decision that did not know of it', () => {
      expect(isHeld(aRolloutState('x', { isVerified: true }))).to.equal(true);
      expect(isHeld(aRolloutState('x', { slot: '2026-01-01T11:00:00Z', isVerified: true }))).to.equal(true);
      expect(isHeld(undefined)).to.equal(true);
    });

    it('when the node is gone, or another one of the same name was looked at', () => {
      expect(isHeld(undefined, { uids: {} })).to.equal(false);
      expect(isHeld(aRolloutState('x', { isUnderWay: true }), { uids: {} }), 'as it was').to.equal(false);
      const uids = { x: 'another' };
      expect(isHeld(aRolloutState('x', { isUnderWay: true }), { uids }), 'it may be closed too').to.equal(true);
      expect(isHeld(undefined, { uids })).to.equal(true);
      expect(isHeld(aRolloutState('x', { nodeUID: 'another' }), { uids })).to.equal(false);
    });

    it('to the node that was recreated under the name and is closed, in the same write: its place is never free', () => {
      const anew = aRolloutState('x', { nodeUID: 'another', isUnderWay: true });
      const { ledger, admitted, released } = step({ nodes: [anew, ...manyAsking(2)], inFlight: [slot] });
      expect(ledger.map(({ node, nodeUID, kind }) => [node, nodeUID, kind])).to.deep.equal([['x', 'another', 'Found']]);
      expect([admitted, released]).to.deep.equal([['x'], ['x']]);
    });

    it('when another policy decides, or none, and has it in its own hands', () => {
      for (const policy of ['q', undefined]) {
        expect(isHeld(aRolloutState('x', { policy, isUnderWay: true }))).to.equal(true);
        expect(isHeld(aRolloutState('x', { policy }))).to.equal(false);
      }
    });

    it('when it was given for a wish that the node does not have any more, and nothing is under way', () => {
      expect(isHeld(aRolloutState('x', { wishGeneration: 2 }), { generation: 2 })).to.equal(false);
      expect(isHeld(aRolloutState('x', { wishGeneration: 2, isUnderWay: true }), { generation: 2 })).to.equal(true);
    });

    describe('for an earlier wish, and is still closed for it', () => {
      const closed = anAsking('x', 'New', { isUnderWay: true, wishGeneration: 2 });
      const renew = (more: Parameters<typeof step>[0] = {}): readonly string[] =>
        step({
          nodes: [closed, ...manyAsking(2)],
          inFlight: [slot],
          generation: 2,
          now: noon + 60_000,
          ...more,
        }).ledger.map(({ node, generation, startTime }) => `${node} ${generation} ${startTime}`);
      const [before, after] = ['x 1 2026-01-01T12:00:00Z', 'x 2 2026-01-01T12:01:00Z'];

      it('exchanges it in its place: it might never be open otherwise', () => {
        expect(renew()).to.deep.equal([after]);
        expect(step({ nodes: [closed], inFlight: [slot], generation: 2 })).to.deep.include({
          admitted: ['x'],
          released: [],
        });
      });

      it('keeps it as long as it may not start', () => {
        const paused = { paused: true };
        const windows = [{ schedule: '0 22 * * *', duration: '1h' }];
        for (const rollout of [paused, { windows }, { maxUnavailable: 0 }])
          expect(renew({ rollout }), JSON.stringify(rollout)).to.deep.equal([before]);
        expect(renew({ frozen: 'no' })).to.deep.equal([before]);
        expect(renew({ admits: 'Nobody' })).to.deep.equal([before]);
        expect(renew({ nodes: [closed, aRolloutState('y', { hasFailed: true })] }), 'halted').to.deep.equal([before]);
        const waiting = { generation: 2, nodes: ['y'] };
        const soaking = [closed, aRolloutState('y', { isVerified: true })];
        const canary = renew({ nodes: soaking, rollout: { canary: { nodes: 1, soak: '5m' } }, canary: waiting });
        expect(canary).to.deep.equal([before]);
      });

      it('makes it a canary of the edit: otherwise it would keep the only place, and the canary would wait for it without end', () => {
        const both = [closed, anAsking('y', 'New', { isUnderWay: true, wishGeneration: 2 }), ...manyAsking(2)];
        const inFlight = [slot, { ...slot, node: 'y', nodeUID: 'uid-y' }];
        const stepWith = (nodes: number) =>
          step({ nodes: both, inFlight, generation: 2, rollout: { maxUnavailable: 3, canary: { nodes } } });
        const generationsOf = ({ ledger }: ReturnType<typeof step>) =>
          ledger.map(({ node, generation }) => `${node} ${generation}`);
        const one = stepWith(1);
        expect(generationsOf(one)).to.deep.equal(['x 2', 'y 1']);
        expect(one.canary).to.deep.equal({ generation: 2, nodes: ['x'] });
        expect(one.admitted).to.deep.equal(['x']);
        for (const kinds of [
          ['Repair', 'New'],
          ['New', 'Repair'],
        ] as const) {
          const nodes = ['x', 'y'].map((node, index) =>
            anAsking(node, kinds[index] ?? 'New', { isUnderWay: true, wishGeneration: 2 }),
          );
          const rollout = { maxUnavailable: 3, canary: { nodes: 1 } };
          expect(generationsOf(step({ nodes, inFlight, generation: 2, rollout })), kinds.join(' and ')).to.deep.equal([
            'x 2',
            'y 2',
          ]);
        }
        const three = stepWith(3);
        expect(generationsOf(three).slice(0, 2)).to.deep.equal(['x 2', 'y 2']);
        expect(three.canary?.nodes).to.have.lengthOf(3).and.include.members(['x', 'y']);
      });

      it('exchanges it before all nodes have been looked at only if no pod has to go', () => {
        const evicting = anAsking('x', 'New', { isUnderWay: true, wishGeneration: 2, request: { evictions: 1 } });
        expect(renew({ admits: 'WithoutEvictions' })).to.deep.equal([after]);
        expect(renew({ admits: 'WithoutEvictions', nodes: [evicting] })).to.deep.equal([before]);
        expect(renew({ nodes: [evicting] })).to.deep.equal([after]);
      });

      it('exchanges it for a repair or a retry although the rollout is halted', () => {
        for (const kind of ['Repair', 'Retry'] as const) {
          const nodes = [{ ...closed, ...anAsking('x', kind, { isUnderWay: true, wishGeneration: 2 }) }];
          expect(renew({ nodes: [...nodes, aRolloutState('y', { hasFailed: true })] }), kind).to.deep.equal([after]);
        }
      });

      it('exchanges one that takes no place for another such outside of windows, and not while it is paused', () => {
        const nodes = [anAsking('x', 'Fresh', { isUnderWay: true, wishGeneration: 2 })];
        const fresh = { ...slot, kind: 'Fresh' as const };
        expect(renew({ nodes, inFlight: [fresh], rollout: { maxUnavailable: 0 } })).to.deep.equal([after]);
        expect(renew({ nodes, inFlight: [fresh], rollout: { paused: true } })).to.deep.equal([before]);
      });

      it('keeps one of a node that is gone, or recreated under its name', () => {
        expect(renew({ nodes: [], uids: { x: 'uid-x' } })).to.deep.equal([before]);
        const anew = { ...closed, nodeUID: 'another' };
        expect(renew({ nodes: [anew], uids: { x: 'uid-x' } })).to.deep.equal([before]);
      });

      it('keeps one that takes no place as long as the next would take one', () => {
        const fresh = { ...slot, kind: 'Fresh' as const };
        expect(renew({ inFlight: [fresh], nodes: [closed] })).to.deep.equal([before]);
      });

      it('keeps it as long as its agent works, or another policy decides', () => {
        const { request: _none, ...working } = closed;
        expect(renew({ nodes: [working] })).to.deep.equal([before]);
        expect(renew({ nodes: [{ ...closed, policy: 'q' }] })).to.deep.equal([before]);
      });
    });

    it('not because of an edit that does not change the node’s layout', () => {
      expect(isHeld(aRolloutState('x', { wishGeneration: 1 }), { generation: 2 })).to.equal(true);
    });

    it('and has the next one take it at once', () => {
      const nodes = [aRolloutState('x', { slot: found, isVerified: true }), ...manyAsking(2)];
      const { released, admitted } = step({ nodes, inFlight: [slot] });
      expect(released).to.deep.equal(['x']);
      expect(admitted).to.deep.equal(['a0']);
    });

    it('looks again soon at nodes that others decide over: no event tells of them', () => {
      const nodes = [aRolloutState('x', { policy: 'q', isUnderWay: true })];
      expect(step({ nodes, inFlight: [slot] }).requeueAfterMs).to.equal(1000);
      expect(step({ nodes: [aRolloutState('x', { isUnderWay: true })], inFlight: [slot] }).requeueAfterMs).to.equal(
        undefined,
      );
    });
  });

  describe('that was lost', () => {
    it('is rebuilt from the nodes under way, before any other starts', () => {
      const underWay = ['x0', 'x1'].map((name) => aRolloutState(name, { isUnderWay: true }));
      const nodes = [...manyAsking(5), ...underWay];
      const { ledger } = step({ nodes, rollout: { maxUnavailable: 2 } });
      const found = { kind: 'Found' as const };
      expect(ledger).to.deep.equal([aSlotOf('x0', found), aSlotOf('x1', found)]);
      expect(namesOf(step({ nodes, rollout: { maxUnavailable: 3 } }))).to.deep.equal([
        'x0 Found',
        'x1 Found',
        'a0 New',
      ]);
    });

    it('does not get nodes that are just looked at, or that are not those of the name any more', () => {
      const underWay = aRolloutState('x', { isUnderWay: true });
      expect(step({ nodes: [{ ...underWay, isBegun: true }] }).ledger).to.deep.equal([]);
      expect(step({ nodes: [underWay], uids: { x: 'another' } }).ledger).to.deep.equal([]);
      expect(step({ nodes: [underWay], uids: {} }).ledger).to.deep.equal([]);
    });

    it('is rebuilt even while no node may start', () => {
      const nodes = [aRolloutState('x', { isUnderWay: true })];
      expect(namesOf(step({ nodes, admits: 'Nobody' }))).to.deep.equal(['x Found']);
      expect(namesOf(step({ nodes, frozen: 'incident 7' }))).to.deep.equal(['x Found']);
    });

    it('lists a node once that is under way and also asks for a slot', () => {
      const nodes = [anAsking('x', 'New', { isUnderWay: true }), ...manyAsking(2)];
      expect(namesOf(step({ nodes, rollout: { maxUnavailable: 2 } }))).to.deep.equal(['x Found', 'a0 New']);
    });

    it('counts already closed nodes as such: they take no place', () => {
      const nodes = [aRolloutState('x', { isUnderWay: true, isClosedAnyway: true }), ...manyAsking(2)];
      expect(namesOf(step({ nodes }))).to.deep.equal(['x Fresh', 'a0 New']);
    });
  });

  describe('lets already closed nodes', () => {
    const fresh = manyAsking(50, 'Fresh', 'f');

    it('start side by side: they take no place', () => {
      expect(step({ nodes: fresh }).ledger).to.have.length(50);
      const { ledger } = step({ nodes: [...fresh, ...manyAsking(3)] });
      expect(ledger.filter(({ kind }) => kind === 'New')).to.have.length(1);
      expect(step({ nodes: [...fresh, ...manyAsking(3)], inFlight: ledger }).admitted).to.deep.equal([]);
    });

    it('start outside of windows and while maxUnavailable is 0, and not while the rollout is paused or frozen', () => {
      expect(step({ nodes: fresh, rollout: { maxUnavailable: 0 } }).ledger).to.have.length(50);
      const windows = [{ schedule: '0 22 * * *', duration: '1h' }];
      expect(step({ nodes: fresh, rollout: { windows } }).ledger).to.have.length(50);
      expect(step({ nodes: fresh, rollout: { paused: true } }).ledger).to.have.length(0);
      expect(step({ nodes: fresh, frozen: 'incident 7' }).ledger).to.have.length(0);
    });

    it('wait when too many have failed', () => {
      const failed = aRolloutState('x', { hasFailed: true, isClosedAnyway: true });
      expect(step({ nodes: [failed, ...fresh] }).ledger).to.deep.equal([]);
    });

    it('start again after a failure without a place, too, outside of a window and although others have failed', () => {
      const again = anAsking('x', 'Retry', { isClosedAnyway: true });
      const windows = [{ schedule: '0 22 * * *', duration: '1h' }];
      for (const rollout of [{ maxUnavailable: 0 }, { windows }, {}]) {
        expect(namesOf(step({ nodes: [again], rollout }))).to.deep.equal(['x Fresh']);
      }
      const { ledger } = step({ nodes: [anAsking('y', 'Retry'), again], rollout: { maxUnavailable: 0 } });
      expect(namesOf({ ledger })).to.deep.equal(['x Fresh']);
    });
  });

  describe('is halted', () => {
    const failed = ['f0', 'f1'].map((name) => anAsking(name, 'Retry'));

    it('at the threshold: no new node starts, what failed is tried again, and what drifted is repaired', () => {
      const nodes = [...failed, anAsking('drifted', 'Repair'), anAsking('joined', 'Fresh'), ...manyAsking(3)];
      const { ledger, gate } = step({ nodes, rollout: { maxUnavailable: 9, failureThreshold: 2 } });
      expect(namesOf({ ledger })).to.have.members(['drifted Repair', 'f0 Retry', 'f1 Retry']);
      expect(gate).to.deep.include({ reason: 'Halted', threshold: 2, isCanary: false });
      expect(gate && describeGate(gate)).to.equal(
        '2 failed (f0, f1), and spec.rollout.failureThreshold is 2: no new node starts. ' +
          'Failed nodes are retried; the rollout continues when they are Ready, or when the policy changes',
      );
    });

    it('not before the threshold', () => {
      const { ledger } = step({
        nodes: [...failed, ...manyAsking(3)],
        rollout: { maxUnavailable: 9, failureThreshold: 3 },
      });
      expect(ledger.filter(({ kind }) => kind === 'New')).to.have.length(3);
    });

    it('at a share of the nodes, rounded down, at least one', () => {
      const gateAt = (size: number) => {
        const others = Array.from({ length: size - failed.length - 3 }, (_, at) => aRolloutState(`z${at}`));
        const nodes = [...failed, ...manyAsking(3), ...others];
        return step({ nodes, rollout: { failureThreshold: '10%' } }).gate?.reason;
      };
      expect(gateAt(29)).to.equal('Halted');
      expect(gateAt(30)).to.equal(undefined);
      expect(gateAt(failed.length + 3)).to.equal('Halted');
    });

    it('at the first failure where the threshold cannot be read, and not before', () => {
      const rollout = { failureThreshold: 'many' };
      expect(step({ nodes: manyAsking(3), rollout }).admitted).to.deep.equal(['a0']);
      expect(
        step({ nodes: [aRolloutState('f', { hasFailed: true }), ...manyAsking(3)], rollout }).admitted,
      ).to.deep.equal([]);
    });

    it('and continues when a failed node is ready, or gone', () => {
      const nodes = [aRolloutState('f0', { isVerified: true }), ...manyAsking(3)];
      expect(step({ nodes }).admitted).to.deep.equal(['a0']);
    });
  });

  describe('is held, and says why', () => {
    const gateOf = (parts: Parameters<typeof step>[0]) => {
      const { ledger, gate } = step({ nodes: manyAsking(3), ...parts });
      expect(ledger).to.deep.equal([]);
      return gate && describeGate(gate);
    };

    it('by the freeze of the whole cluster, before all else', () => {
      expect(gateOf({ frozen: 'incident 7', rollout: { paused: true, maxUnavailable: 0 } })).to.equal(
        'the whole cluster is frozen: incident 7. No node starts to change; restart the controller without --freeze to continue',
      );
    });

    it('by a pause', () => {
      expect(gateOf({ rollout: { paused: true } })).to.equal(
        'the rollout is paused; set spec.rollout.paused to false to continue',
      );
    });

    it('by maxUnavailable 0', () => {
      const words = 'spec.rollout.maxUnavailable is 0: no node starts to change; raise it to continue';
      expect(gateOf({ rollout: { maxUnavailable: 0 } })).to.equal(words);
      expect(gateOf({ rollout: { maxUnavailable: '0%' } })).to.equal(words);
    });

    it('by windows, until the next one opens', () => {
      const windows = [{ schedule: '0 22 * * *', duration: '6h' }];
      const words = 'outside spec.rollout.windows; the next window opens at 2026-01-01T22:00:00Z';
      expect(gateOf({ rollout: { windows } })).to.equal(words);
      const { requeueAfterMs } = step({ nodes: manyAsking(3), rollout: { windows } });
      expect(requeueAfterMs).to.equal(10 * 3600_000 + 100);
      expect(step({ nodes: manyAsking(3), rollout: { windows }, now: noon + 10 * 3600_000 }).admitted).to.have.length(
        1,
      );
    });

    it('by windows, and looks again when the one that is open closes', () => {
      const windows = [{ schedule: '0 11 * * *', duration: '3h' }];
      const { gate, requeueAfterMs } = step({ nodes: manyAsking(3), rollout: { windows } });
      expect(gate).to.equal(undefined);
      expect(requeueAfterMs).to.equal(2 * 3600_000 + 100);
    });

    it('by an unreadable window, as long as the policy is not refused for it', () => {
      const words = 'no window in spec.rollout.windows ever opens';
      expect(gateOf({ rollout: { windows: [{ schedule: '61 * * * *', duration: '6h' }] } })).to.equal(words);
      const zone = { schedule: '0 22 * * *', duration: '6h', timeZone: 'Mars/Phobos' };
      expect(gateOf({ rollout: { windows: [zone] } })).to.equal(words);
      expect(step({ nodes: manyAsking(3), rollout: { windows: [zone] } }).requeueAfterMs).to.equal(undefined);
    });

    it('by a pause and by windows for repairs and retries, too', () => {
      const nodes = [anAsking('drifted', 'Repair'), anAsking('failed', 'Retry')];
      const windows = [{ schedule: '0 22 * * *', duration: '6h' }];
      for (const rollout of [{ paused: true }, { windows }, { maxUnavailable: 0 }])
        expect(step({ nodes, rollout }).ledger, JSON.stringify(rollout)).to.deep.equal([]);
    });

    it('by nodes that are not ready: the first five are named', () => {
      const down = Array.from({ length: 7 }, (_, at) =>
        aRolloutState(`d${at}`, at === 1 ? { isCordoned: true } : { isReady: false }),
      );
      expect(gateOf({ nodes: [...manyAsking(1), ...down] })).to.equal(
        'spec.rollout.maxUnavailable allows 1 unavailable node, and there are 7 already: d0 (not Ready), d1 (cordoned), d2 (not Ready), d3 (not Ready), d4 (not Ready) and 2 more. The rollout continues when fewer are',
      );
    });

    it('by failed nodes: five are named, and how many more there are', () => {
      const failed = (count: number) =>
        gateOf({
          nodes: [
            ...manyAsking(1),
            ...Array.from({ length: count }, (_, at) => aRolloutState(`f${at}`, { hasFailed: true })),
          ],
        });
      expect(failed(5)).to.match(/^5 failed \(f0, f1, f2, f3, f4\), and spec.rollout.failureThreshold is 1/);
      expect(failed(6)).to.match(/^6 failed \(f0, f1, f2, f3, f4 and 1 more\), and/);
    });

    it('by the cap where others use it up, and not by its own nodes', () => {
      const others = Array.from({ length: 6 }, (_, at) => ({
        policy: at < 3 ? 'a' : 'b',
        node: `x${at}`,
        since: undefined,
      }));
      expect(gateOf({ cap: 6, others })).to.equal(
        '--max-concurrent-nodes of the controller allows 6 nodes of all policies at a time, and others change now: policy a x0, x1, x2; policy b x3, x4; and 1 more',
      );
      const own = {
        nodes: manyAsking(3),
        inFlight: [aSlotOf('y')],
        uids: { y: 'uid-y' },
        rollout: { maxUnavailable: 5 },
      };
      expect(step({ ...own, cap: 1 }).gate).to.equal(undefined);
      expect(step({ ...own, rollout: { maxUnavailable: 1 } }).gate).to.equal(undefined);
      expect(step({ ...own, cap: 2, others: others.slice(0, 1) }).gate).to.deep.include({ reason: 'Capped' });
    });

    it('and reports nothing if no node waits', () => {
      expect(step({ nodes: [aRolloutState('x')], rollout: { paused: true } }).gate).to.equal(undefined);
    });

    it('and what is under way stays so', () => {
      const nodes = [aRolloutState('x', { isUnderWay: true }), ...manyAsking(3)];
      for (const parts of [{ rollout: { paused: true } }, { rollout: { maxUnavailable: 0 } }, { frozen: 'x' }]) {
        expect(step({ nodes, inFlight: [aSlotOf('x')], ...parts }).ledger).to.deep.equal([aSlotOf('x')]);
      }
    });

    it('by a window, and looks again when it opens although it is halted as well: what failed is tried again', () => {
      const windows = [{ schedule: '0 22 * * *', duration: '6h' }];
      const { gate, requeueAfterMs } = step({ nodes: [anAsking('f', 'Retry')], rollout: { windows } });
      expect(gate?.reason).to.equal('Halted');
      expect(requeueAfterMs).to.equal(10 * 3600_000 + 100);
    });
  });

  it('is the same after another step in the same world', () => {
    const nodes = [
      aRolloutState('x', { isUnderWay: true }),
      anAsking('y', 'New', { isUnderWay: true }),
      anAsking('r', 'Retry'),
      ...manyAsking(9),
      ...manyAsking(3, 'Fresh', 'f'),
    ];
    const rollout = { maxUnavailable: 5, failureThreshold: 3, canary: { nodes: 1 } };
    const first = step({ nodes, rollout });
    const again = step({ nodes, rollout, inFlight: first.ledger, ...(first.canary && { canary: first.canary }) });
    expect(again.ledger).to.deep.equal(first.ledger);
    expect(again.canary).to.deep.equal(first.canary);
    expect(again.admitted).to.deep.equal([]);
  });
});
