import { expect } from 'chai';
import type { PolicySpec } from '../../src/api/types.ts';
import { idleAnnotation } from '../../src/simulator/kubelet/machine.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { operatorDaemonSet, pluginDaemonSet } from '../support/nvidia-daemons.ts';
import { useRig } from '../support/rig.ts';

const gpus = ['A100-SXM4-40GB'];
const migManagerLabel = 'nvidia.com/gpu.deploy.mig-manager';

function aNode(name: string, labels: Readonly<Record<string, string>> = {}): RigNode {
  return { name, gpus, labels: { pool: name, ...labels }, strategy: 'mixed' };
}

const nodes: readonly RigNode[] = [
  aNode('mig-manager', { [migManagerLabel]: 'true', 'nvidia.com/mig.config': 'all-disabled' }),
  aNode('hami'),
  aNode('nos', { 'nos.nebuly.com/gpu-partitioning': 'mig' }),
  aNode('dra'),
  aNode('aws'),
  aNode('claims'),
  { ...aNode('files'), deviceIds: 'Files' },
  aNode('gke'),
  aNode('upgraded', { 'nvidia.com/gpu-driver-upgrade-state': 'drain-required' }),
];

const migManager = operatorDaemonSet('mig-manager', { name: 'nvidia-mig-manager', namespace: 'kube-system' });

/** What NVIDIA's DRA driver publishes of a GPU with dynamic MIG. */
const resourceSlice = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: 'dra-gpu.nvidia.com' },
  spec: {
    driver: 'gpu.nvidia.com',
    nodeName: 'dra',
    pool: { name: 'dra', generation: 1, resourceSliceCount: 1 },
    sharedCounters: [{ name: 'gpu-0-counters', counters: { memory: { value: '40Gi' } } }],
  },
};

