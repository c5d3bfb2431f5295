import { readFileSync, renameSync, rmSync } from 'node:fs';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import { readIfThere, writeDurably } from './durable-file.ts';
import type { MigMode } from '../../core/gpu/state/device-state.ts';
import { hasFields, isListOf, isOneOf, isText } from '../../core/text/shape.ts';
import { messageOf } from '../../core/text/message-of.ts';

/** The state of a GPU before an apply began. */
export interface JournalGpu {
  readonly uuid: string;
  readonly mig: MigMode;
  /** `PROFILE@START` of each GPU instance. */
  readonly placements: readonly string[];
}

export interface JournalEntry {
  readonly gpus: readonly JournalGpu[];
}

export interface JournalOptions {
  readonly path: string;
  /** Default: `/proc/sys/kernel/random/boot_id`. */
  readonly bootIdPath?: string;
}

interface Page extends JournalEntry {
  readonly version: 1;
  readonly bootId: string;
}

/**
 * A record on the host of an apply that has begun and not ended. It is only a hint, for people and for an undo: the device is the
 * truth, and nothing is destroyed because of a journal. A journal of an earlier boot, or an unreadable one, is set aside.
 */
export class Journal {
  readonly #path: string;
  readonly #bootIdPath: string;

  constructor({ path, bootIdPath = '/proc/sys/kernel/random/boot_id' }: JournalOptions) {
    this.#path = path;
    this.#bootIdPath = bootIdPath;
  }

  /** The apply that was interrupted in this boot; undefined if there is none. Never throws. */
  read(): JournalEntry | undefined {
    const text = readIfThere(this.#path);
    if (text === undefined) return undefined;
    const page = parsePage(text);
    if (page !== undefined && page.bootId === readIfThere(this.#bootIdPath)?.trim()) return { gpus: page.gpus };
    this.#putAside();
    return undefined;
  }

  /** Records that an apply begins; on disk when it returns. @throws DeviceError JournalUnavailable */
  async begin(entry: JournalEntry): Promise<void> {
    const page: Page = { version: 1, bootId: this.#readBootId(), ...entry };
    await writeDurably(this.#path, `${JSON.stringify(page)}\n`);
  }

  /** Records that it has ended. Never throws: a record that stays is only a superfluous hint. */
  finish(): void {
    try {
      rmSync(this.#path, { force: true });
    } catch {
      // The folder became read-only; the next begin reports it.
    }
  }

  #readBootId(): string {
    try {
      return readFileSync(this.#bootIdPath, 'utf8').trim();
    } catch (cause) {
      const found = messageOf(cause);
      throw new DeviceError('JournalUnavailable', { tried: `to read ${this.#bootIdPath}`, found, cause });
    }
  }

  #putAside(): void {
    try {
      renameSync(this.#path, `${this.#path}.bad`);
    } catch {
      // It stays in place and is set aside at the next reading.
    }
  }
}

function parsePage(text: string): Page | undefined {
  try {
    const page: unknown = JSON.parse(text);
    return isPage(page) ? page : undefined;
  } catch {
    return undefined;
  }
}

function isPage(value: unknown): value is Page {
  return hasShape(value);
}

const isJournalGpu = hasFields({
  uuid: isText,
  mig: isOneOf('Enabled', 'Disabled'),
  placements: isListOf(isText),
});
const hasShape = hasFields({ version: isOneOf(1), bootId: isText, gpus: isListOf(isJournalGpu) });
