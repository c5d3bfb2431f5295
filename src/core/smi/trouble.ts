import { DeviceError } from '../gpu/state/device-error.ts';
import type { GpuFault } from '../gpu/state/device-state.ts';

/** The answers for the GPUs that could be read. */
export interface GpuAnswers<Result> {
  /** One if the command was run once for all GPUs, otherwise one for each GPU that answered. */
  readonly parts: readonly Result[];
  /** Why the others could not be read, by PCI bus id or whatever else named them on the command line. */
  readonly faults: ReadonlyMap<string | number, GpuFault>;
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

/** Errors of single GPUs during a reading of the node. */
export class Trouble {
  /** Whether a contradiction is attributed to a GPU; otherwise everything is read once more. */
  readonly isLast: boolean;
  readonly #faults = new Map<string, GpuFault>();
  #whole: DeviceError | undefined;

  constructor(isLast: boolean) {
    this.isLast = isLast;
  }

  /** The first command that failed for all GPUs at once. */
  get whole(): DeviceError | undefined {
    return this.#whole;
  }

  find(pciBusId: string): GpuFault | undefined {
    return this.#faults.get(pciBusId);
  }

  /** Records GPUs that a command by bus id could not read. @returns the answers for the others */
  note<Result>({ parts, faults, whole }: GpuAnswers<Result>): readonly Result[] {
    this.#whole ??= whole;
    for (const [gpu, fault] of faults) if (!this.#faults.has(String(gpu))) this.#faults.set(String(gpu), fault);
    return parts;
  }

  /** Attributes an error to a GPU. @throws the error if it is not one GPU's, or if everything is read once more */
  pin(pciBusId: string, error: unknown): void {
    if (!mayBeOneGpu(error, this.isLast)) throw error;
    this.note({ parts: [], faults: new Map([[pciBusId, toFault(error)]]), whole: error });
  }
}
