import { hasEnded, type PodView } from '../pods/pod-view.ts';

/** gpu-operator sets it to `true` where MIG is possible, and keeps any other value; mig-manager's DaemonSet selects nodes by it. */
export const migManagerLabel = 'nvidia.com/gpu.deploy.mig-manager';

/** mig-manager's pods on the node, except those that have ended. */
export function migManagerPods(pods: readonly PodView[]): readonly PodView[] {
  return pods.filter((pod) => pod.metadata.labels?.['app'] === 'nvidia-mig-manager' && !hasEnded(pod));
}

/** Whether changing the label removes the pod. */
export function obeysLabel({ spec }: PodView): boolean {
  return Object.hasOwn(spec?.nodeSelector ?? {}, migManagerLabel);
}

/** `SetLabel`: borrow {@link migManagerLabel} with `false`. `AwaitPod`: nothing to write, and nothing to grant yet. */
export type TakeOverStep = 'SetLabel' | 'AwaitPod';

/**
 * What is left to do until mig-manager is off a node whose policy replaces it; undefined: nothing. Somebody else's pause
 * (`paused-for-driver-upgrade`) is never borrowed, since restoring it later would pause forever: we wait until it ends.
 */
export function takeOverStep(
  {
    labels,
    pods = [],
  }: { readonly labels: Readonly<Record<string, string>>; readonly pods: readonly PodView[] | undefined },
  takeOver: readonly string[],
): TakeOverStep | undefined {
  if (!takeOver.includes('mig-manager')) return undefined;
  const value = labels[migManagerLabel];
  if (value === 'true') return 'SetLabel';
  if (value?.startsWith('paused-for-') === true) return 'AwaitPod';
  return migManagerPods(pods).length > 0 ? 'AwaitPod' : undefined;
}
