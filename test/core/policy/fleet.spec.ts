import { expect } from 'chai';
import * as fc from 'fast-check';
import type { GpuPartitionPolicy } from '../../../src/api/types.ts';
import { Fleet } from '../../../src/core/policy/fleet.ts';
import { listRefused } from '../../../src/core/policy/policy-record.ts';
import { selectsNode } from '../../../src/core/policy/node-selector.ts';
import { byPrecedence } from '../../../src/core/policy/precedence.ts';
import { fullSupport } from '../../../src/core/policy/support.ts';
import { aDevice, aGpu, aPartition, aPolicy } from '../../support/builders.ts';

const a100 = aPartition({ device: aDevice(aGpu()) });
const a30 = aPartition({ device: aDevice(aGpu({ product: 'NVIDIA A30' })) });

function accepted(policy: GpuPartitionPolicy): GpuPartitionPolicy {
  const { generation = 1 } = policy.metadata;
  return { ...policy, status: { ...policy.status, acceptedGeneration: generation } };
}

function aFleet(policies: readonly GpuPartitionPolicy[], pools: Readonly<Record<string, string>>): Fleet {
  const fleet = new Fleet(fullSupport);
  for (const policy of policies) fleet.setPolicy(policy);
  for (const [node, pool] of Object.entries(pools)) fleet.setNode(node, { pool });
  return fleet;
}

/** The policies that select a node, worked out without an index. */
function inPrecedence(
  policies: readonly GpuPartitionPolicy[],
  labels: Readonly<Record<string, string>>,
): readonly GpuPartitionPolicy[] {
  return policies.filter(({ spec }) => selectsNode(spec.nodeSelector, labels)).toSorted(byPrecedence);
}

const winnerOf = (fleet: Fleet, node: string) => fleet.claimOf(node, a100).winner?.metadata.name;

