import { expect } from 'chai';
import type { GpuPartitionPolicy, PolicyDemand } from '../../../src/api/types.ts';
import { placePods } from '../../../src/core/advice/pool-pods.ts';
import { listPools } from '../../../src/core/advice/pools.ts';
import type { WorkloadPod } from '../../../src/core/explain/workload.ts';
import { listWaiters } from '../../../src/core/supply/pod-demand.ts';
import { PoolReader, shareWaiting } from '../../../src/core/supply/waiting-share.ts';
import { aCluster, aFleetNode, sliced } from '../plan/cluster-builder.ts';

const large = 'nvidia.com/mig-3g.20gb';
const small = 'nvidia.com/mig-1g.5gb';

function inPool(name: string, policy: GpuPartitionPolicy, slices: readonly string[]) {
  const made = aFleetNode({ name, slices }, policy);
  const metadata = { ...made.node.metadata, labels: { ...made.node.metadata.labels, pool: policy.metadata.name } };
  return { ...made, node: { ...made.node, metadata } };
}

function aPool(name: string, spec: Partial<GpuPartitionPolicy['spec']>): GpuPartitionPolicy {
  const { metadata, ...policy } = sliced({ nodeSelector: { matchLabels: { pool: name } }, ...spec });
  return { ...policy, metadata: { ...metadata, name, uid: name } };
}

function followsPods(name: string, demand: PolicyDemand): GpuPartitionPolicy {
  const { layouts: _none, ...spec } = aPool(name, {}).spec;
  return { ...aPool(name, {}), spec: { ...spec, demand } };
}

const aWaiting = (name: string, resource: string): WorkloadPod => ({
  metadata: { name, namespace: 'team' },
  spec: { containers: [{ resources: { requests: { [resource]: 1 } } }] },
});

describe('pods that wait for a pool', () => {
  const follows = followsPods('a', { from: 'Pods', slices: [{ profiles: ['3g.20gb'] }] });
  const layouts = aPool('b', {});
  const fleet = [inPool('n1', follows, ['1g.5gb@0']), inPool('n2', layouts, ['3g.20gb@0', '3g.20gb@4'])];
  const facts = (pods: readonly WorkloadPod[]) => ({ ...aCluster(fleet), policies: [follows, layouts], pods });
  const place = (pods: readonly WorkloadPod[]) => {
    const { waitingOf, homeless } = placePods(listPools(facts(pods)), pods);
    const counts = [...waitingOf].map(([pool, amounts]) => [pool.name, Object.fromEntries(amounts)]);
    return { counts, homeless };
  };

  it('count for one that has an idle slice, then for one whose demand follows them, then for one that could offer it', () => {
    const pods = ['p1', 'p2', 'p3'].map((name) => aWaiting(name, large));
    expect(place(pods).counts).to.deep.equal([
      ['a', { [large]: 1 }],
      ['b', { [large]: 2 }],
    ]);
    const smalls = [aWaiting('s1', small), aWaiting('s2', small)];
    expect(place(smalls).counts, 'one idle slice, and two pools that could have more').to.deep.equal([
      ['a', { [small]: 2 }],
      ['b', {}],
    ]);
  });

  it('are shared as the controller shares them', () => {
    const pods = ['p1', 'p2', 'p3', 'p4'].map((name) => aWaiting(name, large));
    const pools = [follows, layouts].map((policy, index) => {
      const { node, partition } = fleet[index] ?? {};
      return {
        policy: policy.metadata.name,
        priority: 0,
        followsQueues: false,
        nodes: node ? [new PoolReader(policy).read(node, partition)] : [],
      };
    });
    const shares = [...shareWaiting(listWaiters(pods), pools)].map(([name, amounts]) => [
      name,
      Object.fromEntries(amounts),
    ]);
    expect(place(pods).counts).to.deep.equal(shares);
  });

  it('are named where no GPU could ever offer what they request', () => {
    const pods = [aWaiting('p1', 'nvidia.com/mig-9g.90gb'), aWaiting('p2', 'nvidia.com/mig-9g.90gb')];
    expect(place(pods)).to.deep.equal({
      counts: [
        ['a', {}],
        ['b', {}],
      ],
      homeless: [{ resource: 'nvidia.com/mig-9g.90gb', pods: ['team/p1', 'team/p2'] }],
    });
  });
});
