import { systemClock } from '../../src/process/clock.ts';
import { stepLedger } from '../../src/core/rollout/ledger.ts';
import { decide } from '../../src/core/node/decide.ts';
import { expect } from 'chai';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import { AgentPods } from '../../src/controller/node-notifier.ts';
import { Cluster } from '../../src/controller/cluster.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import { Executor } from '../../src/controller/execute.ts';
import { Forecast, PolicyReconciler, PolicyReporter } from '../../src/controller/reconcile-policy.ts';
import { Gatherer } from '../../src/controller/gather.ts';
import { NodeReconciler, NodeReporter } from '../../src/controller/reconcile-node.ts';
import { PreviewPlanner } from '../../src/controller/follow-demand.ts';
import { repartitioningTaint, type PolicyReason } from '../../src/api/names.ts';
import type { Taint } from '../../src/core/kubernetes/node.ts';
import { Fleet } from '../../src/core/policy/fleet.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { type EventNote, EventRecorder } from '../../src/kube/events.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import { type KubeObject, type ObjectRef, ObjectStore } from '../../src/kube/watch.ts';
import { silentLogger } from '../../src/process/log.ts';
import { fleetDevice, fleetLayout, fleetNames, fleetPool, fleetResources } from '../bench/fleet-objects.ts';
import { anAsking, aSlotOf, aRolloutState } from '../core/rollout/rollout-builders.ts';
import { aPartition, aPolicy } from '../support/builders.ts';
import { noSliceWatch, someSettings, aPolicyRecord } from '../support/node-builders.ts';

const fleetSize = 1_000;
/** No server: a write would fail. */
const client = new KubeClient(new PooledKubeConfig(), 'test');

function aFleetPolicy(generation: number, profiles: Readonly<Record<string, number>>) {
  const policy = aPolicy({ generation, nodeSelector: { matchLabels: fleetPool }, layouts: [{ profiles }] });
  return { ...policy, metadata: { ...policy.metadata, resourceVersion: String(generation) } };
}

function aBigFleet(policy: GpuPartitionPolicy & KubeObject): { fleet: Fleet; reconciler: PolicyReconciler } {
  const fleet = new Fleet({ sharing: false });
  const policies = new ObjectStore<GpuPartitionPolicy & KubeObject>();
  const partitions = new ObjectStore<GpuNodePartition & KubeObject>();
  policies.upsert(policy);
  for (const name of fleetNames(fleetSize)) {
    fleet.setNode(name, fleetPool);
    const partition = aPartition({ device: fleetDevice(name) });
    partitions.upsert({ ...partition, metadata: { name, uid: `uid-${name}`, resourceVersion: '1' } });
  }
  fleet.setPolicy(policy);
  const nodes = new ObjectStore<NodeObject>();
  const cluster = new Cluster({ policies, nodes, partitions, fleet, agents: new AgentPods() });
  const reconciler = new PolicyReconciler({
    client,
    cluster,
    forecast: forecastOf(client, cluster),
    events: new EventRecorder({ client, logger: silentLogger, controller: 'test', instance: 'test' }),
    quotas: { lower: async () => false, settle: () => undefined },
    settings: { maxConcurrentNodes: '10%', deleteDeadlineMs: 1_800_000 },
    requeueNodes: () => undefined,
    tellPolicy: () => undefined,
    stepLedger,
    clock: systemClock,
    now: () => 0,
  });
  return { fleet, reconciler };
}

