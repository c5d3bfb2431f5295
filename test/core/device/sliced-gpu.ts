import type { DeviceReport, GpuReport, InstanceReport } from '../../../src/api/types.ts';
import type { DeviceState } from '../../../src/core/gpu/device-state.ts';
import { type KubeletWord, type PodHolding, readKubelet, Readings } from '../../../src/core/device/kubelet.ts';
import { aGpu } from '../../support/builders.ts';

/** A GPU in MIG mode with these instances. */
export function aSlicedGpu(index: number, ...instances: readonly InstanceReport[]): GpuReport {
  return { ...aGpu({ index, mig: 'Enabled' }), instances };
}

/** A GPU instance with compute instances of these UUIDs. */
export function anInstance(gi: number, ...uuids: readonly string[]): InstanceReport {
  return {
    profile: '1g.5gb',
    gi,
    start: 0,
    computeInstances: uuids.map((uuid) => ({ profile: '1g.5gb', uuid })),
  };
}

/** Who holds what of a device, by what the kubelet answers. @param monitors claims that only look on */
export function holdersOf(
  device: Pick<DeviceReport, 'gpus'>,
  holdings: readonly PodHolding[],
  monitors: readonly string[] = [],
): KubeletWord['holders'] {
  return readKubelet(device, holdings, undefined, { monitors: [...monitors] }).holders;
}

/** A reading like any other: only which one it is matters. */
export const aReading = (): DeviceState => ({ driverVersion: '550', cudaVersion: undefined, gpus: [], lost: [] });

/** The GPUs as they are reported with their holders. */
export function withHolders(gpus: readonly GpuReport[], holders: KubeletWord['holders']): readonly GpuReport[] {
  return new Readings().complete(aReading(), { gpus: [...gpus] }, { holders }).gpus ?? [];
}