describe('GPUs that somebody else owns @all', function () {
  const rig = useRig(nodes);

  async function ask(pool: string, more: Partial<PolicySpec> = {}): Promise<void> {
    await rig().apply(pool, {
      nodeSelector: { matchLabels: { pool } },
      layouts: [{ profiles: { '3g.20gb': 2 } }],
      ...more,
    });
  }

  /** No operation, no grant, no taint, no label of GPU Feature Discovery. */
  async function expectUntouched(node: string): Promise<void> {
    expect(await rig().rig.deviceOperations(node)).to.deep.equal([]);
    expect((await rig().partition(node)).spec.granted).to.equal(undefined);
    const { metadata, spec } = await rig().node(node);
    expect((spec.taints ?? []).filter(({ key }) => key.startsWith('gpupartition.dev/'))).to.deep.equal([]);
    expect(Object.keys(metadata.labels).filter((key) => key.startsWith('nvidia.com/mig-'))).to.deep.equal([]);
  }

  const pods = async () => (await rig().kubectl('get', 'pods', '-n', 'kube-system', '-o', 'name')).trim();

  async function isReady(node: string): Promise<void> {
    await rig().waitFor(node, 'Ready', 'True', 'Ready');
    expect((await rig().partition(node)).status?.layout).to.equal('1 GPU: 2×3g.20gb');
  }

  it('are left to HAMi until its annotation is gone', async () => {
    await rig().kubectl('annotate', 'node', 'hami', 'hami.io/node-nvidia-register=[{"id":"GPU-1"}]');
    await ask('hami');
    const message = await rig().untilReason('hami', 'ForeignManager');
    expect(message).to.match(
      /HAMi: annotation hami\.io\/node-nvidia-register.*To hand over the GPUs: .*kubectl annotate/,
    );
    await expectUntouched('hami');
    await rig().kubectl('annotate', 'node', 'hami', 'hami.io/node-nvidia-register-');
    await isReady('hami');
  });

  it('are left to nos until its label is gone', async () => {
    await ask('nos');
    expect(await rig().untilReason('nos', 'ForeignManager')).to.include('nos.nebuly.com/gpu-partitioning=mig');
    await expectUntouched('nos');
    await rig().kubectl('label', 'node', 'nos', 'nos.nebuly.com/gpu-partitioning-');
    await isReady('nos');
  });

  it('are left to the DRA driver where it makes slices itself', async () => {
    await rig().create(resourceSlice);
    await ask('dra');
    const message = await rig().untilReason('dra', 'ForeignManager');
    expect(message).to.match(/dynamic MIG: counters, .* ResourceSlice dra-gpu\.nvidia\.com/);
    await expectUntouched('dra');
  });

  it('are left to a pod that holds one by the name of its device file', async () => {
    await rig().create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'trains', namespace: 'default', annotations: { [idleAnnotation]: 'true' } },
      spec: {
        nodeName: 'files',
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'example.com/c:1', resources: { limits: { 'nvidia.com/gpu': 1 } } }],
      },
    });
    await rig().kubectl('wait', 'pod/trains', '--for=condition=Ready', '--timeout=30s');
    await ask('files', { drain: { scope: 'None' } });
    await eventually(
      () => rig().partition('files'),
      ({ status }) => status?.device?.plan?.affectedPods?.includes('default/trains') === true,
      { timeoutMs: 20_000, what: 'a plan that names the pod' },
    );
    expect(await rig().rig.deviceOperations('files')).to.deep.equal([]);
    await rig().kubectl('delete', 'pod', 'trains', '--force', '--grace-period=0');
    await isReady('files');
  });

  it('are left to GKE’s device plugin until its pod is gone', async () => {
    const labels = { 'k8s-app': 'nvidia-gpu-device-plugin' };
    await rig().create(
      pluginDaemonSet({
        name: 'nvidia-gpu-device-plugin',
        namespace: 'kube-system',
        labels,
        nodeSelector: { pool: 'gke' },
      }),
    );
    await ask('gke');
    expect(await rig().untilReason('gke', 'ForeignManager')).to.match(
      /GKE's device plugin: pod kube-system\/nvidia-gpu-device-plugin-\w+.*gke-no-default-nvidia-gpu-device-plugin=true/,
    );
    await expectUntouched('gke');
    await rig().kubectl('delete', 'daemonset', '-n', 'kube-system', 'nvidia-gpu-device-plugin');
    await isReady('gke');
  });

  it('are left to the AWS virtual GPU plugin while a pod uses what it offers', async () => {
    const amounts = { 'k8s.amazonaws.com/vgpu': '10' };
    const status = JSON.stringify({ status: { capacity: amounts, allocatable: amounts } });
    await rig().kubectl('annotate', 'node', 'aws', 'example.com/keep=me');
    await rig().kubectl('patch', 'node', 'aws', '--subresource=status', '--type=merge', '-p', status);
    await rig().create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'shares', namespace: 'default' },
      spec: {
        nodeName: 'aws',
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'example.com/c:1', resources: { limits: { 'k8s.amazonaws.com/vgpu': 1 } } }],
      },
    });
    await ask('aws');
    expect(await rig().untilReason('aws', 'ForeignManager')).to.match(
      /k8s\.amazonaws\.com\/vgpu 10, used by default\/shares/,
    );
    await expectUntouched('aws');
    await rig().kubectl('delete', 'pod', 'shares', '--force', '--grace-period=0');
    await isReady('aws');
    const { annotations } = (await rig().node('aws')).metadata;
    expect(annotations, 'beside our own').to.include({ 'example.com/keep': 'me' });
    expect(annotations).to.have.property('gpupartition.dev/managed-labels');
  });

  it('are waited for where a pod has one by a claim, whichever that is, and not where it has a network card', async () => {
    await rig().create({
      ...resourceSlice,
      metadata: { name: 'claims-gpu.example.com' },
      spec: {
        driver: 'gpu.example.com',
        nodeName: 'claims',
        pool: { name: 'claims', generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'gpu-0' }],
      },
    });
    const card = 'nvidia.com/hostdev';
    const status = JSON.stringify({ status: { capacity: { [card]: '4' }, allocatable: { [card]: '4' } } });
    await rig().kubectl('patch', 'node', 'claims', '--subresource=status', '--type=merge', '-p', status);
    const aPod = (name: string, container: object, spec: object = {}): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: {
        nodeName: 'claims',
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'example.com/c:1', resources: container }],
        ...spec,
      },
    });
    await rig().create(aPod('by-card', { limits: { [card]: 1 } }));
    const resourceClaims = [{ name: 'gpu', resourceClaimName: 'none' }];
    await rig().create(aPod('by-claim', { claims: [{ name: 'gpu' }] }, { resourceClaims }));
    await ask('claims');
    const message = await rig().untilReason('claims', 'Draining');
    expect(message).to.include('default/by-claim').and.not.include('by-card');
    expect(await rig().rig.deviceOperations('claims')).to.deep.equal([]);
    expect((await rig().partition('claims')).spec.granted).to.equal(undefined);
    await rig().kubectl('delete', 'pod', 'by-claim', '--force', '--grace-period=0');
    await isReady('claims');
    expect(await rig().kubectl('get', 'pod', 'by-card', '-o', 'name')).to.equal('pod/by-card\n');
  });

  it('are not touched while the driver is being replaced', async () => {
    await ask('upgraded');
    expect(await rig().untilReason('upgraded', 'DriverUpgrade')).to.include('drain-required');
    await expectUntouched('upgraded');
    await rig().kubectl('label', 'node', 'upgraded', 'nvidia.com/gpu-driver-upgrade-state=upgrade-done', '--overwrite');
    await isReady('upgraded');
  });

  it('are left to mig-manager, by name and with what to do', async () => {
    // By its label alone it is not there: gpu-operator writes that everywhere.
    await rig().create(migManager);
    await eventually(pods, (names) => names.includes('nvidia-mig-manager'), { timeoutMs: 20_000, what: 'its pod' });
    await ask('mig-manager');
    const message = await rig().untilReason('mig-manager', 'ForeignManager');
    expect(message).to.match(
      /mig-manager: label nvidia\.com\/gpu\.deploy\.mig-manager=true.*allow\.takeOver: \[mig-manager\]/,
    );
    await expectUntouched('mig-manager');
    const { metadata } = await rig().node('mig-manager');
    expect(metadata.labels[migManagerLabel]).to.equal('true');
  });

  it('are taken over from mig-manager where the policy allows it, when its pod has gone', async () => {
    expect(await pods()).to.include('nvidia-mig-manager');
    await ask('mig-manager', { allow: { takeOver: ['mig-manager'] } });
    await isReady('mig-manager');
    expect(await pods()).to.equal('');
    const { metadata } = await rig().node('mig-manager');
    expect(metadata.labels).to.include({ [migManagerLabel]: 'false', 'nvidia.com/mig.config.state': 'success' });
    expect(metadata.labels['nvidia.com/mig.config'], 'the user’s').to.equal('all-disabled');
  });

  it('go back to mig-manager when the policy goes', async () => {
    await rig().kubectl('delete', 'gpp', 'mig-manager');
    const node = await eventually(
      () => rig().node('mig-manager'),
      ({ metadata }) => metadata.labels[migManagerLabel] === 'true',
      { timeoutMs: 20_000, what: 'the label of mig-manager' },
    );
    expect(node.metadata.annotations).to.not.have.property('gpupartition.dev/on-loan');
    expect((await rig().partition('mig-manager')).status?.layout, 'the layout stays').to.equal('1 GPU: 2×3g.20gb');
  });
});
