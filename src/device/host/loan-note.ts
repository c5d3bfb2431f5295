import { rmSync } from 'node:fs';
import { readIfThere, writeDurably } from './durable-file.ts';

export interface LoanNoteOptions {
  /** Absent: remembered by this process alone. */
  readonly path?: string;
  readonly bootIdPath?: string | undefined;
}

/**
 * Names of what was taken from the host for a while and is still to be given back. They are on disk before anything is taken, so
 * that a program that is killed in between owes it to its successor. A reboot settles everything.
 */
export class LoanNote {
  readonly #path: string | undefined;
  readonly #bootId: string;
  readonly #names: Set<string>;

  constructor({ path, bootIdPath = '/proc/sys/kernel/random/boot_id' }: LoanNoteOptions = {}) {
    this.#path = path;
    this.#bootId = readIfThere(bootIdPath)?.trim() ?? '';
    this.#names = new Set(path === undefined ? [] : this.#read(path));
  }

  list(): readonly string[] {
    return [...this.#names];
  }

  /** @throws DeviceError JournalUnavailable; then nothing may be taken */
  async add(names: readonly string[]): Promise<void> {
    await this.#write([...new Set([...this.#names, ...names])]);
    for (const name of names) this.#names.add(name);
  }

  /** Never throws: what stays on disk is given back once more, which changes nothing. */
  async remove(name: string): Promise<void> {
    this.#names.delete(name);
    try {
      if (this.#names.size > 0) await this.#write([...this.#names]);
      else if (this.#path !== undefined) rmSync(this.#path, { force: true });
    } catch {
      // The folder became read-only; whoever takes something next reports it.
    }
  }

  async #write(names: readonly string[]): Promise<void> {
    if (this.#path === undefined) return;
    await writeDurably(this.#path, `${[this.#bootId, ...names].join('\n')}\n`);
  }

  #read(path: string): readonly string[] {
    const [bootId, ...names] = readIfThere(path)?.trim().split('\n') ?? [];
    return bootId === this.#bootId ? names : [];
  }
}
