import { expect } from 'chai';
import {
  canUse,
  couldTake,
  explainUnchangeable,
  explainUnusable,
  requirementsKey,
} from '../../../src/core/cluster/facts.ts';
import { countUsable } from '../../../src/core/demand/members.ts';
import type { NodeView } from '../../../src/core/kubernetes/node.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';
import { explainHopeless, trimWaitingPod, listWaiters } from '../../../src/core/demand/waiting-pods.ts';
import { aDevice, aGpu, aPartition } from '../../support/builders.ts';
import { aNode } from '../../support/node-builders.ts';

const small = 'nvidia.com/mig-1g.5gb';
const allocatable = { cpu: '63500m', memory: '263Gi', 'rdma/hca': '2', 'hugepages-1Gi': '0', [small]: '0' };
const node = aNode({ allocatable });

type Amounts = Readonly<Record<string, string | number>>;

function aPod(requests: Amounts = {}, spec: PodView['spec'] = {}, message?: string): PodView {
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: message ?? '' }];
  return {
    metadata: { name: 'job', namespace: 'ns', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { containers: [{ resources: { requests: { [small]: 1, ...requests } } }], ...spec },
    ...(message !== undefined && { status: { conditions } }),
  };
}

describe('whether a node would take a pod but for its slices', () => {
  const cases: readonly (readonly [string, PodView, boolean])[] = [
    ['one that fits into an empty node', aPod({ cpu: '63500m', memory: '200Gi', 'rdma/hca': 2 }), true],
    ['more CPU than any node has', aPod({ cpu: 1000 }), false],
    ['more memory', aPod({ memory: '264Gi' }), false],
    ['more of another plugin’s devices', aPod({ 'rdma/hca': 3 }), false],
    ['a resource that the node does not have', aPod({ 'example.com/fpga': 1 }), false],
    ['huge pages', aPod({ 'hugepages-1Gi': '1Gi' }), false],
    ['none of something', aPod({ 'example.com/fpga': 0 }), true],
    ['ephemeral storage that the node did not report', aPod({ 'ephemeral-storage': '1Ti' }), true],
    ['slices that it does not have', aPod({ 'nvidia.com/mig-7g.40gb': 9 }), true],
    ['too much with its overhead', aPod({ cpu: '63500m' }, { overhead: { cpu: '1m' } }), false],
    ['too much as a whole pod', aPod({}, { resources: { requests: { cpu: '64' } } }), false],
    ['less as a whole than its containers', aPod({ cpu: 1000 }, { resources: { requests: { cpu: '1' } } }), true],
    ['another node', aPod({}, { nodeSelector: { pool: 'other' } }), false],
  ];
  for (const [what, pod, expected] of cases)
    it(`${expected ? 'takes' : 'refuses'} ${what}, as the controller keeps it too`, () => {
      expect(couldTake(node, pod)).to.equal(expected);
      expect(couldTake(node, trimWaitingPod(pod))).to.equal(expected);
    });

  it('does not depend on what passes, but on taints that stay', () => {
    const tainted = (key: string, effect = 'NoSchedule'): NodeView => aNode({ allocatable, taints: [{ key, effect }] });
    const passing = ['node.kubernetes.io/unschedulable', 'karpenter.sh/disrupted', 'gpupartition.dev/repartitioning'];
    for (const key of passing) expect(couldTake(tainted(key), aPod()), key).to.equal(true);
    expect(couldTake(tainted('team'), aPod())).to.equal(false);
    expect(couldTake(tainted('team', 'PreferNoSchedule'), aPod())).to.equal(true);
    expect(couldTake(tainted('team'), aPod({}, { tolerations: [{ operator: 'Exists' }] }))).to.equal(true);
  });

  it('is one question for pods that ask alike', () => {
    const keys = [aPod({ cpu: 1 }), aPod({ cpu: '1000m' }), aPod({ cpu: 2 })].map(requirementsKey);
    expect(keys[0]).to.equal(keys[1]);
    expect(keys[0]).not.to.equal(keys[2]);
  });
});

