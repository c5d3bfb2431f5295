import { expect } from 'chai';
import {
  staleOffer,
  decideFence,
  explainFence,
  type FencePod,
  type OfferGateState,
} from '../../../src/core/node/fence.ts';
import fc from 'fast-check';

const wanted = { 'nvidia.com/mig-1g.5gb': 7 };

describe('staleOffer', () => {
  it('finds nothing where the kubelet offers the layout, or cannot be asked', () => {
    expect(staleOffer({ stale: 0, resources: wanted }, wanted)).to.equal(undefined);
    expect(staleOffer(undefined, wanted)).to.equal(undefined);
    expect(staleOffer({ stale: 0 }, {})).to.equal(undefined);
  });

  it('does not believe right counts of devices that are gone', () => {
    const verdict = staleOffer({ stale: 7, resources: wanted }, wanted);
    expect(verdict).to.include({ phase: 'Updating', reason: 'AdvertisePending' });
    expect(verdict?.message).to.include('7 of the devices that it offers no longer exist');
  });

  it('says what is offered instead', () => {
    const before = { stale: 0, resources: { 'nvidia.com/gpu': 1 } };
    expect(staleOffer(before, wanted)?.message).to.include(
      'it offers nvidia.com/gpu 1 instead of nvidia.com/mig-1g.5gb 7',
    );
    expect(staleOffer({ stale: 0 }, wanted)?.message).to.include('it offers nothing instead of');
  });
});

describe('a fence that lasts', () => {
  const overdue = (stale: ReturnType<typeof explainFence>, states: readonly string[]) => {
    const since = Date.parse('2026-01-01T12:00:00Z');
    const found = { strategy: 'mixed', applied: 'the layout is applied', stale, overdue: { since, states } } as const;
    return explainFence({ next: 'Open' }, aChange(), found);
  };

  it('names each pod once', () => {
    const state = 'pod a/b: container c is waiting';
    const told = {
      phase: 'Updating',
      reason: 'AdvertisePending',
      message: `waiting. ${state}`,
      requeueAfterMs: 500,
    } as const;
    const { message } = overdue(told, [state, 'pod a/d is terminating']);
    expect(message).to.equal(`since 2026-01-01T12:00:00Z: waiting. ${state}. pod a/d is terminating`);
  });

  it('makes a failure of what was passing, says since when, and what the plugin’s pods say', () => {
    const pending = {
      phase: 'Updating',
      reason: 'AdvertisePending',
      message: 'waiting',
      transient: true,
      requeueAfterMs: 500,
    } as const;
    expect(overdue(pending, ['pod a/b: container c is waiting'])).to.deep.equal({
      phase: 'Failed',
      reason: 'AdvertisePending',
      requeueAfterMs: 500,
      message: 'since 2026-01-01T12:00:00Z: waiting. pod a/b: container c is waiting',
    });
  });
});

const old: FencePod = { uid: 'old', leaving: false };
const fresh: FencePod = { uid: 'new', leaving: false };
const mark = { change: '2@boot', uids: ['old'], tolerates: true, sawNothing: false };
const wantedOfFence = { 'nvidia.com/mig-1g.5gb': 7 };
const layout = {
  before: { 'nvidia.com/mig-3g.20gb': '2' },
  none: { 'nvidia.com/mig-3g.20gb': '0' },
  after: { 'nvidia.com/mig-3g.20gb': '0', 'nvidia.com/mig-1g.5gb': '7' },
};

/** A node closed for a change, whose device is done, and which has advertised the previous layout for two seconds. */
function aChange(more: Partial<OfferGateState> = {}): OfferGateState {
  return {
    wanted: wantedOfFence,
    allocatable: layout.before,
    hasStalePlugin: false,
    closed: true,
    changed: true,
    mark: undefined,
    differsMs: 2000,
    readyMs: undefined,
    followed: false,
    isSignalled: false,
    wasSignalled: false,
    offering: 'Unknown',
    offered: [],
    otherMs: undefined,
    mayAdvertise: false,
    earlyMs: undefined,
    closedMs: 1_000,
    standsMs: 0,
    patienceMs: 1000,
    pods: [old],
    ...more,
  };
}

