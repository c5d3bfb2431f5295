import { expect } from 'chai';
import { withDemand } from '../support/demand-builders.ts';
import type { GpuPartitionPolicy, PolicyDemand, PolicySpec } from '../../src/api/types.ts';
import type { ClusterState } from '../../src/core/plan/change.ts';
import { predictChange } from '../../src/planner/questions.ts';
import { aCluster, aFleetNode, aTeamPod, inFile, sliced, someSetup } from '../core/plan/cluster-builder.ts';
import type { PodView } from '../../src/core/kubernetes/pod.ts';

const halves = ['3g.20gb@0', '3g.20gb@4'];

function demanding(demand: PolicyDemand, more: Partial<PolicySpec> = {}): GpuPartitionPolicy {
  return withDemand(inFile(more), demand);
}

const small = (more: Partial<PolicyDemand['slices'][number]>) => ({ name: 'small', profiles: ['1g.5gb'], ...more });
const plan = async (cluster: ClusterState, ...given: readonly GpuPartitionPolicy[]) => {
  const foreseen = await predictChange(cluster, given, someSetup, async () => ({ trouble: 'no Kueue here' }));
  return { ...foreseen.plan, lines: foreseen.lines };
};

/** A pod in the shape of the API, that waits for a slice. */
const waiting = (name: string, resource: string, spec: PodView['spec'] = {}): PodView => {
  const containers = [{ name: 'main', resources: { limits: { [resource]: 1 } } }];
  return {
    metadata: { name, namespace: 'team', uid: `uid-${name}` },
    spec: { ...spec, containers },
    status: { phase: 'Pending' },
  };
};

/** Two nodes of two halves; a pod on one half of n1. */
function aFleet(more: Partial<ClusterState> = {}): ClusterState {
  const nodes = [
    aFleetNode({ name: 'n1', slices: halves, pods: { '3g.20gb@0': ['a'] } }),
    aFleetNode({ name: 'n2', slices: halves }),
  ];
  return aCluster(nodes, { ...more, pods: [aTeamPod('a'), ...(more.pods ?? [])] });
}

