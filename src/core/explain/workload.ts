import { type ContainerView, hasEnded, type PodView } from '../pods/pod-view.ts';
import { parseQuantity, roundUp } from '../text/quantity.ts';

type Amounts = Readonly<Record<string, string | number>>;

/**
 * What a pod requests of one resource of a node, in billionths, as the scheduler counts it: its containers and sidecars together, or
 * an init container with the sidecars that run before it, whichever is more.
 */
export function requestOf({ spec }: PodView, resource: string): bigint {
  const { containers = [], initContainers = [], overhead = {}, resources } = spec ?? {};
  const ofOverhead = parseQuantity(overhead[resource] ?? 0) ?? 0n;
  // What a pod requests as a whole (KEP-2837) counts instead of what its containers do.
  const together = { ...resources?.limits, ...resources?.requests }[resource];
  if (together !== undefined) return ofOverhead + (parseQuantity(together) ?? 0n);
  const amountOf = (one: ContainerView): bigint => parseQuantity(amountsOf(one)[resource] ?? 0) ?? 0n;
  let sidecars = 0n;
  let starting = 0n;
  for (const one of initContainers) {
    const sum = sidecars + amountOf(one);
    if (one.restartPolicy === 'Always') sidecars = sum;
    if (sum > starting) starting = sum;
  }
  const running = containers.reduce((sum, one) => sum + amountOf(one), sidecars);
  return ofOverhead + (running > starting ? running : starting);
}

/** The countable resources that a pod requests, and how many. */
export function requestsOf(pod: PodView, isMeant: (resource: string) => boolean): ReadonlyMap<string, number> {
  const asked = listRequested(pod)
    .filter(isMeant)
    .map((name) => [name, roundUp(requestOf(pod, name))] as const);
  return new Map(asked.filter(([, amount]) => amount > 0));
}

/** The resources of which a pod requests anything, sorted. */
export function listRequested({ spec }: PodView): readonly string[] {
  const { containers = [], initContainers = [], overhead = {}, ...pod } = spec ?? {};
  const all = [...containers, ...initContainers, pod].flatMap((one) => Object.keys(amountsOf(one)));
  return [...new Set([...all, ...Object.keys(overhead)])].toSorted();
}

/** Limits of extended resources are requests too. */
function amountsOf({ resources }: { readonly resources?: ContainerView['resources'] | undefined }): Amounts {
  return { ...resources?.limits, ...resources?.requests };
}

/** Whether a pod keeps what it holds on a node. */
export function holdsNode(pod: PodView): boolean {
  return pod.spec?.nodeName !== undefined && !hasEnded(pod);
}

/** Whether it has no node yet, and still wants one. */
export function isUnbound(pod: PodView): boolean {
  return pod.spec?.nodeName === undefined && pod.metadata.deletionTimestamp === undefined && !hasEnded(pod);
}
