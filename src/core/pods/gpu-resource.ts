/**
 * Whether a resource is one of NVIDIA's device plugin for GPUs. Other plugins use the prefix too: the network operator's
 * NICs (`nvidia.com/hostdev`), KubeVirt's passthrough (`nvidia.com/GA102GL_A10`); their ids name no GPU of ours.
 */
export function isGpuResource(name: string): boolean {
  return /^nvidia\.com\/(gpu(\.shared)?|mig-[\w.-]+)$/.test(name);
}
