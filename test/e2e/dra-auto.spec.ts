import { expect } from 'chai';

import { driverNodeLabel } from '../../src/simulator/rig/workloads.ts';
import { eventually } from '../support/eventually.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const claims = 'claims';
const plugin = 'plugin';
const pool = 'mixed';

describe('one policy with backend Auto @all', function () {
  const rig = useRig([
    { name: claims, gpus: ['A100-SXM4-40GB'], labels: { pool }, strategy: 'mixed', plugin: 'dra' },
    { name: plugin, gpus: ['A100-SXM4-40GB'], labels: { pool }, strategy: 'mixed' },
  ]);

  const layout = (profiles: Readonly<Record<string, number>>): Promise<void> =>
    rig().apply('auto', {
      nodeSelector: { matchLabels: { pool } },
      strategy: 'mixed',
      backend: 'Auto',
      layouts: [{ profiles }],
      rollout: { maxUnavailable: 2 },
    });

  const backendOf = async (node: string) => (await rig().partition(node)).spec.backend;

  async function messageOf(node: string): Promise<string | undefined> {
    const { status } = await rig().partition(node);
    return status?.conditions?.find(({ type }) => type === 'Ready')?.message;
  }

  it('makes a node with the device plugin and a node with the DRA driver Ready, each by its own proof', async () => {
    await layout({ '3g.20gb': 2 });
    await rig().waitFor('auto', 'Ready', 'True', 'Ready');
    expect(await backendOf(claims)).to.equal('DRA');
    expect(await backendOf(plugin)).to.equal('DevicePlugin');
    expect(await messageOf(claims)).to.include('ResourceSlices match');
    expect(await messageOf(plugin)).to.include('resources match');
    expect((await rig().node(plugin)).status.allocatable).to.include({ 'nvidia.com/mig-3g.20gb': '2' });
    expect(Object.keys((await rig().node(claims)).status.allocatable ?? {}).join()).not.to.include('nvidia.com');
  });

  it('keeps the DRA node’s backend while its driver is away, and takes the next layout when it is back', async () => {
    await rig().kubectl('label', 'node', claims, `${driverNodeLabel}=paused`, '--overwrite');
    const slices = (): Promise<string> => rig().kubectl('get', 'resourceslices', '-o', 'name');
    const pods = (): Promise<string> => rig().kubectl('get', 'pods', '-n', 'kube-system', '-o', 'name');
    await eventually(pods, (names) => !names.includes('dra-driver'), { what: 'no pod of the driver' });
    await rig().kubectl('delete', 'resourceslices', '--all');
    expect(await slices()).to.equal('');
    await layout({ '2g.10gb': 3 });
    expect(await rig().untilReason(claims, 'NoDraDriver')).to.include('Nothing is touched until then');
    expect(await backendOf(claims)).to.equal('DRA');
    await rig().kubectl('label', 'node', claims, `${driverNodeLabel}=true`, '--overwrite');
    await rig().waitFor('auto', 'Ready', 'True', 'Ready');
  });

  it('leaves a node alone, by name, as soon as slices of the DRA driver join the device plugin, and no longer when they go', async () => {
    const operations = (await rig().rig.deviceOperations(plugin)).length;
    const attributes = { type: { string: 'gpu' }, uuid: { string: 'GPU-1' } };
    await rig().create({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      metadata: { name: 'joins' },
      spec: {
        driver: 'gpu.nvidia.com',
        nodeName: plugin,
        pool: { name: plugin, generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'gpu-0', attributes }],
      },
    });
    const message = await rig().untilReason(plugin, 'BackendMismatch');
    expect(message).to.include('the device plugin (advertises nvidia.com/mig-2g.10gb 3)');
    expect(message).to.include('the DRA driver (1 device in ResourceSlices of gpu.nvidia.com)');
    expect(await rig().rig.deviceOperations(plugin)).to.have.length(operations);
    expect(ownTaints(await rig().node(plugin))).to.deep.equal([]);
    await rig().kubectl('delete', 'resourceslice', 'joins');
    await rig().untilReason(plugin, 'Ready');
    expect(await backendOf(plugin)).to.equal('DevicePlugin');
  });
});
