import { existsSync, readFileSync } from 'node:fs';
import type { DeviceReport } from '../api/types.ts';
import type { OwnRecord } from '../core/node/own-record.ts';
import { writeDurably } from '../device/host/durable-file.ts';
import { isFields } from '../core/text/fields.ts';

type LastGood = NonNullable<DeviceReport['lastGood']>;

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

// What does not have this shape would make the API server refuse every report.
function isPage(value: unknown): value is Page {
  return (
    isFields(value) &&
    value['version'] === 1 &&
    typeof value['uid'] === 'string' &&
    isCount(value['epoch']) &&
    isOutcome(value['outcome']) &&
    isAbsentOr(isLastGood)(value['lastGood']) &&
    isAbsentOr(isSignalled)(value['signalled'])
  );
}

function isOutcome(value: unknown): value is OwnRecord['outcome'] {
  if (!isFields(value)) return false;
  const { step, error } = value;
  if (step === 'Idle') return error === undefined;
  return step === 'Failed' && (error === undefined || isError(error));
}

function isError(value: unknown): boolean {
  return (
    isFields(value) &&
    typeof value['code'] === 'string' &&
    typeof value['message'] === 'string' &&
    isAbsentOr(isText)(value['gpu'])
  );
}

function isLastGood(value: unknown): value is LastGood {
  return isFields(value) && isAbsentOr(isText)(value['bootID']) && isAbsentOr(isListOf(isGpu))(value['gpus']);
}

function isGpu(value: unknown): boolean {
  return (
    isFields(value) &&
    typeof value['uuid'] === 'string' &&
    isAbsentOr((mode): mode is string => mode === 'Enabled' || mode === 'Disabled')(value['mig']) &&
    isAbsentOr(isListOf(isText))(value['placements']) &&
    isAbsentOr((counts): counts is object => isFields(counts) && Object.values(counts).every(isCount))(
      value['unsettled'],
    )
  );
}

function isSignalled(value: unknown): boolean {
  return isFields(value) && isCount(value['epoch']) && isListOf(isText)(value['uids']);
}

function isAbsentOr(check: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || check(value);
}

function isListOf(check: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every(check);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
