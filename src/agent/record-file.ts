import { existsSync, readFileSync } from 'node:fs';
import type { OwnRecord } from '../core/node/own-record.ts';
import { writeDurably } from '../device/host/durable-file.ts';
import { hasFields, isAbsentOr, isCount, isListOf, isMapOf, isOneOf, isText } from '../core/text/shape.ts';

interface Page extends OwnRecord {
  readonly version: 1;
}

/** The agent's record of its own work, on the host: it outlives the process, and the object in the API. */
export class RecordFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Undefined if there is none. @throws Error if there is one that cannot be read, or is not a record */
  read(): OwnRecord | undefined {
    if (!existsSync(this.#path)) return undefined;
    const page: unknown = JSON.parse(readFileSync(this.#path, 'utf8'));
    if (!isPage(page)) throw new Error(`${this.#path} is not a record of an agent’s work`);
    const { version: _version, ...record } = page;
    return record;
  }

  /** On disk when it returns. @throws DeviceError JournalUnavailable */
  write(record: OwnRecord): Promise<void> {
    const page: Page = { version: 1, ...record };
    return writeDurably(this.#path, `${JSON.stringify(page)}\n`);
  }
}

const isError = hasFields({ code: isText, message: isText, gpu: isAbsentOr(isText) });

const isClaim = hasFields({
  uuid: isText,
  mig: isAbsentOr(isOneOf('Enabled', 'Disabled')),
  placements: isAbsentOr(isListOf(isText)),
  unsettled: isAbsentOr(isMapOf(isCount)),
});

// What does not have this shape would make the API server refuse every report.
const hasShape = hasFields({
  version: isOneOf(1),
  uid: isText,
  epoch: isCount,
  outcome: (value) =>
    hasFields({ step: isOneOf('Idle'), error: isOneOf(undefined) })(value) ||
    hasFields({ step: isOneOf('Failed'), error: isAbsentOr(isError) })(value),
  lastGood: isAbsentOr(hasFields({ bootID: isAbsentOr(isText), gpus: isAbsentOr(isListOf(isClaim)) })),
  rebootAsked: isAbsentOr(hasFields({ wish: isText, bootID: isText })),
  signalled: isAbsentOr(hasFields({ epoch: isCount, uids: isListOf(isText) })),
});

function isPage(value: unknown): value is Page {
  return hasShape(value);
}
