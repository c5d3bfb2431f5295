import { driverPodsOf, pluginPodsOf } from '../plugin-pods.ts';
import {
  systemPods,
  type PodView,
  hasEnded,
  isGpuDriver,
  podName,
  type PodCause,
  ownDevicesOf,
  type ResourceClaimView,
} from '../../kubernetes/pod.ts';
import { backendOf } from '../snapshot.ts';
import type { RuleInput } from '../commands.ts';
import { listLosers, usesGpu, unreadUntil } from '../../device/holders.ts';
import { namespacedName } from '../../text/syntax.ts';

/** Pods of a node that are the cluster's own software, whatever labels others carry. */
export function clusterPods({ settings }: Pick<RuleInput, 'settings'>, pods: readonly PodView[]): readonly PodView[] {
  return systemPods(pods, settings.systemNamespaces);
}

/** Pods of the device plugin among those of a node. */
export function pluginPods(situation: Pick<RuleInput, 'settings'>, pods: readonly PodView[]): readonly PodView[] {
  return pluginPodsOf(clusterPods(situation, pods), situation.settings.pluginSelector);
}

/** Pods that read the devices only at their start, and have to read them again after a change. */
export function refreshedPods(
  situation: Pick<RuleInput, 'settings' | 'node' | 'claim' | 'partition' | 'slices'>,
  pods: readonly PodView[],
): readonly PodView[] {
  switch (backendOf(situation)) {
    case 'DevicePlugin':
      return pluginPods(situation, pods);
    case 'DRA':
      return driverPodsOf(clusterPods(situation, pods));
  }
}

/**
 * Pods of a node that use GPUs, under any resource name. Only the node's device offers tell what a claim is for: until they have
 * been read, a pod with a claim does not count here, and nothing may be granted. A resource that the node does not have is not one
 * of its GPUs: the kubelet refuses such a pod, and anybody can create one with `spec.nodeName`.
 */
export function listUsers(
  { node, partition, fresh }: Pick<RuleInput, 'node' | 'partition' | 'fresh'>,
  pods: readonly PodView[],
): readonly PodView[] {
  const offered = partition.status?.device?.advertised?.resources;
  const users = listClaimUsers(node, fresh);
  const mayAny = fresh !== undefined && mayClaimGpus(fresh.resourceSlices);
  return pods.filter((pod) => {
    const mayClaim = users?.has(pod.metadata.uid ?? '') ?? mayAny;
    return usesGpu(pod, { offered, mayClaim, resources: node.status?.allocatable });
  });
}

/** The part of a ResourceSlice (`resource.k8s.io`) that tells whose devices it offers. */
interface SliceView {
  readonly spec: { readonly driver: string };
}

/** Whether a node may hand out GPUs by claim (DRA): some driver for GPUs offers devices there. Undefined slices were not listed. */
export function mayClaimGpus(slices: readonly SliceView[] | undefined): boolean {
  return slices === undefined || slices.some(({ spec }) => isGpuDriver(spec.driver));
}

/** Uids of the pods for which claims have a GPU of a node; undefined: claims have not been listed. */
export function listClaimUsers(node: RuleInput['node'], fresh: RuleInput['fresh']): ReadonlySet<string> | undefined {
  const claims = fresh?.claims && listGpuClaims(fresh.claims, node.metadata.name);
  return claims && new Set(claims.flatMap((claim) => claim.users.map(({ uid }) => uid)));
}

/** Who looks on by claims of a node, and uses none of its GPUs; nobody where claims have not been listed. */
interface Monitors {
  /** Names of the claims, in order. */
  readonly claims: readonly string[];
  readonly pods: readonly PodView[];
}

/** Several rules ask on the way to one grant, each with the same read of the same node. */
const askedBefore = new WeakMap<object, { readonly pods: readonly PodView[]; readonly monitors: Monitors }>();

export function findMonitors({ node, fresh }: Pick<RuleInput, 'node' | 'fresh'>, pods: readonly PodView[]): Monitors {
  if (fresh?.claims === undefined) return { claims: [], pods: [] };
  const before = askedBefore.get(fresh);
  if (before?.pods === pods) return before.monitors;
  const monitors = listMonitors(fresh.claims, node.metadata.name, pods);
  askedBefore.set(fresh, { pods, monitors });
  return monitors;
}

function listMonitors(claims: readonly ResourceClaimView[], node: string, pods: readonly PodView[]): Monitors {
  const uidsOf = (list: readonly GpuClaim[]): ReadonlySet<string> =>
    new Set(list.flatMap(({ users }) => users.map(({ uid }) => uid)));
  const monitors = listMonitorClaims(claims, node);
  const [watching, using] = [uidsOf(monitors), uidsOf(listGpuClaims(claims, node))];
  return {
    claims: [...new Set(monitors.map(({ name }) => name))].toSorted(),
    pods: pods.filter((pod) => {
      const { uid = '' } = pod.metadata;
      return watching.has(uid) && !using.has(uid) && !hasEnded(pod);
    }),
  };
}

/** The holders of what a plan destroys, or of what is destroyed already: such a pod cannot work. */
interface PlanHolders {
  /** Pods that have to go. */
  readonly affected: readonly PodView[];
  /** Pods that bear the name of one that has to go, and may have come since it was read. Before a node is closed they count as that one. */
  readonly namesakes: readonly PodView[];
  /** Pods that use GPUs of which the agent does not know yet which; it is about to learn. */
  readonly unknown: readonly PodView[];
}

