import { mayBeOneGpu, toFault, type GpuAnswers } from './one-by-one.ts';
import type { DeviceError } from '../errors.ts';
import type { GpuFault } from './state.ts';

/** What went wrong with single GPUs while the node was read. */
export class Trouble {
  /** Whether what contradicts itself is pinned on a GPU; else all is read once more. */
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

  /** Takes note of GPUs that a command by bus id could not tell of. @returns what the others said */
  note<Result>({ parts, faults, whole }: GpuAnswers<Result>): readonly Result[] {
    this.#whole ??= whole;
    for (const [gpu, fault] of faults) if (!this.#faults.has(String(gpu))) this.#faults.set(String(gpu), fault);
    return parts;
  }

  /** Pins an error on a GPU. @throws the error where that is not one GPU's, or all is read once more */
  pin(pciBusId: string, error: unknown): void {
    if (!mayBeOneGpu(error, this.isLast)) throw error;
    this.note({ parts: [], faults: new Map([[pciBusId, toFault(error)]]), whole: error });
  }
}
