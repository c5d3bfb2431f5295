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
});
