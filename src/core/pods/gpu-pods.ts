import { foreignGpuResource, isGpuDriver, isGpuResource } from './gpu-resource.ts';
import { hasEnded, type PodView } from './pod-view.ts';
import { isZeroQuantity } from '../text/quantity.ts';

/** What is known about how a node hands out its GPUs. */
export interface GpuOffer {
  /** The agent's `advertised.resources`: names under which the kubelet hands out devices that are GPUs of the node. */
  readonly offered?: Readonly<Record<string, number>> | undefined;
  /** Resources of the node, including those that it no longer offers: their names stay as long as the node. Undefined: unknown. */
  readonly resources?: Readonly<Record<string, string>> | undefined;
  /** See {@link mayClaimGpus}. Undefined: not checked, so any claim may be for a GPU. */
  readonly mayClaim?: boolean | undefined;
}

/** The part of a ResourceSlice (`resource.k8s.io`) that tells whose devices it offers. */
interface SliceView {
  readonly spec: { readonly driver: string };
}

/** A resource that stands for a device class under its own name (KEP-5004). */
export const deviceClassPrefix = 'deviceclass.resource.kubernetes.io/';

/**
 * Whether a pod holds or will hold a GPU or a slice of its node: it has not ended, and any of its containers requests one, by a
 * resource or by a claim. A pod that is terminating still holds it. Only a claim's devices tell what it is for: on a node that may
 * offer GPUs by claim, every claim counts.
 */
export function usesGpu(pod: PodView, offer: GpuOffer = {}): boolean {
  const { mayClaim = true } = offer;
  return usesResource(pod, (name) => isGpuOfNode(name, offer)) || (mayClaim && hasClaim(pod));
}

/** Whether a resource is a GPU of the node: by its name, or because its kubelet offers GPUs under that name. */
export function isGpuOfNode(name: string, { offered = {}, resources }: Omit<GpuOffer, 'mayClaim'>): boolean {
  if (Object.hasOwn(offered, name)) return true;
  const isGpu = isGpuResource(name) || name === foreignGpuResource;
  return isGpu && (resources === undefined || Object.hasOwn(resources, name));
}

/** Whether a node may hand out GPUs by claim (DRA): some driver for GPUs offers devices there. Undefined slices were not listed. */
export function mayClaimGpus(slices: readonly SliceView[] | undefined): boolean {
  return slices === undefined || slices.some(({ spec }) => isGpuDriver(spec.driver));
}

/** Whether a pod that has not ended requests a resource, including in an init container. */
export function usesResource(pod: PodView, isMeant: (name: string) => boolean): boolean {
  if (hasEnded(pod)) return false;
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  return [...containers, ...initContainers, ...ephemeralContainers].some(({ resources }) =>
    [resources?.limits, resources?.requests].some((amounts) =>
      Object.entries(amounts ?? {}).some(([name, amount]) => isMeant(name) && !isZeroQuantity(amount)),
    ),
  );
}

function hasClaim(pod: PodView): boolean {
  if (hasEnded(pod)) return false;
  return (
    (pod.spec?.resourceClaims ?? []).length > 0 ||
    pod.status?.extendedResourceClaimStatus !== undefined ||
    usesResource(pod, (name) => name.startsWith(deviceClassPrefix))
  );
}

/** Whether a pod that has not ended holds a GPU under a name that is not NVIDIA's, including in an init container. */
export function usesForeignGpu(pod: PodView): boolean {
  return usesResource(pod, (name) => name === foreignGpuResource);
}