describe('the plan of a change to a demand', () => {
  it('has the layouts that the controller would choose, in waves, and how each slice stands', async () => {
    const found = await plan(aFleet(), demanding({ slices: [small({ count: 5 })] }));
    expect(found.demands).to.deep.equal([
      {
        policy: 'p',
        slices: [{ name: 'small', wanted: 5, offered: 0, used: 0, unmet: 0 }],
        reason: 'Reconciling',
        message: 'small: 0 of 5 exist; the others are being made',
      },
    ]);
    expect(found.waves.map(({ nodes }) => nodes)).to.deep.equal([['n2']]);
    const [, changed] = found.nodes;
    expect(changed?.plan).to.include({ destroy: 2, create: 5 });
    expect(found.nodes.map(({ node, fate }) => `${node} ${fate}`)).to.deep.equal(['n1 Done', 'n2 Changes']);
    expect(found.findings).to.deep.equal([]);
    expect(found.lines.slice(0, 4)).to.deep.equal([
      'policy p: changed',
      '',
      'Demand of policy p',
      '  small: 5 wanted, 0 in use; 0 offered now; 5 to be made',
    ]);
  });

  it('says what stays unmet and why, as a finding', async () => {
    const found = await plan(aFleet(), demanding({ slices: [small({ count: 12 })] }));
    expect(found.demands[0]?.slices[0]).to.include({ wanted: 12, unmet: 2 });
    const [finding] = found.findings;
    expect(finding).to.include({ code: 'DemandUnmet', policy: 'p' });
    expect(finding?.message).to.match(
      /^demand of policy p: small: 2 of 12 unmet: 2 could be made only by evicting pods/,
    );
    expect(found.lines.join('\n')).to.match(/small: 12 wanted, 0 in use; 0 offered now; 10 to be made; 2 unmet: 2/);
    expect(found.nodes.flatMap(({ evictions }) => evictions)).to.deep.equal([]);
  });

  it('names the pods that go where the demand may evict', async () => {
    const found = await plan(aFleet(), demanding({ slices: [small({ count: 12 })], evict: 'IfNeeded' }));
    expect(found.demands[0]?.slices[0]).to.include({ unmet: 0 });
    expect(found.nodes.flatMap(({ evictions }) => evictions).map(({ pod, fate }) => `${pod} ${fate}`)).to.deep.equal([
      'team/a Evicted',
    ]);
  });

  it('counts what pods of the cluster use and wait for, with from: Pods', async () => {
    const pods = ['w1', 'w2'].map((name) => waiting(name, 'nvidia.com/mig-1g.5gb'));
    const elsewhere = waiting('w3', 'nvidia.com/mig-1g.5gb', { nodeSelector: { pool: 'other' } });
    const found = await plan(
      aFleet({ pods: [...pods, elsewhere] }),
      demanding({ from: 'Pods', slices: [small({ spare: 1 }), { name: 'large', profiles: ['3g.20gb'] }] }),
    );
    expect(found.demands[0]?.slices).to.deep.equal([
      { name: 'small', wanted: 3, offered: 0, used: 0, waiting: 2, unmet: 0 },
      { name: 'large', wanted: 1, offered: 1, used: 1, waiting: 0, unmet: 0 },
    ]);
    expect(found.lines.join(' ').replaceAll(/ +/g, ' ')).to.include(
      'small: 3 wanted, 0 in use and 2 requested by waiting pods; 0 offered now; 3 to be made',
    );
    expect(found.waves).to.have.lengthOf(1);
  });

  it('changes nothing in mode Plan, and shows the same layouts', async () => {
    const found = await plan(aFleet(), demanding({ slices: [small({ count: 5 })] }, { mode: 'Plan' }));
    expect(found.waves).to.deep.equal([]);
    expect(found.demands[0]?.slices[0]).to.include({ wanted: 5, unmet: 0 });
    const planned = found.nodes.filter(({ fate, plan: counts }) => fate === 'PlanOnly' && (counts?.create ?? 0) > 0);
    expect(planned.map(({ node, plan: counts }) => [node, counts?.create])).to.deep.equal([['n2', 5]]);
  });

  it('counts waiting pods in mode Plan as if the policy decided, though another one does', async () => {
    const given = demanding({ from: 'Pods', slices: [small({})] }, { mode: 'Plan' });
    const shadow = { ...given, metadata: { name: 'shadow' } };
    const pods = ['w1', 'w2'].map((name) => waiting(name, 'nvidia.com/mig-1g.5gb'));
    const found = await plan(aFleet({ pods }), shadow);
    expect(found.demands.map(({ policy, slices }) => [policy, slices[0]?.waiting, slices[0]?.unmet])).to.deep.equal([
      ['shadow', 2, 0],
    ]);
  });

  it('changes nothing for a demand that is served', async () => {
    const found = await plan(aFleet(), demanding({ slices: [{ profiles: ['3g.20gb'], count: 4 }] }));
    expect(found.waves).to.deep.equal([]);
    expect(found.demands[0]).to.include({ reason: 'DemandMet' });
  });

  it('lays the rest as the demand says, once all else is served', async () => {
    const slices = [{ profiles: ['3g.20gb'], count: 1 }];
    const found = await plan(aFleet(), demanding({ slices, rest: 'Whole' }));
    expect(found.waves.map(({ nodes }) => nodes)).to.deep.equal([['n2']]);
    expect(found.demands[0]).to.include({ reason: 'DemandMet' });
    expect((await plan(aFleet(), demanding({ slices }))).waves).to.deep.equal([]);
  });

  it('chooses layouts again for a demand that loses nodes to a given policy', async () => {
    const shared = withDemand(sliced({ priority: 0 }), { slices: [small({ count: 7 })] });
    const nodes = ['n1', 'n2'].map((name) =>
      aFleetNode({ name, slices: halves, node: { labels: { pool: 'p', name } } }, shared),
    );
    const cluster = aCluster(nodes, { policies: [shared] });
    const taking = inFile(
      { priority: 9, nodeSelector: { matchLabels: { name: 'n1' } }, layouts: [{ profiles: { '7g.40gb': 1 } }] },
      'q',
    );
    const found = await plan(cluster, taking);
    expect(found.demands).to.have.lengthOf(1);
    expect(found.demands[0]).to.deep.include({ policy: 'p' });
    expect(found.demands[0]?.slices[0]).to.include({ wanted: 7, unmet: 0 });
    // What is unmet of a policy that is not given does not count against the given one.
    expect(found.nodes.map(({ node, policy }) => `${node} ${policy}`)).to.include('n1 q');
  });
});
