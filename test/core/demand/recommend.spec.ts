import { expect } from 'chai';
import { adviseSlices } from '../../../src/core/demand/recommend.ts';
import { listPools, placePods } from '../../../src/core/demand/advice-pools.ts';
import { findModel } from '../../../src/core/gpu/geometry.ts';
import type { GpuPartitionPolicy, PolicyDemand } from '../../../src/api/types.ts';
import { Fleet } from '../../../src/core/policy/fleet.ts';
import { Random } from '../../../src/core/plan/simulation/trace.ts';
import { listPodPools } from '../../../src/core/demand/kueue.ts';
import { listWaiters, shareWaiting } from '../../../src/core/demand/waiting-pods.ts';
import { finish, withDemand } from '../../support/demand-builders.ts';
import { aCluster, aFleetNode, sliced } from '../plan/cluster-builder.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';

describe('the slices of an advised demand', () => {
  const model = findModel('a100-40gb');
  const least = new Map([
    ['1g.5gb', 10],
    ['2g.10gb', 3],
  ]);
  const minOf = (...earlier: Parameters<typeof adviseSlices>[2]['earlier'] & object) =>
    adviseSlices(new Map(), model ? [model] : [], { earlier, least }).map(({ min }) => min);

  it('keep what was asked for before once, where several slices of the demand are served by its profile', () => {
    expect(minOf({ profiles: ['1g.5gb'] }, { name: 'any', profiles: ['1g.5gb', '2g.10gb'] })).to.deep.equal([10, 3]);
    expect(minOf({ name: 'any', profiles: ['1g.5gb', '2g.10gb'] }, { profiles: ['1g.5gb'] })).to.deep.equal([
      13,
      undefined,
    ]);
  });

  it('keep it for a slice that names the profile, before one by memory', () => {
    expect(minOf({ name: 'some', memory: '4Gi' }, { profiles: ['1g.5gb'] })).to.deep.equal([3, 10]);
  });
});

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
  return withDemand(aPool(name, {}), demand);
}

const aWaiting = (name: string, resource: string): PodView => ({
  metadata: { name, namespace: 'team' },
  spec: { containers: [{ resources: { requests: { [resource]: 1 } } }] },
});

