import { ciProfilesOf } from './ci-profile.ts';
import { findGiProfile } from './gi-profile.ts';
import type { SimulatedGpu } from './gpu.ts';
import { type GpuProcess, gpuStateOf, type NodeState } from '../state/node-state.ts';

/** A MIG device as programs see it: a compute instance with its GPU instance. */
export type MigDevice = ReturnType<typeof listMigDevices>[number];

/** Memory that the driver itself uses on every MIG device (recorded). */
const MIG_DEVICE_USED_MIB = 12;

/**
 * MIG devices of a GPU by GPU instance id, then compute instance id. A GPU instance without compute instances has none. The index is
 * compact: it shifts when an earlier instance is destroyed.
 */
export function listMigDevices(gpu: SimulatedGpu, state: NodeState) {
  const { migCurrent, gpuInstances } = gpuStateOf(state, gpu.index);
  const pairs = gpuInstances.flatMap((gi) => gi.computeInstances.map((ci) => ({ gi, ci })));
  return migCurrent ? pairs.map((pair, index) => ({ index, ...pair })) : [];
}

/** What `-q` and the table show for one device. Undefined for an instance whose profile the board does not have (another node's state file). */
export function describeMigDevice(gpu: SimulatedGpu, state: NodeState, device: MigDevice) {
  const { gi, ci } = device;
  const giProfile = findGiProfile(gpu.board, gi.profileId);
  const ciProfile = ciProfilesOf(gpu, gi).find(({ id }) => id === ci.profileId);
  const model = gpu.board.model;
  if (giProfile === undefined || ciProfile === undefined || model === undefined) return undefined;
  return {
    giProfile,
    ciProfile,
    usedMiB: MIG_DEVICE_USED_MIB + sumMemory(processesOn(state, gpu.index, device)),
    bar1MiB: Math.floor((gpu.board.bar1MiB * gi.size) / model.memorySlices) - 1,
  };
}

/** Memory in use on the whole GPU: without MIG 1 MiB for the driver, else the sum of its devices. */
export function usedMemoryOf(gpu: SimulatedGpu, state: NodeState): number {
  const processes = sumMemory(state.processes.filter((process) => process.gpu === gpu.index));
  const own = gpuStateOf(state, gpu.index).migCurrent ? listMigDevices(gpu, state).length * MIG_DEVICE_USED_MIB : 1;
  return own + processes;
}

function processesOn(state: NodeState, index: number, { gi, ci }: MigDevice): readonly GpuProcess[] {
  return state.processes.filter(
    ({ gpu, instance }) => gpu === index && instance?.gi === gi.id && instance.ci === ci.id,
  );
}

function sumMemory(processes: readonly GpuProcess[]): number {
  return processes.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
}
