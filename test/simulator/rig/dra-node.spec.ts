import { expect } from 'chai';

import { resourceSlices } from '../../../src/api/resources.ts';
import { collectionPath } from '../../../src/kube/watch.ts';
import type { SliceSpec } from '../../../src/simulator/dra-driver/devices.ts';
import { eventually } from '../../support/eventually.ts';
import { useRig } from '../../support/rig.ts';

describe('a node of a rig with the DRA driver', function () {
  const rig = useRig([
    { name: 'claims', gpus: ['A100-SXM4-40GB', 'T4'], labels: {}, strategy: 'mixed', plugin: 'dra' },
    { name: 'plugin', gpus: ['A100-SXM4-40GB'], labels: {}, strategy: 'mixed' },
  ]);

  it('offers its GPUs in a slice, as no other node does, and no resource of a device plugin', async () => {
    const path = collectionPath(resourceSlices);
    const read = async (): Promise<readonly SliceSpec[]> => {
      const list = (await rig().controlPlane.client.demand({ path })) as { items: readonly { spec: SliceSpec }[] };
      return list.items.map(({ spec }) => spec);
    };
    const [slice, ...more] = await eventually(read, (slices) => slices.length > 0, { what: 'the slice' });
    expect(more).to.have.length(0);
    expect(slice?.nodeName).to.equal('claims');
    expect(slice?.devices?.map(({ name }) => name)).to.deep.equal(['gpu-0', 'gpu-1']);
    const { status } = await rig().node('claims');
    expect(Object.keys(status.allocatable ?? {})).not.to.include('nvidia.com/gpu');
  });

  it('comes with the DeviceClasses of the driver’s chart', async () => {
    const names = await rig().kubectl('get', 'deviceclasses', '-o', 'name');
    expect(names.trim().split('\n')).to.deep.equal([
      'deviceclass.resource.k8s.io/gpu.nvidia.com',
      'deviceclass.resource.k8s.io/mig.nvidia.com',
    ]);
  });
});