describe('PolicyReconciler', () => {
  it('lets timers fire while it asks a big fleet, and gives up where the policy is edited meanwhile', async () => {
    const { fleet, reconciler } = aBigFleet(aFleetPolicy(1, fleetLayout));
    const first = fleet.policy('p');
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
      if (ticks === 3) fleet.setPolicy(aFleetPolicy(2, { '3g.20gb': 2 }));
    }, 1);
    await reconciler.reconcile('p');
    clearInterval(timer);
    expect(ticks).to.be.at.least(3);
    expect(first?.unchecked.size).to.be.greaterThan(0);
    expect(fleet.policy('p')?.acceptedGeneration).to.equal(undefined);
    expect(fleet.policy('p')?.unchecked.size).to.be.greaterThan(0);
  });

  it('admits after an edit before it has looked at the nodes: what they will request is foreseen', async () => {
    const clock = { ms: 0 };
    const { fleet, cluster, reconciler, policies, add } = twoPolicies(() => clock.ms);
    await Promise.all(policies.map((name) => reconciler.reconcile(name)));
    const edit = (generation: number): void => {
      const layouts = [{ profiles: { '1g.5gb': 5, '2g.10gb': 1 } }];
      const policy = aPolicy({ name: 'p', generation, nodeSelector: { matchLabels: { pool: 'p' } }, layouts });
      add(policy, 1000 * generation);
    };
    clock.ms += 1000;
    edit(2);
    await reconciler.reconcile('p');
    expect(cluster.ledgerOf('p'), 'nodes that nobody knows').to.deep.equal([]);
    for (const node of ['p0', 'p1', 'p2']) {
      fleet.policy('p')?.tally.put({ node, phase: 'Ready', reason: 'Ready', message: '' });
      cluster.rollout.put(aRolloutState(node, { isVerified: true }));
    }
    clock.ms += 1000;
    edit(3);
    await reconciler.reconcile('p');
    expect(fleet.policy('p')?.tally.unseen.size).to.equal(3);
    expect(cluster.ledgerOf('p').map(({ node, generation }) => [node, generation])).to.deep.equal([['p0', 3]]);
  });

  it('tells every policy where the cap over all of them has changed: each says it in its status', async () => {
    const { cluster, reconciler, policies, told } = twoPolicies(() => 0, '50%');
    const count = (nodes: number): void => {
      for (let node = 0; node < nodes; node += 1) cluster.rollout.put(aRolloutState(`n${node}`, { isVerified: true }));
    };
    count(4);
    await Promise.all(policies.map((name) => reconciler.reconcile(name)));
    told.length = 0;
    await reconciler.reconcile('p');
    expect(told).to.deep.equal([]);
    count(8);
    await reconciler.reconcile('p');
    expect(told).to.include.members(policies);
  });

  it('switches to a schedule when its time comes: the status says so first, and then a rollout begins', async () => {
    let now = Date.parse('2026-01-05T12:00:00Z');
    const hour = 3_600_000;
    const { fleet, cluster, reconciler, applied, notes, add, addNode } = aSmallWorld(() => now);
    for (const name of ['p0', 'p1']) addNode(name, { pool: 'p' });
    const night = { name: 'night', schedule: '0 22 * * *', duration: '8h', layouts: [{ profiles: { '3g.20gb': 2 } }] };
    const policy = aPolicy({ schedules: [night], rollout: { canary: { nodes: 1 } } });
    add(policy);
    const wanted = () => fleet.policy('p')?.policy.spec.layouts;
    const verify = (): void => {
      for (const node of ['p0', 'p1']) {
        fleet.policy('p')?.tally.put({ node, phase: 'Ready', reason: 'Ready', message: '' });
        cluster.rollout.put(aRolloutState(node, { isVerified: true }));
      }
    };
    const noon = await reconciler.reconcile('p');
    expect(noon?.requeueAfterMs).to.equal(10 * hour);
    expect(applied.at(0)?.status).to.deep.include({
      schedule: { since: '2026-01-05T12:00:00Z', next: { name: 'night', time: '2026-01-05T22:00:00Z' } },
    });
    verify();
    now += 9 * hour;
    await reconciler.reconcile('p');
    expect(wanted(), 'not yet').to.deep.equal(policy.spec.layouts);
    const writes = applied.length;
    now += hour;
    const evening = await reconciler.reconcile('p');
    expect(evening?.requeueAfterMs).to.equal(8 * hour);
    expect(wanted()).to.deep.equal(night.layouts);
    const schedule = { name: 'night', since: '2026-01-05T22:00:00Z', next: { time: '2026-01-06T06:00:00Z' } };
    const first = applied.slice(writes).find(({ status }) => 'schedule' in status || 'inFlight' in status);
    expect(first?.status, 'before any slot').to.deep.include({ schedule });
    expect(notes.filter(({ reason }) => reason === 'ScheduleSwitched').map(({ message }) => message)).to.deep.equal([
      'schedule night is in force until 2026-01-06T06:00:00Z; nodes follow as a rollout',
    ]);
    expect([...(fleet.policy('p')?.tally.unseen ?? [])]).to.deep.equal(['p0', 'p1']);
    for (const node of ['p0', 'p1']) {
      fleet.policy('p')?.tally.put({ node, phase: 'Pending', reason: 'AwaitingSlot', message: '' });
      cluster.rollout.put(anAsking(node, 'New', { policy: 'p' }));
    }
    await reconciler.reconcile('p');
    expect(cluster.ledgerOf('p').map(({ node }) => node)).to.deep.equal(['p0']);
    expect(cluster.policies.get('p')?.status?.canary).to.deep.include({ schedule: 'night', nodes: ['p0'] });
  });

  it('does not switch before the API server has the switch', async () => {
    let now = Date.parse('2026-01-05T12:00:00Z');
    const { fleet, reconciler, add, addNode, fail } = aSmallWorld(() => now);
    addNode('p0', { pool: 'p' });
    const night = { name: 'night', schedule: '0 22 * * *', duration: '8h', layouts: [{ profiles: { '3g.20gb': 2 } }] };
    const policy = aPolicy({ schedules: [night] });
    add(policy);
    await reconciler.reconcile('p');
    now = Date.parse('2026-01-05T22:00:00Z');
    fail(true);
    const error = await reconciler.reconcile('p').then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(Error);
    expect(fleet.policy('p')?.policy.spec.layouts).to.deep.equal(policy.spec.layouts);
    fail(false);
    now += 1000;
    await reconciler.reconcile('p');
    expect(fleet.policy('p')?.policy.spec.layouts).to.deep.equal(night.layouts);
  });

  it('hands out slots although the API server does not take the status, says so, and accepts nothing untold', async () => {
    const clock = { ms: 0 };
    const world = aSmallWorld(() => clock.ms);
    world.addNode('p0', { pool: 'p' });
    const edit = (generation: number): void => {
      const policy = aPolicy({ generation, layouts: [{ profiles: { '1g.5gb': generation } }] });
      const status = world.cluster.policies.get('p')?.status ?? {};
      world.add({ ...policy, status }, 1000 * generation);
    };
    edit(1);
    await world.reconciler.reconcile('p');
    world.refuse(true);
    clock.ms += 10_000;
    world.fleet.policy('p')?.tally.put({ node: 'p0', phase: 'Pending', reason: 'AwaitingSlot', message: 'new' });
    world.cluster.rollout.put(anAsking('p0'));
    expect(await world.reconciler.reconcile('p')).to.deep.equal({ requeueAfterMs: 60_000 });
    expect(world.cluster.ledgerOf('p').map(({ node }) => node)).to.deep.equal(['p0']);
    expect(world.notes.filter(({ reason }) => reason === 'StatusRefused').map(({ message }) => message)).to.deep.equal([
      'status not written, and nodes proceed as before: PATCH status: 422 Invalid: too long',
    ]);
    clock.ms += 10_000;
    edit(2);
    await world.reconciler.reconcile('p');
    expect(world.fleet.policy('p')?.acceptedGeneration).to.equal(1);
    world.refuse(false);
    clock.ms += 10_000;
    await world.reconciler.reconcile('p');
    expect(world.fleet.policy('p')?.acceptedGeneration).to.equal(2);
  });

  it('keeps the cap over policies whose ledgers are written at the same time', async () => {
    const { fleet, cluster, reconciler, policies, askForSlots } = twoPolicies();
    await Promise.all(policies.map((name) => reconciler.reconcile(name)));
    for (const name of policies) expect(fleet.policy(name)?.acceptedGeneration).to.equal(1);
    askForSlots();
    await Promise.all(policies.map((name) => reconciler.reconcile(name)));
    const inFlight = () => policies.flatMap((name) => cluster.ledgerOf(name).map(({ node }) => node));
    expect(inFlight()).to.have.length(1);
    await Promise.all(policies.map((name) => reconciler.reconcile(name)));
    expect(inFlight()).to.have.length(1);
  });

  it('counts the nodes of a ledger whose write got no answer, though the watch does not show them yet', async () => {
    const { cluster, reconciler, policies, askForSlots, loseAnswers } = twoPolicies();
    await Promise.all(policies.map((name) => reconciler.reconcile(name)));
    askForSlots();
    loseAnswers(true);
    expect(await reconciler.reconcile('p').catch(String)).to.include('no answer');
    loseAnswers(false);
    expect(cluster.ledgerOf('p'), 'unknown').to.deep.equal([]);
    await reconciler.reconcile('q');
    expect(cluster.ledgerOf('p').map(({ node }) => node)).to.deep.equal(['p0']);
    expect(cluster.ledgerOf('q')).to.deep.equal([]);
  });

  it('writes the ledger under its own field manager, and only onto the version of the policy that it decided on', async () => {
    const world = aSmallWorld();
    world.addNode('p0', { pool: 'p' });
    const policy = aPolicy();
    world.add(policy);
    await world.reconciler.reconcile('p');
    const version = world.cluster.policies.get('p')?.metadata.resourceVersion;
    world.fleet.policy('p')?.tally.put({ node: 'p0', phase: 'Pending', reason: 'AwaitingSlot', message: '' });
    world.cluster.rollout.put(anAsking('p0'));
    await world.reconciler.reconcile('p');
    expect(world.cluster.ledgerOf('p').map(({ node }) => node)).to.deep.equal(['p0']);
    const ledgers = world.applied.filter(({ status }) => 'inFlight' in status);
    expect(ledgers.map(({ metadata, fieldManager }) => ({ ...metadata, fieldManager }))).to.deep.equal([
      { uid: policy.metadata.uid, resourceVersion: version, fieldManager: 'gpu-partition-ledger' },
    ]);
  });

  it('writes the history when a generation comes in force, and with no other status', async () => {
    const world = aSmallWorld();
    world.addNode('p0', { pool: 'p' });
    const policy = aPolicy();
    world.add(policy);
    await world.reconciler.reconcile('p');
    world.fleet.policy('p')?.tally.put({ node: 'p0', phase: 'Pending', reason: 'AwaitingSlot', message: '' });
    world.cluster.rollout.put(anAsking('p0'));
    await world.reconciler.reconcile('p');
    const histories = world.applied.filter(({ status }) => 'history' in status);
    expect(histories.map(({ fieldManager, status }) => ({ fieldManager, status }))).to.deep.equal([
      {
        fieldManager: 'gpu-partition-history',
        status: { history: [{ generation: 1, time: '1970-01-01T00:00:00Z', spec: policy.spec }] },
      },
    ]);
    expect(world.cluster.policies.get('p')?.status?.history).to.have.length(1);
  });

  it('counts nodes of a late write of the previous leader: the cap is exceeded by them, and no node is admitted until there is room', async () => {
    const { fleet, cluster, reconciler, policies, add } = twoPolicies();
    await Promise.all(policies.map((name) => reconciler.reconcile(name)));
    const standBy = (policy: string, ...names: readonly string[]): void => {
      for (const node of names) {
        fleet.policy(policy)?.tally.put({ node, phase: 'Pending', reason: 'AwaitingSlot', message: '' });
        cluster.rollout.put(anAsking(node, 'New', { policy }));
      }
    };
    standBy('p', 'p0', 'p1', 'p2');
    standBy('q', 'q0', 'q1', 'q2');
    await reconciler.reconcile('p');
    expect(cluster.ledgerOf('p').map(({ node }) => node)).to.deep.equal(['p0']);
    // It was on its way before, and nothing has written the ledger of q since: the server takes it.
    const q = aPolicy({ name: 'q', nodeSelector: { matchLabels: { pool: 'q' } } });
    const status = { acceptedGeneration: 1, inFlight: [aSlotOf('q0')] };
    add({ ...q, status }, 1000);
    expect(policies.flatMap((name) => cluster.ledgerOf(name))).to.have.length(2);
    const done = aSlotOf('p0', { startTime: cluster.ledgerOf('p')[0]?.startTime ?? '' }).startTime ?? '';
    cluster.rollout.put(aRolloutState('p0', { slot: done, seen: [done], isVerified: true }));
    await reconciler.reconcile('p');
    expect(cluster.ledgerOf('p')).to.deep.equal([]);
    expect(cluster.ledgerOf('q').map(({ node }) => node)).to.deep.equal(['q0']);
  });

  it('lets a policy go that was to make GPUs whole and selects no node: nobody else would look at it again', async () => {
    const world = aSmallWorld();
    const known = aPolicy({ onDelete: 'DisableMig', generation: 2 });
    world.add({
      ...known,
      metadata: {
        ...known.metadata,
        resourceVersion: '2',
        deletionTimestamp: '1970-01-01T00:00:00Z',
        finalizers: ['gpupartition.dev/cleanup'],
      },
      status: { acceptedGeneration: 1 },
    });
    await world.reconciler.reconcile('p');
    expect(world.cluster.policies.get('p')?.metadata.finalizers).to.deep.equal([]);
  });

  it('lets a policy go when its time is over although a node is dead, names the node, and waits until then', async () => {
    const clock = { ms: 0 };
    const world = aSmallWorld(() => clock.ms);
    for (const node of ['dead', 'done']) world.addNode(node, { pool: 'p' });
    const known = aPolicy({ onDelete: 'DisableMig', generation: 2 });
    const finalizers = ['gpupartition.dev/cleanup', 'example.com/other'];
    const metadata = { ...known.metadata, resourceVersion: '2', deletionTimestamp: '1970-01-01T00:00:00Z', finalizers };
    world.add({ ...known, metadata, status: { acceptedGeneration: 2 } });
    const tally = () => world.fleet.policy('p')?.tally;
    const finalizersNow = () => world.cluster.policies.get('p')?.metadata.finalizers;
    tally()?.put({ node: 'done', phase: 'Ready', reason: 'Ready', message: '' });
    tally()?.put({ node: 'dead', phase: 'Pending', reason: 'NodeNotReady', message: 'the kubelet is gone' });
    const { requeueAfterMs } = (await world.reconciler.reconcile('p')) ?? {};
    expect(finalizersNow()).to.deep.equal(finalizers);
    expect(requeueAfterMs).to.be.within(1_800_000, 1_801_000);
    clock.ms = requeueAfterMs ?? 0;
    await world.reconciler.reconcile('p');
    expect(finalizersNow()).to.deep.equal(['example.com/other']);
    expect(world.notes.filter(({ reason }) => reason === 'NotDisabled').map(({ message }) => message)).to.deep.equal([
      'the policy is deleted although MIG was not disabled on dead (NodeNotReady): not done within 1800 s',
    ]);
  });

  it('gives slots back while a generation is refused: what is done must not count against other policies', async () => {
    const world = aSmallWorld();
    world.addNode('p0', { pool: 'p' });
    const known = aPolicy({ generation: 2, layouts: [{ profiles: { '1g.10gb': 7 } }] });
    const status = { acceptedGeneration: 1, inFlight: [aSlotOf('p0')] };
    world.add({ ...known, status }, 2);
    world.cluster.rollout.put(
      aRolloutState('p0', { slot: aSlotOf('p0').startTime, seen: [aSlotOf('p0').startTime ?? ''] }),
    );
    await world.reconciler.reconcile('p');
    expect(world.fleet.policy('p')?.acceptedGeneration).to.equal(1);
    expect(world.cluster.ledgerOf('p')).to.deep.equal([]);
  });

  it('admits nodes although another one cannot be judged: it throws each time, and does not hold the others up', async () => {
    const clock = { ms: 0 };
    const world = aSmallWorld(() => clock.ms);
    for (const node of ['p0', 'p1']) world.addNode(node, { pool: 'p' });
    const policy = aPolicy();
    world.add(policy);
    await world.reconciler.reconcile('p');
    world.fleet.policy('p')?.tally.put({ node: 'p1', phase: 'Pending', reason: 'AwaitingSlot', message: '' });
    world.cluster.rollout.put(anAsking('p1'));
    const nodeReconciler = world.nodeReconciler('what p0 says is no device');
    for (let tries = 0; tries < 3; tries += 1) {
      expect(world.cluster.ledgerOf('p'), `after ${tries} tries`).to.deep.equal([]);
      const error = await nodeReconciler.reconcile('p0').catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(Error);
      clock.ms += 1000;
      await world.reconciler.reconcile('p');
    }
    expect(world.cluster.ledgerOf('p').map(({ node }) => node)).to.deep.equal(['p1']);
    expect(world.cluster.policies.get('p')?.status?.failures).to.deep.include({
      node: 'p0',
      reason: 'Unjudged',
      message:
        'the controller could not process this node 3 times in a row: what p0 says is no device. Other nodes proceed; it is retried',
      time: '1970-01-01T00:00:03Z',
    });
  });

  it('gives the slot of a node back that cannot be judged, unless it is closed or its agent may be at work', async () => {
    const world = aSmallWorld();
    for (const [node, taints] of [
      ['p0', []],
      ['p1', [repartitioningTaint]],
    ] as const)
      world.addNode(node, { pool: 'p' }, taints);
    const policy = aPolicy();
    const status = { acceptedGeneration: 1, inFlight: [aSlotOf('p0'), aSlotOf('p1')] };
    world.add({ ...policy, status });
    const nodeReconciler = world.nodeReconciler('no');
    for (const node of ['p0', 'p0', 'p0', 'p1', 'p1', 'p1'])
      await nodeReconciler.reconcile(node).catch(() => undefined);
    await world.reconciler.reconcile('p');
    expect(world.cluster.ledgerOf('p').map(({ node }) => node)).to.deep.equal(['p1']);
  });

  it('shows a freeze of the whole cluster in the status of every policy, even if nothing is pending', async () => {
    const clock = { ms: 0 };
    const world = aSmallWorld(() => clock.ms, 'incident 7');
    world.addNode('p0', { pool: 'p' });
    for (const [name, pool] of [
      ['p', 'p'],
      ['empty', 'nowhere'],
    ] as const) {
      const policy = aPolicy({ name, nodeSelector: { matchLabels: { pool } } });
      world.add(policy);
      await world.reconciler.reconcile(name);
    }
    world.fleet.policy('p')?.tally.put({ node: 'p0', phase: 'Ready', reason: 'Ready', message: '' });
    clock.ms += 1000;
    await world.reconciler.reconcile('p');
    for (const name of ['p', 'empty']) {
      const { conditions, summary } = world.cluster.policies.get(name)?.status ?? {};
      const ready = conditions?.find(({ type }) => type === 'Ready');
      expect(ready).to.include({ status: 'True' });
      expect(ready?.message).to.include('the whole cluster is frozen: incident 7');
      expect(summary).to.match(/, frozen$/);
    }
  });

  it('writes an edit at once, what somebody waits for within a second, and how many nodes are where every two seconds', async () => {
    const clock = { ms: 10_000 };
    const { fleet, cluster, reconciler } = twoPolicies(() => clock.ms);
    const seen = async () => {
      const { requeueAfterMs } = (await reconciler.reconcile('p')) ?? {};
      const { nodes, conditions } = cluster.policies.get('p')?.status ?? {};
      return { ready: nodes?.ready, is: conditions?.find(({ type }) => type === 'Ready')?.status, requeueAfterMs };
    };
    const arrive = (node: string) =>
      fleet.policy('p')?.tally.put({ node, phase: 'Ready', reason: 'Ready', message: '' });
    expect(await seen()).to.include({ ready: 0, is: 'False' });
    arrive('p0');
    expect(await seen()).to.deep.equal({ ready: 0, is: 'False', requeueAfterMs: 2000 });
    clock.ms += 1999;
    arrive('p1');
    expect(await seen()).to.deep.equal({ ready: 0, is: 'False', requeueAfterMs: 1 });
    clock.ms += 1;
    expect(await seen()).to.deep.equal({ ready: 2, is: 'False', requeueAfterMs: undefined });
    arrive('p2');
    expect(await seen()).to.deep.equal({ ready: 2, is: 'False', requeueAfterMs: 1000 });
    clock.ms += 1000;
    expect(await seen()).to.deep.equal({ ready: 3, is: 'True', requeueAfterMs: undefined });
  });

  it('writes at once what an edit changes, and of many in a row one a second, the last one too', async () => {
    const clock = { ms: 0 };
    const { fleet, cluster, reconciler, applied, add } = twoPolicies(() => clock.ms);
    const acceptedNow = () => cluster.policies.get('p')?.status?.acceptedGeneration;
    const writes = () => applied.filter(({ status }) => 'observedGeneration' in status).length;
    const edit = async (generation: number) => {
      const layouts = [{ profiles: { '1g.5gb': 1 + (generation % 7) } }];
      const policy = aPolicy({ name: 'p', generation, nodeSelector: { matchLabels: { pool: 'p' } }, layouts });
      const status = cluster.policies.get('p')?.status ?? {};
      add({ ...policy, status }, 1000 * generation);
      const { requeueAfterMs } = (await reconciler.reconcile('p')) ?? {};
      return { isAccepted: acceptedNow() === generation, requeueAfterMs };
    };
    // Whoever edits now and then never waits.
    for (const generation of [1, 2, 3]) {
      clock.ms += 1000;
      expect(await edit(generation)).to.deep.include({ isAccepted: true });
    }
    clock.ms = 60_000;
    const before = writes();
    let last: Awaited<ReturnType<typeof edit>> | undefined;
    for (let generation = 4; generation < 44; generation += 1) {
      last = await edit(generation);
      if (generation === 4) expect(last).to.deep.include({ isAccepted: true });
      // What is not accepted decides over nothing.
      const isAccepted = fleet.policy('p')?.isAccepted;
      expect(isAccepted).to.equal(last.isAccepted);
      clock.ms += 50;
    }
    expect(writes() - before).to.be.within(2, 3);
    if (last?.isAccepted !== true) {
      expect(last?.requeueAfterMs).to.be.within(1, 1000);
      clock.ms += last?.requeueAfterMs ?? 0;
      await reconciler.reconcile('p');
    }
    expect(acceptedNow()).to.equal(43);
  });
});

