import type { DeviceReport, GpuNodePartition, Grant } from '../api/types.ts';
import { statusBounds } from '../api/generated/gpu-node-partition.bounds.ts';
import { nodePartitions } from '../api/resources.ts';
import { fitWithin, mapTexts } from '../core/text/words.ts';
import { deepEqual, mergePatchOf, omitUndefined } from '../core/text/json.ts';
import { timeText } from '../core/text/syntax.ts';
import type { KubeClient } from '../kube/client.ts';
import { type ObjectRef, isOlder, type KubeObject } from '../kube/watch.ts';
import { describeError, type Logger } from '../process/log.ts';
import { existsSync, readFileSync } from 'node:fs';
import {
  writeDurably,
  hasFields,
  isAbsentOr,
  isCount,
  isListOf,
  isMapOf,
  isOneOf,
  isText,
} from '../device/host/journal.ts';
import type { ServerClock } from '../kube/request.ts';
import { KubeletError, mayBeRestarting, observedEpochOf } from '../core/device/grants.ts';
import { type Clock, systemClock, waitFor } from '../process/clock.ts';

/** What the agent asks of the API server: the verbs on its own object, and the time. */
export interface AgentClient extends Pick<KubeClient, 'get' | 'find' | 'merge'> {
  readonly config: { readonly serverClock: Pick<ServerClock, 'skewMs'> };
}

/** The node's own object: its newest state, and the report in it. */
export class OwnPartition {
  readonly #client: AgentClient;
  readonly #ref: ObjectRef;
  /** The newest known state. */
  #known: Partition | undefined;
  /** The last report: after a change the same is found many times a second. */
  #fitted: { readonly found: DeviceReport; readonly told: DeviceReport } | undefined;

  constructor(client: AgentClient, nodeName: string) {
    this.#client = client;
    this.#ref = { resource: nodePartitions, name: nodeName };
  }

  /**
   * The watch may lag behind our own writes, and the list that it begins with may be stale: a state that is not known to be the
   * newest is read from the server. A server without support for field selectors also sends other nodes' objects.
   *
   * @returns undefined if there is none, or it is not ours
   * @throws the API server's errors: without an answer nothing is done, and nothing is reported
   */
  async newest(watched: Partition | undefined): Promise<Partition | undefined> {
    if (watched?.metadata.name !== this.#ref.name) return undefined;
    const { uid, resourceVersion } = this.#known?.metadata ?? {};
    const isBehind = uid !== watched.metadata.uid || isOlder(watched.metadata.resourceVersion, resourceVersion);
    this.#known = isBehind ? await this.#client.find<Partition>(this.#ref) : watched;
    return this.#known;
  }

  /**
   * Writes `status.device` if it differs from what the API has: all of it, since its parts belong together, and another agent of this node
   * may have written since we looked.
   *
   * @param readMs see {@link ReadTime}
   */
  async report(found: DeviceReport, readMs: number | undefined): Promise<void> {
    const { status, spec } = this.#known ?? {};
    const readAfter = spec?.drain?.readAfter;
    const device = stampReading(this.#fit(found), status?.device, { readMs, readAfter });
    if (deepEqual(device, status?.device)) return;
    this.#known = await this.#write(mergePatchOf(status?.device ?? {}, device, 'All'));
    const stored = this.#known.status?.device ?? {};
    if (!deepEqual(device, stored)) this.#known = await this.#write(mergePatchOf(stored, device), this.#known);
  }

  /** A report as the API takes it: users choose the names of their processes, and the output of nvidia-smi reaches people's terminals. */
  #fit(found: DeviceReport): DeviceReport {
    if (!deepEqual(found, this.#fitted?.found)) {
      this.#fitted = { found, told: fitWithin(printable(found), statusBounds.properties.device) };
    }
    return this.#fitted?.told ?? found;
  }

  /** @param of the state that a difference is from; without it, since the controller writes to the object at the same time, of any */
  #write(device: object, of?: Partition): Promise<Partition> {
    const metadata = { resourceVersion: of?.metadata.resourceVersion };
    return this.#client.merge<Partition>({ ...this.#ref, subresource: 'status' }, { metadata, status: { device } });
  }
}

/** Control and format characters, lone surrogates and line separators: line ends and tabs too. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * The value with a mark in place of each character in its texts that starts a line, controls a terminal, or is invisible. Every text
 * keeps its length: the API's bounds still hold for it.
 */
export function printable<T>(value: T): T {
  return mapTexts(value, (text) => text.replaceAll(UNPRINTABLE, '\ufffd'));
}

/** The time of the last successful reading. */
interface ReadTime {
  /** The time at which it began, in ms since the epoch by the API server's clock; undefined: there was none yet. */
  readonly readMs: number | undefined;
  /** `spec.drain.readAfter` */
  readonly readAfter: string | undefined;
}

/**
 * A report with the time of its reading. Readings that show nothing new are not reported, so that an idle node writes nothing: then
 * the time stays that of the first of them, unless the controller asks for a later one.
 */
function stampReading(
  device: DeviceReport,
  told: DeviceReport | undefined,
  { readMs, readAfter }: ReadTime,
): DeviceReport {
  const { readTime: before } = told ?? {};
  const same = { ...device, ...(before !== undefined && { readTime: before }) };
  if (readMs === undefined) return same;
  const isAwaited = isSince(readMs, readAfter) && !isSince(Date.parse(before ?? ''), readAfter);
  return deepEqual(same, told) && !isAwaited ? same : { ...device, readTime: timeText(readMs) };
}

function isSince(ms: number, time: string | undefined): boolean {
  return ms >= Date.parse(time ?? '');
}

/** The node's object as it comes from the API server. */
export type Partition = GpuNodePartition & KubeObject;

/** The agent's record of its own work. It keeps this itself: whoever has its token can write anything to the API. */
export interface OwnRecord {
  /** The uid of the partition in which the epoch counts. */
  readonly uid: string;
  /** The epoch of the last grant that was finished; 0 if there is none. */
  readonly epoch: number;
  /** The result of that grant, or of making its layout again after a reboot. */
  readonly outcome: Pick<DeviceReport, 'step' | 'error'>;
  readonly lastGood?: DeviceReport['lastGood'];
  readonly signalled?: DeviceReport['signalled'];
  /** The last reboot that was asked for, until a grant succeeds. */
  readonly rebootAsked?: RebootAsked;
}

/** A reboot that a wish needed, by its hash, and the boot in which it was asked for. */
interface RebootAsked {
  readonly wish: string;
  readonly bootID: string;
}

const idle = { step: 'Idle' } as const;

/**
 * The report as the API has it, with what its agent knows better. Without a record the API is believed, except for an epoch that was
 * never granted. In an object that was recreated, the record still tells which instances are ours.
 */
export function correctReport(
  found: DeviceReport | undefined,
  { uid, granted }: { readonly uid: string | undefined; readonly granted: Grant | undefined },
  record: OwnRecord | undefined,
): DeviceReport {
  const { observedEpoch: _observed, ...device } = found ?? {};
  const told = observedEpochOf(found, granted);
  if (record === undefined || record.uid !== uid) {
    const { lastGood = record?.lastGood } = device;
    return { ...device, ...epochField(told), ...omitUndefined({ lastGood }) };
  }
  const { step: _step, error: _error, lastGood: _lastGood, signalled: _signalled, ...reading } = device;
  const { epoch, outcome, lastGood, signalled } = record;
  return {
    ...reading,
    ...epochField(Math.max(epoch, told)),
    // The outcome of a grant of which this host has no record is unknown.
    ...(told > epoch ? idle : outcome),
    ...omitUndefined({ lastGood, signalled }),
  };
}

/** What to keep of a report that is about to be written. */
export function recordOf(uid: string, device: DeviceReport, before: OwnRecord | undefined): OwnRecord {
  const { observedEpoch: epoch = 0, step, error, lastGood, signalled } = device;
  const isSameWork = before?.uid === uid && before.epoch === epoch;
  // A device that cannot be read says nothing about the grant before.
  const outcome =
    step === 'Failed' ? omitUndefined({ step, error }) : step === 'Unknown' && isSameWork ? before.outcome : idle;
  const rebootAsked = step === 'Idle' ? undefined : before?.rebootAsked;
  return { uid, epoch, outcome, ...omitUndefined({ lastGood, signalled, rebootAsked }) };
}

function epochField(epoch: number): Pick<DeviceReport, 'observedEpoch'> {
  return epoch === 0 ? {} : { observedEpoch: epoch };
}

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
  get rebootAsked(): OwnRecord['rebootAsked'] {
    return this.#record?.rebootAsked;
  }

