import type { PodObject } from '../node/kube-objects.ts';

/** One of NVIDIA's programs that run on every GPU node and read the devices: it offers them to pods, or labels the node. */
export type DaemonRole = 'device-plugin' | 'gpu-feature-discovery' | 'dra-driver';

type Label = readonly [key: string, value: string];

/** Labels of the device plugin's pods: gpu-operator's, the Helm chart's, the static manifest's. */
const pluginLabels: readonly Label[] = [
  ['app', 'nvidia-device-plugin-daemonset'],
  ['app.kubernetes.io/name', 'nvidia-device-plugin'],
  ['name', 'nvidia-device-plugin-ds'],
];

/** gpu-operator's, the static manifest's. The Helm chart gives these pods the plugin's labels. */
const discoveryLabels: readonly Label[] = [
  ['app', 'gpu-feature-discovery'],
  ['app.kubernetes.io/name', 'gpu-feature-discovery'],
];

/** The Helm chart's, gpu-operator's. */
const driverLabels: readonly Label[] = [
  ['dra-driver-nvidia-gpu-component', 'kubelet-plugin'],
  ['app', 'nvidia-dra-driver-kubelet-plugin'],
];

const discoveryContainer = 'gpu-feature-discovery-ctr';
const mpsContainer = 'mps-control-daemon-ctr';

/** The role of a pod, by its containers first, since the three DaemonSets of the Helm chart share their labels. */
export function roleOf({ metadata, spec }: PodObject): DaemonRole | undefined {
  const has = (container: string): boolean => (spec?.containers ?? []).some(({ name }) => name === container);
  const carries = (labels: readonly Label[]): boolean =>
    labels.some(([key, value]) => metadata.labels?.[key] === value);
  if (has(discoveryContainer)) return 'gpu-feature-discovery';
  if (has(mpsContainer)) return undefined;
  if (carries(driverLabels)) return 'dra-driver';
  if (carries(pluginLabels)) return 'device-plugin';
  return carries(discoveryLabels) ? 'gpu-feature-discovery' : undefined;
}