describe('what the scheduler says of a pod that waits', () => {
  const all = (reasons: string): string => `0/3 nodes are available: ${reasons}.`;
  const preemption = ' preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.';
  const hopeless: readonly string[] = [
    all('pod has unbound immediate PersistentVolumeClaims') + preemption,
    all('persistentvolumeclaim "data" not found') + preemption,
    // As kube-scheduler 1.36 writes it.
    '0/2 nodes are available: persistentvolumeclaim "data" not found. not found',
    'persistentvolumeclaim "data" not found',
    all("3 node(s) didn't match PersistentVolume's node affinity") + ' no new claims to deallocate,' + preemption,
    all('1 node(s) had untolerated taint {team: a}, 2 node(s) had volume node affinity conflict') + preemption,
    all("1 Insufficient cpu, 1 node(s) were unschedulable, 1 node(s) didn't match pod affinity rules"),
    all("3 node(s) didn't match pod topology spread constraints (missing required label)"),
  ];
  for (const message of hopeless)
    it(`is that no slice helps: ${message}`, () => {
      expect(explainHopeless(aPod({}, {}, message))).to.match(/olume|affinity|spread/);
      expect(listWaiters([aPod({}, {}, message)])).to.deep.equal([]);
      expect(listWaiters([trimWaitingPod(aPod({}, {}, message))]), 'as the controller keeps it').to.deep.equal([]);
    });

  const counting: readonly string[] = [
    all(`3 Insufficient ${small}`),
    all(`1 Insufficient ${small}, 2 node(s) had volume node affinity conflict`),
    all('3 Insufficient cpu'),
    all('2 node(s) had untolerated taint {a: b}, 1 node(s) were unschedulable'),
    all("1 node(s) had volume node affinity conflict, 2 node(s) didn't please an unknown plugin"),
    'the scheduler of another vendor has its own words',
    '',
  ];
  for (const message of counting)
    it(`is understood as waiting for a slice: ${message}`, () => {
      expect(explainHopeless(aPod({}, {}, message))).to.equal(undefined);
      expect(listWaiters([trimWaitingPod(aPod({}, {}, message))])).to.have.length(1);
    });

  it('is no longer so once it is scheduled', () => {
    const status = { conditions: [{ type: 'PodScheduled', status: 'True', message: hopeless[1] ?? '' }] };
    expect(explainHopeless({ ...aPod(), status })).to.equal(undefined);
  });
});