describe('decideFence', () => {
  it('opens a node that was not changed and advertises what is there, without looking at its pods', () => {
    const steady = aChange({ allocatable: layout.after, closed: false, changed: false, pods: undefined });
    expect(decideFence(steady)).to.deep.equal({ next: 'Open' });
  });

  it('gives what advertises without a known pod its time, and believes it when it has', () => {
    expect(decideFence(aChange({ differsMs: 500, pods: [] }))).to.deep.equal({ next: 'Wait', why: 'Patience' });
    expect(decideFence(aChange({ pods: [] }))).to.deep.equal({ next: 'Wait', why: 'NoPlugin' });
    expect(decideFence(aChange({ allocatable: layout.after }))).to.deep.equal({ next: 'Open' });
  });

  it('takes zero at the API server for no fence while the kubelet says that it offers devices', () => {
    const zero = { allocatable: layout.none, pods: [], differsMs: 500 };
    expect(decideFence(aChange(zero))).to.deep.equal({ next: 'TakeTaintsOff' });
    expect(decideFence(aChange({ ...zero, offering: 'Other' }))).to.deep.equal({ next: 'Wait', why: 'Patience' });
  });

  it('does not wait for a plugin whose pod it knows: NVIDIA’s never looks again by itself', () => {
    expect(decideFence(aChange({ differsMs: 0 }))).to.deep.include({ next: 'Evict', first: true });
  });

  it('opens a node whose device is empty for a DRA driver that was replaced and that its taint keeps away', () => {
    const slices = { isExact: true, isNothing: true, gap: '' };
    const empty = { slices, differsMs: undefined, standsMs: 60_000, mark: { ...mark, tolerates: false } };
    expect(decideFence(aChange({ ...empty, pods: [old] }))).to.deep.include({ next: 'Evict' });
    expect(decideFence(aChange({ ...empty, pods: [] }))).to.deep.equal({ next: 'Open' });
  });

  it('opens no DRA node beside a device plugin that offers what is not there', () => {
    const exact = { slices: { isExact: true, isNothing: false, gap: '' }, standsMs: 60_000 };
    const awaited = { slices: { isExact: false, isNothing: true, gap: 'lack all' }, pods: [] };
    expect([exact, awaited].map((one) => decideFence(aChange(one)).next)).to.deep.equal(['Open', 'TakeTaintsOff']);
    for (const one of [exact, awaited])
      expect(decideFence(aChange({ ...one, hasStalePlugin: true }))).to.deep.equal({
        next: 'Wait',
        why: 'StalePlugin',
      });
  });

  it('looks again when the registration of a DRA driver is over, however long its slices differed', () => {
    const slices = { isExact: true, isNothing: false, gap: '' };
    const again = (parts: Partial<OfferGateState>): number => {
      const situation = aChange({ slices, mark, pods: [fresh], ...parts });
      const step = decideFence(situation);
      expect(step).to.deep.equal({ next: 'Wait', why: 'Registering' });
      return explainFence(step, situation, { strategy: 'mixed', applied: 'the layout is applied' }).requeueAfterMs;
    };
    expect(again({ differsMs: 30_000, standsMs: 400 })).to.equal(2110);
    expect(again({ differsMs: undefined, standsMs: 60_000, readyMs: 2_400 })).to.equal(110);
    expect(again({ differsMs: undefined, standsMs: 400, readyMs: 2_400 })).to.equal(2110);
  });

  it('believes exact slices that never differed only from a DRA driver that was signalled, or replaced and registered', () => {
    const slices = { isExact: true, isNothing: false, gap: '' };
    const same = { slices, differsMs: undefined, standsMs: 60_000 };
    expect(decideFence(aChange({ ...same, pods: undefined }))).to.deep.equal({ next: 'ReadPods' });
    expect(decideFence(aChange(same))).to.deep.equal({ next: 'Evict', uids: ['old'], first: true });
    expect(decideFence(aChange({ ...same, mark }))).to.deep.equal({ next: 'Evict', uids: ['old'], first: false });
    const replaced = { ...same, mark, pods: [fresh] };
    expect(decideFence(aChange(replaced))).to.deep.equal({ next: 'Wait', why: 'NewPlugin' });
    expect(decideFence(aChange({ ...replaced, readyMs: 2_400 }))).to.deep.equal({ next: 'Wait', why: 'Registering' });
    expect(decideFence(aChange({ ...replaced, readyMs: 2_500 }))).to.deep.equal({ next: 'Open' });
    expect(decideFence(aChange({ ...same, wasSignalled: true }))).to.deep.equal({ next: 'Open' });
    expect(decideFence(aChange({ ...same, pods: [], standsMs: 2_400 }))).to.include({ why: 'Registering' });
    expect(decideFence(aChange({ ...same, differsMs: 0 }))).to.deep.equal({ next: 'Open' });
  });

  it('asks for the pods before it decides over them', () => {
    expect(decideFence(aChange({ pods: undefined }))).to.deep.equal({ next: 'ReadPods' });
    const equal = { allocatable: layout.after, followed: true, pods: undefined };
    expect(decideFence(aChange(equal))).to.deep.equal({ next: 'ReadPods' });
  });

  it('does not list the pods again once it has written what the kubelet offers', () => {
    const written = { allocatable: layout.after, followed: true, pods: undefined, earlyMs: 300, mayAdvertise: true };
    const wait = { next: 'Wait', why: 'Standing' };
    expect(decideFence(aChange({ ...written, standsMs: 0 }))).to.deep.equal(wait);
    expect(decideFence(aChange({ ...written, standsMs: 250 }))).to.deep.equal({ next: 'Open' });
    expect(decideFence(aChange({ ...written, followed: false }))).to.deep.equal({ next: 'ReadPods' });
  });

  it('does not have it stand once no status can be on its way that is older than the change, unless a pod was replaced', () => {
    const written = { allocatable: layout.after, followed: true, earlyMs: 300, mayAdvertise: true, standsMs: 0 };
    const long = { ...written, closedMs: 1_250 };
    expect(decideFence(aChange({ ...long, pods: undefined }))).to.deep.equal({ next: 'Open' });
    expect(decideFence(aChange({ ...long, closedMs: 1_249 }))).to.include({ why: 'Standing' });
    expect(decideFence(aChange({ ...long, mark, pods: [fresh] }))).to.include({ why: 'Standing' });
    expect(decideFence(aChange({ ...long, earlyMs: undefined, pods: [] }))).to.include({ why: 'Standing' });
  });

  it('evicts every pod that was there when the device was done, and says so before', () => {
    const pods = [old, { uid: 'second', leaving: false }, { uid: 'third', leaving: true }];
    expect(decideFence(aChange({ pods }))).to.deep.equal({ next: 'Evict', uids: ['old', 'second'], first: true });
  });

  it('evicts a pod even if the counts are right and never differed: they may be the previous ones', () => {
    const sameCounts = aChange({ allocatable: layout.after, differsMs: undefined });
    expect(decideFence(sameCounts)).to.deep.include({ next: 'Evict', first: true });
  });

  it('believes the kubelet that devices have been exchanged where counts cannot tell, once the old pods are gone', () => {
    const sameCounts = aChange({ allocatable: layout.after, differsMs: undefined, mark, pods: [fresh] });
    expect(decideFence(sameCounts)).to.deep.equal({ next: 'Wait', why: 'NewPlugin' });
    expect(decideFence({ ...sameCounts, followed: true })).to.deep.equal({ next: 'Open' });
    const oldIsLeft = { ...sameCounts, followed: true, pods: [{ ...old, leaving: true }] };
    expect(decideFence(oldIsLeft)).to.deep.equal({ next: 'Wait', why: 'OldPlugin' });
  });

  it('tries again for a pod that was written down and not evicted', () => {
    expect(decideFence(aChange({ mark }))).to.deep.equal({ next: 'Evict', uids: ['old'], first: false });
  });

  it('never evicts a pod that came after', () => {
    expect(decideFence(aChange({ mark, pods: [fresh] }))).to.deep.equal({ next: 'Wait', why: 'NewPlugin' });
  });

  it('replaces a successor once that offers too little for a minute: it read the devices while a retry was changing them', () => {
    const late = aChange({ mark, pods: [fresh], allocatable: layout.none, offering: 'Nothing', readyMs: 60_000 });
    expect(decideFence(late)).to.deep.equal({ next: 'Evict', uids: ['new'], first: true });
    expect(decideFence({ ...late, offering: 'Other' })).to.deep.equal({ next: 'Evict', uids: ['new'], first: true });
    const wait = { next: 'Wait', why: 'NewPlugin' };
    expect(decideFence({ ...late, readyMs: 59_999 })).to.deep.equal(wait);
    for (const offering of ['Exact', 'Unknown'] as const)
      expect(decideFence({ ...late, offering })).to.deep.equal(wait);
    expect(decideFence({ ...late, pods: [{ ...fresh, leaving: true }] })).to.deep.equal(wait);
    const again = { ...mark, uids: ['old', 'late'] };
    expect(decideFence({ ...late, mark: again }), 'what does not help once').to.deep.equal(wait);
  });

  it('waits for the pod of before to end, whatever is advertised', () => {
    const pods = [{ ...old, leaving: true }, fresh];
    for (const allocatable of Object.values(layout)) {
      expect(decideFence(aChange({ mark, pods, allocatable }))).to.deep.equal({ next: 'Wait', why: 'OldPlugin' });
    }
  });

  it('keeps the taint until the layout is advertised where the plugin tolerates it', () => {
    const gone = aChange({ mark, pods: [], allocatable: layout.none });
    expect(decideFence(gone)).to.deep.equal({ next: 'Wait', why: 'NewPlugin' });
    expect(decideFence({ ...gone, pods: [fresh], allocatable: layout.after })).to.deep.equal({ next: 'Open' });
  });

  it('takes the taint off at zero where the plugin does not tolerate it, and not before', () => {
    const intolerant = aChange({ mark: { ...mark, tolerates: false }, pods: [] });
    expect(decideFence(intolerant)).to.deep.equal({ next: 'Wait', why: 'NewPlugin' });
    expect(decideFence({ ...intolerant, allocatable: layout.none })).to.deep.equal({ next: 'TakeTaintsOff' });
  });

  it('takes the taint off at zero for the first pod of a plugin', () => {
    expect(decideFence(aChange({ allocatable: layout.none, pods: [] }))).to.deep.equal({ next: 'TakeTaintsOff' });
  });

  it('believes what is offered since the mark says that nothing was', () => {
    const marked = { ...mark, uids: [], tolerates: false };
    const equal = aChange({ mark: marked, pods: [], allocatable: layout.after, differsMs: undefined });
    expect(decideFence(equal)).to.deep.equal({ next: 'Wait', why: 'NewPlugin' });
    expect(decideFence({ ...equal, mark: { ...marked, sawNothing: true } })).to.deep.equal({ next: 'Open' });
  });

  it('leaves a plugin alone that it does not know, and keeps the node closed', () => {
    expect(decideFence(aChange({ pods: [] }))).to.deep.equal({ next: 'Wait', why: 'NoPlugin' });
  });

  it('believes right counts that never were others only when the new pod has had time to tell', () => {
    const sameCounts = aChange({ mark, pods: [fresh], allocatable: layout.after, differsMs: undefined });
    expect(decideFence(sameCounts)).to.deep.equal({ next: 'Wait', why: 'NewPlugin' });
    expect(decideFence({ ...sameCounts, readyMs: 500 })).to.deep.equal({ next: 'Wait', why: 'NewPlugin' });
    expect(decideFence({ ...sameCounts, readyMs: 1000 })).to.deep.equal({ next: 'Open' });
  });

  it('opens a node that is to offer nothing when the old pods are gone: a new one may not come before', () => {
    const nothing = aChange({ wanted: {}, allocatable: layout.none, mark: { ...mark, tolerates: false } });
    expect(decideFence({ ...nothing, pods: [{ ...old, leaving: true }] })).to.deep.include({ why: 'OldPlugin' });
    expect(decideFence({ ...nothing, differsMs: undefined, pods: [] })).to.deep.equal({ next: 'Open' });
  });

  it('does not restart the plugin of an open node that advertises nothing for a moment', () => {
    const outage = aChange({ closed: false, changed: false, allocatable: layout.none });
    expect(decideFence(outage)).to.deep.equal({ next: 'Wait', why: 'Patience' });
    expect(decideFence({ ...outage, differsMs: 31_000 })).to.deep.include({ next: 'Evict' });
  });

  describe('where the controller may write the node’s status', () => {
    const mayAdvertise = { mayAdvertise: true, offering: 'Exact', followed: true } as const;

    it('advertises the layout as soon as the kubelet offers it, instead of evicting a plugin that has followed', () => {
      const step = { next: 'Advertise', resources: wantedOfFence };
      expect(decideFence(aChange(mayAdvertise))).to.deep.equal(step);
      expect(decideFence(aChange({ ...mayAdvertise, mark, pods: [fresh] }))).to.deep.equal(step);
      // Its pod may have gone since the agent's report.
      expect(decideFence(aChange({ ...mayAdvertise, followed: false, pods: [] }))).to.deep.include({ next: 'Wait' });
      expect(decideFence(aChange({ ...mayAdvertise, followed: false }))).to.deep.include({ next: 'Evict' });
    });

    it('advertises nothing while the plugin’s old pod may be the one that offers it', () => {
      const leaving = { ...mayAdvertise, mark, pods: [{ ...old, leaving: true }] };
      expect(decideFence(aChange(leaving))).to.deep.equal({ next: 'Wait', why: 'OldPlugin' });
      expect(decideFence(aChange({ ...mayAdvertise, followed: false, mark, pods: [fresh] }))).to.deep.equal({
        next: 'Wait',
        why: 'NewPlugin',
      });
    });

    it('advertises zero for a plugin that does not tolerate the taint, once the kubelet offers nothing', () => {
      const gone = { mayAdvertise: true, offering: 'Nothing', mark: { ...mark, tolerates: false }, pods: [] } as const;
      expect(decideFence(aChange(gone))).to.deep.equal({ next: 'Advertise', resources: {} });
      expect(decideFence(aChange({ ...gone, offering: 'Other' }))).to.deep.equal({ next: 'Wait', why: 'NewPlugin' });
      expect(decideFence(aChange({ ...gone, offering: 'Unknown' }))).to.deep.equal({ next: 'Wait', why: 'NewPlugin' });
      expect(decideFence(aChange({ ...gone, mark }))).to.deep.equal({ next: 'Wait', why: 'NewPlugin' });
    });

    it('opens the node only when the layout has stood for a moment', () => {
      const shown = { ...mayAdvertise, allocatable: layout.after };
      expect(decideFence(aChange({ ...shown, standsMs: 249 }))).to.deep.equal({ next: 'Wait', why: 'Standing' });
      expect(decideFence(aChange({ ...shown, standsMs: 250 }))).to.deep.equal({ next: 'Open' });
    });
  });

  describe('where the kubelet offers devices that are gone although no plugin serves them', () => {
    const dead = 'nvidia.com/mig-3g.20gb';
    const own = 'nvidia.com/mig-1g.5gb';
    const intolerant = { ...mark, tolerates: false };
    const orphaned = aChange({ offering: 'Other', offered: [own, dead], otherMs: 1000, pods: [], mark: intolerant });

    it('has their registrations ended once the old pods are gone', () => {
      expect(decideFence(orphaned)).to.deep.equal({ next: 'Unregister', resources: [own, dead] });
      const wait = { next: 'Wait', why: 'NewPlugin' };
      expect(decideFence({ ...orphaned, otherMs: 999 })).to.deep.equal(wait);
      expect(decideFence({ ...orphaned, otherMs: undefined })).to.deep.equal(wait);
      expect(decideFence({ ...orphaned, offering: 'Exact' })).to.deep.equal(wait);
      expect(decideFence({ ...orphaned, offered: [] })).to.deep.equal(wait);
      const isGoing = { ...orphaned, pods: [{ ...old, leaving: true }] };
      expect(decideFence(isGoing)).to.deep.equal({ next: 'Wait', why: 'OldPlugin' });
      expect(decideFence({ ...orphaned, closed: false })).to.not.include({ next: 'Unregister' });
    });

    it('does so where the counts are right, too: they are those of the dead plugin', () => {
      const equal = { ...orphaned, allocatable: layout.after, differsMs: undefined, offered: [own] };
      expect(decideFence(equal)).to.deep.equal({ next: 'Unregister', resources: [own] });
      const unmarked = { ...equal, mark: undefined, otherMs: 30_000 };
      expect(decideFence(unmarked)).to.deep.equal({ next: 'Unregister', resources: [own] });
    });

    it('has them ended where the devices exist, if our taint keeps the plugin away and the kubelet has not noticed for half a minute', () => {
      const right = { allocatable: layout.after, offering: 'Exact', offered: [own], differsMs: undefined } as const;
      const left = { ...orphaned, ...right, standsMs: 30_000 };
      expect(decideFence(left)).to.deep.equal({ next: 'Unregister', resources: [own], leftBehind: true });
      const wait = { next: 'Wait', why: 'NewPlugin' };
      for (const more of [{ standsMs: 29_999 }, { mark }, { pods: [fresh] }, { offering: 'Unknown' }] as const)
        expect(decideFence({ ...left, ...more })).to.deep.equal(wait);
    });

    it('gives a plugin that it does not know half a minute to follow', () => {
      const unknown = { ...orphaned, mark: undefined, otherMs: 29_999 };
      expect(decideFence(unknown)).to.deep.equal({ next: 'Wait', why: 'NoPlugin' });
      expect(decideFence({ ...unknown, otherMs: 30_000 })).to.include({ next: 'Unregister' });
    });

    it('leaves the resources of the layout to a new plugin that has started', () => {
      const served = { ...orphaned, mark, pods: [fresh], readyMs: 1000 };
      expect(decideFence(served)).to.deep.equal({ next: 'Unregister', resources: [dead] });
      expect(decideFence({ ...served, readyMs: 999 })).to.deep.equal({ next: 'Wait', why: 'NewPlugin' });
      expect(decideFence({ ...served, readyMs: undefined })).to.deep.equal({ next: 'Wait', why: 'NewPlugin' });
      expect(decideFence({ ...served, offered: [own] })).to.deep.equal({ next: 'Wait', why: 'NewPlugin' });
    });

    it('ends none of a DRA node: its slices say what it offers', () => {
      const slices = { isExact: false, isNothing: false, gap: '' };
      expect(decideFence({ ...orphaned, slices, offering: 'Unknown' })).to.not.include({ next: 'Unregister' });
    });
  });

  it('never opens a closed node that advertises anything but the layout, whatever else is so', () => {
    const amount = fc.constantFrom('0', '2', '7');
    const situation = fc.record({
      allocatable: fc.record({ 'nvidia.com/mig-3g.20gb': amount, 'nvidia.com/mig-1g.5gb': amount }),
      changed: fc.boolean(),
      mark: fc.constantFrom(undefined, mark, { ...mark, tolerates: false }),
      differsMs: fc.constantFrom(undefined, 0, 2000),
      readyMs: fc.constantFrom(undefined, 0, 2000),
      followed: fc.boolean(),
      isSignalled: fc.boolean(),
      offering: fc.constantFrom('Exact', 'Nothing', 'Other', 'Unknown'),
      mayAdvertise: fc.boolean(),
      standsMs: fc.constantFrom(0, 1000),
      pods: fc.subarray([old, fresh, { uid: 'leaving', leaving: true }]),
    });
    fc.assert(
      fc.property(situation, (parts) => {
        const { next } = decideFence(aChange({ ...parts }));
        const counts = Object.values(parts.allocatable).join();
        const isMarkedAlive = parts.mark !== undefined && parts.pods.includes(old);
        if (next === 'Open') {
          expect(counts).to.equal('0,7');
          if (parts.changed) expect(isMarkedAlive).to.equal(false);
        }
        if (next === 'Advertise') {
          expect(parts.mayAdvertise && !isMarkedAlive).to.equal(true);
          expect(parts.offering).to.be.oneOf(['Exact', 'Nothing']);
        }
        if (next === 'TakeTaintsOff') expect([counts, isMarkedAlive]).to.deep.equal(['0,0', false]);
      }),
    );
  });
});
