import { mayBeOneGpu, toFault, type GpuAnswers } from './gpu-answers.ts';
import type { DeviceError } from '../gpu/state/device-error.ts';
import type { GpuFault } from '../gpu/state/device-state.ts';

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
