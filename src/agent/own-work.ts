import type { DeviceReport } from '../api/types.ts';
import { correctReport, type OwnRecord, type RebootAsked, recordOf } from '../core/node/own-record.ts';
import { definedOnly } from '../core/text/defined-fields.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import { describeError, type Logger } from '../process/logger.ts';
import type { Partition } from './partition.ts';
import type { RecordFile } from './record-file.ts';

/** What this agent, or the one before it on this host, has done: in memory, and on disk where there is a file. */
export class OwnWork {
  readonly #file: Pick<RecordFile, 'write'> | undefined;
  readonly #logger: Logger;
  #record: OwnRecord | undefined;
  /** Whether the file lacks it: the disk may have been full. */
  #isUnwritten = false;

  constructor(file: Pick<RecordFile, 'read' | 'write'> | undefined, logger: Logger) {
    this.#file = file;
    this.#logger = logger;
    try {
      this.#record = file?.read();
    } catch (error) {
      const message = 'the record of this agent’s work cannot be read: what the API says of it is believed';
      logger.warn(message, { error: describeError(error) });
    }
  }

  /** The object with a report that tells of our own work what we know of it, whatever somebody has written there. */
  correct(partition: Partition): Partition {
    const { metadata, spec, status } = partition;
    const device = correctReport(status?.device, { uid: metadata.uid, granted: spec.granted }, this.#record);
    return { ...partition, status: { ...status, device } };
  }

  /** The last reboot that was asked for, and that may not have helped. */
  get rebootAsked(): RebootAsked | undefined {
    return this.#record?.rebootAsked;
  }

  /**
   * Remembers what is about to be reported: on disk before anybody hears of it.
   *
   * @param rebootAsked a reboot that was asked for just now
   */
  async keep({ metadata: { uid } }: Partition, device: DeviceReport, rebootAsked?: RebootAsked): Promise<void> {
    if (uid === undefined) return;
    const record = { ...recordOf(uid, device, this.#record), ...definedOnly({ rebootAsked }) };
    if (sameJson(record, this.#record) && !this.#isUnwritten) return;
    this.#record = record;
    this.#isUnwritten = true;
    try {
      await this.#file?.write(record);
      this.#isUnwritten = false;
    } catch (error) {
      this.#logger.warn('the record of this agent’s work cannot be written', { error: describeError(error) });
    }
  }
}
