import { expect } from 'chai';
import { DeviceClassReconciler } from '../../src/controller/device-classes.ts';
import { PolicyRecord } from '../../src/core/policy/record.ts';
import type { EventNote } from '../../src/kube/events.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { loadKubeConfig } from '../../src/kube/kubeconfig.ts';
import { silentLogger } from '../../src/process/log.ts';
import { listOf, SpokenApi } from '../cli/spoken-api.ts';
import { useScratchFolder } from '../device/scratch-folder.ts';
import { connect } from '../kube/connection.ts';
import { clusterTimeoutMs, ownCluster } from '../support/cluster.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { aSlicingPolicy } from '../support/node-builders.ts';

describe('the DeviceClasses of policies @slow', function () {
  const scratch = useScratchFolder();

  it('are not asked for again and again where somebody else has set one otherwise', async () => {
    const name = 'mig-7g-40gb.gpu.nvidia.com';
    const theirs = { metadata: { name, uid: 'u' }, spec: { selectors: [] } };
    const newest = aSlicingPolicy({ backend: 'DRA', dra: { deviceClasses: 'Managed' } });
    const record = new PolicyRecord({ newest, acceptedGeneration: 1, inForce: newest }, undefined, new Set());
    let [now, writes, events] = [0, 0, 0];
    await using api = await SpokenApi.start((method, { pathname }, body) => {
      if (method === 'GET') return listOf(theirs);
      if (!pathname.includes(name)) return { ...(JSON.parse(body) as object), metadata: { name: 'x', uid: 'x' } };
      writes += 1;
      return 409;
    });
    const kubeconfig = api.writeKubeconfig(scratch.path('config'));
    const reconciler = new DeviceClassReconciler({
      client: new KubeClient(loadKubeConfig({ kubeconfig }), 'test'),
      cluster: { fleet: { policy: () => record, policies: [record] } },
      events: { record: () => void (events += 1) },
      slices: { api: 'Served' },
      log: silentLogger,
      now: () => now,
    });
    for (; now < 3 * 3_600_000; now += 60_000) await reconciler.reconcile();
    expect([writes, events], 'in three hours').to.deep.equal([3, 3]);
  });

  it('are written once where the API server keeps no extendedResourceName, and the policy is told @all', async function () {
    this.timeout(clusterTimeoutMs);
    const options = { emulatedVersion: '1.34', controllerManager: false, scheduler: false };
    await using cluster = await ownCluster(options);
    await using proxy = await FaultProxy.open(cluster);
    const newest = aSlicingPolicy({ backend: 'DRA', dra: { deviceClasses: 'Managed' } });
    const record = new PolicyRecord({ newest, acceptedGeneration: 1, inForce: newest }, undefined, new Set());
    const [notes, minute]: [EventNote[], number] = [[], 60_000];
    let now = 0;
    const reconciler = new DeviceClassReconciler({
      client: connect(cluster, { server: proxy.server }),
      cluster: { fleet: { policy: () => record, policies: [record] } },
      events: { record: (note) => void notes.push(note) },
      slices: { api: 'Served' },
      log: silentLogger,
      now: () => now,
    });
    const name = 'mig-7g-40gb.gpu.nvidia.com';
    const countWrites = (): number =>
      proxy.requests.filter(({ method, path }) => method === 'PATCH' && path.includes(name)).length;
    await reconciler.reconcile();
    expect(countWrites()).to.equal(1);
    expect(notes.map(({ reason, message }) => `${reason}: ${message}`)).to.deep.equal([
      `DeviceClassNotWritten: DeviceClass ${name} is there without extendedResourceName, which the API server does not keep ` +
        '(feature gate DRAExtendedResource, on by default in Kubernetes 1.36): pods get these slices by claims alone',
    ]);
    now += minute;
    await reconciler.reconcile();
    expect(countWrites(), 'after a minute').to.equal(1);
    await cluster.client.demand({ method: 'DELETE', path: `/apis/resource.k8s.io/v1/deviceclasses/${name}` });
    now += minute;
    await reconciler.reconcile();
    expect(countWrites(), 'after somebody deleted it').to.equal(2);
    for (let count = 0; count < 30; count += 1) {
      now += minute;
      await reconciler.reconcile();
    }
    expect(countWrites(), 'half an hour later').to.equal(2);
    now += 31 * minute;
    await reconciler.reconcile();
    expect(countWrites(), 'the API server may have been upgraded').to.equal(3);
  });
});
