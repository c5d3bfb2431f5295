import { expect } from 'chai';
import { ReportedModels, Fleet } from '../../../src/core/policy/fleet.ts';
import { readKeptMemory } from '../../support/kept-memory.ts';
import type { GpuNodePartition, GpuPartitionPolicy, PolicySpec } from '../../../src/api/types.ts';
import { RolloutStates } from '../../../src/core/rollout/states.ts';
import { fullSupport } from '../../../src/core/policy/check.ts';
import { aDevice, aGpu, aPartition, aPolicy } from '../../support/builders.ts';
import { aRolloutState } from '../rollout/rollout-builders.ts';

describe('the census of GPU products', () => {
  it('has a product for as long as one node has it', () => {
    const census = new ReportedModels();
    expect(census.put('a', ['A100', 'A100'])).to.equal(true);
    expect(census.put('b', ['A100'])).to.equal(false);
    expect(census.put('b', ['A100']), 'the same again').to.equal(false);
    expect(census.put('a', [])).to.equal(false);
    expect(census.products).to.deep.equal(['A100']);
    expect(census.put('b', ['A30'])).to.equal(true);
    expect(census.products).to.deep.equal(['A30']);
    expect(census.put('a', ['A100']), 'back again').to.equal(true);
    expect(census.products).to.have.members(['A30', 'A100']);
  });

  it('keeps nothing of a node that is gone', () => {
    const census = new ReportedModels();
    const count = 100_000;
    const replace = (run: string): void => {
      for (let at = 0; at < count; at += 1) {
        census.put(`${run}-${at}`, ['A100']);
        census.put(`${run}-${at}`, []);
      }
    };
    replace('warm');
    const before = readKeptMemory().heapUsed;
    replace('counted');
    expect((readKeptMemory().heapUsed - before) / count, 'bytes of each node').to.be.below(30);
    expect(census.products).to.deep.equal([]);
  });
});

const a100 = aPartition({ device: aDevice(aGpu()) });
const a30 = aPartition({ device: aDevice(aGpu({ product: 'NVIDIA A30' })) });

function accepted(policy: GpuPartitionPolicy): GpuPartitionPolicy {
  const { generation = 1 } = policy.metadata;
  return { ...policy, status: { ...policy.status, acceptedGeneration: generation } };
}

/** As the controller does: all nodes are asked, and the generation is in force if none refuses. */
function checkAll(fleet: Fleet, name = 'p', partitionOf: (node: string) => GpuNodePartition = () => a100): boolean {
  const record = fleet.policy(name);
  if (!record?.awaitsAcceptance) return false;
  for (const node of record.unchecked) fleet.check(record, node, partitionOf(node));
  if (record.refused.size === 0) fleet.accept(record);
  return record.isAccepted;
}

function aFleet(policies: readonly GpuPartitionPolicy[], pools: Readonly<Record<string, string>>): Fleet {
  const fleet = new Fleet(fullSupport);
  for (const policy of policies) fleet.setPolicy(policy);
  for (const [node, pool] of Object.entries(pools)) fleet.setNode(node, { pool });
  return fleet;
}

function raise(): never {
  throw new Error('there is no such policy');
}

const winnerOf = (fleet: Fleet, node: string) => fleet.claimOf(node, a100).winner?.metadata.name;

