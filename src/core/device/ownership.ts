// Room device: one node's GPUs as its agent reads, reports, claims and plans them.
// Ask here which instances this operator neither made nor adopted, as `PROFILE@START` by UUID, and which load of the driver they are from.
import type { DeviceReport, Grant, GpuReport } from '../../api/types.ts';
import { placeOf } from '../gpu/grid.ts';

/**
 * Identifies the longest possible lifetime of instances: no instance survives a boot, or a reload of the driver's modules (a driver
 * upgrade by gpu-operator does that, and the boot id stays). `BOOT+LOAD`, or the boot alone if the load is unknown.
 */
export function driverEpochOf({ bootID = '', driverLoad }: Pick<DeviceReport, 'bootID' | 'driverLoad'>): string {
  return driverLoad === undefined ? bootID : `${bootID}+${driverLoad}`;
}

/** True if an instance of one lifetime may still exist in the other: the same boot, and, if both report it, the same load. */
export function isSameLoad(one: string | undefined, other: string | undefined): boolean {
  const [boot, load] = (one ?? '').split('+');
  const [otherBoot, otherLoad] = (other ?? '').split('+');
  return boot === otherBoot && (load === undefined || otherLoad === undefined || load === otherLoad);
}

/** Whether the instances that a report remembers are of the boot and the load of the driver that it is of; false if it remembers none. */
export function hasLasted({ lastGood, ...seen }: DeviceReport): boolean {
  return lastGood !== undefined && isSameLoad(lastGood.bootID, driverEpochOf(seen));
}

/** Whether what was granted and done before this load of the driver is yet to be made again. */
export function isToMakeAgain({ lastGood, step, ...seen }: DeviceReport, load: string): boolean {
  if (!lastGood || isSameLoad(lastGood.bootID, load)) return false;
  // An earlier process has failed since then: the node may be open by now.
  return step !== 'Failed' || !isSameLoad(driverEpochOf(seen), load);
}

/** GPU instances that this operator neither created nor adopted, as `PROFILE@START` by GPU UUID. */
export type ForeignInstances = ReadonlyMap<string, ReadonlySet<string>>;

type LastGood = DeviceReport['lastGood'];
type Claim = NonNullable<NonNullable<LastGood>['gpus']>[number];
type Counts = Readonly<Record<string, number>>;

/** The record of earlier instances. */
interface Memory {
  readonly lastGood?: LastGood | undefined;
  /** A grant that was acted on and did not end well. */
  readonly unfinished?: Pick<Grant, 'gpus'> | undefined;
}

/** The most GPUs that the API accepts. */
const mostGpus = 64;
const mostPlacements = 16;

/**
 * Tells our instances from those that somebody else created. Ours are those that existed when a grant had ended well in this boot
 * (no instance survives a boot), and, of a grant that was interrupted, as many of each profile as it was to create.
 *
 * @param unfinished a grant that was acted on and has not been answered
 */
export function findForeign(
  gpus: readonly GpuReport[],
  bootID: string,
  lastGood: LastGood,
  unfinished: Pick<Grant, 'gpus'> | undefined,
): ForeignInstances {
  const foreign = new Map<string, ReadonlySet<string>>();
  const claims = claimsOf(bootID, lastGood);
  for (const { uuid, instances } of gpus) {
    const { placements, unsettled } = claims.get(uuid) ?? {};
    const left: Record<string, number> = { ...mergeCounts(unsettled, grantedOn(uuid, unfinished)) };
    const others = instances.filter((instance) => {
      if (placements?.includes(placeOf(instance))) return false;
      const count = left[instance.profile] ?? 0;
      left[instance.profile] = count - 1;
      return count <= 0;
    });
    if (others.length > 0) foreign.set(uuid, new Set(others.map(placeOf)));
  }
  return foreign;
}

