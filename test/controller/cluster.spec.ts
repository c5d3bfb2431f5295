import { expect } from 'chai';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import { AgentPods } from '../../src/controller/agents.ts';
import { Cluster } from '../../src/controller/cluster.ts';
import type { NodeObject } from '../../src/controller/node-object.ts';
import { Fleet } from '../../src/core/policy/fleet.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { ObjectStore } from '../../src/kube/store.ts';
import { aPolicy } from '../support/builders.ts';

describe('how a node stands', () => {
  const pool = { pool: 'p' };
  const open = {
    isReady: true,
    isCordoned: false,
    hasGpus: true,
    hasFailed: false,
    isVerified: false,
    isClosedAnyway: false,
    isUnderWay: false,
  };
  const found = { ...open, node: 'n', nodeUID: 'uid-n', policy: 'a', wishGeneration: 1, seen: [] };
  const startTime = '2026-01-01T12:00:00Z';

  function aPoolPolicy(name: string, priority: number): GpuPartitionPolicy & KubeObject {
    const policy = aPolicy({ name, nodeSelector: { matchLabels: pool }, priority });
    return { ...policy, metadata: { ...policy.metadata, resourceVersion: '1' } };
  }

  function aCluster() {
    const fleet = new Fleet({ sharing: false });
    const policies = new ObjectStore<GpuPartitionPolicy & KubeObject>();
    const nodes = new ObjectStore<NodeObject>();
    const partitions = new ObjectStore<GpuNodePartition & KubeObject>();
    fleet.setNode('n', pool);
    fleet.setPolicy(aPoolPolicy('a', 1));
    return {
      fleet,
      policies,
      nodes,
      cluster: new Cluster({ policies, nodes, partitions, fleet, agents: new AgentPods() }),
    };
  }

  it('is not known since another policy has won it, until it is looked at', () => {
    const { fleet, cluster } = aCluster();
    expect(cluster.rolloutStatesFor('a')('n')).to.equal(undefined);
    cluster.rollout.put(found);
    expect(cluster.rolloutStatesFor('a')('n')?.isUnderWay).to.equal(false);
    fleet.setPolicy(aPoolPolicy('b', 2));
    expect(cluster.rolloutStatesFor('a')('n')?.isUnderWay).to.equal(true);
    cluster.rollout.put({ ...found, policy: 'b' });
    expect(cluster.rolloutStatesFor('a')('n')?.isUnderWay).to.equal(false);
  });

  it('is forgotten with all that was written of it, if the answer comes after the watch has told that the node is gone', () => {
    const { cluster } = aCluster();
    cluster.partitions.doubt('n');
    cluster.nodes.doubt('n');
    cluster.forget('n');
    expect([cluster.nodes.isDoubted('n'), cluster.partitions.isDoubted('n')]).to.deep.equal([false, false]);
  });

  it('is not known since it has a slot that another leader gave, until it is looked at', () => {
    const { policies, cluster } = aCluster();
    cluster.rollout.put(found);
    const policy = aPoolPolicy('a', 1);
    const slot = { node: 'n', nodeUID: 'uid-n', generation: 1, startTime, kind: 'New' as const };
    policies.upsert({ ...policy, status: { inFlight: [slot] } });
    expect(cluster.rolloutStatesFor('a')('n')?.isUnderWay).to.equal(true);
    expect(cluster.nodesWithNewSlots('a')).to.deep.equal(['n']);
    const seen = cluster.slotsOf({ metadata: { name: 'n', uid: 'uid-n', resourceVersion: '1' } });
    expect(seen).to.deep.equal([startTime]);
    cluster.rollout.put({ ...found, seen });
    expect(cluster.rolloutStatesFor('a')('n')?.isUnderWay).to.equal(false);
    expect(cluster.nodesWithNewSlots('a')).to.deep.equal([]);
  });

  it('leaves the API server to nodes with a slot only once every node has been looked at', () => {
    const { policies, nodes, cluster } = aCluster();
    for (const name of ['n', 'm']) nodes.upsert({ metadata: { name, uid: `uid-${name}`, resourceVersion: '1' } });
    cluster.rollout.put(found);
    expect(cluster.favorsSlots).to.equal(false);
    const slot = { node: 'n', nodeUID: 'uid-n', generation: 1, startTime, kind: 'New' as const };
    policies.upsert({ ...aPoolPolicy('a', 1), status: { inFlight: [slot] } });
    expect(cluster.favorsSlots).to.equal(false);
    cluster.rollout.put({ ...found, node: 'm', nodeUID: 'uid-m' });
    expect(cluster.favorsSlots).to.equal(true);
  });
});
