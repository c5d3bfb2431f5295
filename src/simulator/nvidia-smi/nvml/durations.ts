import type { GpuModel } from '../../../core/gpu/geometry/model.ts';
import type { NvmlCall } from './nvml-call.ts';

type Architecture = GpuModel['architecture'];

/**
 * Milliseconds that calls take on real GPUs; docs/internal/simulator.md has the sources. Not published, and as in the nearest figure: a
 * creation takes as long as a destruction, a reset as long as a change of the mode, an idle Hopper opens in the middle of 1 to 3 s. The
 * figures for GPU instances contain their compute instances.
 */
const instanceMs = 1_000;
const modeMs = 2_000;

/** A GPU that nobody keeps open is initialized by each command: 1 to 3 s, and 44 s for eight B200 with instances. */
const openMs: Readonly<Record<Architecture, number>> = { ampere: 1_000, hopper: 2_000, blackwell: 5_500 };

/** How long a call takes at pace 1. */
export function durationOf(call: NvmlCall): number {
  switch (call) {
    case 'DeviceCreateGpuInstance':
    case 'DeviceCreateGpuInstanceWithPlacement':
    case 'GpuInstanceDestroy':
      return instanceMs;
    case 'DeviceSetMigMode':
    case 'GpuReset':
      return modeMs;
    default:
      return 0;
  }
}

/** How long it takes to open a GPU that persistence mode does not keep open. */
export function openingOf(model: GpuModel | undefined): number {
  return openMs[model?.architecture ?? 'ampere'];
}
