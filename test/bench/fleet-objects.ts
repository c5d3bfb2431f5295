import { nodePartitions, policies } from '../../src/api/resources.ts';
import type { DeviceReport, GpuReport, ModelReport, Wish } from '../../src/api/types.ts';
import { findModel } from '../../src/core/gpu/geometry.ts';
import { planWish } from '../../src/core/device/plan.ts';
import { apiVersionOf } from '../../src/kube/watch.ts';

const product = 'NVIDIA A100-SXM4-40GB';
const gpusOfANode = 8;
const slice = '1g.5gb';
const slicesOfAGpu = 7;
export const fleetPool = { pool: 'fleet' } as const;
/** What the devices of {@link fleetDevice} are, as a policy asks for it. */
export const fleetLayout = { [slice]: slicesOfAGpu } as const;
export const fleetResources = {
  'nvidia.com/gpu': '0',
  [`nvidia.com/mig-${slice}`]: String(gpusOfANode * slicesOfAGpu),
};

/** Of a real GPU node, beside its own 90 labels (5,000 such nodes are 111 MB in one list). */
const images = Array.from({ length: 50 }, (_, at) => ({
  names: [
    `registry.example/team-${at}/service@sha256:${'0'.repeat(64)}`,
    `registry.example/team-${at}/service:v1.${at}`,
  ],
  sizeBytes: 100_000_000 + at,
}));
const labels = Object.fromEntries(
  Array.from({ length: 90 }, (_, at) => [`feature.node.kubernetes.io/cpu-${at}`, 'true']),
);

export function fleetNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `fleet-${at}`);
}

/** A Node of a real one's size. */
export function fleetNode(name: string) {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { ...labels, ...fleetPool, 'kubernetes.io/hostname': name, 'nvidia.com/gpu.present': 'true' },
    },
    spec: {},
    status: {
      images,
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'the kubelet is ready' }],
      nodeInfo: { bootID: bootIdOf(name) },
      capacity: { cpu: '64', ...fleetResources },
      allocatable: { cpu: '64', ...fleetResources },
    },
  };
}

/** What the agent of a node with 8 A100-40GB reports that are as {@link fleetLayout} says. */
export function fleetDevice(name: string): DeviceReport {
  const gpus = Array.from({ length: gpusOfANode }, (_, index) => fleetGpu(name, index));
  return {
    agentVersion: '0.1.0',
    bootID: bootIdOf(name),
    driverVersion: '550.54.15',
    cudaVersion: '12.4',
    machine: 'DGXA100-920-23687-2530-000',
    step: 'Idle',
    advertised: { resources: { [`nvidia.com/mig-${slice}`]: gpusOfANode * slicesOfAGpu }, stale: 0 },
    models: [modelReport()],
    gpus,
    lastGood: {
      bootID: bootIdOf(name),
      gpus: gpus.map(({ uuid, instances }) => ({
        uuid,
        mig: 'Enabled' as const,
        placements: instances.map(({ profile, start }) => `${profile}@${start}`),
      })),
    },
  };
}

/** The partition of a node that is as {@link fleetPolicy} says of {@link fleetLayout}: its wish is written. */
export function fleetPartition(name: string, nodeUID: string, policyUID?: string) {
  const policy = { name: 'fleet', ...(policyUID !== undefined && { uid: policyUID }), generation: 1 };
  return {
    apiVersion: apiVersionOf(nodePartitions),
    kind: nodePartitions.kind,
    metadata: { name, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid: nodeUID }] },
    spec: { nodeUID, policy, strategy: 'mixed' as const, wish: fleetWish(name) },
  };
}

/** {@link fleetDevice} with the plan of that wish. */
export function fleetReport(name: string): DeviceReport {
  const device = fleetDevice(name);
  return { ...device, plan: planWish(device, fleetWish(name)).report };
}

function fleetWish(name: string): Wish {
  return { gpus: (fleetDevice(name).gpus ?? []).map(({ uuid }) => ({ uuid, profiles: fleetLayout })) };
}

/** A policy that asks for these layouts on all nodes of the fleet. */
export function fleetPolicy(profiles: Readonly<Record<string, number>>) {
  return {
    apiVersion: apiVersionOf(policies),
    kind: policies.kind,
    metadata: { name: 'fleet' },
    spec: {
      nodeSelector: { matchLabels: fleetPool },
      strategy: 'mixed' as const,
      layouts: [{ profiles }],
    },
  };
}

function bootIdOf(name: string): string {
  return `0e7a5f1c-4c1e-4c39-9b1c-${idOf(name)}`;
}

function idOf(name: string): string {
  return name.replace(/\D/g, '').padStart(12, '0');
}

function fleetGpu(name: string, index: number): GpuReport {
  return {
    uuid: `GPU-6f8a1f9e-0000-4000-800${index}-${idOf(name)}`,
    index,
    pciBusId: `00000000:${index}7:00.0`,
    pciDeviceId: '0x20B010DE',
    pciClass: '0x030200',
    product,
    memoryMiB: 40_960,
    computeCapability: '8.0',
    migCapable: true,
    mig: 'Enabled',
    migPending: 'Enabled',
    instances: Array.from({ length: slicesOfAGpu }, (_, start) => ({
      profile: slice,
      gi: 7 + start,
      start,
      uuid: `MIG-51a3c2d0-${index}000-5000-800${start}-${idOf(name)}`,
    })),
  };
}

function modelReport(): ModelReport {
  const model = findModel(product);
  if (model === undefined) throw new Error(`the table has no ${product}`);
  return {
    product,
    computeSlices: model.computeSlices,
    memorySlices: model.memorySlices,
    profiles: model.profiles.map(({ engines, formerNames: _formerNames, ...profile }) => ({
      ...profile,
      engines: [engines.copy, engines.decoder, engines.encoder, engines.jpeg, engines.ofa],
    })),
  };
}