/** Instances that are not ours by a report; where a grant is being acted on, only its agent knows. */
export function foreignOn(device: DeviceReport): ForeignInstances {
  return findForeign(device.gpus ?? [], driverEpochOf(device), device.lastGood, undefined);
}

/**
 * Our instances on the device now, to be recognised after the next change and restored after a reboot. On a GPU that does not
 * answer, what was ours stays ours, and so does what an unfinished grant may have created there.
 */
export function lastGoodOf(
  gpus: readonly GpuReport[],
  bootID: string,
  foreign: ForeignInstances,
  { lastGood, unfinished }: Memory = {},
): NonNullable<LastGood> {
  const claims = claimsOf(bootID, lastGood);
  const unheard = new Set([...claims.keys(), ...(unfinished?.gpus ?? []).map(({ uuid }) => uuid)]);
  const entries = gpus.map((gpu): Claim => {
    unheard.delete(gpu.uuid);
    const seen = { uuid: gpu.uuid, ...(gpu.mig && { mig: gpu.mig }), placements: listOwn(gpu, foreign) };
    return gpu.error === undefined ? seen : keepClaim(gpu.uuid, claims.get(gpu.uuid), unfinished, seen);
  });
  const kept = [...unheard].map((uuid) => keepClaim(uuid, claims.get(uuid), unfinished));
  return { bootID, gpus: [...entries, ...kept].slice(0, mostGpus) };
}

/**
 * The memory without claims by count, once a GPU answers that did not when a grant ended: from now on its instances are identified
 * by their placements. @returns undefined if there is nothing to settle
 */
export function settleClaims(gpus: readonly GpuReport[], bootID: string, lastGood: LastGood): LastGood {
  const foreign = findForeign(gpus, bootID, lastGood, undefined);
  const settled = new Map(
    [...claimsOf(bootID, lastGood)].flatMap(([uuid, { unsettled, mig }]) => {
      const gpu = gpus.find((one) => one.uuid === uuid && one.error === undefined);
      if (!gpu || unsettled === undefined) return [];
      const now = gpu.mig ?? mig;
      return [[uuid, { uuid, ...(now && { mig: now }), placements: listOwn(gpu, foreign) }] as const];
    }),
  );
  if (settled.size === 0) return undefined;
  return { bootID, gpus: (lastGood?.gpus ?? []).map((claim) => settled.get(claim.uuid) ?? claim) };
}

function claimsOf(bootID: string, lastGood: LastGood): ReadonlyMap<string, Claim> {
  const gpus = isSameLoad(lastGood?.bootID, bootID) ? (lastGood?.gpus ?? []) : [];
  return new Map(gpus.map((claim) => [claim.uuid, claim]));
}

function keepClaim(uuid: string, before: Claim | undefined, unfinished: Memory['unfinished'], seen?: Claim): Claim {
  const mig = before?.mig ?? seen?.mig;
  const unsettled = mergeCounts(before?.unsettled, grantedOn(uuid, unfinished));
  const placements = [...new Set([...(before?.placements ?? []), ...(seen?.placements ?? [])])];
  return {
    uuid,
    ...(mig && { mig }),
    placements: placements.slice(0, mostPlacements),
    // Server-side apply turns an empty map into null, which the schema refuses.
    ...(Object.keys(unsettled).length > 0 && { unsettled }),
  };
}

function listOwn({ uuid, instances }: GpuReport, foreign: ForeignInstances): string[] {
  return instances.map(placeOf).filter((place) => foreign.get(uuid)?.has(place) !== true);
}

function grantedOn(uuid: string, unfinished: Memory['unfinished']): Counts | undefined {
  return unfinished?.gpus.find((one) => one.uuid === uuid)?.profiles;
}

function mergeCounts(some: Counts = {}, others: Counts = {}): Counts {
  const profiles = new Set([...Object.keys(some), ...Object.keys(others)]);
  return Object.fromEntries(
    [...profiles].map((profile) => [profile, Math.max(some[profile] ?? 0, others[profile] ?? 0)]),
  );
}