describe('a waiting pod as the controller keeps it', () => {
  it('has all that it requests, since when it waits and whom it may preempt', () => {
    const init = { resources: { requests: { cpu: 4, 'example.com/fpga': 1 } } };
    const spec = { priority: 7, preemptionPolicy: 'Never', initContainers: [init] };
    expect(trimWaitingPod(aPod({ cpu: '1500m', memory: '1Gi' }, spec))).to.deep.equal({
      metadata: { name: 'job', namespace: 'ns', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: {
        priority: 7,
        preemptionPolicy: 'Never',
        containers: [
          { resources: { requests: { cpu: '4', 'example.com/fpga': '1', memory: '1073741824', [small]: 1 } } },
        ],
      },
    });
    const { spec: kept } = trimWaitingPod(aPod({ cpu: '1500m' }));
    expect(kept?.containers?.[0]?.resources?.requests).to.deep.include({ cpu: '1500000000n' });
  });
});

const cordoned = aNode({ unschedulable: true });
const removed = (key: string): NodeView => aNode({ taints: [{ key, effect: 'NoSchedule' }] });

describe('whether the slices of a node can be used', () => {
  const cases: readonly (readonly [string, NodeView, string | undefined])[] = [
    ['a node that is open', aNode(), undefined],
    ['one that is cordoned', cordoned, 'Cordoned'],
    ['one whose kubelet is silent', aNode({ ready: 'Unknown' }), 'NotReady'],
    ['one that is being deleted', aNode({ deletionTimestamp: '2026-01-01T00:00:00Z' }), 'Leaving'],
    ['one that Cluster Autoscaler removes', removed('ToBeDeletedByClusterAutoscaler'), 'Leaving'],
    ['one that Karpenter removes', removed('karpenter.sh/disrupted'), 'Leaving'],
    ['one that is switched off', removed('node.kubernetes.io/out-of-service'), 'Leaving'],
    ['one that is closed', removed('gpupartition.dev/repartitioning'), 'Closed'],
    ['one that waits for its first layout', removed('gpupartition.dev/uninitialized'), 'Closed'],
    ['one that Cluster Autoscaler may remove', removed('DeletionCandidateOfClusterAutoscaler'), undefined],
  ];
  for (const [what, one, kind] of cases)
    it(`is ${kind ?? 'so'} of ${what}`, () => {
      expect(explainUnusable(one)?.kind).to.equal(kind);
      expect(canUse(one, { metadata: { name: 'p' } })).to.equal(kind === undefined && what !== cases.at(-1)?.[0]);
    });

  const partition = aPartition({ device: aDevice(aGpu({ slices: ['1g.5gb@0*', '1g.5gb@1', '1g.5gb@2'] })) });
  const usable = (one: NodeView, backend?: 'DRA', names?: ReadonlySet<string>) => {
    const { spec } = partition;
    const found = countUsable(one, { ...partition, spec: { ...spec, ...(backend && { backend }) } }, 'mixed', names);
    return found.get(small) ?? 0;
  };

  it('goes by what the device plugin advertises, beside what is in use', () => {
    expect(usable(aNode({ allocatable: { [small]: '3' } }))).to.equal(2);
    expect(usable(aNode({ allocatable: { [small]: '2' } })), 'one is unhealthy').to.equal(1);
    expect(usable(aNode({ allocatable: { 'nvidia.com/gpu': '3' } })), 'under another strategy').to.equal(0);
    expect(usable({ metadata: { name: 'n' } }), 'nothing is known of it').to.equal(2);
  });

  it('goes, with a DRA driver, by DeviceClasses that have the name that pods ask by', () => {
    const none = aNode({ allocatable: {} });
    expect(usable(none, 'DRA', new Set())).to.equal(0);
    expect(usable(none, 'DRA', new Set([small]))).to.equal(2);
    expect(usable(none, 'DRA'), 'classes were not read').to.equal(2);
  });
});

describe('whether a node can change now', () => {
  const ready = (reason: string) => ({
    type: 'Ready' as const,
    status: 'False' as const,
    reason,
    message: '',
    lastTransitionTime: '',
  });
  const at = (phase: 'Failed' | 'Invalid' | 'Waiting' | 'Pending', reason: string, waits: readonly object[] = []) => {
    const partition = aPartition({ device: aDevice(aGpu()) });
    const status = { ...partition.status, phase, conditions: [ready(reason)], waits };
    return { ...partition, status } as unknown as typeof partition;
  };
  const resting = [{ name: 'DrainRest', since: '2026-01-01T00:00:00Z', of: 'EvictionBlocked x 0 1:a why', count: 2 }];
  const cases: readonly (readonly [string, NodeView, ReturnType<typeof at> | undefined, string | undefined])[] = [
    ['one that is Pending', aNode(), at('Pending', 'AwaitingPlan'), undefined],
    ['one without a report', aNode(), undefined, undefined],
    ['one that is cordoned', cordoned, at('Pending', 'ForeignCordon'), 'Cordoned'],
    ['one that Karpenter removes', removed('karpenter.sh/disruption'), undefined, 'Leaving'],
    ['one that is closed', removed('gpupartition.dev/repartitioning'), at('Pending', 'Draining'), undefined],
    ['one whose change has failed', aNode(), at('Failed', 'Failed'), 'Failed'],
    ['one that cannot take its policy', aNode(), at('Invalid', 'DoesNotFit'), 'Failed'],
    ['one whose pods may not be evicted', aNode(), at('Waiting', 'EvictionBlocked', resting), 'Resting'],
    ['one that another owner has', aNode(), at('Pending', 'ForeignManager'), 'Failed'],
    ['one whose agent is away', aNode(), at('Pending', 'AgentNotReporting'), 'Unheard'],
  ];
  for (const [what, one, partition, kind] of cases)
    it(`is ${kind ?? 'so'} of ${what}`, () => {
      expect(explainUnchangeable(one, partition)?.kind).to.equal(kind);
    });

  it('does not stop a change that is under way', () => {
    const failed = at('Failed', 'Failed');
    const granted = { epoch: 2, planHash: 'h', deadline: '2026-01-01T00:00:00Z', gpus: [] };
    const live = { ...failed, spec: { ...failed.spec, granted } } as unknown as typeof failed;
    expect(explainUnchangeable(aNode(), live)).to.equal(undefined);
    expect(explainUnchangeable(cordoned, live)?.kind).to.equal('Cordoned');
  });
});
