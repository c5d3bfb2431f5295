/** A share of a GPU, by MPS and without limits (awslabs/aws-virtual-gpu-device-plugin). Its pods use GPUs like those of NVIDIA's plugin. */
export const foreignGpuResource = 'k8s.amazonaws.com/vgpu';

/**
 * Whether a resource is one of NVIDIA's device plugin for GPUs. Other plugins use the prefix too: the network operator's NICs
 * (`nvidia.com/hostdev`), KubeVirt's passthrough (`nvidia.com/GA102GL_A10`). If one of those does hand out a GPU of ours, its device
 * ids show it: see {@link usesGpu} and `holdersOf`.
 */
export function isGpuResource(name: string): boolean {
  return /^nvidia\.com\/(gpu(\.shared)?|mig-[\w.-]+)$/.test(name);
}

/** Whether a DRA driver hands out GPUs: NVIDIA's `gpu.nvidia.com`, and others with `gpu` in their name; not `compute-domain.nvidia.com`. */
export function isGpuDriver(name: string): boolean {
  return name.split(/[.-]/).includes('gpu');
}
