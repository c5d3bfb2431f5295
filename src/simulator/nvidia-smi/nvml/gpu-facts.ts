import type { SimulatedGpu } from './gpu.ts';
import { usedMemoryOf } from './mig-device.ts';
import type { NodeState } from '../state/node-state.ts';
import { attempt, NVML, NvmlFailure } from './nvml-code.ts';
import type { MigModePair, Nvml } from './nvml.ts';

export const TEMPERATURE_CELSIUS = 33;
export const POWER_DRAW_WATTS = 52.34;

/** What the reports print about one GPU at one moment. */
export type ReportFacts = ReturnType<typeof gatherGpuFacts>;

export function gatherGpuFacts(gpu: SimulatedGpu, nvml: Nvml, state: NodeState) {
  const { board } = gpu;
  const mode = readMigMode(nvml, gpu);
  const usedMiB = usedMemoryOf(gpu, state);
  const bus = gpu.busId.slice('00000000:'.length, '00000000:'.length + 2);
  return {
    gpu,
    board,
    driver: nvml.driver,
    state,
    /** `Enabled`, `Disabled`, or why the mode cannot be read: `N/A`, `GPU is lost`. */
    migCurrent: describeMode(mode, 'current'),
    migPending: describeMode(mode, 'pending'),
    /** Or why they cannot be listed. */
    processes: orReason(attempt(() => nvml.listProcesses(gpu))),
    health: nvml.listHealthSigns(gpu),
    isVgpuHost: nvml.isVgpuHost(gpu),
    persistence: nvml.isPersistent(gpu) ? 'Enabled' : 'Disabled',
    bus,
    boardId: `0x${Number.parseInt(bus, 16).toString(16)}00`,
    /** Up to 470 the driver's own memory is among it. */
    usedMiB: nvml.driver.branch < 525 ? usedMiB + board.reservedMiB : usedMiB,
    freeMiB: board.memoryMiB - board.reservedMiB - usedMiB,
    /** Why the memory cannot be read; undefined if it can. */
    memoryFailure: attempt(() => nvml.checkMemory(gpu))?.message,
    /** Not measured while MIG is on. */
    utilization: typeof mode === 'object' && mode.current ? 'N/A' : '0 %',
    powerLimit: `${board.powerLimitWatts.toFixed(2)} W`,
    graphicsClock: `${board.graphicsMHz} MHz`,
    memoryClock: `${board.memoryMHz} MHz`,
    pcieGeneration: String(board.pcieGeneration),
  };
}

/** What a call gives, or the error's text, which nvidia-smi prints in its place. */
function orReason<Result>(result: Result | NvmlFailure): Result | string {
  return result instanceof NvmlFailure ? result.message : result;
}

function readMigMode(nvml: Nvml, gpu: SimulatedGpu): MigModePair | string {
  const mode = attempt(() => nvml.getMigMode(gpu));
  return mode instanceof NvmlFailure && mode.code === NVML.notSupported ? 'N/A' : orReason(mode);
}

function describeMode(mode: MigModePair | string, field: 'current' | 'pending'): string {
  if (typeof mode === 'string') return mode;
  return mode[field] ? 'Enabled' : 'Disabled';
}
