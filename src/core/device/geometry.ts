// Room device: one node's GPUs as its agent reads, reports, claims and plans them.
// Ask here for a reported GPU as the planner sees it, and which load of the driver its instances are from.
import type { DeviceReport, GpuReport, ModelReport, InstanceReport } from '../../api/types.ts';
import { type Geometry, type Profile, findModel } from '../gpu/geometry.ts';
import { deriveEngineTotals, nameWhole } from '../gpu/profiles.ts';
import { contradictsModel } from '../gpu/table-check.ts';
import { memoize, omitUndefined } from '../text/json.ts';
import { computeInstancesOf } from '../gpu/device-state.ts';
import type { GpuView, ViewedInstance } from '../gpu/plan.ts';

/**
 * Geometry of a reported GPU: the driver's own table, else the built-in one (no table is reported while the driver does not answer);
 * undefined if the GPU does not support MIG. A table that contradicts the known data of the model is not used: it is a mistake of
 * the agent, or of whoever has its token, and would decide what fits and how long the planner searches.
 */
export function liveGeometry(device: DeviceReport, gpu: GpuReport): Geometry | undefined {
  if (gpu.migCapable === false) return undefined;
  const live = device.models?.find(({ product }) => product === gpu.product);
  return live ? readReport(live) : findModel(gpu.product);
}

// The planner prepares each geometry object once: the same report must yield the same object.
const readReport = memoize((report: ModelReport): Geometry => {
  const builtIn = findModel(report.product);
  const reported = fromReport(report, builtIn);
  return builtIn !== undefined && contradictsModel(reported, builtIn) ? builtIn : reported;
});

function fromReport(report: ModelReport, builtIn: Geometry | undefined): Geometry {
  const profiles = report.profiles.map((profile) => toProfile(profile, builtIn));
  return {
    computeSlices: report.computeSlices,
    memorySlices: report.memorySlices,
    // No nvidia-smi command reports the engines of the whole GPU, or which profiles exclude each other.
    engines: builtIn?.engines ?? deriveEngineTotals(profiles),
    ...(builtIn?.exclusive === undefined ? {} : { exclusive: builtIn.exclusive }),
    profiles,
  };
}

function toProfile({ engines, ...profile }: ModelReport['profiles'][number], builtIn: Geometry | undefined): Profile {
  const [copy = 0, decoder = 0, encoder = 0, jpeg = 0, ofa = 0] = engines ?? [];
  const formerNames = builtIn?.profiles.find(({ id }) => id !== undefined && id === profile.id)?.formerNames;
  return omitUndefined({ ...profile, engines: { copy, decoder, encoder, jpeg, ofa }, formerNames });
}

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

/** A reported GPU as the planner sees it. Pods can be evicted; a process that belongs to no known pod cannot. */
export function viewReport(device: DeviceReport, gpu: GpuReport): GpuView {
  const geometry = liveGeometry(device, gpu);
  const current = gpu.mig ?? 'Disabled';
  const isHeld = (gpu.pods ?? []).length > 0;
  return {
    product: gpu.product.replace(/^NVIDIA /, ''),
    geometry,
    mig: geometry === undefined ? undefined : { current, pending: gpu.migPending ?? current },
    // Under strategy none a pod may hold a whole GPU that is in MIG mode, and with it everything on it.
    instances: gpu.instances.map((instance) => viewInstance(instance, isHeld)),
    use: isHeld ? 'Evictable' : gpu.busy === true ? 'Processes' : 'None',
  };
}

function viewInstance(instance: InstanceReport, isGpuHeld: boolean): ViewedInstance {
  const { profile, start, busy = false, pods = [] } = instance;
  return {
    profile,
    start,
    busy: busy || isGpuHeld,
    isEvictable: isGpuHeld || pods.length > 0,
    computeInstances: computeInstancesOf(instance).map((one) => nameWhole(one.profile, profile)),
  };
}
