import type { PodView } from '../pods/gpu-pods.ts';
import { namePods } from '../pods/gpu-pods.ts';
import type { OwnedPodView } from '../pods/system-pods.ts';

/** The parts of a pod that tell whether it is another owner of GPUs, or uses one. */
export interface OwnerPodView extends PodView {
  readonly metadata: PodView['metadata'] &
    OwnedPodView['metadata'] & { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: NonNullable<PodView['spec']> & { readonly nodeSelector?: Readonly<Record<string, string>> };
}

export function namePodsOf(pods: readonly PodView[]): string {
  return namePods(pods, 3);
}
