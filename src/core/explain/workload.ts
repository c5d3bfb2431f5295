import type { Taint } from '../metadata/node-change.ts';
import { type ContainerView, hasEnded, type PodView, type Toleration } from '../pods/pod-view.ts';
import { parseQuantity, roundUp } from '../text/quantity.ts';

type Amounts = Readonly<Record<string, string | number>>;

/**
 * What a pod requests of one resource of a node, in billionths, as the scheduler counts it: its containers and sidecars together, or
 * an init container with the sidecars that run before it, whichever is more.
 */
export function requestOf({ spec }: PodView, resource: string): bigint {
  const { containers = [], initContainers = [] } = spec ?? {};
  const amountOf = (one: ContainerView): bigint => parseQuantity(amountsOf(one)[resource] ?? 0) ?? 0n;
  let sidecars = 0n;
  let starting = 0n;
  for (const one of initContainers) {
    const together = sidecars + amountOf(one);
    if (one.restartPolicy === 'Always') sidecars = together;
    if (together > starting) starting = together;
  }
  const running = containers.reduce((sum, one) => sum + amountOf(one), sidecars);
  return running > starting ? running : starting;
}

/** The countable resources that a pod requests, and how many. */
export function requestsOf(pod: PodView, isMeant: (resource: string) => boolean): ReadonlyMap<string, number> {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const names = new Set([...containers, ...initContainers].flatMap((one) => Object.keys(amountsOf(one))));
  const asked = [...names].filter(isMeant).map((name) => [name, roundUp(requestOf(pod, name))] as const);
  return new Map(asked.filter(([, amount]) => amount > 0));
}

/** Limits of extended resources are requests too. */
function amountsOf({ resources }: ContainerView): Amounts {
  return { ...resources?.limits, ...resources?.requests };
}

/** Whether a pod tolerates a node's taint. */
export function tolerates(tolerations: readonly Toleration[], { key, value = '', effect }: Taint): boolean {
  return tolerations.some(
    (one) =>
      (one.effect === undefined || one.effect === '' || one.effect === effect) &&
      (one.key === undefined || one.key === '' ? one.operator === 'Exists' : one.key === key) &&
      (one.operator === 'Exists' || (one.value ?? '') === value),
  );
}

/** Whether a pod keeps what it holds on a node. */
export function holdsNode(pod: PodView): boolean {
  return pod.spec?.nodeName !== undefined && !hasEnded(pod);
}

/** Whether it has no node yet, and still wants one. */
export function isUnbound(pod: PodView): boolean {
  return pod.spec?.nodeName === undefined && pod.metadata.deletionTimestamp === undefined && !hasEnded(pod);
}
