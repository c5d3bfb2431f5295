import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { DeviceError } from '../../core/gpu/state/device-error.ts';
import type { GpuFault } from '../../core/gpu/state/device-state.ts';
import { findNotUnderstood, type NotUnderstood } from '../../core/selftest/not-understood.ts';
import type { SmiRun } from '../../core/smi/output.ts';

/** In the state folder. */
export const notUnderstoodFile = 'not-understood.json';

/** Of an output in a log, compressed: of the logs that a support bundle takes it leaves room for the rest. */
const mostLogged = 64 * 1024;

/** More than a reading of a large node makes. */
const mostRuns = 32;

type Faults = readonly Pick<GpuFault, 'code' | 'message'>[];

/**
 * Keeps the last output of nvidia-smi that was not understood: on the node, for `node selftest --bundle`, and in the log, for
 * `support-bundle`. The same output is kept once.
 */
export class UnknownOutput {
  readonly #path: string;
  readonly #nodeName: string;
  readonly #write: (path: string, text: string) => Promise<void>;
  readonly #tell: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Of the work that is being watched, the last ones. */
  #runs: SmiRun[] | undefined;
  #last: NotUnderstood | undefined;

  constructor(parts: {
    /** The state folder. */
    readonly folder: string;
    readonly nodeName: string;
    readonly write: (path: string, text: string) => Promise<void>;
    readonly tell: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  }) {
    this.#path = join(parts.folder, notUnderstoodFile);
    this.#nodeName = parts.nodeName;
    this.#write = parts.write;
    this.#tell = parts.tell;
  }

  /** Tells of what an earlier process of this node has kept: its log may be gone. */
  recall(): void {
    try {
      if (!existsSync(this.#path)) return;
      const kept = JSON.parse(readFileSync(this.#path, 'utf8')) as NotUnderstood;
      this.#last = kept;
      this.#tell('an earlier output of nvidia-smi was not understood', fieldsOf(kept));
    } catch {
      // A page that cannot be read is replaced by the next one.
    }
  }

  /** Takes a run of the work that is being watched. */
  note(run: SmiRun): void {
    this.#runs?.push(run);
    if ((this.#runs?.length ?? 0) > mostRuns) this.#runs?.shift();
  }

  /** Does work that runs nvidia-smi, and keeps what was not understood of it. @param faultsOf what else than a thrown error says so */
  async watch<Result>(work: () => Promise<Result>, faultsOf: (result: Result) => Faults): Promise<Result> {
    this.#runs = [];
    try {
      const result = await work();
      await this.#keep(faultsOf(result));
      return result;
    } catch (error) {
      if (error instanceof DeviceError) await this.#keep([error]);
      throw error;
    } finally {
      this.#runs = undefined;
    }
  }

  async #keep(faults: Faults): Promise<void> {
    const found = findNotUnderstood(this.#runs ?? [], faults, this.#nodeName);
    if (found === undefined || (found.output === this.#last?.output && found.command === this.#last.command)) return;
    this.#last = found;
    this.#tell('an output of nvidia-smi was not understood', fieldsOf(found));
    // Without it the reading is reported nevertheless.
    await this.#write(this.#path, `${JSON.stringify(found)}\n`).catch(() => undefined);
  }
}

/** `base64 -d | gunzip` shows the output. */
function fieldsOf({ output, ...rest }: NotUnderstood): Readonly<Record<string, unknown>> {
  const gzip = gzipSync(output).toString('base64');
  return { ...rest, outputGzip: gzip.length > mostLogged ? `more than ${mostLogged} characters` : gzip };
}
