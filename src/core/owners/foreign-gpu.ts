import { hasEnded } from './owner-pod.ts';
import type { OwnerPodView } from './owner-pod.ts';

/** A share of a GPU, by MPS and without limits (awslabs/aws-virtual-gpu-device-plugin). Its pods use GPUs like those of NVIDIA's plugin. */
export const foreignGpuResource = 'k8s.amazonaws.com/vgpu';

/** Whether a pod that has not ended holds a GPU under a name that is not NVIDIA's, in an init container too. */
export function usesForeignGpu(pod: OwnerPodView): boolean {
  if (hasEnded(pod)) return false;
  return [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].some(({ resources }) =>
    [resources?.limits, resources?.requests].some((amounts) => String(amounts?.[foreignGpuResource] ?? '0') !== '0'),
  );
}
