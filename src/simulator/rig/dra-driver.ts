import type { ControlPlane } from '../control-plane/control-plane.ts';
import { driverName } from '../dra-driver/resource-slice.ts';
import { waitFor } from './install.ts';
import { applyObject } from './manifests.ts';

/** How NVIDIA's DRA driver is deployed. */
export interface DriverWish {
  readonly name: string;
  readonly namespace: string;
  /** Labels of its pods; by default the Helm chart's. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Default: only `nvidia.com/gpu`. */
  readonly tolerations?: readonly object[];
  readonly env?: Readonly<Record<string, string>>;
}

/** gpu-operator's label for the nodes that get the driver; any other value keeps it away. */
export const driverNodeLabel = 'nvidia.com/gpu.deploy.dra-driver';

const usualTolerations = [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }];

/** The DeviceClasses of the driver's chart. */
export const driverDeviceClasses: readonly object[] = [
  describeClass('gpu.nvidia.com', 'gpu'),
  describeClass('mig.nvidia.com', 'mig'),
];

/** The driver's DaemonSet, reduced to what the simulator reads. */
export function driverDaemonSet(wish: DriverWish) {
  const { name, namespace, labels, nodeSelector, tolerations, env = {} } = wish;
  // A DaemonSet recognizes its pods by their owner; the name keeps the selectors of several apart.
  const own = { 'dra-driver-nvidia-gpu-component': 'kubelet-plugin', ...labels, 'test/daemon-set': name };
  const container = {
    name: 'gpus',
    image: 'example.com/dra-driver-nvidia-gpu:v0.5.0',
    command: ['gpu-kubelet-plugin'],
    env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: own },
      template: {
        metadata: { labels: own },
        spec: {
          ...(nodeSelector !== undefined && { nodeSelector }),
          tolerations: tolerations ?? usualTolerations,
          containers: [container] as const,
        },
      },
    },
  };
}

/** The driver as gpu-operator deploys it, on the nodes with its label; it tolerates everything, so that it comes back to a closed node. */
export async function installDriver(controlPlane: ControlPlane): Promise<void> {
  const daemonSet = driverDaemonSet({
    name: 'nvidia-dra-driver-kubelet-plugin',
    namespace: 'kube-system',
    labels: { app: 'nvidia-dra-driver-kubelet-plugin' },
    nodeSelector: { [driverNodeLabel]: 'true' },
    tolerations: [{ operator: 'Exists' }],
  });
  for (const object of [...driverDeviceClasses, daemonSet]) await applyObject(controlPlane, object);
  const path = '/apis/resource.k8s.io/v1/deviceclasses/mig.nvidia.com';
  await waitFor(async () => (await controlPlane.client.send({ path })).status === 200);
}

function describeClass(name: string, type: string): object {
  const expression = `device.driver == '${driverName}' && device.attributes['${driverName}'].type == '${type}'`;
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name },
    spec: { selectors: [{ cel: { expression } }] },
  };
}
