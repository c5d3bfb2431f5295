// Room device: one node's GPUs as its agent reads, reports, claims and plans them.
// Ask here which grant is live, answered or taken back, for how long one is confirmed, why work failed, and how long to rest after it, in ms.
import type { DeviceReport, GpuNodePartition, Grant } from '../../api/types.ts';
import { DeviceError } from '../gpu/device-state.ts';
import { KubeletError } from './kubelet.ts';
import { cutText, messageOf } from '../text/words.ts';
import { doubledMs } from '../text/syntax.ts';

/** An object that lost grants (a restored backup, a client that dropped one) is not further behind its agent than this. */
const mostAhead = 1_000_000;

/**
 * The last grant that the agent has finished; 0 if there is none. For an agent that remembers none itself: a number above the
 * grant's own was written by mistake, in bad faith or for an object that lost grants, and is ignored.
 */
export function observedEpochOf(device: DeviceReport | undefined, granted: Grant | undefined): number {
  return upTo(granted?.epoch ?? 0, device);
}

/** The epoch of the next grant: above the one that stands, and above the one that the agent says it has finished. */
export function nextEpoch({ spec, status }: GpuNodePartition): number {
  const granted = spec.granted?.epoch ?? 0;
  return Math.max(granted, upTo(granted + mostAhead, status?.device)) + 1;
}

/** Whether there is a grant that the agent has not finished. It acts on none below the one that it has finished. */
export function isUnanswered({ spec, status }: GpuNodePartition): boolean {
  const { granted } = spec;
  return granted !== undefined && upTo(granted.epoch + mostAhead, status?.device) < granted.epoch;
}

function upTo(highest: number, { observedEpoch = 0 }: DeviceReport = {}): number {
  return observedEpoch >= 0 && observedEpoch <= highest ? observedEpoch : 0;
}

/**
 * A grant that was not answered in time is taken back by the next one, which names no plan. Any agent refuses a grant whose plan
 * is not the one that it makes itself, also one of an earlier version. What may become of the GPUs stays in it: what the agent has
 * made is recognised by that.
 */
export function revoke(partition: GpuNodePartition): Pick<Grant, 'epoch' | 'planHash'> {
  return { epoch: nextEpoch(partition), planHash: '' };
}

/** Whether this takes the grant before it back. */
export function isRevocation({ planHash }: Grant): boolean {
  return planHash === '';
}

/** Whether there is a grant that the agent may act on. */
export function isGrantLive(partition: GpuNodePartition): boolean {
  const { granted } = partition.spec;
  return granted !== undefined && !isRevocation(granted) && isUnanswered(partition);
}

const longestConfirmedMs = 30_000;
/** Grants of an earlier version do not say how long they are valid. */
const usualSeconds = 600;

/** Milliseconds after the API server's confirmation of a grant in which the agent may begin to destroy because of it. */
export function confirmedMs({ seconds = usualSeconds }: Grant): number {
  return Math.min(longestConfirmedMs, (seconds * 1000) / 3);
}

/** Why reading or applying failed, as reported. */
export interface Fault {
  /** A code of docs/errors.md. */
  readonly code: string;
  readonly message: string;
  /** UUID of the GPU. */
  readonly gpu?: string;
}

/** The grant may not be acted on, or no longer. */
export class GrantRefused extends Error {
  override readonly name = 'GrantRefused';
  readonly code: 'Expired' | 'Stale' | 'Stopped';

  constructor(code: 'Expired' | 'Stale' | 'Stopped', message: string) {
    super(message);
    this.code = code;
  }
}

/** @param undoError why the GPU, or another, is not as it was before the work that failed */
export function faultOf(error: unknown, gpu?: string, undoError?: DeviceError): Fault {
  if (error instanceof GrantRefused) return { code: error.code, message: error.message };
  const about = gpu === undefined ? {} : { gpu };
  if (error instanceof KubeletError) return { code: error.code, message: error.explanation, ...about };
  if (!(error instanceof DeviceError)) {
    return { code: 'Unknown', message: messageOf(error), ...about };
  }
  const { code, explanation, instance } = error;
  const where = [gpu === undefined && error.gpu !== undefined ? `GPU ${error.gpu}` : [], instance ?? []].flat();
  const message = [...where, explanation].join(': ');
  if (undoError === undefined) return { code, message, ...about };
  const { code: undoCode, tried, found } = undoError;
  const isOther = undoError.gpu !== undefined && error.gpu !== undefined && undoError.gpu !== error.gpu;
  const whose = isOther ? `the previous layout of GPU ${undoError.gpu}` : 'its previous layout';
  const undo = `${whose} could not be restored: ${undoCode}: tried ${tried}; found ${found}`;
  return { code, message: `${message}; ${undo}`, ...about };
}

/** What is said of a reboot that is still needed after the one that was asked for. */
export function withVainReboot(fault: Fault | undefined): Fault | undefined {
  if (fault?.code !== 'RebootRequired') return fault;
  return { ...fault, message: `${fault.message}. The reboot that was asked for did not help: none is asked for again` };
}

/** The first failure of work on GPUs. Where all of them go back, one may not that had not failed itself. */
export function faultOfWork(
  results: readonly {
    readonly uuid: string;
    readonly error?: DeviceError | undefined;
    readonly undoError?: DeviceError | undefined;
  }[],
): Fault | undefined {
  const unrestored = results.find(({ error, undoError }) => error === undefined && undoError !== undefined);
  const failed = results.find(({ error }) => error !== undefined);
  return failed && faultOf(failed.error, failed.uuid, failed.undoError ?? unrestored?.undoError);
}

/** Why an agent failed, as `GPU 1: DriverFailed: tried …`; without a GPU if it is about no known one. */
export function describeFault({ error, gpus = [] }: Pick<DeviceReport, 'error' | 'gpus'>): string | undefined {
  if (error === undefined) return undefined;
  const gpu = gpus.find(({ uuid }) => uuid === error.gpu);
  const isNamed = gpu === undefined || error.message.startsWith(`GPU ${gpu.index} `);
  return `${isNamed ? '' : `GPU ${gpu.index}: `}${error.code}: ${error.message}`;
}

/** A fault as it is reported. */
export function faultFields(fault: Fault, step: 'Failed' | 'Unknown'): Partial<DeviceReport> {
  const { code, message, gpu } = fault;
  return {
    step,
    error: { code, message: cutText(message, 1024), ...(gpu === undefined ? {} : { gpu }) },
  };
}

const retry = { baseMs: 5_000, maxMs: 5 * 60_000 };
/** Most milliseconds between readings while a GPU is sick, or none can be read: people look whether what they did has helped. */
export const sickReadMs = 15_000;

/** Rest before the next try after this many consecutive failures, in ms. */
export function retryMs(failures: number): number {
  return doubledMs(retry, failures);
}

/** Rest before GPUs are read again after this many readings that failed, in ms. */
export function rereadMs(failures: number): number {
  return Math.min(sickReadMs, retryMs(failures));
}
