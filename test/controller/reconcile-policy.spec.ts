import { expect } from 'chai';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import { AgentPods } from '../../src/controller/agents.ts';
import { Cluster } from '../../src/controller/cluster.ts';
import type { NodeObject } from '../../src/controller/project.ts';
import { PolicyReconciler } from '../../src/controller/reconcile-policy.ts';
import { Fleet } from '../../src/core/policy/fleet.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { EventRecorder } from '../../src/kube/events.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { ObjectStore } from '../../src/kube/store.ts';
import { silentLogger } from '../../src/process/logger.ts';
import { fleetDevice, fleetLayout, fleetNames, fleetPool } from '../bench/fleet-objects.ts';
import { anAsking } from '../core/rollout/rollout-builders.ts';
import { aPartition, aPolicy } from '../support/builders.ts';

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
  const reconciler = new PolicyReconciler({
    client,
    cluster: new Cluster({ policies, nodes, partitions, fleet, agents: new AgentPods() }),
    events: new EventRecorder({ client, logger: silentLogger, controller: 'test', instance: 'test' }),
    settings: { maxConcurrentNodes: '10%', deleteDeadlineMs: 1_800_000 },
    requeueNodes: () => undefined,
    tellPolicy: () => undefined,
    now: () => 0,
  });
  return { fleet, reconciler };
}

describe('PolicyReconciler', () => {
  it('lets timers have their turn while it asks a big fleet, and gives up where the policy is edited meanwhile', async () => {
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

  it('keeps the cap over policies whose ledgers are written at the same time', async () => {
    const { fleet, cluster, reconciler, policies } = twoPolicies();
    await Promise.all(policies.map((name) => reconciler.reconcile(name)));
    for (const name of policies) {
      const record = fleet.policy(name);
      expect(record?.acceptedGeneration).to.equal(1);
      for (const node of record?.nodes ?? []) {
        record?.tally.put({ node, phase: 'Pending', reason: 'AwaitingSlot', message: '' });
        cluster.rollout.put(anAsking(node, 'New', { policy: name }));
      }
    }
    await Promise.all(policies.map((name) => reconciler.reconcile(name)));
    const inFlight = () => policies.flatMap((name) => cluster.ledgerOf(name).map(({ node }) => node));
    expect(inFlight()).to.have.length(1);
    await Promise.all(policies.map((name) => reconciler.reconcile(name)));
    expect(inFlight()).to.have.length(1);
  });

  it('writes at once what is new, and how many nodes are where once a second at most', async () => {
    const clock = { ms: 10_000 };
    const { fleet, cluster, reconciler } = twoPolicies(() => clock.ms);
    const tally = fleet.policy('p')?.tally;
    const seen = async () => {
      const { requeueAfterMs } = (await reconciler.reconcile('p')) ?? {};
      const { nodes, conditions } = cluster.policies.get('p')?.status ?? {};
      return { ready: nodes?.ready, is: conditions?.find(({ type }) => type === 'Ready')?.status, requeueAfterMs };
    };
    const arrive = (node: string) => tally?.put({ node, phase: 'Ready', reason: 'Ready', message: '' });
    expect(await seen()).to.include({ ready: 0, is: 'False' });
    arrive('p0');
    expect(await seen()).to.deep.equal({ ready: 0, is: 'False', requeueAfterMs: 1000 });
    clock.ms += 999;
    arrive('p1');
    expect(await seen()).to.deep.equal({ ready: 0, is: 'False', requeueAfterMs: 1 });
    clock.ms += 1;
    expect(await seen()).to.deep.equal({ ready: 2, is: 'False', requeueAfterMs: undefined });
    arrive('p2');
    expect(await seen()).to.deep.equal({ ready: 3, is: 'True', requeueAfterMs: undefined });
  });
});

/** Policies `p` and `q` with three nodes each, of which one may change at a time, and an API server that takes a moment for a write. */
function twoPolicies(now = () => 0) {
  const names = ['p', 'q'];
  const store = new ObjectStore<GpuPartitionPolicy & KubeObject>();
  const nodes = new ObjectStore<NodeObject>();
  const partitions = new ObjectStore<GpuNodePartition & KubeObject>();
  const fleet = new Fleet({ sharing: false });
  const cluster = new Cluster({ policies: store, nodes, partitions, fleet, agents: new AgentPods() });
  for (const name of names) {
    const policy = aPolicy({ name, nodeSelector: { matchLabels: { pool: name } } });
    const known = { ...policy, metadata: { ...policy.metadata, resourceVersion: '1' } };
    store.upsert(known);
    for (const index of [0, 1, 2]) {
      const node = `${name}${index}`;
      fleet.setNode(node, { pool: name });
      nodes.upsert({ metadata: { name: node, uid: `uid-${node}`, resourceVersion: '1' } });
      const partition = aPartition({ device: fleetDevice(node) });
      partitions.upsert({ ...partition, metadata: { name: node, uid: `uid-gpn-${node}`, resourceVersion: '1' } });
    }
    fleet.setPolicy(known);
  }
  const slow = new SlowClient(cluster);
  const reconciler = new PolicyReconciler({
    client: slow,
    cluster,
    events: new EventRecorder({ client: slow, logger: silentLogger, controller: 'test', instance: 'test' }),
    settings: { maxConcurrentNodes: 1, deleteDeadlineMs: 1_800_000 },
    requeueNodes: () => undefined,
    tellPolicy: () => undefined,
    now,
  });
  return { fleet, cluster, reconciler, policies: names };
}

/** Answers a write of a policy's status when everybody else had a turn. */
class SlowClient extends KubeClient {
  readonly #cluster: Cluster;
  #version = 1;

  constructor(cluster: Cluster) {
    super(new PooledKubeConfig(), 'test');
    this.#cluster = cluster;
  }

  override async apply<T extends KubeObject>(...[{ name }, { status }]: Parameters<KubeClient['apply']>): Promise<T> {
    await new Promise((resolve) => setImmediate(resolve));
    const known = this.#cluster.policies.get(name);
    this.#version += 1;
    const metadata = { ...known?.metadata, name, resourceVersion: String(this.#version) };
    return { ...known, metadata, status: { ...known?.status, ...(status as object) } } as unknown as T;
  }
}