describe('pods that wait for a pool', () => {
  const follows = followsPods('a', { from: 'Pods', slices: [{ profiles: ['3g.20gb'] }] });
  const layouts = aPool('b', {});
  const fleet = [inPool('n1', follows, ['1g.5gb@0']), inPool('n2', layouts, ['3g.20gb@0', '3g.20gb@4'])];
  const facts = (pods: readonly PodView[]) => ({ ...aCluster(fleet), policies: [follows, layouts], pods });
  const place = (pods: readonly PodView[]) => {
    const { waitingOf, homeless } = placePods(listPools(facts(pods)), { pods });
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

  it('count for a demand that can be carried out, not for one that only plans, as `recommend -o yaml` prints it', () => {
    const plans = followsPods('a', { from: 'Pods', slices: [{ profiles: ['3g.20gb'] }] });
    const able = followsPods('b', { from: 'Pods', slices: [{ profiles: ['3g.20gb'] }] });
    const policies = [{ ...plans, spec: { ...plans.spec, mode: 'Plan' as const } }, able];
    const nodes = policies.map((policy, index) => inPool(`n${index}`, policy, ['1g.5gb@0']));
    const pods = [aWaiting('p1', large)];
    const { waitingOf } = placePods(listPools({ ...aCluster(nodes), policies, pods }), { pods });
    expect([...waitingOf].map(([pool, amounts]) => [pool.name, Object.fromEntries(amounts)])).to.deep.equal([
      ['a', {}],
      ['b', { [large]: 1 }],
    ]);
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

describe('pods that wait, on random clusters', () => {
  const resources = ['1g.5gb', '2g.10gb', '3g.20gb'].map((profile) => `nvidia.com/mig-${profile}`);
  const namespaces = new Map(['red', 'blue'].map((name) => [name, { team: name }]));
  const slicesOf = ['1g.5gb@0', '2g.10gb@2', '3g.20gb@4', '3g.20gb@4*'];

  function draw(seed: number) {
    const random = new Random(seed);
    const some = <T>(all: readonly T[]): readonly T[] => all.filter(() => random.integer(2) === 0);
    const demandOf = (): PolicyDemand => ({
      from: 'Pods',
      ...(random.integer(4) === 0 && { namespaceSelector: { matchLabels: { team: 'red' } } }),
      slices: ['3g.20gb', ...some(['1g.5gb', '2g.10gb'])].map((profile) => ({
        profiles: [profile],
        ...(random.integer(2) === 0 && { count: 1 }),
      })),
    });
    const policies = ['a', 'b', 'c', 'd'].map((name) => {
      const policy = random.integer(3) === 0 ? aPool(name, {}) : followsPods(name, demandOf());
      const mode = random.integer(4) === 0 ? ('Plan' as const) : ('Enforce' as const);
      const rollout = { paused: random.integer(4) === 0 };
      const status = { acceptedGeneration: policy.metadata.generation ?? 0 };
      return { ...policy, spec: { ...policy.spec, mode, rollout, priority: random.integer(3) }, status };
    });
    const nodes = policies.flatMap((policy, index) =>
      [0, 1].map((at) => inPool(`n${index}${at}`, policy, some(slicesOf.slice(0, 2 + random.integer(3)).slice(0, 3)))),
    );
    const made = aFleetNode({ name: 'stray', slices: ['1g.5gb@0'], node: { labels: { pool: '' } } });
    const { policy: _none, ...spec } = made.partition.spec;
    const stray = { ...made, partition: { ...made.partition, spec } };
    const pods = Array.from({ length: 1 + random.integer(12) }, (_, index): PodView => {
      const made = aWaiting(`p${index}`, resources[random.integer(resources.length)] ?? '');
      const pod = { ...made, metadata: { ...made.metadata, namespace: random.integer(2) === 0 ? 'red' : 'blue' } };
      const pool = ['a', 'b', 'c', 'd'][random.integer(8)];
      return pool === undefined ? pod : { ...pod, spec: { ...pod.spec, nodeSelector: { pool } } };
    });
    return { ...aCluster([...nodes, stray]), policies, pods };
  }

  /** As the controller counts for a policy. */
  function countFor(name: string, { nodes, partitions, policies, pods }: ReturnType<typeof draw>) {
    const fleet = new Fleet({ sharing: false });
    for (const { metadata } of nodes) fleet.setNode(metadata.name, metadata.labels ?? {});
    for (const policy of policies) fleet.setPolicy(policy);
    const record = fleet.policy(name);
    if (record === undefined) throw new Error(`no policy ${name}`);
    const byName = <T extends { readonly metadata: { readonly name: string } }>(all: readonly T[]) =>
      new Map(all.map((one) => [one.metadata.name, one]));
    const pools = finish(listPodPools(record, { fleet, nodes: byName(nodes), partitions: byName(partitions) }, 0));
    return shareWaiting(listWaiters(pods, namespaces), pools).get(name) ?? new Map<string, number>();
  }

  it('count for a demand as often as the controller counts them, and each pod for one pool', () => {
    let compared = 0;
    for (let seed = 1; seed <= 300; seed += 1) {
      const facts = draw(seed);
      const { waitingOf, homeless } = placePods(listPools(facts), { pods: facts.pods, namespaces });
      for (const [{ policy, name }, counts] of waitingOf) {
        const { demand } = policy?.spec ?? {};
        // One that only plans counts pods as if it did not: that is what it shows.
        if (demand === undefined || policy?.spec.mode === 'Plan') continue;
        const expected = countFor(name, facts);
        for (const { profiles = [] } of demand.slices) {
          const resource = `nvidia.com/mig-${profiles[0] ?? ''}`;
          compared += expected.get(resource) ?? 0;
          expect(counts.get(resource), `seed ${seed}, ${name}, ${resource}`).to.equal(expected.get(resource));
        }
      }
      const placed = [...waitingOf.values()].flatMap((counts) => [...counts.values()]).reduce((a, b) => a + b, 0);
      const told = placed + homeless.flatMap(({ pods }) => pods).length;
      expect(told, `seed ${seed}`).to.be.at.most(facts.pods.length);
      // What is idle serves those of other namespaces too, for whom no demand counts it.
      const isOpen = facts.policies.every(({ spec }) => spec.demand?.namespaceSelector === undefined);
      if (isOpen) expect(told, `seed ${seed}`).to.equal(facts.pods.length);
    }
    expect(compared).to.be.above(300);
  });
});