/** A pod is told by its uid, where the controller has told it to go, else by its name in a reading that is later than the pod. */
export function findHolders(
  situation: Pick<RuleInput, 'node' | 'partition' | 'claim' | 'fresh'>,
  pods: readonly PodView[],
): PlanHolders {
  const { partition, claim, fresh } = situation;
  const { device } = partition.status ?? {};
  const { plan } = device ?? {};
  const users = new Set(listUsers(situation, pods));
  const { drain: announced } = partition.spec;
  const isDraining = announced !== undefined && announced.planHash === plan?.hash;
  const ordered = new Set(isDraining ? announced.pods.map(({ uid }) => uid) : []);
  const planned = new Set(plan?.affectedPods);
  const losers = new Set(listLosers(device));
  const [known, going] = [new Set(fresh?.holders), new Set(fresh?.going)];
  // During a drain the plan keeps naming pods that have gone: the reading shows whether another one of the name is in the way.
  const monitors = new Set(findMonitors(situation, pods).pods);
  const isNamed = (pod: PodView): boolean => {
    if (monitors.has(pod)) return false;
    const name = podName(pod);
    // Its resource may be gone from the node, as its device is; no pod that the kubelet has refused is reported.
    if (losers.has(name)) return usesGpu(pod, { offered: device?.advertised?.resources, mayClaim: false });
    return planned.has(name) && (!isDraining || going.has(name));
  };
  // If not all of them could be named, any pod may be affected.
  const isAll = claim.winner?.spec.drain?.scope === 'Node' || (plan?.morePods ?? 0) > 0;
  const judge = (pod: PodView): keyof PlanHolders | undefined => {
    // The policy may spare pods that it has told to go.
    const isOrdered = ordered.has(pod.metadata.uid ?? '') && (isAll || planned.has(podName(pod)));
    if (isOrdered || (isAll && users.has(pod))) return 'affected';
    if (isNamed(pod)) return unreadUntil(pod, device) === undefined ? 'affected' : 'namesakes';
    return users.has(pod) && !(known.has(podName(pod)) && unreadUntil(pod, device) === undefined)
      ? 'unknown'
      : undefined;
  };
  const judged = Map.groupBy(
    pods.filter((pod) => !hasEnded(pod)),
    judge,
  );
  const listOf = (kind: keyof PlanHolders): readonly PodView[] => judged.get(kind) ?? [];
  return { affected: listOf('affected'), namesakes: listOf('namesakes'), unknown: listOf('unknown') };
}

/** Lists the pods that have to go, by all that is known before the node is closed. */
export function presumeAffected(...asked: Parameters<typeof findHolders>): readonly PodView[] {
  const { affected, namesakes } = findHolders(...asked);
  return [...affected, ...namesakes];
}

/** GPUs of one node that a claim has. */
interface GpuClaim {
  /** `NAMESPACE/NAME` */
  readonly name: string;
  /** Names of the devices within the node's pool. */
  readonly devices: readonly string[];
  /** Pods for which it is reserved, whichever way they ask: by a template, by the claim's name or by an extended resource. */
  readonly users: readonly { readonly name: string; readonly uid: string }[];
}

/**
 * The claims that have GPUs of a node to use, without the devices that they only look at. The scheduler allocates before it binds: a claim
 * has its device before its pod is on the node.
 */
export function listGpuClaims(claims: readonly ResourceClaimView[], node: string): readonly GpuClaim[] {
  return listClaims(claims, node, (results) => results.filter(({ adminAccess }) => adminAccess !== true));
}

/** The claims that only look on: they have GPUs of a node by admin access, and none otherwise. */
function listMonitorClaims(claims: readonly ResourceClaimView[], node: string): readonly GpuClaim[] {
  return listClaims(claims, node, (results) => (results.every((one) => one.adminAccess === true) ? results : []));
}

/** @param pick which of the GPUs of the node that a claim has count */
function listClaims(
  claims: readonly ResourceClaimView[],
  node: string,
  pick: (own: ReturnType<typeof ownDevicesOf>) => ReturnType<typeof ownDevicesOf>,
): readonly GpuClaim[] {
  return claims.flatMap((claim) => {
    const { metadata, status } = claim;
    const own = pick(ownDevicesOf(claim).filter(({ pool }) => pool === node));
    if (own.length === 0) return [];
    const { namespace = 'default' } = metadata;
    const users = (status?.reservedFor ?? []).filter(({ resource }) => resource === 'pods');
    return [
      {
        name: namespacedName(metadata),
        devices: [...new Set(own.map(({ device }) => device))],
        users: users.map((user) => ({ name: `${namespace}/${user.name}`, uid: user.uid })),
      },
    ];
  });
}

/** Most characters of names in a message, which leave room for the rest; the API takes names of 317. */
const mostNameCharacters = 400;

/** `ns/a, ns/b and 3 more`: names are whole. */
export function namePods(pods: readonly Pick<PodView, 'metadata'>[], most = 5): string {
  const names = pods.map(podName).sort();
  let left = mostNameCharacters;
  const long = names.findIndex((name, at) => (left -= name.length) < 0 && at > 0);
  const named = names.slice(0, Math.min(most, long < 0 ? names.length : long));
  const rest = names.length - named.length;
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ');
}

/** Pods with what keeps them, those of one cause together: `team/a, team/b and 3 more: CAUSE`. */
export function listPodCauses(causes: readonly PodCause[]): readonly string[] {
  return [...Map.groupBy(causes, ({ why }) => why)].map(
    ([why, list]) => `${namePods(list.map(({ pod }) => pod))}: ${why}`,
  );
}