function forecastOf(reader: KubeClient, cluster: Cluster): Forecast {
  const about = {
    client: reader,
    cluster,
    settings: someSettings,
    configFiles: undefined,
    slices: noSliceWatch,
    now: () => 0,
  };
  const gatherer = new Gatherer(about);
  return new Forecast({ cluster, known: (node) => gatherer.known(node), log: silentLogger, clock: systemClock });
}

/** Policies `p` and `q` with three nodes each, of which one may change at a time. */
function twoPolicies(now = () => 0, ...cap: readonly `${number}%`[]) {
  const names = ['p', 'q'];
  const world = aSmallWorld(now, undefined, ...cap);
  for (const name of names) {
    for (const index of [0, 1, 2]) world.addNode(`${name}${index}`, { pool: name });
    const policy = aPolicy({ name, nodeSelector: { matchLabels: { pool: name } } });
    world.add(policy);
  }
  return {
    ...world,
    policies: names,
    askForSlots: (): void => {
      for (const name of names) {
        const record = world.fleet.policy(name);
        for (const node of record?.nodes ?? []) {
          record?.tally.put({ node, phase: 'Pending', reason: 'AwaitingSlot', message: '' });
          world.cluster.rollout.put(anAsking(node, 'New', { policy: name }));
        }
      }
    },
  };
}

