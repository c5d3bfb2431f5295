import { idleAnnotation } from '../../src/simulator/kubelet/machine.ts';
import { expect } from 'chai';
import { isDeepStrictEqual } from 'node:util';

import { resourceSlices } from '../../src/api/resources.ts';
import type { ResourceSliceView } from '../../src/core/kubernetes/pod.ts';
import { collectionPath } from '../../src/kube/watch.ts';
import { eventually, stays } from '../support/eventually.ts';
import { ownTaints, useRig } from '../support/rig.ts';
import { listSliceDevices } from '../../src/core/node/offer.ts';

const node = 'claims';
const controller = 'controller-0';
const ownTaint = 'gpupartition.dev/repartitioning';

describe('a policy with backend DRA, when slices or claims change late @all', function () {
  const rig = useRig(
    [{ name: node, gpus: ['A100-SXM4-40GB'], labels: { pool: 'dra' }, strategy: 'mixed', plugin: 'dra' }],
    { proxied: [controller] },
  );

  const layout = (profiles: Readonly<Record<string, number>>): Promise<void> =>
    rig().apply('dra', {
      nodeSelector: { matchLabels: { pool: 'dra' } },
      strategy: 'mixed',
      backend: 'DRA',
      layouts: [{ profiles }],
    });

  async function publishedNames(): Promise<readonly string[]> {
    const path = collectionPath(resourceSlices);
    const list = (await rig().controlPlane.client.demand({ path })) as { items: readonly ResourceSliceView[] };
    return listSliceDevices(list.items).map(({ name }) => name);
  }

  const taints = async (): Promise<readonly string[]> => ownTaints(await rig().node(node));

  it('looks at a Ready node as soon as its slices change', async () => {
    await layout({ '3g.20gb': 2 });
    await rig().waitFor('dra', 'Ready', 'True', 'Ready');
    const saved = JSON.parse(await rig().kubectl('get', 'resourceslices', '-o', 'json')) as {
      readonly items: readonly { readonly metadata: { readonly name: string }; readonly spec: object }[];
    };
    await rig().kubectl('delete', 'resourceslices', '--all');
    // Without the watch it would be read again after two minutes.
    expect(await rig().untilReason(node, 'AdvertisePending', 15_000)).to.include('lack gpu-0-mig-3g20gb-9-0');
    for (const { metadata, spec } of saved.items) {
      const object = {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceSlice',
        metadata: { name: metadata.name },
        spec,
      };
      await rig().create(object);
    }
    await rig().untilReason(node, 'Ready', 15_000);
    expect(await publishedNames()).to.have.length(2);
  });

  it('never sends a monitor away, whose claim has admin access, though nothing would replace its pod', async () => {
    await createMonitor();
    const read = (): Promise<string> =>
      rig().kubectl('get', 'pod', 'watch', '-n', 'monitors', '-o', 'jsonpath={.status.phase} {.metadata.uid}');
    const before = await eventually(read, (text) => text.startsWith('Running '), { what: 'the monitor' });
    await layout({ '2g.10gb': 3 });
    await rig().waitFor('dra', 'Ready', 'True', 'Ready');
    expect((await publishedNames()).every((name) => name.includes('2g10gb'))).to.equal(true);
    expect(await read()).to.equal(before);
    expect((await rig().partition(node)).spec.monitors).to.deep.equal(['monitors/watch']);
    await rig().kubectl('delete', 'namespace', 'monitors', '--wait=false');
    await rig().kubectl('delete', 'pod', 'watch', '-n', 'monitors', '--force');
  });

  it('waits on the closed node for the pod of a claim that was allocated in the last moment before the fence', async () => {
    await layout({ '3g.20gb': 2 });
    await rig().waitFor('dra', 'Ready', 'True', 'Ready');
    const uid = await createLatePod();
    const operations = (await rig().rig.deviceOperations(node)).length;
    // The scheduler has not seen the taint yet when it allocates: the controller stops between its taint and its next look.
    const { pid = 0 } = rig().rig.controller;
    let isStopped = false;
    rig().proxy(controller).rule = ({ verb, resource, body }) => {
      if (!isStopped && verb === 'patch' && resource === 'nodes' && body.includes(ownTaint))
        isStopped = process.kill(pid, 'SIGSTOP');
      return undefined;
    };
    await layout({ '1g.5gb': 7 });
    await eventually(taints, (found) => found.includes(ownTaint), { timeoutMs: 30_000, what: 'the taint' });
    expect(isStopped).to.equal(true);
    const results = [{ request: 'gpu', driver: 'gpu.nvidia.com', pool: node, device: 'gpu-0-mig-3g20gb-9-0' }];
    const reservedFor = [{ resource: 'pods', name: 'late', uid }];
    const patch = JSON.stringify({ status: { allocation: { devices: { results } }, reservedFor } });
    await rig().kubectl('patch', 'resourceclaim', 'late', '--subresource=status', '--type=merge', '-p', patch);
    process.kill(pid, 'SIGCONT');
    expect(await rig().untilReason(node, 'Draining')).to.include(
      'claim default/late has gpu-0-mig-3g20gb-9-0 for pod default/late',
    );
    expect(await rig().rig.deviceOperations(node)).to.have.length(operations);
    expect(await taints()).to.deep.equal([ownTaint]);
    await rig().kubectl('delete', 'pod/late', 'resourceclaim/late', '--force');
    await rig().waitFor('dra', 'Ready', 'True', 'Ready');
    expect(await taints()).to.deep.equal([]);
  });

  it('keeps a node closed as long as its driver publishes the previous slices, however long', async () => {
    const before = await publishedNames();
    rig().rig.fleet.setDriverFault(node, 'Stale');
    await layout({ '3g.20gb': 1, '2g.10gb': 1 });
    expect(await rig().untilReason(node, 'AdvertisePending')).to.contain('DRA driver');
    // Ten looks of the controller.
    await stays(
      async () => ({ taints: await taints(), names: await publishedNames() }),
      (seen) => isDeepStrictEqual(seen, { taints: [ownTaint], names: before }),
      { forMs: 3_000, intervalMs: 100 },
    );
    rig().rig.fleet.setDriverFault(node, undefined);
    const opened: string[] = [];
    await eventually(
      async () => {
        // The taint is read first: slices that are the previous ones after that were so on the open node.
        const isOpen = (await taints()).length === 0;
        const names = await publishedNames();
        if (isOpen && names.some((name) => before.includes(name))) opened.push(names.join());
        return names;
      },
      (names) => names.length > 0 && !names.some((name) => before.includes(name)),
      { intervalMs: 50, what: 'the new slices' },
    );
    expect(opened).to.deep.equal([]);
    await rig().waitFor('dra', 'Ready', 'True', 'Ready');
    expect(await taints()).to.deep.equal([]);
  });

  /** A bare pod that has every slice of the node open. */
  async function createMonitor(): Promise<void> {
    const namespace = 'monitors';
    await rig().create({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { 'resource.kubernetes.io/admin-access': 'true' } },
    });
    const metadata = { name: 'watch', namespace };
    const exactly = { deviceClassName: 'mig.nvidia.com', allocationMode: 'All', adminAccess: true };
    await rig().create({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata,
      spec: { devices: { requests: [{ name: 'gpus', exactly }] } },
    });
    const container = { name: 'main', image: 'example.com/monitor', resources: { claims: [{ name: 'gpus' }] } };
    const resourceClaims = [{ name: 'gpus', resourceClaimName: 'watch' }];
    // It looks on through NVML, and runs nothing on the devices.
    const annotations = { [idleAnnotation]: 'true' };
    const spec = { containers: [container], resourceClaims };
    await eventually(() =>
      rig().create({ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, annotations }, spec }),
    );
  }

  /** A pod with a claim that nobody allocates, nor binds. @returns its uid */
  async function createLatePod(): Promise<string> {
    const container = { name: 'main', image: 'example.com/train', resources: { claims: [{ name: 'gpu' }] } };
    await rig().create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'late', namespace: 'default' },
      spec: {
        schedulerName: 'nobody',
        containers: [container],
        resourceClaims: [{ name: 'gpu', resourceClaimName: 'late' }],
      },
    });
    await rig().create({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'late', namespace: 'default' },
      spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'mig.nvidia.com' } }] } },
    });
    return rig().kubectl('get', 'pod', 'late', '-o', 'jsonpath={.metadata.uid}');
  }
});
