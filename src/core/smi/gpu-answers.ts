import { DeviceError } from '../gpu/state/device-error.ts';
import type { GpuFault } from '../gpu/state/device-state.ts';

/** Why some GPUs could not be read, by PCI bus id or whatever else named them on the command line. */
export type GpuFaults = ReadonlyMap<string | number, GpuFault>;

/** The answers for the GPUs that could be read. */
export interface GpuAnswers<Result> {
  /** One if the command was run once for all GPUs, otherwise one for each GPU that answered. */
  readonly parts: readonly Result[];
  readonly faults: GpuFaults;
  /** Why the command for all GPUs failed; undefined if it did not. */
  readonly whole: DeviceError | undefined;
}

/** True if a failure may be one GPU's: the driver as a whole works, and so does the tool. */
export function mayBeOneGpu(error: unknown, isLast: boolean): error is DeviceError {
  if (!(error instanceof DeviceError)) return false;
  const isPassing = error.code === 'Unstable' || error.code === 'GpuLost';
  const isReadable = !error.stopsNode || error.code === 'ParseError' || error.code === 'TimedOut';
  return isReadable && (isLast || !isPassing);
}

export function toFault({ code, tried, found }: DeviceError): GpuFault {
  return { code, message: `${tried}: ${found}` };
}