describe('a fleet', () => {
  it('lets the higher priority win, then the older, then the name, and names the losers', () => {
    const young = aPolicy({ name: 'a', createdAt: '2026-02-01T00:00:00Z' });
    const fleet = aFleet([young, aPolicy({ name: 'z' }), aPolicy({ name: 'b' })], { n: 'p' });
    const { winner, losers } = fleet.claimOf('n', a100);
    expect([winner, ...losers].map((policy) => policy?.metadata.name)).to.deep.equal(['b', 'z', 'a']);
    fleet.setPolicy(aPolicy({ name: 'a', createdAt: '2026-02-01T00:00:00Z', generation: 2, priority: 1 }));
    expect(winnerOf(fleet, 'n')).to.equal('a');
  });

  it('has nobody win a node that no policy selects, nor a policy that is being deleted', () => {
    const fleet = aFleet([aPolicy()], { n: 'p', other: 'q' });
    expect(winnerOf(fleet, 'other')).to.equal(undefined);
    const policy = aPolicy();
    fleet.setPolicy({ ...policy, metadata: { ...policy.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' } });
    expect(winnerOf(fleet, 'n')).to.equal(undefined);
  });

  // 1
  it('has nobody work for a change of a policy’s status, and keeps what it has worked out', () => {
    const fleet = aFleet([aPolicy()], { n: 'p' });
    const { wish } = fleet.claimOf('n', a100);
    const written = { ...aPolicy(), status: { observedGeneration: 1, summary: '0/1 ready' } };
    expect(fleet.setPolicy(written)).to.equal(undefined);
    expect(fleet.policy('p')?.policy.status).to.deep.equal(written.status);
    expect(fleet.claimOf('n', a100).wish).to.equal(wish);
  });

  // 1
  it('names the nodes of an edited policy, those that it leaves and those that it wins, and no others', () => {
    const fleet = aFleet([aPolicy(), aPolicy({ name: 'q', nodeSelector: { matchLabels: { pool: 'q' } } })], {
      a: 'p',
      b: 'p',
      c: 'q',
      d: 'r',
    });
    expect(fleet.setPolicy(aPolicy({ generation: 2, strategy: 'single' }))).to.have.members(['a', 'b']);
    const moved = aPolicy({ generation: 3, nodeSelector: { matchLabels: { pool: 'r' } } });
    expect(fleet.setPolicy(moved)).to.have.members(['a', 'b', 'd']);
    expect(winnerOf(fleet, 'd')).to.equal('p');
    expect(winnerOf(fleet, 'a')).to.equal(undefined);
    expect(fleet.removePolicy('p')).to.deep.equal(['d']);
    expect(fleet.setPolicy({ ...moved, metadata: { ...moved.metadata, uid: 'uid-again' } })).to.deep.equal(['d']);
  });

  // 1
  it('names the policies that gain or lose a node by its labels', () => {
    const fleet = aFleet([aPolicy(), aPolicy({ name: 'q', nodeSelector: { matchLabels: { pool: 'q' } } })], {});
    expect(fleet.setNode('n', { pool: 'p' })).to.deep.equal(['p']);
    expect(fleet.setNode('n', { pool: 'p', zone: 'a' })).to.deep.equal([]);
    expect(fleet.setNode('n', { pool: 'q' })).to.have.members(['p', 'q']);
    expect(fleet.removeNode('n')).to.deep.equal(['q']);
    expect(fleet.policy('q')?.tally.matched).to.equal(0);
  });

  // 34
  it('leaves a node to a valid policy where one of higher priority is valid nowhere, and says so of both', () => {
    const broken = aPolicy({ name: 'broken', priority: 9, layouts: [{ profiles: { '9g.999gb': 1 } }] });
    const fleet = aFleet([broken, accepted(aPolicy())], { n: 'p' });
    const { winner, losers, refusal, isAccepted } = fleet.claimOf('n', a100);
    expect([winner?.metadata.name, isAccepted, refusal]).to.deep.equal(['p', true, undefined]);
    expect(losers.map(({ metadata }) => metadata.name)).to.deep.equal(['broken']);
    const mended = aPolicy({ name: 'broken', priority: 9, generation: 2 });
    expect(fleet.setPolicy(mended)).to.deep.equal(['n']);
    expect(winnerOf(fleet, 'n')).to.equal('broken');
    expect(winnerOf(aFleet([broken], { n: 'p' }), 'n')).to.equal('broken');
  });

  it('gives no wish to nodes of a policy that is refused by itself', () => {
    const windows = [{ schedule: '0 25 * * *', duration: '6h' }];
    const fleet = aFleet([aPolicy({ rollout: { windows } })], { n: 'p' });
    expect(fleet.claimOf('n', a100)).to.deep.include({ wish: undefined });
    expect(fleet.claimOf('n', a100).refusal?.reason).to.equal('BadWindow');
  });
});

describe('the acceptance of a generation', () => {
  const check = (fleet: Fleet): void => {
    fleet.claimOf('good', a100);
    fleet.claimOf('bad', a30);
  };

  it('waits until each node has been asked', () => {
    const fleet = aFleet([aPolicy()], { good: 'p', bad: 'p' });
    const claim = fleet.claimOf('good', a100);
    expect([claim.isAccepted, claim.refusedBy]).to.deep.equal([false, undefined]);
    expect([...(fleet.policy('p')?.unchecked ?? [])]).to.deep.equal(['bad']);
  });

  it('is refused by one node that cannot take it, by name', () => {
    const fleet = aFleet([aPolicy()], { good: 'p', bad: 'p' });
    check(fleet);
    expect(fleet.claimOf('good', a100).refusedBy).to.match(/^node bad: .*1g\.5gb/);
  });

  it('is not refused by a node whose agent has not reported, nor by one that another policy has won', () => {
    const other = aPolicy({ name: 'other', priority: 5, layouts: [{ mig: 'Disabled' }] });
    const fleet = aFleet([aPolicy(), other], { bad: 'p' });
    fleet.claimOf('bad', a30);
    expect(fleet.policy('p')?.refused.size).to.equal(0);
    expect(fleet.policy('p')?.unchecked.size).to.equal(0);
    const silent = aFleet([aPolicy()], { n: 'p' });
    expect(silent.claimOf('n', undefined).refusedBy).to.equal(undefined);
    expect(silent.policy('p')?.unchecked.size).to.equal(0);
  });

  it('is waited for by nobody where the policy is refused by itself: its nodes are told at once', () => {
    const fleet = aFleet([accepted(aPolicy())], { n: 'p' });
    expect(fleet.awaitsAcceptance('p')).to.equal(false);
    fleet.setPolicy(aPolicy({ generation: 2, layouts: [{ mig: 'Disabled' }] }));
    expect(fleet.awaitsAcceptance('p')).to.equal(true);
    fleet.setPolicy(aPolicy({ generation: 3, layouts: [{ profiles: { '1g.5gb': 9 } }] }));
    expect(fleet.claimOf('n', a100).refusal?.reason).to.equal('DoesNotFit');
    expect(fleet.awaitsAcceptance('p')).to.equal(false);
  });

  it('is asked anew of all nodes after an edit, and forgotten of none that is gone', () => {
    const fleet = aFleet([aPolicy()], { good: 'p', bad: 'p' });
    check(fleet);
    fleet.setPolicy(aPolicy({ generation: 2, layouts: [{ mig: 'Disabled' }] }));
    expect([...(fleet.policy('p')?.unchecked ?? [])]).to.have.members(['good', 'bad']);
    check(fleet);
    expect(fleet.policy('p')?.refused.size).to.equal(0);
    fleet.setPolicy(aPolicy({ generation: 3 }));
    check(fleet);
    fleet.removeNode('bad');
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
      const bad = fleet.claimOf('bad', aPartition({ device: hostile }));
      expect(bad.wish, what).to.have.property('refusal');
      expect(fleet.claimOf('good', a100).refusedBy, what).to.equal(undefined);
      expect(fleet.policy('p')?.refused.size, what).to.equal(0);
    }
  });

  it('is not refused by a node that reports fewer GPUs than an entry counts', () => {
    const fleet = aFleet([aPolicy({ layouts: [{ gpus: { count: 2 }, mig: 'Disabled' }] })], { good: 'p', bad: 'p' });
    expect(fleet.claimOf('bad', aPartition({ device: aDevice(aGpu()) })).wish).to.have.property('refusal');
    expect(fleet.policy('p')?.refused.size).to.equal(0);
  });

  it('is not asked of a node that joins later: it stands for itself', () => {
    const fleet = aFleet([accepted(aPolicy())], { good: 'p' });
    fleet.setNode('bad', { pool: 'p' });
    const bad = fleet.claimOf('bad', a30);
    expect(bad.isAccepted).to.equal(true);
    expect(bad.wish).to.have.nested.property('refusal.reason', 'UnknownProfile');
    const good = fleet.claimOf('good', a100);
    expect([good.isAccepted, good.refusedBy]).to.deep.equal([true, undefined]);
    expect(good.wish).to.have.property('wish');
  });

  it('names the first five nodes that refuse, and how many more there are', () => {
    const names = Array.from({ length: 7 }, (_, index) => `bad-${index}`);
    const fleet = aFleet([aPolicy()], Object.fromEntries(names.map((name) => [name, 'p'])));
    for (const name of names) fleet.claimOf(name, a30);
    const words = listRefused(fleet.policy('p') ?? { refused: new Map() });
    expect(words?.match(/node bad-/g)).to.have.lengthOf(5);
    expect(words).to.match(/and 2 more nodes$/);
  });
});

describe('a fleet after any changes', () => {
  const pool = fc.constantFrom('p', 'q', 'r');
  const selector = fc.oneof(
    pool.map((value) => ({ matchLabels: { pool: value } })),
    pool.map((value) => ({ matchExpressions: [{ key: 'pool', operator: 'NotIn' as const, values: [value] }] })),
    fc.constant({ matchExpressions: [{ key: 'pool', operator: 'In' as const, values: ['p', 'q'] }] }),
    fc.constant({ matchExpressions: [{ key: 'zone', operator: 'Exists' as const }] }),
  );
  const labels = fc.record({ pool, zone: fc.constantFrom('a', 'b') }, { requiredKeys: [] });
  const change = fc.oneof(
    fc.record({
      kind: fc.constant('policy' as const),
      name: fc.constantFrom('x', 'y', 'z'),
      selector,
      priority: fc.nat(2),
      broken: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('noPolicy' as const), name: fc.constantFrom('x', 'y', 'z') }),
    fc.record({ kind: fc.constant('node' as const), name: fc.constantFrom('a', 'b', 'c'), labels }),
    fc.record({ kind: fc.constant('noNode' as const), name: fc.constantFrom('a', 'b', 'c') }),
  );

  it('says of each node what a look at all policies would say, and names each node whose winner has changed', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 25 }), (changes) => {
        const fleet = new Fleet(fullSupport);
        const policies = new Map<string, GpuPartitionPolicy>();
        const nodes = new Map<string, Readonly<Record<string, string>>>();
        const winners = () => new Map([...nodes.keys()].map((node) => [node, winnerOf(fleet, node)]));
        for (const [index, one] of changes.entries()) {
          const before = winners();
          let affected: readonly string[] = [];
          if (one.kind === 'policy') {
            const layouts = [{ profiles: one.broken ? { '9g.999gb': 1 } : { '1g.5gb': 7 } }];
            const parts = { name: one.name, generation: index + 1, nodeSelector: one.selector, priority: one.priority };
            policies.set(one.name, aPolicy({ ...parts, layouts }));
            affected = fleet.setPolicy(aPolicy({ ...parts, layouts })) ?? [];
          } else if (one.kind === 'noPolicy') {
            policies.delete(one.name);
            affected = fleet.removePolicy(one.name);
          } else if (one.kind === 'node') {
            nodes.set(one.name, one.labels);
            fleet.setNode(one.name, one.labels);
            affected = [one.name];
          } else {
            nodes.delete(one.name);
            fleet.removeNode(one.name);
            affected = [one.name];
          }
          for (const [node, winner] of winners()) {
            if (before.has(node) && before.get(node) !== winner) expect(affected).to.include(node);
          }
        }
        for (const [node, own] of nodes) {
          const inOrder = inPrecedence([...policies.values()], own);
          const isValid = ({ metadata }: GpuPartitionPolicy) => fleet.policy(metadata.name)?.refusal === undefined;
          const expected = inOrder.find(isValid) ?? inOrder[0];
          expect(winnerOf(fleet, node)).to.equal(expected?.metadata.name);
          for (const { metadata } of inOrder) expect([...(fleet.policy(metadata.name)?.nodes ?? [])]).to.include(node);
        }
        for (const { policy, nodes: selected, tally } of fleet.policies) {
          const own = [...nodes].filter(([, one]) => inPrecedence([policy], one).length > 0).map(([node]) => node);
          expect([...selected]).to.have.members(own);
          expect(tally.matched).to.equal(own.length);
        }
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});