/** A controller of which one node may change at a time unless said otherwise, and an API server that takes a moment for a write. */
function aSmallWorld(now = () => 0, freeze?: string, maxConcurrentNodes: number | `${number}%` = 1) {
  const told: string[] = [];
  const policies = new ObjectStore<GpuPartitionPolicy & KubeObject>();
  const nodes = new ObjectStore<NodeObject>();
  const partitions = new ObjectStore<GpuNodePartition & KubeObject>();
  const fleet = new Fleet({ sharing: false });
  const cluster = new Cluster({ policies, nodes, partitions, fleet, agents: new AgentPods() });
  const slow = new SlowClient(cluster);
  const events = new RecordedEvents({ client: slow, logger: silentLogger, controller: 'test', instance: 'test' });
  const reconciler = new PolicyReconciler({
    client: slow,
    cluster,
    events,
    forecast: forecastOf(slow, cluster),
    quotas: { lower: async () => false, settle: () => undefined },
    settings: { maxConcurrentNodes, deleteDeadlineMs: 1_800_000, freeze },
    requeueNodes: () => undefined,
    tellPolicy: (name) => void told.push(name),
    stepLedger,
    clock: systemClock,
    now,
  });
  return {
    fleet,
    cluster,
    reconciler,
    notes: events.notes,
    applied: slow.applied,
    told,
    fail: (fails: boolean): void => {
      slow.fails = fails;
    },
    /** Takes no status but the ledger. */
    refuse: (refuses: boolean): void => {
      slow.refuses = refuses;
    },
    /** Of writes of ledgers, which take effect. */
    loseAnswers: (loses: boolean): void => {
      slow.losesAnswers = loses;
    },
    add: (given: GpuPartitionPolicy, version: number | string = given.metadata['resourceVersion'] ?? 1) => {
      const policy = { ...given, metadata: { ...given.metadata, resourceVersion: String(version) } };
      policies.upsert(policy);
      fleet.setPolicy(policy);
    },
    /** One that throws each time that it gathers what is known of a node. */
    nodeReconciler: (why: string) =>
      new NodeReconciler({
        cluster,
        gatherer: new BrokenGatherer(why, {
          client: slow,
          cluster,
          settings: someSettings,
          configFiles: undefined,
          slices: noSliceWatch,
          now: () => 0,
        }),
        executor: new Executor({ client: slow, cluster, configFiles: undefined, log: silentLogger, now: () => 0 }),
        reporter: new NodeReporter({ client: slow, cluster, events, onNews: () => undefined, now: () => 0 }),
        preview: new PreviewPlanner({ client: slow, cluster, onNews: () => undefined }),
        decide,
        now: () => 0,
      }),
    addNode: (name: string, labels: Readonly<Record<string, string>>, taints: readonly Taint[] = []) => {
      fleet.setNode(name, labels);
      const status = { allocatable: fleetResources, conditions: [{ type: 'Ready', status: 'True' }] };
      nodes.upsert({ metadata: { name, uid: `uid-${name}`, resourceVersion: '1' }, spec: { taints }, status });
      const pod = { metadata: { name: `agent-${name}` }, spec: { nodeName: name }, status };
      cluster.agents.update({ type: 'apply', key: pod.metadata.name, object: pod, previous: undefined });
      const partition = aPartition({ nodeUID: `uid-${name}`, device: fleetDevice(name) });
      partitions.upsert({ ...partition, metadata: { name, uid: `uid-gpn-${name}`, resourceVersion: '1' } });
    },
  };
}

