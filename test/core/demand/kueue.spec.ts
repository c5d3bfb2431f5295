import { expect } from 'chai';
import {
  type KueueFacts,
  type KueueReading,
  type KueueWorkload,
  readHeld,
  readShare,
  trimWorkload,
} from '../../../src/core/demand/kueue.ts';
import { reportPool } from '../../../src/core/demand/report.ts';
import { listWaiters, shareWaiting } from '../../../src/core/demand/waiting-pods.ts';
import type { PodPool } from '../../../src/core/demand/members.ts';
import { PolicyRecord, readVersions } from '../../../src/core/policy/record.ts';
import { aDemandPolicy, finish } from '../../support/demand-builders.ts';
import { aNode } from '../../support/node-builders.ts';

const small = 'nvidia.com/mig-1g.5gb';
const large = 'nvidia.com/mig-3g.20gb';
const requesting = (resource: string, amount = 1) => ({
  containers: [
    { name: 'main', image: 'x', env: [{ name: 'SECRET' }], resources: { requests: { [resource]: amount } } },
  ],
});

const aWorkload = (
  spec: KueueWorkload['spec'] = {},
  status: KueueWorkload['status'] = {},
  metadata: Partial<KueueWorkload['metadata']> = {},
): KueueWorkload => ({
  metadata: { name: 'job', namespace: 'team', ...metadata },
  spec: { queueName: 'main', podSets: [{ name: 'main', count: 3, template: { spec: requesting(small) } }], ...spec },
  status,
});

const facts = (workloads: readonly KueueWorkload[], more: Partial<KueueFacts> = {}): KueueFacts => ({
  workloads: workloads.map(trimWorkload),
  localQueues: [{ metadata: { name: 'main', namespace: 'team' }, spec: { clusterQueue: 'gpus' } }],
  clusterQueues: [
    {
      metadata: { name: 'gpus' },
      spec: { resourceGroups: [{ coveredResources: [small, large], flavors: [{ name: 'pool-p' }] }] },
    },
  ],
  flavors: [{ metadata: { name: 'pool-p' }, spec: { nodeLabels: { pool: 'p' } } }],
  ...more,
});

/** A pool of one node that follows Kueue with both slices. */
const aPool = (policy: string, labels: Readonly<Record<string, string>>, more: Partial<PodPool> = {}): PodPool => {
  const node = aNode({ labels });
  const follows = new Set([small, large]);
  return {
    policy,
    priority: 0,
    followsQueues: true,
    overflow: [],
    acts: 'Now',
    nodes: [{ node, idle: new Map(), follows, fixed: new Set() }],
    ...more,
  };
};
const listHeld = (reading: KueueFacts) => finish(readHeld(reading));
const inP = aPool('p', { pool: 'p' });
const counted = (kueue: KueueFacts, ...pools: readonly PodPool[]) =>
  Object.fromEntries(
    [...shareWaiting(listHeld(kueue), pools)].map(([policy, counts]) => [policy, Object.fromEntries(counts)]),
  );

