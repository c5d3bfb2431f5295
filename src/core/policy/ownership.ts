import type { DeviceReport, Grant, GpuReport } from '../../api/types.ts';
import { placeOf } from '../gpu/search/instance.ts';

/** GPU instances that this operator neither made nor adopted, as `PROFILE@START` by GPU UUID. */
export type ForeignInstances = ReadonlyMap<string, ReadonlySet<string>>;

type LastGood = DeviceReport['lastGood'];

/**
 * Tells instances of ours from those that somebody else made. Ours are those that were there when a grant had ended well in this
 * boot (no instance survives a boot), and, of a grant that was cut off, as many of each profile as it was to make.
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
  for (const { uuid, instances } of gpus) {
    const known = lastGood?.bootID === bootID ? lastGood.gpus?.find((one) => one.uuid === uuid)?.placements : undefined;
    const granted = { ...unfinished?.gpus.find((one) => one.uuid === uuid)?.profiles };
    const others = instances.filter((instance) => {
      if (known?.includes(placeOf(instance))) return false;
      const left = granted[instance.profile] ?? 0;
      granted[instance.profile] = left - 1;
      return left <= 0;
    });
    if (others.length > 0) foreign.set(uuid, new Set(others.map(placeOf)));
  }
  return foreign;
}

/** What is on the device now and is ours, to be known as such after the next change, and to come back to after a reboot. */
export function lastGoodOf(
  gpus: readonly GpuReport[],
  bootID: string,
  foreign: ForeignInstances,
): NonNullable<DeviceReport['lastGood']> {
  return {
    bootID,
    gpus: gpus.map(({ uuid, mig, instances }) => ({
      uuid,
      ...(mig === undefined ? {} : { mig }),
      placements: instances.map(placeOf).filter((place) => foreign.get(uuid)?.has(place) !== true),
    })),
  };
}