/** Keeps Events instead of writing them. */
class RecordedEvents extends EventRecorder {
  readonly notes: EventNote[] = [];

  override record(note: EventNote): void {
    this.notes.push(note);
  }
}

class BrokenGatherer extends Gatherer {
  readonly #why: string;

  constructor(why: string, parts: ConstructorParameters<typeof Gatherer>[0]) {
    super(parts);
    this.#why = why;
  }

  override known(): never {
    throw new Error(this.#why);
  }
}

/** Answers a write of a policy when everybody else had a turn. */
class SlowClient extends KubeClient {
  /** What was applied, and as whom. */
  readonly applied: { readonly metadata: object; readonly status: object; readonly fieldManager: string }[] = [];
  fails = false;
  refuses = false;
  losesAnswers = false;
  /** What was written, and nobody was told of. */
  readonly #untold = new Map<string, KubeObject>();
  readonly #cluster: Cluster;
  #version = 10;

  constructor(cluster: Cluster) {
    super(new PooledKubeConfig(), 'test');
    this.#cluster = cluster;
  }

  override async apply<T extends KubeObject>(
    ...[{ name }, { metadata = {}, status }, { fieldManager = '' } = {}]: Parameters<KubeClient['apply']>
  ): Promise<T> {
    if (this.fails) throw new Error('the API server is away');
    if (this.refuses && !('inFlight' in (status as object)))
      throw new ApiError({ request: 'PATCH status', code: 422, reason: 'Invalid', text: 'too long' });
    this.applied.push({ metadata, status: status as object, fieldManager });
    const answer = await this.#answer<T>(name, {}, status);
    if (!this.losesAnswers || !('inFlight' in (status as object))) return answer;
    this.#untold.set(name, answer);
    throw new Error('no answer');
  }

