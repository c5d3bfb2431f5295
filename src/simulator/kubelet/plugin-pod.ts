import type { PodObject } from './kube-objects.ts';

/** Labels by which the pods of the device plugin are known: gpu-operator's, the Helm chart's, the static manifest's. */
const pluginLabels = [
  ['app', 'nvidia-device-plugin-daemonset'],
  ['app.kubernetes.io/name', 'nvidia-device-plugin'],
  ['name', 'nvidia-device-plugin-ds'],
] as const;

export function isPluginPod(pod: PodObject): boolean {
  return pluginLabels.some(([key, value]) => pod.metadata.labels?.[key] === value);
}

/** Whether the pod's process is there: started, and not told to end. */
export function isUp(pod: PodObject): boolean {
  return pod.status?.phase === 'Running' && pod.metadata.deletionTimestamp === undefined;
}
