import { open } from 'node:fs/promises';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { auditFileOf, parseAuditLine, type AuditedWrite } from '../../src/simulator/control-plane/components.ts';

/** Reads what was added to the audit log: over hours it grows to hundreds of megabytes. */
export class AuditTail {
  readonly #file: string;
  #offset = 0;
  #rest = '';

  constructor({ folder }: ControlPlane) {
    this.#file = auditFileOf(folder);
  }

  async read(): Promise<readonly AuditedWrite[]> {
    await using file = await open(this.#file);
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.max(0, size - this.#offset)),
      position: this.#offset,
    });
    this.#offset += bytesRead;
    const lines = (this.#rest + buffer.toString('utf8', 0, bytesRead)).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.map(parseAuditLine);
  }
}