  override async find<T extends KubeObject>({ name }: ObjectRef): Promise<T | undefined> {
    return (this.#untold.get(name) ?? this.#cluster.policies.get(name)) as T | undefined;
  }

  override async merge<T extends KubeObject>(...[{ name }, patch]: Parameters<KubeClient['merge']>): Promise<T> {
    return this.#answer(name, (patch as Pick<KubeObject, 'metadata'>).metadata, {});
  }

  async #answer<T extends KubeObject>(name: string, fields: unknown, status: unknown): Promise<T> {
    await new Promise((resolve) => setImmediate(resolve));
    const known = this.#cluster.policies.get(name);
    this.#version = Math.max(this.#version, Number(known?.metadata.resourceVersion ?? 0)) + 1;
    const metadata = { ...known?.metadata, ...(fields as object), name, resourceVersion: String(this.#version) };
    return { ...known, metadata, status: { ...known?.status, ...(status as object) } } as unknown as T;
  }
}

class StatusClient extends KubeClient {
  readonly versions: unknown[] = [];

  override async applyStatus<T extends KubeObject>(_ref: unknown, status: unknown, options?: object): Promise<T> {
    this.versions.push(options);
    return { ...aPolicy(), metadata: { name: 'p', resourceVersion: '9' }, status } as unknown as T;
  }
}

function aReporter(record?: (note: EventNote) => void) {
  const client = new StatusClient(new PooledKubeConfig(), 'test');
  const policies = new ObjectStore<GpuPartitionPolicy & KubeObject>();
  const policy = { ...aPolicy(), metadata: { ...aPolicy().metadata, resourceVersion: '4' } };
  policies.upsert(policy);
  const cluster = new Cluster({
    policies,
    nodes: new ObjectStore(),
    partitions: new ObjectStore(),
    fleet: new Fleet({ sharing: false }),
    agents: new AgentPods(),
  });
  const events = new EventRecorder({ client, logger: silentLogger, controller: 'test', instance: 'test' });
  if (record) events.record = record;
  return { client, policies, policy, reporter: new PolicyReporter({ client, cluster, events, now: () => 0 }) };
}

describe('PolicyReporter', () => {
  // A policy was deleted and made again under a watch that had stopped: the new one had the acceptance of the old one.
  it('writes only to the version of the policy that it knows, which is of no other policy of that name', async () => {
    const { client, policies, policy, reporter } = aReporter();
    const draft = { acceptedGeneration: 1, conditions: [] };
    await reporter.tell(aPolicyRecord(policy), policy, draft);
    expect(client.versions).to.deep.equal([{ resourceVersion: '4' }]);
    policies.upsert({ ...policy, metadata: { ...policy.metadata, resourceVersion: '12' } });
    await reporter.tell(aPolicyRecord(policy), policy, { ...draft, acceptedGeneration: 2 });
    expect(client.versions.at(-1), 'though the look at its nodes began before').to.deep.equal({
      resourceVersion: '12',
    });
  });

  it('warns of what needs somebody, and not of a rollout that takes its course', async () => {
    const typeOf = async (reason: PolicyReason, isStalled: boolean): Promise<string | undefined> => {
      const notes: EventNote[] = [];
      const { reporter, policy } = aReporter((note) => notes.push(note));
      const condition = (type: 'Ready' | 'Stalled', holds: boolean) =>
        ({ type, status: holds ? 'True' : 'False', reason, message: 'x', lastTransitionTime: '' }) as const;
      const conditions = [condition('Ready', reason === 'Ready'), condition('Stalled', isStalled)];
      await reporter.tell(aPolicyRecord(policy), policy, { conditions });
      return notes.map(({ type }) => type).join();
    };
    for (const reason of ['Ready', 'CanarySoak', 'WindowClosed', 'Paused', 'Capped', 'Deleting'] as const)
      expect(await typeOf(reason, false), reason).to.equal('Normal');
    for (const reason of ['Waiting', 'NodesUnavailable'] as const)
      expect(await typeOf(reason, false), reason).to.equal('Warning');
    for (const reason of ['Halted', 'DoesNotFit'] as const)
      expect(await typeOf(reason, true), reason).to.equal('Warning');
  });
});