describe('what Kueue holds back', () => {
  it('is found once for a reading, whichever policies ask', () => {
    const reading = facts([aWorkload()]);
    expect(listHeld(reading)).to.have.lengthOf(1);
    expect(listHeld(reading)).to.equal(listHeld(reading));
  });

  it('counts for the pool of its flavor, by pod sets and their requests', () => {
    const podSets = [
      { name: 'driver', template: { spec: requesting('cpu') } },
      { name: 'workers', count: 4, template: { spec: requesting(large) } },
      { name: 'helpers', count: 2, template: { spec: requesting(small, 2) } },
    ];
    expect(counted(facts([aWorkload({ podSets })]), inP)).to.deep.equal({ p: { [large]: 4, [small]: 4 } });
    const single = aWorkload({ podSets: [{ template: { spec: requesting(small) } }] });
    const [waiter, ...others] = listHeld(facts([single]));
    expect(others).to.deep.equal([]);
    expect(waiter)
      .to.deep.include({ count: 1 })
      .and.to.have.property('pod')
      .that.deep.includes({
        metadata: { name: 'job/main', namespace: 'team' },
      });
  });

  const others: readonly (readonly [string, KueueWorkload])[] = [
    ['is admitted, since its pods count', aWorkload({}, { conditions: [{ type: 'Admitted', status: 'True' }] })],
    [
      'is admitted after it had its quota',
      aWorkload({}, { conditions: ['QuotaReserved', 'Admitted'].map((type) => ({ type, status: 'True' })) }),
    ],
    ['has finished', aWorkload({}, { conditions: [{ type: 'Finished', status: 'True' }] })],
    ['is not active', aWorkload({ active: false })],
    ['is being deleted', aWorkload({}, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
    ['is in a queue that does not exist', aWorkload({ queueName: 'none' })],
    ['is in a namespace where the queue does not exist', aWorkload({}, {}, { namespace: 'other' })],
    [
      'requests what the queue has no quota for',
      aWorkload({ podSets: [{ count: 1, template: { spec: requesting('nvidia.com/mig-2g.10gb') } }] }),
    ],
    [
      'selects other nodes',
      aWorkload({ podSets: [{ count: 1, template: { spec: { ...requesting(small), nodeSelector: { rack: '9' } } } }] }),
    ],
  ];
  for (const [what, workload] of others)
    it(`does not count if it ${what}`, () => {
      expect(counted(facts([workload]), inP)).to.deep.equal({ p: {} });
      const asRead = { ...facts([]), workloads: [workload] };
      expect(counted(asRead, inP), 'as the API server has it').to.deep.equal({ p: {} });
    });

  it('counts until Kueue says that it is admitted, and waits for nothing that its queue does not have', () => {
    const notYet = aWorkload({}, { conditions: [{ type: 'Admitted', status: 'False' }] });
    expect(counted(facts([notYet]), inP)).to.deep.equal({ p: { [small]: 3 } });
    const foreign = aWorkload({ podSets: [{ template: { spec: requesting('nvidia.com/mig-2g.10gb') } }] });
    const plain = aWorkload({ podSets: [{ template: { spec: requesting('cpu') } }] });
    expect(listHeld(facts([foreign, plain]))).to.deep.equal([]);
  });

  it('counts for no flavor in which its queue has no quota for it, and can borrow none', () => {
    const quotas = (ofP: object, ofQ: object) =>
      ['pool-p', 'pool-q'].map((name, at) => ({
        name,
        resources: [
          { name: large, nominalQuota: at === 0 ? 0 : 4 },
          { name: small, ...(at === 0 ? ofP : ofQ) },
        ],
      }));
    const flavors = ['p', 'q'].map((pool) => ({ metadata: { name: `pool-${pool}` }, spec: { nodeLabels: { pool } } }));
    const count = (ofP: object, queue: object = {}, labels: Readonly<Record<string, string>> = {}) => {
      const resourceGroups = [{ coveredResources: [large, small], flavors: quotas(ofP, { nominalQuota: '8' }) }];
      const clusterQueues = [{ metadata: { name: 'gpus', labels }, spec: { resourceGroups, ...queue } }];
      return counted(facts([aWorkload()], { clusterQueues, flavors }), inP, aPool('q', { pool: 'q' }));
    };
    const [p, q] = [
      { p: { [small]: 3 }, q: {} },
      { p: {}, q: { [small]: 3 } },
    ];
    expect(count({ nominalQuota: '8' })).to.deep.equal(p);
    for (const none of [{ nominalQuota: 0 }, { nominalQuota: '0' }, {}]) expect(count(none)).to.deep.equal(q);
    for (const cohort of [{ cohort: 'all' }, { cohortName: 'all' }]) {
      expect(count({ nominalQuota: 0 }, cohort)).to.deep.equal(p);
      expect(count({ nominalQuota: 0, borrowingLimit: 4 }, cohort)).to.deep.equal(p);
      expect(count({ nominalQuota: 0, borrowingLimit: '0' }, cohort)).to.deep.equal(q);
    }
    const kept = { 'app.kubernetes.io/managed-by': 'gpu-partition-controller' };
    expect(count({ nominalQuota: 0 }, {}, kept), 'which follows the demand').to.deep.equal(p);
  });

  it('does not count while its queue is stopped', () => {
    const [local] = facts([]).localQueues;
    const held = [
      { ...local, metadata: { name: 'main', namespace: 'team' }, spec: { clusterQueue: 'gpus', stopPolicy: 'Hold' } },
    ];
    expect(counted(facts([aWorkload()], { localQueues: held }), inP)).to.deep.equal({ p: {} });
  });

  it('counts while it has its quota and waits for a check, in the flavor that it was given', () => {
    const groups = [{ coveredResources: [small], flavors: [{ name: 'pool-p' }, { name: 'pool-q' }] }];
    const queues = [{ metadata: { name: 'gpus' }, spec: { resourceGroups: groups } }];
    const flavors = ['p', 'q'].map((pool) => ({ metadata: { name: `pool-${pool}` }, spec: { nodeLabels: { pool } } }));
    const admission = { podSetAssignments: [{ name: 'main', flavors: { [small]: 'pool-q' } }] };
    const quota = { admission, conditions: [{ type: 'QuotaReserved', status: 'True' }] };
    const more = { clusterQueues: queues, flavors };
    const inQ = aPool('q', { pool: 'q' });
    expect(counted(facts([aWorkload({}, quota)], more), inP, inQ)).to.deep.equal({ p: {}, q: { [small]: 3 } });
    const unnamed = { admission: { podSetAssignments: [{ flavors: { [small]: 'pool-q' } }] } };
    expect(counted(facts([aWorkload({}, unnamed)], more), inP, inQ)).to.deep.equal({ p: {}, q: { [small]: 3 } });
    expect(counted(facts([aWorkload()], more), inP, inQ)).to.deep.equal({ p: { [small]: 3 }, q: {} });
  });

  it('counts as many pods as it was given quota for, which may be fewer than it has', () => {
    const given = (count: number, reclaimable = 0) => {
      const admission = { podSetAssignments: [{ name: 'main', count, flavors: { [small]: 'pool-p' } }] };
      const reclaimablePods = [{ name: 'main', count: reclaimable }];
      return counted(facts([aWorkload({}, { admission, reclaimablePods })]), inP);
    };
    expect(given(3)).to.deep.equal({ p: { [small]: 3 } });
    expect(given(1)).to.deep.equal({ p: { [small]: 1 } });
    expect(given(2, 1)).to.deep.equal({ p: { [small]: 2 } });
    expect(given(2, 2)).to.deep.equal({ p: { [small]: 1 } });
  });

  it('counts only for demands from Kueue', () => {
    expect(counted(facts([aWorkload()]), { ...inP, followsQueues: false })).to.deep.equal({ p: {} });
  });

  it('counts without the pods that are not needed any more', () => {
    const status = { reclaimablePods: [{ name: 'main', count: 2 }] };
    expect(counted(facts([aWorkload({}, status)]), inP)).to.deep.equal({ p: { [small]: 1 } });
    expect(listHeld(facts([aWorkload({}, { reclaimablePods: [{ name: 'main', count: 3 }] })]))).to.deep.equal([]);
  });

  it('is brought to tainted nodes by the tolerations of a flavor, and kept from a flavor whose taint it does not tolerate', () => {
    const taint = { key: 'gpu', value: 'shared', effect: 'NoSchedule' };
    const node = aNode({ labels: { pool: 'p' }, taints: [taint] });
    const tainted = { ...inP, nodes: inP.nodes.map((one) => ({ ...one, node })) };
    const flavor = (spec: NonNullable<KueueFacts['flavors'][number]['spec']>) => ({
      flavors: [{ metadata: { name: 'pool-p' }, spec: { nodeLabels: { pool: 'p' }, ...spec } }],
    });
    const tolerations = [{ key: 'gpu', operator: 'Exists' }];
    expect(counted(facts([aWorkload()], flavor({ tolerations })), tainted)).to.deep.equal({ p: { [small]: 3 } });
    expect(counted(facts([aWorkload()], flavor({})), tainted)).to.deep.equal({ p: {} });
    expect(counted(facts([aWorkload()], flavor({ nodeTaints: [taint] })), inP)).to.deep.equal({ p: {} });
    const tolerating = aWorkload({
      podSets: [{ count: 3, template: { spec: { ...requesting(small), tolerations } } }],
    });
    expect(counted(facts([tolerating], flavor({ nodeTaints: [taint] })), tainted)).to.deep.equal({ p: { [small]: 3 } });
  });

  it('goes by the product of a flavor, but not by labels that another layout changes', () => {
    const by = (nodeLabels: Readonly<Record<string, string>>) => ({
      flavors: [{ metadata: { name: 'pool-p' }, spec: { nodeLabels } }],
    });
    const other = { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3' };
    expect(counted(facts([aWorkload()], by(other)), inP)).to.deep.equal({ p: {} });
    expect(counted(facts([aWorkload()], by({ pool: 'p', 'nvidia.com/mig-1g.5gb.count': '7' })), inP)).to.deep.equal({
      p: { [small]: 3 },
    });
  });

  it('counts beside pods that wait, each once', () => {
    const pod = { metadata: { name: 'a', namespace: 'team' }, spec: requesting(small) };
    const gated = { ...pod, spec: { ...pod.spec, schedulingGates: [{ name: 'kueue.x-k8s.io/admission' }] } };
    const waiters = [...listWaiters([pod, gated]), ...listHeld(facts([aWorkload()]))];
    expect(Object.fromEntries(shareWaiting(waiters, [inP]).get('p') ?? [])).to.deep.equal({ [small]: 4 });
  });

  it('is kept in memory without environment variables, and without what is not held back', () => {
    const kept = JSON.stringify(trimWorkload(aWorkload()));
    expect(kept).to.include(small).and.not.include('SECRET');
    expect(trimWorkload(aWorkload({ active: false }))).to.deep.equal({
      metadata: { name: 'job', namespace: 'team' },
      spec: { active: false },
    });
  });

  const policy = aDemandPolicy({ from: 'Kueue', slices: [] });
  const shareOf = (reading: KueueReading, nodes: readonly ReturnType<typeof aNode>[]) => {
    const byName = new Map(nodes.map((node, index) => [`n${index}`, node]));
    const record = new PolicyRecord(readVersions(policy), undefined, new Set(byName.keys()));
    const fleet = { policies: [record], winnerOf: () => 'p', chosenFor: () => undefined };
    const cluster = { fleet, nodes: byName, partitions: new Map() };
    return finish(readShare(record, cluster, { pods: [] }, reading, 0));
  };
  const explainUnread = (...given: Parameters<typeof shareOf>) => shareOf(...given).trouble;

  it('leaves the policy with a reason and advice if it cannot be read', () => {
    const share = shareOf({ trouble: 'this cluster has no Kueue' }, []);
    expect(share.trouble).to.match(/^this cluster has no Kueue: install Kueue and .* or set demand\.from: Pods$/);
    const { condition } = reportPool(policy, { wanted: [], share }, [], { lacking: {} }, 0);
    expect(condition).to.include({ type: 'DemandMet', status: 'False', reason: 'KueueUnavailable' });
    expect(condition.message).to.match(/set demand\.from: Pods\. Until then only pods count: /);
  });

  it('says so if no queue is for the nodes of the policy', () => {
    const [inPool, elsewhere] = [{ pool: 'p' }, { pool: 'q' }].map((labels) => aNode({ labels }));
    const nodes = (one: typeof inPool) => (one ? [one] : []);
    expect(explainUnread(facts([]), nodes(inPool))).to.equal(undefined);
    expect(explainUnread(facts([]), [])).to.equal(undefined);
    expect(explainUnread(facts([]), [...nodes(inPool), ...nodes(elsewhere)]), 'some are').to.equal(undefined);
    expect(explainUnread(facts([]), nodes(elsewhere))).to.match(
      /^no ClusterQueue names a ResourceFlavor whose nodeLabels match a node/,
    );
    expect(explainUnread(facts([], { clusterQueues: [] }), nodes(inPool))).to.match(/^no ClusterQueue names/);
  });
});
