import { type PodView, usesResource } from '../pods/gpu-pods.ts';
import { foreignGpuResource } from '../pods/gpu-resource.ts';

export { foreignGpuResource };

/** Whether a pod that has not ended holds a GPU under a name that is not NVIDIA's, including in an init container. */
export function usesForeignGpu(pod: PodView): boolean {
  return usesResource(pod, (name) => name === foreignGpuResource);
}
