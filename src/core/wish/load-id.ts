import type { DeviceReport } from '../../api/types.ts';

/**
 * Identifies the longest possible lifetime of instances: no instance survives a boot, or a reload of the driver's modules (a driver
 * upgrade by gpu-operator does that, and the boot id stays). `BOOT+LOAD`, or the boot alone if the load is unknown.
 */
export function loadIdOf({ bootID = '', driverLoad }: Pick<DeviceReport, 'bootID' | 'driverLoad'>): string {
  return driverLoad === undefined ? bootID : `${bootID}+${driverLoad}`;
}

/** True if an instance of one lifetime may still exist in the other: the same boot, and, if both report it, the same load. */
export function isSameLoad(one: string | undefined, other: string | undefined): boolean {
  const [boot, load] = (one ?? '').split('+');
  const [otherBoot, otherLoad] = (other ?? '').split('+');
  return boot === otherBoot && (load === undefined || otherLoad === undefined || load === otherLoad);
}

/** Whether what was granted and done before this load of the driver is yet to be made again. */
export function isToMakeAgain({ lastGood, step, ...seen }: DeviceReport, load: string): boolean {
  if (!lastGood || isSameLoad(lastGood.bootID, load)) return false;
  // An earlier process has failed since then: the node may be open by now.
  return step !== 'Failed' || !isSameLoad(loadIdOf(seen), load);
}
