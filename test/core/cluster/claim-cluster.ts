import type { DeviceReport, GpuReport, PlanReport } from '../../../src/api/types.ts';
import { exportClasses } from '../../../src/core/policy/device-classes.ts';
import { publishDevices } from '../../../src/core/device/holders.ts';
import type { ClusterFacts } from '../../../src/core/cluster/facts.ts';
import { aGpu, aPolicy } from '../../support/builders.ts';
import { aCluster, type StoryNode } from '../kubernetes/cluster-builder.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';

type Listed<Name extends 'classes' | 'claims' | 'templates' | 'slices'> = NonNullable<ClusterFacts[Name]>[number];
type DeviceClassView = Listed<'classes'>;
export type RequestedClaim = Listed<'claims'>;
export type ClaimTemplate = Listed<'templates'>;
type NodeSlice = Listed<'slices'>;

export const driver = 'gpu.nvidia.com';
export const attribute = (name: string): string => `device.attributes['${driver}'].${name}`;
export const policy = aPolicy({ layouts: [{ profiles: { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 } }] });

const mig: DeviceClassView = {
  metadata: { name: 'mig.nvidia.com' },
  spec: { selectors: [{ cel: { expression: `device.driver == '${driver}' && ${attribute('type')} == 'mig'` } }] },
};
const all = exportClasses([policy]);
const exported = (typeof all === 'string' ? [] : all).map(({ object }) => object as { readonly kind: string });
/** As `export dra` writes them, and the driver's own for slices. */
export const classes = [
  mig,
  ...(exported.filter(({ kind }) => kind === 'DeviceClass') as unknown as DeviceClassView[]),
];
export const templates = exported.filter(
  ({ kind }) => kind === 'ResourceClaimTemplate',
) as unknown as readonly ClaimTemplate[];

const memories: Readonly<Record<string, string>> = { '1g.5gb': '4864Mi', '2g.10gb': '9856Mi', '3g.20gb': '19968Mi' };
const profiles = Object.entries(memories).map(([name, memory], id) => ({
  name,
  id,
  memorySlices: 1,
  computeSlices: 1,
  starts: [0],
  maxInstances: 1,
  memoryMiB: parseInt(memory, 10),
}));
const models: NonNullable<DeviceReport['models']> = [
  { product: 'NVIDIA A100-SXM4-40GB', computeSlices: 7, memorySlices: 8, profiles },
];

/** 2×1g.5gb, 2g.10gb and 3g.20gb, each with a UUID. */
export function aSlicedGpu(): GpuReport {
  const gpu = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1', '2g.10gb@2', '3g.20gb@4'] });
  const instances = gpu.instances.map((one) => {
    const uuid = `MIG-${one.profile}-${one.start}`;
    return { ...one, uuid, computeInstances: [{ profile: one.profile, uuid }] };
  });
  return { ...gpu, instances };
}

const published = publishDevices({ gpus: [aSlicedGpu()], models }).devices;
/** The driver's names of the slices, in their order. */
export const deviceNames: readonly string[] = published.map(({ name = '' }) => name);

/** As the driver publishes them on a node, capacities included. */
function aSlice(nodeName: string): NodeSlice {
  const devices = published.map((one) => ({
    name: one.name ?? '',
    attributes: {
      type: { string: one.type },
      uuid: { string: one.uuid ?? '' },
      profile: { string: one.profile ?? '' },
      productName: { string: one.productName },
    },
    capacity: { memory: { value: memories[one.profile ?? ''] ?? '' } },
  }));
  return { spec: { driver, nodeName, devices } };
}

/** Nodes with {@link aSlicedGpu} each, under a DRA driver, and all that the API shows of claims. */
export function aClaimCluster(
  nodes: readonly (StoryNode & { readonly plan?: PlanReport })[] = [{}],
  pods: readonly PodView[] = [],
  more: Partial<ClusterFacts> = {},
): ClusterFacts {
  const wishes = nodes.map((node) => ({ gpus: [aSlicedGpu()], isDra: true, policy, ...node }));
  const cluster = aCluster(wishes, pods);
  const partitions = cluster.partitions.map(({ status, ...one }, at) => {
    const plan = nodes[at]?.plan;
    return { ...one, status: { ...status, device: { ...status?.device, models, ...(plan && { plan }) } } };
  });
  const slices = wishes.flatMap(({ name = 'n', isDra }) => (isDra ? [aSlice(name)] : []));
  return { ...cluster, partitions, classes, claims: [], templates: [], slices, ...more };
}

/** A claim that has these devices for a pod. @param more of each of its results */
export function aHeldClaim(
  devices: readonly string[],
  { name = 'held', pod = 'other', node = 'n', ...more }: HeldWishes = {},
): RequestedClaim {
  const results = devices.map((device) => ({ driver, pool: node, device, ...more }));
  const reservedFor = pod === '' ? [] : [{ resource: 'pods', name: pod, uid: `uid-${pod}` }];
  return {
    metadata: { name, namespace: 'team' },
    status: { allocation: { devices: { results } }, reservedFor },
  };
}

interface HeldWishes {
  readonly name?: string;
  /** Empty: reserved for none. */
  readonly pod?: string;
  readonly node?: string;
  readonly adminAccess?: boolean;
}
