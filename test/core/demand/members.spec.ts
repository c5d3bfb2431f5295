import { expect } from 'chai';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../../src/api/types.ts';
import { Fleet } from '../../../src/core/policy/fleet.ts';
import { listPool, type PoolCluster, type RestOf, type PodPool } from '../../../src/core/demand/members.ts';
import { listPodPools } from '../../../src/core/demand/kueue.ts';
import { recallDemand } from '../../../src/core/demand/state.ts';
import { aGpu, uuidOf } from '../../support/builders.ts';
import { aDemandPolicy, aNodeWith, finish } from '../../support/demand-builders.ts';
import { aNode, noon } from '../../support/node-builders.ts';

const names = ['n2', 'n1'];

/** A policy with a demand, which is accepted. */
function aDemanding(name: string, spec: Partial<GpuPartitionPolicy['spec']> = {}): GpuPartitionPolicy {
  const policy = aDemandPolicy({ slices: [{ profiles: ['1g.5gb'] }], from: 'Kueue' }, spec);
  const metadata = { ...policy.metadata, name, uid: `uid-${name}` };
  return { ...policy, metadata, status: { acceptedGeneration: 1 } };
}

/** Two nodes of one GPU each, both selected by all policies. */
function aCluster(...policies: readonly GpuPartitionPolicy[]): PoolCluster & { readonly fleet: Fleet } {
  const fleet = new Fleet({ sharing: true });
  for (const policy of policies) fleet.setPolicy(policy);
  for (const node of names) fleet.setNode(node, { pool: 'p' });
  const nodes = new Map(names.map((name) => [name, aNode({ labels: { pool: 'p' } })]));
  return { fleet, nodes, partitions: new Map(names.map((name) => [name, aNodeWith(name, aGpu())])) };
}

function recordOf({ fleet }: { readonly fleet: Fleet }, name: string) {
  const record = fleet.policy(name);
  if (!record) throw new Error(`no policy ${name}`);
  return record;
}

function poolOf(cluster: ReturnType<typeof aCluster>, name: string, restOf: RestOf = () => false) {
  return finish(listPool(recordOf(cluster, name), cluster, { restOf }));
}

/** As the pool of one policy is seen. */
function readPodPools(cluster: ReturnType<typeof aCluster>, name: string): readonly PodPool[] {
  return finish(listPodPools(recordOf(cluster, name), cluster, noon));
}

/** How many nodes each policy has, as the pool of one of them is seen. */
function podPoolsOf(cluster: ReturnType<typeof aCluster>, name: string): Readonly<Record<string, number>> {
  return Object.fromEntries(readPodPools(cluster, name).map(({ policy, nodes }) => [policy, nodes.length]));
}

