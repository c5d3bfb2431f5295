import { expect } from 'chai';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import { AgentPods } from '../../src/controller/agents.ts';
import { Cluster } from '../../src/controller/cluster.ts';
import type { NodeObject } from '../../src/controller/project.ts';
import { Fleet } from '../../src/core/policy/fleet.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { ObjectStore } from '../../src/kube/store.ts';
import { aPolicy } from '../support/builders.ts';

describe('how a node stands', () => {
  const pool = { pool: 'p' };
  const policy = (name: string, priority: number): GpuPartitionPolicy =>
    aPolicy({ name, nodeSelector: { matchLabels: pool }, priority });

  it('is not known since another policy has won it, until it is looked at: it keeps its slots', () => {
    const fleet = new Fleet({ sharing: false });
    fleet.setNode('n', pool);
    fleet.setPolicy(policy('a', 1));
    const cluster = new Cluster({
      policies: new ObjectStore<GpuPartitionPolicy & KubeObject>(),
      nodes: new ObjectStore<NodeObject>(),
      partitions: new ObjectStore<GpuNodePartition & KubeObject>(),
      fleet,
      agents: new AgentPods(),
    });
    const open = { isReady: true, hasFailed: false, isVerified: false, isClosedAnyway: false, isUnderWay: false };
    expect(cluster.standingOf('n')).to.equal(undefined);
    cluster.rollout.put({ ...open, node: 'n', nodeUID: 'uid-n', policy: 'a', wishGeneration: 1 });
    expect(cluster.standingOf('n')?.isUnderWay).to.equal(false);
    fleet.setPolicy(policy('b', 2));
    expect(cluster.standingOf('n')?.isUnderWay).to.equal(true);
    cluster.rollout.put({ ...open, node: 'n', nodeUID: 'uid-n', policy: 'b', wishGeneration: 1 });
    expect(cluster.standingOf('n')?.isUnderWay).to.equal(false);
  });
});
