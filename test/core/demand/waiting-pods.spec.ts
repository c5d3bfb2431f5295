import { expect } from 'chai';
import { finish, withDemand } from '../../support/demand-builders.ts';
import type { DemandState, GpuReport, PolicyDemand } from '../../../src/api/types.ts';
import { gridOf } from '../../../src/core/gpu/grid.ts';
import {
  trimWaitingPod,
  hasLabels,
  listWaiters,
  shareWaiting,
  assignWaitingPods as sharingOf,
  type Uncounted,
} from '../../../src/core/demand/waiting-pods.ts';
import { reportDemand } from '../../../src/core/demand/report.ts';
import { listMembers, type PodPool, PoolReader } from '../../../src/core/demand/members.ts';
import { steadyKeyOf, wantedSlices } from '../../../src/core/demand/wanted.ts';
import { aDevice, aGpu, aPartition, aPolicy } from '../../support/builders.ts';
import { aNode } from '../../support/node-builders.ts';
import { modelOf } from '../gpu/builders.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';

const small = 'nvidia.com/mig-1g.5gb';
const medium = 'nvidia.com/mig-1g.10gb';
const large = 'nvidia.com/mig-3g.20gb';

const aPod = (spec: PodView['spec'] = {}, resource = small, amount: number | string = 1): PodView => ({
  metadata: { name: 'job', namespace: 'ns' },
  spec: { containers: [{ name: 'main', resources: { limits: { [resource]: amount } } }], ...spec },
});