describe('the pool of a policy with a demand', () => {
  it('is of all nodes that it decides over, by name, and says which of their GPUs were re-laid of late', () => {
    const members = poolOf(aCluster(aDemanding('p')), 'p', (id) => id.startsWith('n2/'));
    expect(members.map(({ node, rests }) => [node, rests])).to.deep.equal([
      ['n1', false],
      ['n2', true],
    ]);
  });

  it('tells when a node was last granted a change for its policy, which is new as long as no node was told of it', () => {
    const cluster = aCluster(aDemanding('p'));
    const record = recordOf(cluster, 'p');
    const seen: (number | undefined)[] = [];
    const note = (_: string, grantedMs: number | undefined) => {
      seen.push(grantedMs);
      return 'Held' as const;
    };
    const uid = 'uid-p';
    const partitionOf = (name: string, granted?: Partial<NonNullable<GpuNodePartition['spec']['granted']>>) => {
      const { spec, ...one } = aNodeWith(name, aGpu());
      const policy = { name: 'p', uid, generation: 1 };
      const grant = { gpus: [], epoch: 1, policy, planHash: 'x', deadline: '2026-01-01T12:05:00Z', seconds: 300 };
      const { policy: _none, ...untold } = spec;
      return { ...one, spec: granted ? { ...spec, policy, granted: { ...grant, ...granted } } : untold };
    };
    const read = (...all: readonly ReturnType<typeof partitionOf>[]) => {
      seen.length = 0;
      const partitions = new Map<string, GpuNodePartition>(all.map((one) => [one.metadata.name, one]));
      const members = finish(listPool(record, { ...cluster, partitions }, { restOf: note }));
      expect(members.every(({ isHeld, rests, gpu }) => isHeld && rests && gpu.isResting)).to.equal(true);
      return { seen: [...seen], isNew: recallDemand(record, undefined, partitions, noon).isNew };
    };
    expect(read(partitionOf('n1'), partitionOf('n2', {}))).to.deep.equal({ seen: [undefined, noon], isNew: false });
    const others = [{ policy: { uid: 'uid-q', generation: 1 } }, { planHash: '' }] as const;
    for (const other of others) expect(read(partitionOf('n1', other)).seen).to.deep.equal([undefined]);
    expect(read(partitionOf('n1'), partitionOf('n2')).isNew).to.equal(true);
  });

  it('has its GPUs as its last plan chose them, before their nodes are told', () => {
    const cluster = aCluster(aDemanding('p'));
    const chosen = { uuid: uuidOf(0), profiles: { '1g.5gb': 7 }, entry: 'demand' };
    cluster.fleet.choose(recordOf(cluster, 'p').policy, new Map([['n1', new Map([[chosen.uuid, chosen]])]]));
    const members = poolOf(cluster, 'p');
    expect(members.map(({ node, gpu }) => [node, gpu.instances.length])).to.deep.equal([
      ['n1', 7],
      ['n2', 1],
    ]);
  });

  it('leaves to others what it does not select, though it only plans', () => {
    const nodeSelector = { matchLabels: { pool: 'x' } };
    const cluster = aCluster(aDemanding('p', { mode: 'Plan', nodeSelector }), aDemanding('q'));
    expect(podPoolsOf(cluster, 'p')).to.deep.equal({ p: 0, q: 2 });
  });

  it('lets others have a turn after each node', () => {
    const cluster = aCluster(aDemanding('p'));
    expect([...listPodPools(recordOf(cluster, 'p'), cluster, noon)]).to.have.length(names.length);
  });

  it('gives those nodes to others that these have won, whatever plans for them beside', () => {
    const cluster = aCluster(aDemanding('p', { mode: 'Plan' }), aDemanding('q'), aDemanding('r', { priority: 5 }));
    expect(podPoolsOf(cluster, 'q')).to.deep.equal({ p: 0, q: 0, r: 2 });
  });

  it('is of no node that another policy has won', () => {
    const cluster = aCluster(aDemanding('p'), aDemanding('q', { priority: 5 }));
    expect([poolOf(cluster, 'p').length, poolOf(cluster, 'q').length]).to.deep.equal([0, 2]);
    expect(podPoolsOf(cluster, 'p')).to.deep.equal({ p: 0, q: 2 });
  });

  it('is of all nodes that it selects where it only plans, and the others are then without them', () => {
    const cluster = aCluster(aDemanding('p', { mode: 'Plan' }), aDemanding('q', { priority: 5 }));
    expect([poolOf(cluster, 'p').length, poolOf(cluster, 'q').length]).to.deep.equal([2, 2]);
    expect(podPoolsOf(cluster, 'p')).to.deep.equal({ p: 2, q: 0 });
    expect(podPoolsOf(cluster, 'q')).to.deep.equal({ p: 0, q: 2 });
  });

  it('never changes for others if its policy only plans or was never accepted, and later if something stops its rollout', () => {
    const windows = [{ schedule: '0 22 * * *', duration: '1h' }];
    const halted = { type: 'Ready', status: 'False' as const, reason: 'Halted', message: '', lastTransitionTime: '' };
    const actsOf = (policy: GpuPartitionPolicy, seenBy = 'q') => {
      const pools = readPodPools(aCluster(policy, aDemanding('q', { nodeSelector: {} })), seenBy);
      return pools.find((one) => one.policy === 'p')?.acts;
    };
    expect(actsOf(aDemanding('p'))).to.equal('Now');
    expect(actsOf(aDemanding('p', { mode: 'Plan' }))).to.equal('Never');
    expect(actsOf(aDemanding('p', { mode: 'Plan' }), 'p'), 'as it shows itself').to.equal('Now');
    const { status: _none, ...unaccepted } = aDemanding('p');
    expect(actsOf(unaccepted)).to.equal('Never');
    for (const rollout of [{ paused: true }, { maxUnavailable: 0 }, { maxUnavailable: '0%' }, { windows }])
      expect(actsOf(aDemanding('p', { rollout })), JSON.stringify(rollout)).to.equal('Later');
    expect(actsOf({ ...aDemanding('p'), status: { acceptedGeneration: 1, conditions: [halted] } })).to.equal('Later');
    const { spec } = aDemanding('p');
    const refused = { ...aDemanding('p'), metadata: { ...aDemanding('p').metadata, generation: 2 } };
    const slices = [{ profiles: ['9g.99gb'] }];
    const status = { acceptedGeneration: 1, inForce: { generation: 1, spec: { ...spec } } };
    expect(actsOf({ ...refused, spec: { ...spec, demand: { slices } }, status }), 'an edit is refused').to.equal(
      'Later',
    );
  });

  it('follows Kueue, and comes before others, as its policy says', () => {
    const cluster = aCluster(aDemanding('p', { priority: 3 }));
    expect(readPodPools(cluster, 'p').map(({ priority, followsQueues }) => [priority, followsQueues])).to.deep.equal([
      [3, true],
    ]);
  });

  it('passes on what its last plan left unserved', () => {
    const cluster = aCluster(aDemanding('p'));
    const record = recordOf(cluster, 'p');
    const [{ profiles: [profile = ''] = [] } = {}] = record.policy.spec.demand?.slices ?? [];
    record.demand = {
      states: [{ name: profile, wanted: 3, offered: 2, used: 0, waiting: 3, unmet: 1 }],
      condition: { type: 'DemandMet', status: 'False', reason: 'NoRoom', message: '' },
    };
    expect(readPodPools(cluster, 'p').map(({ overflow }) => overflow.map(({ count }) => count))).to.deep.equal([[1]]);
  });
});