describe('a fleet', () => {
  it('lets the higher priority win, then the older, then the name, and names the outranked', () => {
    const young = accepted(aPolicy({ name: 'a', createdAt: '2026-02-01T00:00:00Z' }));
    const others = ['z', 'b'].map((name) => accepted(aPolicy({ name })));
    const fleet = aFleet([young, ...others], { n: 'p' });
    const { winner, outranked } = fleet.claimOf('n', a100);
    expect(winner?.metadata.name).to.equal('b');
    expect(outranked.map(({ policy, isOutranked }) => [policy.metadata.name, isOutranked])).to.deep.equal([
      ['z', false],
      ['a', false],
    ]);
    fleet.setPolicy(aPolicy({ name: 'a', createdAt: '2026-02-01T00:00:00Z', generation: 2, priority: 1 }));
    expect(winnerOf(fleet, 'n'), 'before it is accepted').to.equal('b');
    checkAll(fleet, 'a');
    expect(winnerOf(fleet, 'n')).to.equal('a');
    expect(fleet.claimOf('n', a100).outranked.map(({ isOutranked }) => isOutranked)).to.deep.equal([true, true]);
  });

  it('takes a policy for a new one whose name another object had before', () => {
    const fleet = aFleet([accepted(aPolicy())], { n: 'p' });
    const again = aPolicy({ layouts: [{ profiles: { '3g.20gb': 3 } }] });
    fleet.setPolicy({ ...again, metadata: { ...again.metadata, uid: 'uid-again' } });
    const { isInForce, hold } = fleet.claimOf('n', a100);
    expect([isInForce, hold?.kind]).to.deep.equal([false, 'Refused']);
    const before = fleet.policy('p');
    fleet.removePolicy('p');
    fleet.setPolicy(aPolicy());
    expect([before?.nodes.size, fleet.policy('p')?.nodes.size]).to.deep.equal([0, 1]);
  });

  it('keeps nothing of a policy that is gone', () => {
    const fleet = aFleet([], { n: 'p' });
    const count = 2_000;
    const replace = (run: string): void => {
      for (let at = 0; at < count; at += 1) {
        const name = `${run}-${at}`;
        fleet.setPolicy(aPolicy({ name, nodeSelector: { matchLabels: { pool: name } } }));
        fleet.removePolicy(name);
      }
    };
    replace('warm');
    const before = readKeptMemory().heapUsed;
    replace('counted');
    expect((readKeptMemory().heapUsed - before) / count, 'bytes of each policy').to.be.below(100);
    expect([...fleet.policies]).to.deep.equal([]);
  });

  it('has nobody win a node that no policy selects, nor a policy that is being deleted', () => {
    const fleet = aFleet([aPolicy()], { n: 'p', other: 'q' });
    expect(winnerOf(fleet, 'other')).to.equal(undefined);
    const policy = aPolicy();
    fleet.setPolicy({ ...policy, metadata: { ...policy.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' } });
    expect(winnerOf(fleet, 'n')).to.equal(undefined);
  });

  it('keeps a node with a policy that is being deleted before one that only plans has it', () => {
    const going = accepted(aPolicy({ onDelete: 'DisableMig' }));
    const deletionTimestamp = '2026-01-02T00:00:00Z';
    const metadata = { ...going.metadata, deletionTimestamp, finalizers: ['gpupartition.dev/cleanup'] };
    const planning = accepted(aPolicy({ name: 'plan', mode: 'Plan', priority: 9 }));
    expect(winnerOf(aFleet([{ ...going, metadata }, planning], { n: 'p' }), 'n')).to.equal('p');
  });

  it('counts nothing for a policy of a node that it does not select', () => {
    const fleet = aFleet([accepted(aPolicy())], { n: 'p', other: 'q' });
    const outcome = (node: string) => ({ node, phase: 'Ready' as const, reason: 'Ready', message: '' });
    const { policy } = fleet.policy('p') ?? {};
    if (!policy) throw new Error('there is no policy p');
    expect(fleet.count(policy, outcome('other'))).to.deep.equal([]);
    expect(fleet.count(policy, outcome('n'))).to.deep.equal(['p']);
    expect(fleet.policy('p')?.tally.has('n')).to.equal(true);
  });

  it('counts a node as conflicted for no policy that would come first, nor for one that is being deleted', () => {
    const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['gpupartition.dev/cleanup'] };
    const retiring = aPolicy({ name: 'going', priority: 5, onDelete: 'DisableMig' });
    const going = { ...accepted(retiring), metadata: { ...retiring.metadata, ...metadata } };
    const tooMuch = aPolicy({ name: 'refused', priority: 7, layouts: [{ profiles: { '3g.20gb': 3 } }] });
    const fleet = aFleet([accepted(aPolicy()), aPolicy({ name: 'checked', priority: 9 }), tooMuch, going], { n: 'p' });
    const { winner, outranked } = fleet.claimOf('n', a100);
    expect(winner?.metadata.name).to.equal('p');
    fleet.note({ winner, outranked }, { node: 'n', phase: 'Ready', reason: 'Ready', message: '' });
    const countsOf = (name: string) => {
      const { tally } = fleet.policy(name) ?? {};
      return [
        tally?.matched,
        tally?.size('conflicted'),
        tally?.size('outranked'),
        tally?.inPhase('Pending', 'Invalid'),
      ];
    };
    expect(countsOf('checked')).to.deep.equal([1, 0, 0, 1]);
    expect(countsOf('refused')).to.deep.equal([1, 0, 0, 1]);
    expect(countsOf('going')).to.deep.equal([1, 0, 1, 0]);
  });

  describe('with a policy that loses every node', () => {
    const lost = (phase: 'Ready' | 'Updating') => ({ node: 'n', phase, reason: phase, message: phase });
    const aContested = () => {
      const fleet = aFleet([accepted(aPolicy({ priority: 1 }))], { n: 'p', m: 'p' });
      fleet.setPolicy(aPolicy({ name: 'loser' }));
      return fleet;
    };

    it('counts its nodes without a look at them, and tells none of them of its acceptance', () => {
      const fleet = aContested();
      for (const node of ['n', 'm']) fleet.check(fleet.policy('loser') ?? raise(), node, a100);
      expect(fleet.accept(fleet.policy('loser') ?? raise())).to.deep.equal([]);
      const { tally } = fleet.policy('loser') ?? raise();
      expect([tally.size('outranked'), tally.size('unseen'), tally.matched]).to.deep.equal([2, 0, 2]);
    });

    it('has no news for it of what becomes of a node', () => {
      const fleet = aContested();
      checkAll(fleet, 'loser');
      expect(fleet.note(fleet.claimOf('n', a100), lost('Updating'))).to.deep.equal(['p']);
      expect(fleet.note(fleet.claimOf('n', a100), lost('Ready'))).to.deep.equal(['p']);
    });

    it('counts them again when another policy wins, and when the node is another', () => {
      const fleet = aContested();
      checkAll(fleet, 'loser');
      fleet.note(fleet.claimOf('n', a100), lost('Ready'));
      fleet.setPolicy(aPolicy({ name: 'p', priority: -1, generation: 2 }));
      checkAll(fleet);
      expect(winnerOf(fleet, 'n')).to.equal('loser');
      fleet.note(fleet.claimOf('n', a100), lost('Ready'));
      expect([fleet.policy('p')?.tally.size('outranked'), fleet.policy('loser')?.tally.inPhase('Ready')]).to.deep.equal(
        [2, 1],
      );
      fleet.removeNode('n');
      fleet.setNode('n', { pool: 'p' });
      fleet.note(fleet.claimOf('n', a100), lost('Ready'));
      expect(fleet.policy('p')?.tally.size('outranked')).to.equal(2);
    });
  });

  it('has nobody work for a change of a policy’s status, and keeps what it has worked out', () => {
    const fleet = aFleet([accepted(aPolicy())], { n: 'p' });
    const { wish } = fleet.claimOf('n', a100);
    expect(wish).to.have.property('wish');
    const written = { ...aPolicy(), status: { observedGeneration: 1, summary: '0/1 ready' } };
    expect(fleet.setPolicy(written)).to.equal(undefined);
    expect(fleet.policy('p')?.policy.status).to.deep.equal(written.status);
    expect(fleet.claimOf('n', a100).wish).to.equal(wish);
  });

  it('counts for a policy what was found for its version in force, and for the one that it only plans', () => {
    const fleet = aFleet([accepted(aPolicy())], { n: 'p' });
    const inForce = fleet.policy('p')?.policy;
    fleet.setPolicy(aPolicy({ generation: 2, mode: 'Plan', layouts: [{ mig: 'Disabled' }] }));
    checkAll(fleet);
    const planned = fleet.policy('p')?.policy;
    if (!inForce || !planned) throw new Error('there is no policy p');
    const outcome = (reason: string) => ({ node: 'n', phase: 'Ready' as const, reason, message: '' });
    expect(planned.metadata.generation).to.equal(2);
    expect(fleet.count(inForce, outcome('Ready'))).to.deep.equal(['p']);
    expect(fleet.count(planned, outcome('PlanOnly'))).to.deep.equal(['p']);
    expect(fleet.count(aPolicy({ generation: 3 }), outcome('Other')), 'another one').to.deep.equal([]);
  });

  it('foresees which nodes are counted once the newest generation is accepted', () => {
    const fleet = aFleet([accepted(aPolicy())], { a: 'p', m: 'q' });
    fleet.setPolicy(aPolicy({ generation: 2, nodeSelector: { matchLabels: { pool: 'q' } } }));
    const record = fleet.policy('p');
    if (!record) throw new Error('there is no policy p');
    const counted = (accepts: boolean) => ['a', 'm'].filter((node) => fleet.tallyAfter(record, accepts).has(node));
    expect([counted(true), counted(false)]).to.deep.equal([['m'], ['a']]);
  });

  it('keeps of an edit how often a policy’s status was written, and takes no switch of what was replaced', () => {
    const night = { name: 'night', schedule: '0 22 * * *', duration: '8h', layouts: [{ mig: 'Disabled' as const }] };
    const fleet = aFleet([accepted(aPolicy({ schedules: [night] }))], { n: 'p' });
    const before = fleet.policy('p');
    fleet.setPolicy(aPolicy({ generation: 2, strategy: 'single' }));
    expect(fleet.policy('p')?.writes).to.equal(before?.writes);
    expect(before && fleet.switch(before, { name: 'night', since: '2026-01-01T22:00:00Z' })).to.deep.equal([]);
    expect(fleet.claimOf('n', a100)).to.include({ newestGeneration: 2, isInForce: true });
  });

  it('says what a policy beside another one would make of a node', () => {
    const planning = accepted(aPolicy({ name: 'plan', mode: 'Plan', layouts: [{ profiles: { '3g.20gb': 2 } }] }));
    const { winner, isInForce, wish } = aFleet([accepted(aPolicy()), planning], { n: 'p' }).previewClaim(
      planning,
      a100,
    );
    expect([winner, isInForce]).to.deep.equal([planning, true]);
    expect(wish).to.have.nested.property('wish.gpus[0].profiles').that.deep.equals({ '3g.20gb': 2 });
  });

  it('tells a policy that is refused of another product only where the reason changes', () => {
    const onlyA100 = { gpus: { models: ['A100-SXM4-40GB'] }, profiles: { '3g.20gb': 3 } };
    const fleet = aFleet(
      [aPolicy({ layouts: [onlyA100] }), aPolicy({ name: 'any', layouts: [{ profiles: { '1g.99gb': 1 } }] })],
      {
        n: 'p',
      },
    );
    expect(fleet.review('n', a30)).to.deep.equal(['any']);
  });

  it('names the nodes of an edited policy, those that it leaves and those that it wins, and no others', () => {
    const other = accepted(aPolicy({ name: 'q', nodeSelector: { matchLabels: { pool: 'q' } } }));
    const fleet = aFleet([accepted(aPolicy()), other], { a: 'p', b: 'p', c: 'q', d: 'r' });
    const accept = () => {
      const record = fleet.policy('p');
      return record && fleet.accept(record);
    };
    expect(fleet.setPolicy(aPolicy({ generation: 2, strategy: 'single' })), 'nothing before it is accepted').to.be
      .empty;
    expect(accept()).to.have.members(['a', 'b']);
    const moved = aPolicy({ generation: 3, nodeSelector: { matchLabels: { pool: 'r' } } });
    expect(fleet.setPolicy(moved)).to.be.empty;
    expect([winnerOf(fleet, 'd'), winnerOf(fleet, 'a')]).to.deep.equal(['p', 'p']);
    expect(fleet.claimOf('d', a100).isInForce, 'd is not its own yet').to.equal(false);
    expect(accept()).to.have.members(['a', 'b', 'd']);
    expect([winnerOf(fleet, 'd'), winnerOf(fleet, 'a')]).to.deep.equal(['p', undefined]);
    expect(fleet.removePolicy('p')).to.deep.equal(['d']);
    const again = accepted({ ...moved, metadata: { ...moved.metadata, uid: 'uid-again' } });
    expect(fleet.setPolicy(again)).to.deep.equal(['d']);
  });

  it('names the nodes that a policy leaves which never was in force: they were told of it', () => {
    const fleet = aFleet([aPolicy()], { a: 'p', b: 'p', c: 'q' });
    const moved = aPolicy({ generation: 2, nodeSelector: { matchLabels: { pool: 'q' } } });
    expect(fleet.setPolicy(moved)).to.have.members(['a', 'b']);
    expect([winnerOf(fleet, 'a'), winnerOf(fleet, 'c')]).to.deep.equal([undefined, 'p']);
  });

  it('names the nodes that a policy leaves and wins by an edit that is accepted already', () => {
    const fleet = aFleet([accepted(aPolicy())], { a: 'p', b: 'q' });
    const moved = accepted(aPolicy({ generation: 2, nodeSelector: { matchLabels: { pool: 'q' } } }));
    expect(fleet.setPolicy(moved)).to.have.members(['a', 'b']);
  });

  it('names the policies that gain or lose a node by its labels', () => {
    const fleet = aFleet([aPolicy(), aPolicy({ name: 'q', nodeSelector: { matchLabels: { pool: 'q' } } })], {});
    expect(fleet.setNode('n', { pool: 'p' })).to.deep.equal(['p']);
    expect(fleet.setNode('n', { pool: 'p', zone: 'a' })).to.deep.equal([]);
    expect(fleet.setNode('n', { pool: 'q' })).to.have.members(['p', 'q']);
    expect(fleet.removeNode('n')).to.deep.equal(['q']);
    expect(fleet.policy('q')?.tally.matched).to.equal(0);
  });
});

describe('the acceptance of a generation', () => {
  const partitionOf = (node: string): GpuNodePartition => (node === 'bad' ? a30 : a100);
  const check = (fleet: Fleet): boolean => checkAll(fleet, 'p', partitionOf);
  const holdOf = (fleet: Fleet, node: string) => fleet.claimOf(node, partitionOf(node)).hold;

  it('waits until each node has been asked', () => {
    const fleet = aFleet([aPolicy()], { good: 'p', bad: 'p' });
    const record = fleet.policy('p');
    if (record) fleet.check(record, 'good', a100);
    expect(holdOf(fleet, 'good')?.kind).to.equal('Checking');
    expect([...(record?.unchecked ?? [])]).to.deep.equal(['bad']);
    if (record) fleet.check(record, 'bad', a100);
    expect(holdOf(fleet, 'good')?.kind, 'none refuses').to.equal('Checking');
    const refused = aFleet([aPolicy()], { good: 'p', bad: 'p' });
    const other = refused.policy('p');
    if (other) refused.check(other, 'bad', a30);
    expect(holdOf(refused, 'good')?.kind, 'one refuses, and one was not asked').to.equal('Checking');
  });

  it('is refused by one node that cannot take it, by name', () => {
    const fleet = aFleet([aPolicy()], { good: 'p', bad: 'p' });
    expect(check(fleet)).to.equal(false);
    const { kind, message } = holdOf(fleet, 'good') ?? {};
    expect(kind).to.equal('Refused');
    expect(message).to.match(/^generation 1 of policy p is not accepted: node bad: .*1g\.5gb/);
  });

  it('is refused by itself, whatever the nodes', () => {
    const fleet = aFleet([aPolicy({ layouts: [{ profiles: { '3g.20gb': 3 } }] })], { good: 'p' });
    const { kind, message } = holdOf(fleet, 'good') ?? {};
    expect(kind).to.equal('Refused');
    expect(message).to.match(/^generation 1 of policy p is not accepted: spec\.layouts\[0\]: /);
  });

  it('names the nodes that refuse it in the same order after one has been asked again: each new text wakes all nodes', () => {
    const fleet = aFleet([aPolicy()], { bad: 'p', worse: 'p' });
    checkAll(fleet, 'p', () => a30);
    const before = fleet.claimOf('bad', a30).hold?.message;
    expect(before).to.include('node bad: ').and.include('node worse: ');
    fleet.review('bad', a30);
    expect(fleet.claimOf('bad', a30).hold?.message).to.equal(before);
  });

  it('is not refused by a node whose agent has not reported, nor by one that another policy has won', () => {
    const other = accepted(aPolicy({ name: 'other', priority: 5, layouts: [{ mig: 'Disabled' }] }));
    expect(check(aFleet([aPolicy(), other], { bad: 'p' }))).to.equal(true);
    const night = { name: 'night', schedule: '0 22 * * *', duration: '8h' };
    const schedules = [{ ...night, layouts: [{ gpus: { count: 2 }, profiles: { '1g.5gb': 7 } }] }];
    for (const policy of [aPolicy(), aPolicy({ schedules })]) {
      const silent = aFleet([policy], { bad: 'p' });
      expect(checkAll(silent, 'p', () => aPartition())).to.equal(true);
    }
  });

  it('is refused by a node that another policy wants which was never accepted, whatever its priority', () => {
    const other = aPolicy({ name: 'other', priority: 5 });
    expect(check(aFleet([aPolicy(), other], { bad: 'p' }))).to.equal(false);
  });

  it('is refused by a node that a policy wants which is being deleted, whatever its priority', () => {
    const other = accepted(aPolicy({ name: 'other', priority: 5, onDelete: 'DisableMig' }));
    const deletionTimestamp = '2026-01-02T00:00:00Z';
    const metadata = { ...other.metadata, deletionTimestamp, finalizers: ['gpupartition.dev/cleanup'] };
    expect(check(aFleet([aPolicy(), { ...other, metadata }], { bad: 'p' }))).to.equal(false);
  });

  it('is refused by a node of its own, although the generation in force has a higher priority', () => {
    const fleet = aFleet([accepted(aPolicy({ priority: 5, layouts: [{ mig: 'Disabled' }] }))], { bad: 'p' });
    fleet.setPolicy(aPolicy({ generation: 2 }));
    expect(check(fleet)).to.equal(false);
  });

  it('is asked of no node that it leaves, nor of one that its newest generation does not select', () => {
    const fleet = aFleet([accepted(aPolicy())], { good: 'p', bad: 'p' });
    fleet.setPolicy(aPolicy({ generation: 2, nodeSelector: { matchLabels: { pool: 'q' } } }));
    fleet.setNode('new', { pool: 'q' });
    const record = fleet.policy('p');
    expect([...(record?.unchecked ?? [])]).to.deep.equal(['new']);
    expect([record?.tally.has('new'), record?.tally.has('good')], 'counted').to.deep.equal([false, true]);
    fleet.setNode('new', { pool: 'r' });
    expect([...(record?.unchecked ?? [])]).to.deep.equal([]);
    fleet.review('bad', a30);
    expect([...(record?.refused.keys() ?? [])]).to.deep.equal([]);
  });

  it('asks no node once it is accepted', () => {
    const fleet = aFleet([], { good: 'p' });
    fleet.setPolicy(accepted(aPolicy()));
    const record = fleet.policy('p');
    expect([...(record?.unchecked ?? [])], 'before').to.deep.equal([]);
    fleet.setNode('new', { pool: 'p' });
    expect([...(record?.unchecked ?? [])], 'a new node').to.deep.equal([]);
  });

  it('is refused by a node on which it only plans beside another policy', () => {
    const other = accepted(aPolicy({ name: 'other', priority: 5, layouts: [{ mig: 'Disabled' }] }));
    expect(check(aFleet([aPolicy({ mode: 'Plan' }), other], { bad: 'p' }))).to.equal(false);
  });

  it('is not refused by a node whose driver has a profile that the built-in table lacks', () => {
    const profile = { name: '1g.6gb', id: 99, computeSlices: 1, memorySlices: 1, starts: [0], maxInstances: 1 };
    const table = { product: 'NVIDIA A100-SXM4-40GB', computeSlices: 7, memorySlices: 8, profiles: [profile] };
    const partition = aPartition({ device: { ...aDevice(aGpu()), models: [table] } });
    const fleet = aFleet([aPolicy({ layouts: [{ profiles: { '1g.6gb': 1 } }] })], { n: 'p' });
    expect(fleet.claimOf('n', partition).hold?.kind).to.equal('Checking');
    expect(checkAll(fleet, 'p', () => partition)).to.equal(true);
  });

  it('is asked of the nodes that it selects by labels of which no version asked before', () => {
    const fleet = new Fleet(fullSupport);
    fleet.setNode('n', { pool: 'p' });
    fleet.setNode('m', { zone: 'z' });
    fleet.setPolicy(accepted(aPolicy()));
    fleet.setPolicy(aPolicy({ generation: 2, nodeSelector: { matchLabels: { zone: 'z' } } }));
    expect([...(fleet.policy('p')?.unchecked ?? [])]).to.deep.equal(['m']);
    expect(winnerOf(fleet, 'n'), 'by the generation in force').to.equal('p');
  });

  it('counts once: what is in force stays so', () => {
    const fleet = aFleet([accepted(aPolicy())], { good: 'p' });
    fleet.setPolicy(aPolicy({ generation: 2, strategy: 'none', layouts: [{ mig: 'Disabled' }] }));
    const record = fleet.policy('p');
    if (record) for (const _ of ['once', 'again']) fleet.accept(record);
    expect(record?.versions.inForce?.metadata.generation).to.equal(2);
  });

  it('lets no node start before it, although all have been looked at', () => {
    const fleet = aFleet([aPolicy()], { good: 'p', bad: 'p' });
    const admits = () => {
      const record = fleet.policy('p');
      for (const node of ['good', 'bad'])
        record?.tally.put({ node, phase: 'Pending', reason: 'AwaitingPlan', message: '' });
      return record && record.admits(new RolloutStates(), false);
    };
    expect(admits()).to.equal('Nobody');
    const record = fleet.policy('p');
    if (record) fleet.accept(record);
    expect(admits()).to.equal('Everybody');
  });

  it('lets nodes start that have not been looked at only if it was known how they stand, and none before a canary', () => {
    const states = new RolloutStates();
    states.put(aRolloutState('n'));
    const admits = (isForecast: boolean, rollout: PolicySpec['rollout'] = {}) => {
      const record = aFleet([accepted(aPolicy({ rollout }))], { n: 'p' }).policy('p');
      if (record && isForecast) record.isForecast = true;
      return record && record.admits(states, false);
    };
    expect([admits(false), admits(true)]).to.deep.equal(['Nobody', 'WithoutEvictions']);
    expect(admits(true, { canary: { nodes: 1 } })).to.equal('Nobody');
  });

  it('is asked again of all nodes after an edit, and forgotten of none that is gone', () => {
    const fleet = aFleet([aPolicy()], { good: 'p', bad: 'p' });
    check(fleet);
    fleet.setPolicy(aPolicy({ generation: 2, layouts: [{ mig: 'Disabled' }] }));
    expect([...(fleet.policy('p')?.unchecked ?? [])]).to.have.members(['good', 'bad']);
    expect(check(fleet)).to.equal(true);
    fleet.setPolicy(aPolicy({ generation: 3 }));
    expect(check(fleet)).to.equal(false);
    fleet.removeNode('bad');
    expect(fleet.policy('p')?.refused.size).to.equal(0);
    expect(check(fleet)).to.equal(true);
  });

  it('is asked again of a node that reports something else, and its policy is told', () => {
    const fleet = aFleet([aPolicy()], { good: 'p', bad: 'p' });
    expect(fleet.review('bad', a30), 'not asked yet').to.deep.equal([]);
    check(fleet);
    expect(fleet.review('bad', a30)).to.deep.equal([]);
    expect(fleet.review('bad', a100)).to.deep.equal(['p']);
    expect(fleet.policy('p')?.refused.size).to.equal(0);
  });

  it('is not refused by what a single agent says of its device: only that node cannot take it', () => {
    const device = a100.status?.device ?? {};
    const cut = {
      product: 'NVIDIA A100-SXM4-40GB',
      computeSlices: 7,
      memorySlices: 8,
      profiles: [{ name: '7g.40gb', id: 0, computeSlices: 7, memorySlices: 8, starts: [0], maxInstances: 1 }],
    };
    const unknown = { ...aGpu(), product: 'NVIDIA Nonesuch' };
    const reports = {
      'a table cut to one profile': { ...device, models: [cut] },
      'a table of a model that nobody knows': {
        gpus: [unknown],
        models: [{ ...cut, product: 'NVIDIA Nonesuch' }],
      },
    };
    for (const [what, hostile] of Object.entries(reports)) {
      const fleet = aFleet([aPolicy()], { good: 'p', bad: 'p' });
      const lie = aPartition({ device: hostile });
      expect(
        checkAll(fleet, 'p', (node) => (node === 'bad' ? lie : a100)),
        what,
      ).to.equal(true);
      expect(fleet.claimOf('bad', lie).wish, what).to.have.property('refusal');
    }
  });

  it('is not refused by a node that reports fewer GPUs than an entry counts', () => {
    const fleet = aFleet([aPolicy({ layouts: [{ gpus: { count: 2 }, mig: 'Disabled' }] })], { good: 'p', bad: 'p' });
    expect(check(fleet)).to.equal(true);
    expect(fleet.claimOf('bad', a30).wish).to.have.property('refusal');
  });

  it('is not asked of a node that joins later: it stands for itself', () => {
    const fleet = aFleet([accepted(aPolicy())], { good: 'p' });
    fleet.setNode('bad', { pool: 'p' });
    const bad = fleet.claimOf('bad', a30);
    expect(bad).to.include({ isInForce: true, hold: undefined });
    expect(bad.wish).to.have.nested.property('refusal.reason', 'UnknownProfile');
    const good = fleet.claimOf('good', a100);
    expect(good).to.include({ isInForce: true, hold: undefined });
    expect(good.wish).to.have.property('wish');
  });

  it('is judged again for what the fleet turns out to have, and its policy is told', () => {
    const fleet = aFleet([aPolicy({ layouts: [{ profiles: { '1g.6gb': 5 } }] })], { a: 'p', b: 'p' });
    const wrong = () => fleet.policy('p')?.refusal?.message;
    expect(fleet.review('a', a100)).to.deep.equal(['p']);
    expect(wrong()).to.match(/A100-SXM4-40GB has no profile 1g\.6gb/);
    expect(fleet.review('b', a100)).to.deep.equal([]);
    expect(fleet.review('b', a30)).to.deep.equal(['p']);
    fleet.removeNode('a');
    expect(wrong()).to.match(/^spec\.layouts\[0\]: 5×1g\.6gb on A30: /);
    const unknown = aPartition({ device: aDevice({ ...aGpu(), product: 'NVIDIA X9000' }) });
    expect(fleet.review('b', unknown)).to.deep.equal(['p']);
    expect([wrong(), ...(fleet.policy('p')?.unchecked ?? [])]).to.deep.equal([undefined, 'b']);
  });

  it('is refused still where a GPU is lost that has never told what it is', () => {
    const pciBusId = '00000000:0F:00.0';
    const lost = { uuid: pciBusId, index: 1, pciBusId, product: 'unknown', error: 'GpuLost: gone', instances: [] };
    const fleet = aFleet([aPolicy({ layouts: [{ profiles: { '1g.6gb': 5 } }] })], { a: 'p' });
    fleet.review('a', a100);
    const wrong = fleet.policy('p')?.refusal;
    expect(wrong?.message).to.match(/A100-SXM4-40GB has no profile 1g\.6gb/);
    expect(fleet.review('a', aPartition({ device: aDevice(aGpu(), lost) }))).to.deep.equal([]);
    expect(fleet.policy('p')?.refusal).to.equal(wrong);
  });

  it('judges a profile by the GPUs that have MIG: neither one that has none nor one that is lost switches the check off', () => {
    const t4 = aGpu({ index: 1, product: 'Tesla T4', migCapable: false });
    const lost = { ...aGpu({ index: 2, product: 'unknown', error: 'lost' }), migCapable: undefined };
    const { layouts: _none, ...spec } = aPolicy().spec;
    const absurd = { slices: [{ profiles: ['9g.99gb'], count: 1 }] };
    for (const others of [[], [t4], [lost], [t4, lost]]) {
      const fleet = aFleet([], { a: 'p', b: 'other' });
      fleet.review('a', a100);
      fleet.review('b', aPartition({ device: aDevice(...(others as readonly (typeof t4)[])) }));
      fleet.setPolicy({ ...aPolicy(), spec: { ...spec, demand: absurd } });
      expect(fleet.policy('p')?.refusal?.reason, JSON.stringify(others)).to.equal('UnknownProfile');
      fleet.setPolicy(aPolicy({ generation: 2, layouts: [{ profiles: { '9g.99gb': 1 } }] }));
      expect(fleet.policy('p')?.refusal?.reason).to.equal('UnknownProfile');
    }
  });

  it('is refused by a node on which its strategy cannot work', () => {
    const both = aPartition({ device: aDevice(aGpu(), aGpu({ index: 1 })) });
    const layouts = [{ gpus: { indices: [0] }, profiles: { '1g.5gb': 7 } }];
    const fleet = aFleet([aPolicy({ strategy: 'single', layouts })], { good: 'p' });
    expect(checkAll(fleet, 'p', () => both)).to.equal(false);
    expect(fleet.policy('p')?.refused.get('good')?.reason).to.equal('SingleNeedsOneProfile');
  });

  it('names the first five nodes that refuse, and how many more there are', () => {
    const names = Array.from({ length: 7 }, (_, index) => `bad-${index}`);
    const fleet = aFleet([aPolicy()], Object.fromEntries(names.map((name) => [name, 'p'])));
    checkAll(fleet, 'p', () => a30);
    const words = fleet.policy('p')?.whyRefused;
    expect(words?.match(/node bad-/g)).to.have.lengthOf(5);
    expect(words).to.match(/and 2 more nodes$/);
  });

  it('names all nodes that refuse where they are few, and cuts what they say', () => {
    const refused = (...messages: readonly string[]) => {
      const record = aFleet([aPolicy()], {}).policy('p');
      messages.forEach((message, at) => record?.refused.set(`bad-${at}`, { reason: 'DoesNotFit', message }));
      return record?.whyRefused;
    };
    expect(refused('too much', 'too many')).to.equal('node bad-0: too much; node bad-1: too many');
    expect(refused('x'.repeat(5000))).to.have.lengthOf(3800);
  });
});
