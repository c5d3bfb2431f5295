import type { DeviceReport } from '../../api/types.ts';

/**
 * Names the time that instances live in at most: no instance survives a boot, nor that the driver's modules are loaded anew (a driver
 * upgrade by gpu-operator does so, and the boot id stays). `BOOT+LOAD`, or the boot alone where the load is not known.
 */
export function loadIdOf({ bootID = '', driverLoad }: Pick<DeviceReport, 'bootID' | 'driverLoad'>): string {
  return driverLoad === undefined ? bootID : `${bootID}+${driverLoad}`;
}

/** True if an instance of the one time may be there in the other: the same boot, and, as far as both tell it, the same load. */
export function isSameLoad(one: string | undefined, other: string | undefined): boolean {
  const [boot, load] = (one ?? '').split('+');
  const [otherBoot, otherLoad] = (other ?? '').split('+');
  return boot === otherBoot && (load === undefined || otherLoad === undefined || load === otherLoad);
}
