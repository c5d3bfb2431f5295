import { type PodView, usesResource } from '../pods/gpu-pods.ts';

/** A share of a GPU, by MPS and without limits (awslabs/aws-virtual-gpu-device-plugin). Its pods use GPUs like those of NVIDIA's plugin. */
export const foreignGpuResource = 'k8s.amazonaws.com/vgpu';

/** Whether a pod that has not ended holds a GPU under a name that is not NVIDIA's, in an init container too. */
export function usesForeignGpu(pod: PodView): boolean {
  return usesResource(pod, (name) => name === foreignGpuResource);
}
