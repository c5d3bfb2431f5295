import type { DeviceReport, GpuReport } from '../../api/types.ts';
import { computeInstancesOf } from '../gpu/state/compute-instances.ts';
import { findClaimedUuid, findHeldUuid, listUuids } from './device-id.ts';
import { isGpuDriver, isGpuResource } from './gpu-resource.ts';
import type { ClaimedDevice, HeldDevice, PodHolding } from './holding.ts';

/** Which pods hold which device. Pods are `NAMESPACE/NAME`, sorted, each once. */
export interface Holders {
  /** By UUID: the GPU's for a whole GPU, the MIG device's for a compute instance. Free devices are absent. */
  readonly ofDevice: ReadonlyMap<string, readonly string[]>;
  /** Pods that hold an unknown GPU or slice: any may be theirs. */
  readonly ofAny: readonly string[];
  /** Devices that the report does not have: destroyed under the pod, or on a GPU that could not be read. */
  readonly stale: readonly StaleHolding[];
  /** ResourceClaims by which pods have a device, by its UUID, as `NAMESPACE/NAME`. Absent if there are none. */
  readonly claimsOf?: ReadonlyMap<string, readonly string[]>;
  /** Who only looks on at a device, by its UUID, as `NAMESPACE/POD (claim NAMESPACE/NAME)`. Absent if there are none. */
  readonly monitorsOf?: ReadonlyMap<string, readonly string[]>;
}

/**
 * Pods that hold a slice that no GPU of the node has: it was recreated under another UUID, or is on a GPU that was never read. Their
 * instance is unknown, so none may be destroyed.
 */
export function listUnresolved({ stale }: Pick<Holders, 'stale'>): readonly string[] {
  return [...new Set(stale.flatMap(({ id, pod }) => (id.startsWith('MIG-') ? [pod] : [])))].toSorted();
}

/** What pods hold of GPU resources and no reading explains: `pod NAMESPACE/NAME holds ID of RESOURCE`. It may be any device. */
export function listUnidentified({ stale }: Pick<Holders, 'stale'>): readonly string[] {
  return stale.filter(isUnidentified).map(({ pod, id, resource }) => `pod ${pod} holds ${id} of ${resource}`);
}

/** A UUID of a GPU that the node does not have is no other GPU's; an id in another form may be that of any device. */
function isUnidentified({ id }: StaleHolding): boolean {
  return !/^(GPU|MIG)-/.test(id);
}

/** All that pods hold: UUIDs of devices, ids that no device has, and `NAMESPACE/NAME` of each pod whose devices are unknown. */
export function listHeldIds({ ofDevice, ofAny, stale }: Holders): ReadonlySet<string> {
  const ids = stale.map((one) => (isUnidentified(one) ? `${one.pod} (${one.id})` : one.id));
  return new Set([...ofDevice.keys(), ...ofAny, ...ids]);
}

/** The same, plus every device of the node if some pod's devices are unknown: any may be its own. */
export function listHeldDevices(holders: Holders, device: Pick<DeviceReport, 'gpus'>): ReadonlySet<string> {
  const any = holders.ofAny.length > 0 || holders.stale.some(isUnidentified) ? listUuids(device) : [];
  return new Set([...any, ...listHeldIds(holders)]);
}

export interface StaleHolding extends HeldDevice {
  /** `NAMESPACE/NAME` */
  readonly pod: string;
}

/**
 * Who holds what, as the kubelet reports it. It does not know of processes outside pods, and it keeps naming destroyed devices for
 * as long as the pod lives.
 *
 * @param monitors claims that only look on: the kubelet does not tell them from others
 */
export function holdersOf(
  device: Pick<DeviceReport, 'gpus'>,
  holdings: readonly PodHolding[],
  monitors: readonly string[] = [],
): Holders {
  const pods = new Map<string, Set<string>>();
  const claims = new Map<string, Set<string>>();
  const onlookers = new Map<string, Set<string>>();
  const ofAny = new Set<string>();
  const stale: StaleHolding[] = [];
  const hold = (uuid: string, pod: string): void => addTo(pods, uuid, pod);
  for (const { namespace, name, devices, claimed = [] } of holdings) {
    const pod = `${namespace}/${name}`;
    for (const held of devices) {
      const uuid = findHeldUuid(held, device);
      if (uuid !== undefined) hold(uuid, pod);
      else if (isGpuResource(held.resource)) stale.push({ pod, ...held });
    }
    for (const one of claimed) {
      const uuid = findClaimedUuid(one, device);
      if (monitors.includes(one.claim)) {
        if (uuid !== undefined) addTo(onlookers, uuid, `${pod} (claim ${one.claim})`);
        continue;
      }
      if (uuid !== undefined) addTo(claims, uuid, one.claim);
      if (uuid !== undefined) hold(uuid, pod);
      else if (isGpuClaim(one)) ofAny.add(pod);
    }
  }
  return {
    ofDevice: sortNames(pods),
    ...(claims.size > 0 && { claimsOf: sortNames(claims) }),
    ...(onlookers.size > 0 && { monitorsOf: sortNames(onlookers) }),
    ofAny: [...ofAny].toSorted(),
    stale,
  };
}

/** Pods that were given the whole GPU; without those on its instances. */
export function listGpuHolders({ ofDevice, ofAny }: Holders, { uuid }: Pick<GpuReport, 'uuid'>): readonly string[] {
  return unite(ofDevice.get(uuid) ?? [], ofAny);
}

/** Pods on any compute instance of a GPU instance. */
export function listInstanceHolders(
  { ofDevice, ofAny }: Holders,
  instance: Parameters<typeof computeInstancesOf>[0],
): readonly string[] {
  const pods = computeInstancesOf(instance).flatMap(({ uuid }) =>
    uuid === undefined ? [] : (ofDevice.get(uuid) ?? []),
  );
  return unite(pods, ofAny);
}

/** ResourceClaims by which pods have the whole GPU. */
export function listWholeClaims({ claimsOf }: Holders, { uuid }: Pick<GpuReport, 'uuid'>): readonly string[] {
  return claimsOf?.get(uuid) ?? [];
}

/** ResourceClaims by which pods have any compute instance of a GPU instance. */
export function listInstanceClaims(
  { claimsOf }: Holders,
  instance: Parameters<typeof computeInstancesOf>[0],
): readonly string[] {
  if (claimsOf === undefined) return [];
  return computeInstancesOf(instance).flatMap(({ uuid }) => (uuid === undefined ? [] : (claimsOf.get(uuid) ?? [])));
}

function addTo(sets: Map<string, Set<string>>, uuid: string, name: string): void {
  sets.set(uuid, (sets.get(uuid) ?? new Set()).add(name));
}

function sortNames(sets: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, readonly string[]> {
  return new Map([...sets].map(([uuid, names]) => [uuid, [...names].toSorted()]));
}

/** Older kubelets name no driver; the vendor of its CDI devices is `k8s.DRIVER`. */
function isGpuClaim({ driver, cdiDevices }: ClaimedDevice): boolean {
  return isGpuDriver(driver) || cdiDevices.some((id) => isGpuDriver(id.split('/')[0] ?? ''));
}

function unite(some: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set([...some, ...others])].toSorted();
}