describe('pods that wait for slices', () => {
  const containers = [small, large].map((resource) => ({ name: 'main', resources: { limits: { [resource]: 1 } } }));
  const both: PodView = { metadata: { name: 'job', namespace: 'ns' }, spec: { containers } };
  const aPoolNode = (parts: Partial<PodPool['nodes'][number]> = {}): PodPool['nodes'][number] => ({
    node: aNode({ labels: { rack: '1' } }),
    idle: new Map(),
    follows: new Set([small, medium]),
    fixed: new Set(),
    ...parts,
  });
  const aPool = (policy: string, node: Parameters<typeof aPoolNode>[0] = {}, priority = 0): PodPool => ({
    policy,
    priority,
    followsQueues: false,
    nodes: [aPoolNode(node)],
    overflow: [],
    acts: 'Now',
  });
  const share = (pods: readonly PodView[], ...pools: readonly PodPool[]) =>
    Object.fromEntries(
      [...shareWaiting(listWaiters(pods.map(trimWaitingPod)), pools)].map(([policy, counts]) => [
        policy,
        Object.fromEntries(counts),
      ]),
    );
  const counted = (...pods: readonly PodView[]) => share(pods, aPool('p'))['p'];

  it('are counted by what they request', () => {
    expect(counted(aPod(), aPod(), aPod({}, medium, 2), aPod({}, 'cpu'))).to.deep.equal({ [small]: 2, [medium]: 2 });
  });

  it('are not counted if an agent has reported them since they were read: what is in use counts', () => {
    const [made, slices] = ['2026-01-01T12:00:00Z', ['1g.5gb@0']];
    const { metadata, ...rest } = aPod();
    const waits = { ...rest, metadata: { ...metadata, creationTimestamp: made } };
    const reported = (readTime: string | undefined, ...pods: readonly string[]) => {
      const [gpu, ...others] = [aGpu({ slices })];
      const instances = gpu?.instances.map((one) => ({ ...one, busy: true, pods: [...pods] })) ?? [];
      const gpus = [gpu, ...others].flatMap((one) => (one ? [{ ...one, instances }] : []));
      return share([waits], aPool('p', { device: { ...aDevice(...gpus), ...(readTime && { readTime }) } }))['p'];
    };
    expect(reported('2026-01-01T12:01:00Z', 'ns/job')).to.deep.equal({});
    expect(reported('2026-01-01T12:01:00Z', 'ns/other')).to.deep.equal({ [small]: 1 });
    const earlier = 'an earlier pod of its name, of which a silent agent tells';
    expect(reported('2026-01-01T11:59:00Z', 'ns/job'), earlier).to.deep.equal({ [small]: 1 });
    expect(reported(undefined, 'ns/job'), 'nobody knows').to.deep.equal({ [small]: 1 });
  });

  const others: readonly (readonly [string, PodView])[] = [
    ['have a node', aPod({ nodeName: 'n' })],
    ['are not to be scheduled yet', aPod({ schedulingGates: [{ name: 'kueue' }] })],
    ['go', { ...aPod(), metadata: { name: 'job', deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ['want another node', aPod({ nodeSelector: { rack: '2' } })],
    ['share a slice', aPod({}, `${small}.shared`)],
  ];
  for (const [what, pod] of others)
    it(`are not counted if they ${what}`, () => {
      expect(counted(pod)).to.deep.equal({});
    });

  it('are counted if only labels of another layout are lacking', () => {
    const nodeSelector = { 'nvidia.com/mig-1g.5gb.count': '7' };
    expect(counted(aPod({ nodeSelector }))).to.deep.equal({ [small]: 1 });
    expect(hasLabels(aNode({ labels: { rack: '1' } }), { rack: '1', zone: 'z' }), 'one of two').to.equal(false);
  });

  it('are those that request one', () => {
    expect(listWaiters([aPod({}, 'cpu')])).to.deep.equal([]);
    expect(listWaiters([aPod({}, `${small}.shared`)])).to.deep.equal([]);
  });

  it('are not counted on nodes whose taints they do not tolerate', () => {
    const tainted = { node: aNode({ taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] }) };
    const tolerations = [{ key: 'team', operator: 'Exists' }];
    expect(share([aPod()], aPool('p', tainted))).to.deep.equal({ p: {} });
    expect(share([aPod({ tolerations })], aPool('p', tainted))).to.deep.equal({ p: { [small]: 1 } });
  });

  it('count once, for the pool of the higher priority, and of equal ones for the first by name', () => {
    expect(share([aPod()], aPool('b'), aPool('a'))).to.deep.equal({ b: {}, a: { [small]: 1 } });
    expect(share([aPod()], aPool('a'), aPool('b', {}, 5))).to.deep.equal({ a: {}, b: { [small]: 1 } });
  });

  it('count for the pool that has an idle slice for them, as far as these go', () => {
    const idle = { idle: new Map([[small, 1]]) };
    expect(share([aPod(), aPod()], aPool('a', {}, 5), aPool('b', idle))).to.deep.equal({
      a: { [small]: 1 },
      b: { [small]: 1 },
    });
  });

  it('count for no demand if a pool with layouts has an idle slice for them', () => {
    const layouts = { idle: new Map([[small, 1]]), follows: new Set<string>() };
    expect(share([aPod()], aPool('a'), aPool('z', layouts))).to.deep.equal({ a: {}, z: { [small]: 1 } });
    const fixed = { fixed: new Set([small]), follows: new Set<string>() };
    expect(share([aPod()], aPool('a', fixed), aPool('z', layouts))).to.deep.equal({ a: {}, z: { [small]: 1 } });
  });

  it('that request two slices need both on one node to be served', () => {
    const idle = { idle: new Map([[small, 1]]) };
    const pool = { ...aPool('z'), nodes: [aPoolNode(idle), aPoolNode(idle)] };
    expect(share([aPod({}, small, 2)], aPool('a'), pool)).to.deep.equal({ a: { [small]: 2 }, z: {} });
  });

  it('count for nothing if they request more than a node can ever hold, and are told with their number', () => {
    const gpus = new Map([[gridOf(modelOf('A100-SXM4-40GB')), 1]]);
    const left: Uncounted[] = [];
    const countedOf = (...pods: readonly PodView[]) => {
      left.length = 0;
      const sharing = sharingOf(listWaiters(pods.map(trimWaitingPod)), [aPool('p', { gpus })], (one) => left.push(one));
      for (let step = sharing.next(); ; step = sharing.next())
        if (step.done === true) return Object.fromEntries(step.value.get('p')?.waiting ?? []);
    };
    const absurd = [8, 20, 3_000_000_000, '9223372036854775807'].map((amount) => aPod({}, small, amount));
    expect(countedOf(...absurd, aPod(), aPod({}, small, 7))).to.deep.equal({ [small]: 8 });
    expect(left.map(({ pods }) => pods)).to.deep.equal([1, 1, 1, 1]);
    expect(left[0]).to.deep.equal({ namespace: 'ns', pods: 1, why: { policy: 'p', pod: 'job' } });
    expect(countedOf(aPod({}, medium, 5)), 'more than there is memory for').to.deep.equal({});
    const mixed = (smalls: number): PodView => ({
      ...both,
      spec: {
        containers: [[small, smalls] as const, [medium, 2] as const].map(([name, count]) => ({
          resources: { limits: { [name]: count } },
        })),
      },
    });
    expect(countedOf(mixed(4))).to.deep.equal({ [small]: 4, [medium]: 2 });
    expect(countedOf(mixed(5)), 'each alone would fit').to.deep.equal({});
  });

  it('are looked at up to a hundred kinds of each namespace, those of most pods first', () => {
    const ofKind = (namespace: string, rack: number): PodView => ({
      ...aPod({ tolerations: [{ key: `k${rack}` }] }),
      metadata: { name: `job-${rack}`, namespace },
    });
    const many = Array.from({ length: 10_000 }, (_, rack) => ofKind('tenant', rack));
    const left: Uncounted[] = [];
    const waiters = listWaiters([...many, ofKind('tenant', 9999), ofKind('other', 9998)].map(trimWaitingPod));
    const kinds = finish(sharingOf(waiters, [aPool('p')], (one) => left.push(one)));
    expect(kinds.get('p')?.waiting.get(small)).to.equal(102);
    expect(left).to.deep.equal([{ namespace: 'tenant', pods: 9900, why: 'Kinds' }]);
    const selecting = (namespace: string): PodPool => ({
      ...aPool(namespace),
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    });
    const shares = shareWaiting(waiters, [selecting('tenant'), selecting('other')]);
    expect(['tenant', 'other'].map((name) => shares.get(name)?.get(small))).to.deep.equal([101, 1]);
  });

  it('count for a pool that could have their slices under another policy, where no demand wants such', () => {
    const none = { follows: new Set<string>() };
    const could = (...possible: readonly string[]) => ({ ...none, possible: new Set(possible) });
    expect(share([aPod()], aPool('a', none), aPool('b', could(small)))).to.deep.equal({ a: {}, b: { [small]: 1 } });
    expect(share([aPod()], aPool('b', could(large)))).to.deep.equal({ b: {} });
    expect(share([both], aPool('b', could(small))), 'one of two').to.deep.equal({ b: {} });
    const fixed = { ...none, fixed: new Set([small]) };
    expect(share([aPod()], aPool('a', could(small)), aPool('b', fixed))).to.deep.equal({ a: {}, b: { [small]: 1 } });
  });

  it('count where each flavor of their queue may bring them', () => {
    const onRack = (rack: string): PodPool => ({
      ...aPool(rack, { node: aNode({ labels: { rack } }) }),
      followsQueues: true,
    });
    const held = (rack: string) => ({
      pod: aPod(),
      count: 1,
      requests: new Map([[small, 1]]),
      ways: [{ pod: aPod(), nodeLabels: { rack } }],
    });
    const shares = shareWaiting([held('1'), held('2')], [onRack('1'), onRack('2')]);
    expect([...shares].map(([policy, counts]) => [policy, ...counts.values()])).to.deep.equal([
      ['1', 1],
      ['2', 1],
    ]);
  });

  it('that request slices of two kinds count for the pool that offers both, not for one that could never run them', () => {
    const idle = { idle: new Map([[small, 1]]), follows: new Set<string>() };
    expect(share([both], aPool('z', idle)), 'one of two is idle').to.deep.equal({ z: {} });
    const one = aPool('a', {}, 5);
    const counts = { [small]: 1, [large]: 1 };
    expect(share([both], one)).to.deep.equal({ a: {} });
    expect(share([both], one, aPool('b', { follows: new Set([small, large]) }))).to.deep.equal({ a: {}, b: counts });
    expect(share([both], aPool('a', { fixed: new Set([large]) })), 'a fixed number').to.deep.equal({ a: counts });
    expect(share([both], aPool('a', { idle: new Map([[large, 1]]) })), 'there already').to.deep.equal({ a: counts });
  });

  it('that a pool left unserved count for the next one too, each once', () => {
    const full = (count: number): PodPool => ({
      ...aPool('a', {}, 5),
      overflow: [{ resources: new Set([small, medium]), count }],
    });
    const three = [aPod(), aPod(), aPod()];
    expect(share(three, aPool('b'), full(1))).to.deep.equal({ a: { [small]: 3 }, b: { [small]: 1 } });
    expect(share(three, aPool('b'), full(9))).to.deep.equal({ a: { [small]: 3 }, b: { [small]: 3 } });
    expect(share(three, aPool('b'), full(1), aPool('c')), 'a third pool').to.deep.include({ c: {} });
    const onRack = { nodeSelector: { rack: '1' } };
    const pairs = [aPod({}, small, 2), aPod({}, small, 2), aPod(onRack, small, 2)];
    expect(share(pairs, aPool('b'), full(2)), 'two slices of one pod').to.deep.equal({
      a: { [small]: 6 },
      b: { [small]: 2 },
    });
    const twice = { ...full(1), overflow: [...full(1).overflow, { resources: new Set([small]), count: 1 }] };
    expect(share([aPod(), aPod(onRack)], aPool('b'), twice), 'of two slices').to.deep.include({ b: { [small]: 2 } });
    expect(share([aPod(), aPod({}, medium)], aPool('b'), full(1)), 'of two kinds').to.deep.equal({
      a: { [small]: 1, [medium]: 1 },
      b: { [medium]: 1 },
    });
    expect(share([aPod({}, small, 2)], aPool('b'), full(1)), 'one of two slices').to.deep.equal({
      a: { [small]: 2 },
      b: { [small]: 2 },
    });
    expect(share([aPod({}, large)], aPool('b', { follows: new Set([large]) }), full(1))).to.deep.equal({
      a: {},
      b: { [large]: 1 },
    });
    const fixed = { follows: new Set<string>(), fixed: new Set([small]) };
    expect(share([aPod()], aPool('b', fixed), full(1)), 'a fixed number').to.deep.equal({ a: { [small]: 1 }, b: {} });
  });

  it('are left unserved if they are beyond max, or a plan had no room for them; what is spare goes short first', () => {
    const policy = aPolicy({
      demand: {
        from: 'Pods',
        slices: [
          { name: 's', profiles: ['1g.5gb', '1g.10gb'], max: 4 },
          { mig: 'Disabled', count: 1 },
        ],
      },
    });
    const pool = (states: readonly DemandState[]): PodPool => {
      const reader = new PoolReader(policy);
      reader.read(aNode(), aPartition({ device: aDevice(aGpu({ slices: ['1g.5gb@0'] })) }));
      return reader.pool('p', [], 'Now', states);
    };
    const state = (more: Partial<DemandState>) => ({
      name: 's',
      wanted: 0,
      offered: 0,
      used: 0,
      waiting: 0,
      unmet: 0,
      ...more,
    });
    const overflow = (more: Partial<DemandState>) =>
      pool(['s', 'whole'].map((name) => ({ ...state(more), name }))).overflow.map(({ resources, count }) => [
        [...resources],
        count,
      ]);
    const served = [small, medium];
    expect(overflow({ wanted: 4, used: 3, waiting: 3 }), 'beyond max').to.deep.equal([[served, 2]]);
    expect(overflow({ wanted: 4, used: 2, waiting: 2, unmet: 2 }), 'no room').to.deep.equal([[served, 2]]);
    expect(overflow({ wanted: 4, used: 2, waiting: 1, unmet: 2 }), 'one is spare').to.deep.equal([[served, 1]]);
    expect(overflow({ wanted: 4, used: 1, waiting: 2, unmet: 2 }), 'one of two').to.deep.equal([[served, 1]]);
    const { waiting: _unknown, ...old } = { ...state({ wanted: 4, used: 4 }), name: 's' };
    expect(pool([old]).overflow, 'of an earlier release').to.deep.equal([]);
    expect(overflow({ wanted: 4, used: 4, unmet: 2 }), 'what is in use is lacking').to.deep.equal([]);
    expect(overflow({ wanted: 1, used: 1, waiting: 2 }), 'not asked for long enough').to.deep.equal([]);
    expect(new PoolReader(policy).pool('p', [], 'Now').overflow, 'no plan yet').to.deep.equal([]);
  });

  it('count for a pool whose demand follows pods with such slices, though another of a higher priority wants a fixed number', () => {
    const fixed = { follows: new Set<string>(), fixed: new Set([small]) };
    expect(share([aPod()], aPool('a', fixed, 5), aPool('b'))).to.deep.equal({ a: {}, b: { [small]: 1 } });
    expect(share([aPod()], aPool('a', fixed), aPool('b', { follows: new Set() }, 5))).to.deep.equal({
      a: { [small]: 1 },
      b: {},
    });
  });

  it('are not asked of idle slices on a node that is closed for a change', () => {
    const taints = [{ key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule' }];
    const partition = aPartition({ device: aDevice(aGpu({ slices: ['1g.5gb@0', '1g.5gb@1*', '3g.20gb@4'] })) });
    const read = (node: ReturnType<typeof aNode>) =>
      Object.fromEntries(new PoolReader(aPolicy()).read(node, partition).idle);
    const allocatable = { [small]: '2', [large]: '1' };
    expect(read(aNode({ allocatable }))).to.deep.equal({ [small]: 1, [large]: 1 });
    expect(read(aNode({ allocatable, taints }))).to.deep.equal({});
  });

  it('go by what the strategy makes of slices', () => {
    const device = aDevice(aGpu({ slices: ['3g.20gb@0', '3g.20gb@4'] }));
    const two = aNode({ allocatable: { 'nvidia.com/gpu': '2' } });
    const idle = (strategy: 'none' | 'single') =>
      Object.fromEntries(new PoolReader(aPolicy({ strategy })).read(two, aPartition({ device })).idle);
    expect([idle('single'), idle('none')]).to.deep.equal([{ 'nvidia.com/gpu': 2 }, { 'nvidia.com/gpu': 1 }]);
    const { priority: _none, ...spec } = aPolicy().spec;
    expect(new PoolReader({ spec }).pool('p', [], 'Now').priority).to.equal(0);
  });

  it('count for no pool that never changes, and for one that does not now only if no other has room for them', () => {
    const acting = (acts: PodPool['acts'], pool: PodPool): PodPool => ({ ...pool, acts });
    for (const acts of ['Never', 'Later'] as const)
      expect(share([aPod()], acting(acts, aPool('a', {}, 5)), aPool('b')), acts).to.deep.equal({
        a: {},
        b: { [small]: 1 },
      });
    expect(share([aPod()], acting('Never', aPool('a')))).to.deep.equal({ a: {} });
    expect(share([aPod()], acting('Later', aPool('a')))).to.deep.equal({ a: { [small]: 1 } });
    const overflow = [{ resources: new Set([small]), count: 1 }];
    const full = { ...aPool('b'), overflow };
    expect(share([aPod(), aPod()], acting('Later', aPool('a', {}, 5)), full), 'a full one').to.deep.equal({
      a: { [small]: 1 },
      b: { [small]: 2 },
    });
    const idle = { idle: new Map([[small, 1]]) };
    expect(share([aPod()], acting('Never', aPool('a', idle)), aPool('b')), 'its slices serve').to.deep.equal({
      a: { [small]: 1 },
      b: {},
    });
    const fixed = { follows: new Set<string>(), fixed: new Set([small]) };
    expect(share([aPod()], acting('Never', aPool('a', fixed))), 'a fixed number').to.deep.equal({ a: {} });
  });

  it('may have whole GPUs that nobody uses', () => {
    const idle = (gpu: Partial<GpuReport>) =>
      Object.fromEntries(new PoolReader(aPolicy()).read(aNode(), aPartition({ device: aDevice(aGpu(gpu)) })).idle);
    expect([{}, { busy: true }, { pods: ['ns/a'] }].map(idle)).to.deep.equal([{ 'nvidia.com/gpu': 1 }, {}, {}]);
  });

  it('take as many idle slices as there are pods, and are offered each that is idle', () => {
    const idle = { idle: new Map([[small, 5]]) };
    expect(share([aPod(), aPod()], aPool('a', idle), aPool('b', {}, 5))).to.deep.equal({ a: { [small]: 2 }, b: {} });
    const partition = aPartition({ device: aDevice(aGpu({ slices: ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2*'] })) });
    const node = aNode({ allocatable: { [small]: '3' } });
    expect([...new PoolReader(aPolicy()).read(node, partition).idle]).to.deep.equal([[small, 2]]);
  });

  it('are followed with what each model of the node can be', () => {
    const reader = new PoolReader(withDemand(aPolicy(), { from: 'Pods', slices: [{ profiles: ['1g.*'] }] }));
    const both = aDevice(aGpu(), aGpu({ index: 1, product: 'NVIDIA A30' }));
    const { follows } = reader.read(aNode(), aPartition({ device: both }));
    expect([...follows]).to.have.members([small, medium, 'nvidia.com/mig-1g.6gb']);
  });

  it('are followed with the profiles that the slices of the demand can be', () => {
    const slices = [{ profiles: ['1g.*'] }, { profiles: ['3g.20gb'], count: 1 }];
    const partition = aPartition({ device: aDevice(aGpu()) });
    const { follows, fixed } = new PoolReader(withDemand(aPolicy(), { from: 'Pods', slices })).read(aNode(), partition);
    expect([...follows].toSorted()).to.deep.equal([medium, small].toSorted());
    expect([...fixed]).to.deep.equal(['nvidia.com/mig-3g.20gb']);
  });
});

describe('a demand that follows pods', () => {
  const gpu: GpuReport = aGpu({ slices: ['1g.5gb@0*', '1g.5gb@1*', '1g.10gb@2*', '1g.5gb@4'] });
  const members = listMembers(aPolicy(), aPartition({ device: aDevice(gpu) }), { isResting: () => false });
  const wanted = (
    slice: PolicyDemand['slices'][number],
    waiting: Readonly<Record<string, number>> = {},
    steady = (_: string, count: number): number => count,
  ) => wantedSlices({ slices: [slice], from: 'Pods' }, members, { waiting: new Map(Object.entries(waiting)), steady });
  const profiles = ['1g.5gb'];

  it('wants what is in use and waited for, and the spare ones', () => {
    const [one] = wanted({ profiles, spare: 2 }, { [small]: 3 });
    expect(one).to.include({ count: 7, used: 2, waiting: 3, beyond: 0 });
    expect(wanted({ profiles, spare: '50%' }, { [small]: 3 })[0]?.count).to.equal(8);
  });

  it('wants nothing where none is in use, waited for or spare', () => {
    expect(wanted({ profiles: ['7g.40gb'] })[0]).to.include({ count: 0, used: 0, waiting: 0 });
  });

  it('wants at least min and at most max, and says how many pods that leaves waiting', () => {
    expect(wanted({ profiles, min: 9 })[0]?.count).to.equal(9);
    const limited = wanted({ profiles, max: 4 }, { [small]: 3 });
    expect(limited[0]).to.include({ count: 4, beyond: 1 });
    const { states, condition } = reportDemand(limited, members, { lacking: {} });
    expect(states[0]).to.include({ wanted: 4, offered: 3, waiting: 3 });
    expect(condition.reason).to.equal('Reconciling');
    const message = 'mode Plan changes nothing: set mode: Enforce';
    const planned = reportDemand(limited, members, { lacking: {} }, { reason: 'PlanOnly', message });
    expect(planned.condition).to.include({ status: 'False', reason: 'PlanOnly' });
    expect(planned.condition.message).to.equal(`1g.5gb: 3 of 4 exist; the others are not being made: ${message}`);
    const unproven = reportDemand(limited, members, { lacking: { '1g.5gb': 1 }, isUnproven: true });
    expect(unproven.condition.message).to.include('no room was found for 1 more in the time for a plan');
    const done = reportDemand(wanted({ profiles, max: 3 }, { [small]: 3 }), members, { lacking: {} });
    expect(done.condition).to.include({
      status: 'False',
      reason: 'MaxReached',
      message: '1g.5gb: 2 are in use and 3 waited for, 2 more than max',
    });
  });

  it('serves a pod with the profile that it requests, though any would do for the rest', () => {
    const [one] = wanted({ name: 'any', profiles: ['1g.5gb', '1g.10gb'], spare: 1 }, { [medium]: 2 });
    expect(one?.slices.map(({ name, profiles: by, count }) => [name, by, count])).to.deep.equal([
      ['any/1g.5gb', ['1g.5gb'], 2],
      ['any/1g.10gb', ['1g.10gb'], 3],
      ['any', ['1g.5gb', '1g.10gb'], 0],
      ['any/spare', ['1g.5gb', '1g.10gb'], 1],
    ]);
  });

  it('gives up nothing in use when less is wanted than that', () => {
    const [one] = wanted({ name: 'any', profiles: ['1g.5gb', '1g.10gb'], max: 2 }, { [medium]: 2 });
    expect(one?.slices.map(({ name, count }) => [name, count])).to.deep.equal([
      ['any/1g.5gb', 2],
      ['any', 0],
    ]);
  });

  it('counts a pod for the next slice of its profile where the first has reached its max or count', () => {
    const any = { name: 'any', profiles: ['1g.10gb', '1g.5gb'] };
    const steady = (_: string, count: number): number => count;
    const both = (first: PolicyDemand['slices'][number], second: PolicyDemand['slices'][number], smalls: number) =>
      wantedSlices({ slices: [first, second], from: 'Pods' }, members, {
        waiting: new Map([[small, smalls]]),
        steady,
      }).map(({ name, count, used, waiting, beyond }) => [name, count, used, waiting, beyond]);
    // In use are two small ones and a medium one.
    expect(both({ ...any, max: 5 }, { profiles }, 6)).to.deep.equal([
      ['any', 5, 3, 2, 0],
      ['1g.5gb', 4, 0, 4, 0],
    ]);
    expect(both({ ...any, max: 2 }, { profiles }, 6), 'in use first').to.deep.equal([
      ['any', 2, 2, 0, 0],
      ['1g.5gb', 7, 1, 6, 0],
    ]);
    expect(both({ profiles, count: 3 }, { name: 'any', profiles: ['1g.5gb'] }, 6)).to.deep.equal([
      ['1g.5gb', 3, 2, 1, 0],
      ['any', 5, 0, 5, 0],
    ]);
    expect(both({ ...any, max: 3 }, { profiles, max: 2 }, 6), 'nobody else wants the rest').to.deep.equal([
      ['any', 3, 3, 4, 4],
      ['1g.5gb', 2, 0, 2, 0],
    ]);
  });

  it('wants what is in use at once, however long it has been', () => {
    expect(wanted({ profiles, max: 9 }, { [small]: 4 }, () => 0)[0]).to.include({ count: 2, used: 2, waiting: 4 });
  });

  it('follows only what has been asked for long enough', () => {
    expect(wanted({ profiles }, { [small]: 3 }, () => 2)[0]).to.include({ count: 2, waiting: 3 });
  });

  it('makes no other profile of a slice for a pod that has not waited long enough', () => {
    const any = { name: 'any', profiles: ['1g.5gb', '1g.10gb'], spare: 2 };
    const slices = (steady?: (key: string, count: number) => number) =>
      wanted(any, { [medium]: 1 }, steady)[0]?.slices.map(({ name, count }) => [name, count]);
    const short = (key: string, count: number): number =>
      key === steadyKeyOf(any, '1g.10gb') && count === 2 ? 1 : count;
    expect(slices()).to.deep.equal([
      ['any/1g.5gb', 2],
      ['any/1g.10gb', 2],
      ['any', 0],
      ['any/spare', 2],
    ]);
    expect(slices((key, count) => (key === steadyKeyOf(any) ? 3 : short(key, count)))).to.deep.equal([
      ['any/1g.5gb', 2],
      ['any/1g.10gb', 1],
      ['any', 0],
      ['any/spare', 2],
    ]);
  });

  it('keeps what min asks for beside pods open to any profile', () => {
    const any = { name: 'any', profiles: ['1g.5gb', '1g.10gb'], min: 6 };
    const steady = (key: string, count: number): number => (key === steadyKeyOf(any) ? 4 : Math.min(2, count - 1));
    expect(wanted(any, { [medium]: 1 }, steady)[0]?.slices.map(({ name, count }) => [name, count])).to.deep.equal([
      ['any/1g.5gb', 2],
      ['any/1g.10gb', 1],
      ['any', 3],
    ]);
  });

  it('says how many pods wait beside a fixed number, and counts none where it follows none', () => {
    expect(wanted({ profiles, count: 2 }, { [small]: 3 })[0]).to.include({ count: 2, used: 2, waiting: 3, beyond: 0 });
    const declared = { waiting: undefined, steady: (_: string, count: number) => count };
    expect(wantedSlices({ slices: [{ profiles }] }, members, declared)[0]).to.include({ count: 2, used: 2 });
  });

  it('counts no more of what a queue holds than a policy may write', () => {
    const waiting = { [small]: 2 ** 31 * 7 };
    expect(wanted({ profiles }, waiting)[0]).to.include({ count: 100_002, waiting: 100_000 });
    expect(wanted({ profiles, count: 2 }, waiting)[0]).to.include({ count: 2, waiting: 100_000 });
  });

  it('weighs a whole GPU as much as the largest of the pool, and as 1 where there is none', () => {
    const pair = aDevice(aGpu(), aGpu({ index: 1, product: 'NVIDIA A30' }));
    const both = listMembers(aPolicy(), aPartition({ device: pair }), { isResting: () => false });
    const weigh = (some: typeof members) =>
      wantedSlices({ slices: [{ mig: 'Disabled', count: 1 }] }, some, { waiting: undefined, steady: () => 0 })[0]
        ?.slices;
    expect(weigh(both)?.map(({ weight }) => weight)).to.deep.equal([8]);
    expect(weigh([])?.map(({ weight }) => weight)).to.deep.equal([1]);
  });

  it('keeps to an edit of min, max and spare at once, whatever was asked for before', () => {
    const before = (): number => 8;
    expect(wanted({ profiles }, {}, before)[0]?.count).to.equal(8);
    expect(wanted({ profiles, max: 4 }, {}, before)[0]?.count).to.equal(4);
    expect(wanted({ profiles, min: 9 }, {}, before)[0]?.count).to.equal(9);
    expect(wanted({ profiles, spare: '25%' }, {}, before)[0]?.count).to.equal(10);
    expect(wanted({ profiles, spare: '100%' }, {}, () => 101)[0]?.count).to.equal(202);
  });

  it('starts again where other profiles are asked for by the same name', () => {
    const keys: string[] = [];
    const note = (key: string): number => keys.push(key);
    wanted({ name: 'one', profiles }, {}, note);
    wanted({ name: 'one', profiles: ['1g.10gb'] }, {}, note);
    wanted({ name: 'one', profiles, max: 3 }, {}, note);
    expect(keys[0]).to.equal(keys[2]).and.not.to.equal(keys[1]);
  });
});
