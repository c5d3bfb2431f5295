import type { NvidiaSmi } from '../command/nvidia-smi.ts';
import { describeOutput } from '../../core/smi/output.ts';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import { isBusId } from '../../core/smi/smi-command.ts';
import type { LoanNote } from './loan-note.ts';

/** Persistence mode of GPUs, switched off for a reset, which it would block. */
export class PersistenceMode {
  readonly #driver: Pick<NvidiaSmi, 'change' | 'readUse'>;
  readonly #note: LoanNote;

  constructor(driver: Pick<NvidiaSmi, 'change' | 'readUse'>, note: LoanNote) {
    this.#driver = driver;
    this.#note = note;
  }

  /** Records that it was on, and is about to be switched off. @throws DeviceError JournalUnavailable */
  async borrow(gpu: string): Promise<void> {
    await this.#note.add([gpu]);
  }

  /** Switches it on where it was, also before an earlier program. @returns a sentence about each GPU where it stays off */
  async giveBack(): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const gpu of this.#note.list().filter(isBusId)) {
      const problem = await this.#switchOn(gpu);
      if (problem === undefined) await this.#note.remove(gpu);
      else problems.push(`persistence mode of GPU ${gpu} was switched off for a reset and stays off: ${problem}`);
    }
    return problems;
  }

  /** The exit code proves nothing. @returns why it is not on */
  async #switchOn(gpu: string): Promise<string | undefined> {
    try {
      const execution = await this.#driver.change({ name: 'SetPersistence', gpu, on: true });
      const { isPersistent } = await this.#driver.readUse(gpu);
      if (isPersistent === true) return undefined;
      return describeOutput(execution);
    } catch (error) {
      if (error instanceof DeviceError) return error.found;
      throw error;
    }
  }
}