  /**
   * Remembers what is about to be reported: on disk before anybody hears of it.
   *
   * @param rebootAsked a reboot that was asked for just now
   */
  async keep(
    { metadata: { uid } }: Partition,
    device: DeviceReport,
    rebootAsked?: OwnRecord['rebootAsked'],
  ): Promise<void> {
    if (uid === undefined) return;
    const record = { ...recordOf(uid, device, this.#record), ...omitUndefined({ rebootAsked }) };
    if (deepEqual(record, this.#record) && !this.#isUnwritten) return;
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

interface Page extends OwnRecord {
  readonly version: 1;
}

/** The agent's record of its own work, on the host: it outlives the process, and the object in the API. */
export class RecordFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads the record; undefined if there is none. @throws Error if there is one that cannot be read, or is not a record */
  read(): OwnRecord | undefined {
    if (!existsSync(this.#path)) return undefined;
    const page: unknown = JSON.parse(readFileSync(this.#path, 'utf8'));
    if (!isPage(page)) throw new Error(`${this.#path} is not a record of an agent’s work`);
    const { version: _version, ...record } = page;
    return record;
  }

  /** Writes the record, which is on disk when this returns. @throws DeviceError JournalUnavailable */
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

const againMs = 500;

/** How long to wait for a kubelet that may be restarting. */
interface Patience {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether there is still time. */
  readonly mayWait: () => boolean;
}

/** Asks the kubelet until it answers, or there is no more time. @throws what the last question threw; any other error at once */
export async function askPatiently<T>(ask: () => Promise<T>, { clock, signal, mayWait }: Patience): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isPassing = error instanceof KubeletError && mayBeRestarting(error);
      if (!isPassing || !mayWait() || signal.aborted) throw error;
    }
    await waitFor(clock, againMs, signal);
  }
}

/** @returns false if the signal aborted first */
export async function wait(ms: number, signal: AbortSignal): Promise<boolean> {
  await waitFor(systemClock, ms, signal);
  return !signal.aborted;
}
