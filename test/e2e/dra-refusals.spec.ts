import { expect } from 'chai';

import { driverNodeLabel } from '../../src/simulator/rig/workloads.ts';
import { eventually } from '../support/eventually.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const node = 'claims';
const daemonSet = 'nvidia-dra-driver-kubelet-plugin';

describe('a policy with backend DRA leaves a node alone @all', function () {
  const rig = useRig([
    { name: node, gpus: ['A100-SXM4-40GB'], labels: { pool: 'dra' }, strategy: 'mixed', plugin: 'dra' },
    { name: 'plugin', gpus: ['A100-SXM4-40GB'], labels: { pool: 'plugin' }, strategy: 'mixed' },
  ]);

  const layout = (pool: string, profiles: Readonly<Record<string, number>>): Promise<void> =>
    rig().apply(pool, {
      nodeSelector: { matchLabels: { pool } },
      strategy: 'mixed',
      backend: 'DRA',
      layouts: [{ profiles }],
    });

  async function expectUntouched(name: string, operations: number): Promise<void> {
    expect(await rig().rig.deviceOperations(name)).to.have.length(operations);
    expect(ownTaints(await rig().node(name))).to.deep.equal([]);
  }

  it('that has the device plugin', async () => {
    await layout('plugin', { '3g.20gb': 2 });
    expect(await rig().untilReason('plugin', 'BackendMismatch')).to.include(
      'a device plugin advertises nvidia.com/gpu 1',
    );
    await expectUntouched('plugin', 0);
  });

  it('without the driver, until it is there', async () => {
    await rig().kubectl('label', 'node', node, `${driverNodeLabel}=false`, '--overwrite');
    const pods = (): Promise<string> => rig().kubectl('get', 'pods', '-n', 'kube-system', '-o', 'name');
    await eventually(pods, (names) => !names.includes(daemonSet), { what: 'no pod of the driver' });
    await layout('dra', { '3g.20gb': 2 });
    expect(await rig().untilReason(node, 'NoDraDriver')).to.include('Nothing is touched until then');
    await expectUntouched(node, 0);
    await rig().kubectl('label', 'node', node, `${driverNodeLabel}=true`, '--overwrite');
    await rig().waitFor('dra', 'Ready', 'True', 'Ready');
  });

  it('while a claim has a device for a pod that is not there yet', async () => {
    const container = { name: 'main', image: 'example.com/train', resources: { claims: [{ name: 'gpu' }] } };
    await rig().create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'late', namespace: 'default' },
      spec: {
        // Nobody binds it: the moment between allocation and binding lasts.
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
    const uid = await rig().kubectl('get', 'pod', 'late', '-o', 'jsonpath={.metadata.uid}');
    const results = [{ request: 'gpu', driver: 'gpu.nvidia.com', pool: node, device: 'gpu-0-mig-3g20gb-9-0' }];
    const reservedFor = [{ resource: 'pods', name: 'late', uid }];
    const patch = JSON.stringify({ status: { allocation: { devices: { results } }, reservedFor } });
    await rig().kubectl('patch', 'resourceclaim', 'late', '--subresource=status', '--type=merge', '-p', patch);
    const operations = (await rig().rig.deviceOperations(node)).length;
    await layout('dra', { '1g.5gb': 7 });
    expect(await rig().untilReason(node, 'PodsUseGpus')).to.include(
      'claim default/late has gpu-0-mig-3g20gb-9-0 for pod default/late',
    );
    await expectUntouched(node, operations);
    await rig().kubectl('delete', 'pod/late', 'resourceclaim/late', '--force');
    await rig().waitFor('dra', 'Ready', 'True', 'Ready');
  });

  it('on which the driver creates slices itself', async () => {
    const operations = (await rig().rig.deviceOperations(node)).length;
    const env = [{ name: 'FEATURE_GATES', value: 'DynamicMIG=true' }];
    const patch = JSON.stringify({ spec: { template: { spec: { containers: [{ name: 'gpus', env }] } } } });
    await rig().kubectl('patch', 'daemonset', daemonSet, '-n', 'kube-system', '-p', patch);
    expect(await rig().untilReason(node, 'ForeignManager')).to.include('featureGates.DynamicMIG=false');
    await expectUntouched(node, operations);
  });
});

describe('Kubernetes 1.33, which has no claims @all', function () {
  const rig = useRig(
    [
      { name: 'empty', gpus: ['A100-SXM4-40GB'], labels: { pool: 'dra' }, strategy: 'mixed', plugin: 'pod' },
      { name: 'usual', gpus: ['A100-SXM4-40GB'], labels: { pool: 'usual' }, strategy: 'mixed' },
    ],
    { kubernetes: '1.33' },
  );
  const layouts = [{ profiles: { '3g.20gb': 2 } }];

  it('is named on the nodes of a policy with backend DRA, of which none is touched, and its slices are not watched in vain', async () => {
    await rig().apply('dra', { nodeSelector: { matchLabels: { pool: 'dra' } }, backend: 'DRA', layouts });
    expect(await rig().untilReason('empty', 'NoDraApi')).to.match(
      /API server does not serve resource\.k8s\.io\/v1, .* Kubernetes 1\.34 or later/,
    );
    expect(await rig().rig.deviceOperations('empty')).to.deep.equal([]);
    const about = (await rig().rig.controller.readLog()).split('\n').filter((line) => /resourceslices/i.test(line));
    expect(about).to.have.length(1);
    expect(about[0]).to.include('no ResourceSlices are watched');
  });

  it('has the device plugin found where a policy leaves the backend open', async () => {
    await rig().apply('usual', { nodeSelector: { matchLabels: { pool: 'usual' } }, backend: 'Auto', layouts });
    await rig().waitFor('usual', 'Ready', 'True', 'Ready');
    const { status } = await rig().node('usual');
    expect(status.allocatable).to.include({ 'nvidia.com/mig-3g.20gb': '2' });
  });
});
