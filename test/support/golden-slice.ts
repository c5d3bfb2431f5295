import { readFileSync } from 'node:fs';
import type { DeviceReport, GpuReport, InstanceReport, ModelReport } from '../../src/api/types.ts';
import type { ResourceSliceView } from '../../src/core/kubernetes/pod.ts';

const file = new URL('../fixtures/dra/resourceslice-static-mig.json', import.meta.url);

/** What the real driver published of a partitioned A100, H100 and A30, and of two whole GPUs. */
export function readGoldenSlices(): readonly ResourceSliceView[] {
  const list: { readonly items: readonly ResourceSliceView[] } = JSON.parse(readFileSync(file, 'utf8'));
  return list.items;
}

/** What an agent reports of these GPUs. */
export function aGoldenDevice(): DeviceReport {
  return { gpus: [...gpus], models: [...models] };
}

const gpus: readonly GpuReport[] = [
  {
    uuid: 'GPU-c64f3bd4-742c-54d4-a411-9a2a2bcd42a3',
    index: 0,
    pciBusId: '00000000:07:00.0',
    product: 'NVIDIA A100-SXM4-40GB',
    mig: 'Enabled',
    instances: [
      slice(1, '3g.20gb', 0, 'MIG-8d091acb-09fb-5abe-868f-9b7dd9e7dfe0'),
      slice(2, '2g.10gb', 4, 'MIG-8960824f-a597-533a-ae70-1598e2e74616'),
      slice(3, '1g.5gb+me', 6, 'MIG-334e0379-12f4-549a-bb20-d0a9099e62cd'),
    ],
  },
  {
    uuid: 'GPU-5d3dada3-0cf5-5640-85df-4b02c7a5e7af',
    index: 1,
    pciBusId: '00000000:0F:00.0',
    product: 'NVIDIA H100 80GB HBM3',
    mig: 'Enabled',
    instances: [
      slice(1, '3g.40gb', 4, 'MIG-b7da244e-b842-52e1-92c0-3a65a2f1752a'),
      slice(2, '1g.20gb', 0, 'MIG-92b9cf87-ef7e-5f5d-bb32-7c888e7f3c70'),
      slice(3, '2g.20gb', 2, 'MIG-c7c8fc98-1803-5fbe-9aec-5c33f8bcd515'),
    ],
  },
  {
    uuid: 'GPU-8b14c95e-d59d-5051-98f1-fff44355d22c',
    index: 2,
    pciBusId: '00000000:17:00.0',
    product: 'NVIDIA A30',
    mig: 'Enabled',
    instances: [
      slice(1, '2g.12gb', 2, 'MIG-999f8974-d04f-5af5-b58e-36da9fbf90d1'),
      slice(2, '1g.6gb', 0, 'MIG-8758092b-a325-5177-9f90-804b5a7b6a67'),
      slice(3, '1g.6gb', 1, 'MIG-5e1da88c-cb59-525f-ac3c-43f083e58932'),
    ],
  },
  {
    uuid: 'GPU-18084c5c-bcc3-59b2-a0c6-6ed2ad5e3f95',
    index: 3,
    pciBusId: '00000000:1F:00.0',
    product: 'NVIDIA A100-SXM4-80GB',
    mig: 'Disabled',
    instances: [],
  },
  {
    uuid: 'GPU-a65f6123-956a-53de-9224-c0560003bd83',
    index: 4,
    pciBusId: '00000000:27:00.0',
    product: 'Tesla T4',
    mig: 'Disabled',
    instances: [],
  },
];

const models: readonly ModelReport[] = [
  model('NVIDIA A100-SXM4-40GB', { '3g.20gb': 9, '2g.10gb': 14, '1g.5gb+me': 20 }),
  model('NVIDIA H100 80GB HBM3', { '3g.40gb': 9, '1g.20gb': 15, '2g.20gb': 14 }),
  model('NVIDIA A30', { '2g.12gb': 5, '1g.6gb': 14 }),
];

function slice(gi: number, profile: string, start: number, uuid: string): InstanceReport {
  return { gi, profile, start, uuid };
}

/** Of the driver's tables only the ids matter here. */
function model(product: string, ids: Readonly<Record<string, number>>): ModelReport {
  const profiles = Object.entries(ids).map(([name, id]) => ({
    name,
    id,
    memorySlices: 1,
    computeSlices: 1,
    starts: [0],
    maxInstances: 1,
  }));
  return { product, computeSlices: 7, memorySlices: 8, profiles };
}
