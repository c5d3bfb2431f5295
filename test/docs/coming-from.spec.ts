import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import type { DeviceReport, GpuNodePartition } from '../../src/api/types.ts';
import { applyFolder } from '../../src/simulator/rig/install.ts';
import { uniqueName, useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';

const device: DeviceReport = {
  gpus: [
    {
      uuid: 'GPU-a',
      index: 0,
      pciBusId: '00000000:07:00.0',
      product: 'NVIDIA A100-SXM4-40GB',
      instances: [
        { profile: '2g.10gb', gi: 3, start: 0, uuid: 'MIG-a' },
        {
          profile: '1g.5gb',
          gi: 9,
          start: 2,
          pods: ['ns/p'],
          computeInstances: [{ profile: '1g.5gb', uuid: 'MIG-b' }],
        },
      ],
    },
    { uuid: 'GPU-b', index: 1, pciBusId: '00000000:0F:00.0', product: 'NVIDIA A100-SXM4-40GB', instances: [] },
  ],
};

describe('docs/coming-from.md @all', () => {
  const cluster = useSharedCluster();

  before(async () => {
    await applyFolder(cluster(), 'config/crd');
    await eventually(
      () => cluster().kubectl(['get', 'gpn']),
      ({ code }) => code === 0,
      { what: 'the kind is served' },
    );
  });

  it('has a command that prints profile, place, UUID and pods of each slice', async () => {
    const page = await readFile('docs/coming-from.md', 'utf8');
    const template = /kubectl get gpn NODE -o jsonpath='([^']+)'/.exec(page)?.[1] ?? '';
    const name = uniqueName('map');
    const partition: GpuNodePartition = {
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuNodePartition',
      metadata: { name },
      spec: { nodeUID: 'uid' },
    };
    await cluster().kubectl(['create', '-f', '-'], { input: stringify(partition) });
    const status = JSON.stringify({ status: { device } });
    await cluster().kubectl(['patch', 'gpn', name, '--subresource=status', '--type=merge', '-p', status]);
    const { stdout } = await cluster().kubectl(['get', 'gpn', name, '-o', `jsonpath=${template}`]);
    await cluster().kubectl(['delete', 'gpn', name]);
    expect(stdout.split('\n').map((line) => line.trimEnd())).to.deep.equal([
      'GPU 0 NVIDIA A100-SXM4-40GB GPU-a',
      '  2g.10gb at 0 MIG-a',
      '  1g.5gb at 2 MIG-b ns/p',
      'GPU 1 NVIDIA A100-SXM4-40GB GPU-b',
      '',
    ]);
  });
});
