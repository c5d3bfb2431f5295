import { driverOf } from '../nvidia-smi/nvml/driver-version.ts';
import type { DriverBranch } from '../nvidia-smi/nvml/driver-version.ts';
import { listGiProfiles } from '../nvidia-smi/nvml/gi-profile.ts';
import type { GiProfile } from '../nvidia-smi/nvml/gi-profile.ts';
import type { SimulatedGpu } from '../nvidia-smi/nvml/gpu.ts';
import type { NodeState } from '../nvidia-smi/state/node-state.ts';
import { describeGpu, describeProfile } from './driver-device.ts';
import type { OfferedDevice } from './driver-device.ts';

/** The memory slices of a GPU, which its possible devices share. */
export interface CounterSet {
  readonly name: string;
  readonly counters: Readonly<Record<string, { readonly value: string }>>;
}

/**
 * What the driver offers with its gate DynamicMIG: each GPU and each slice that it could create, which consume counters. A slice that
 * does not exist has no UUID.
 */
export function offerPossibleDevices(gpus: readonly SimulatedGpu[], branch?: DriverBranch) {
  const versions = driverOf(gpus, branch);
  const devices = gpus.flatMap((gpu): readonly OfferedDevice[] => {
    const { offered } = describeGpu(gpu, versions);
    const { model } = gpu.board;
    if (model === undefined) return [offered];
    const slices = listGiProfiles(gpu.board).flatMap((profile) =>
      profile.starts.map((start) => ({
        ...describeProfile(gpu, profile, start, versions),
        ...consume(gpu, start, profile.size),
      })),
    );
    return [{ ...offered, ...consume(gpu, 0, model.memorySlices) }, ...slices];
  });
  const counters = gpus.flatMap((gpu): readonly CounterSet[] => {
    const { model } = gpu.board;
    return model === undefined ? [] : [{ name: setOf(gpu), counters: countersOf(0, model.memorySlices) }];
  });
  return { counters, devices };
}

/** Its start destroys what nobody uses: it takes it for leftovers of claims. */
export function withoutIdleInstances(state: NodeState): NodeState {
  const isBusy = (index: number, gi: number): boolean =>
    state.processes.some(({ gpu, instance }) => gpu === index && instance?.gi === gi);
  return {
    ...state,
    gpus: state.gpus.map((gpu, index) => ({
      ...gpu,
      gpuInstances: gpu.gpuInstances.filter(({ id }) => isBusy(index, id)),
    })),
  };
}

function consume(gpu: SimulatedGpu, start: number, size: GiProfile['size']): Pick<OfferedDevice, 'consumesCounters'> {
  return { consumesCounters: [{ counterSet: setOf(gpu), counters: countersOf(start, size) }] };
}

function countersOf(start: number, size: number): CounterSet['counters'] {
  return Object.fromEntries(Array.from({ length: size }, (_, i) => [`memory-slice-${start + i}`, { value: '1' }]));
}

function setOf({ index }: SimulatedGpu): string {
  return `gpu-${index}-counter-set`;
}
