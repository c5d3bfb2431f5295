import type { DeviceReport } from '../api/types.ts';
import { timeText } from '../core/text/time.ts';
import type { Fault } from './fault.ts';

const firstRetryMs = 5_000;
const longestRetryMs = 5 * 60_000;

/** Wait before the next retry after this many consecutive failures, in ms. */
export function retryMs(failures: number): number {
  return Math.min(longestRetryMs, firstRetryMs * 2 ** Math.max(0, Math.min(failures - 1, 10)));
}

/** Like {@link retryMs}, for when somebody is merely about to leave. */
export function retrySoonMs(failures: number): number {
  return Math.min(firstRetryMs, retryMs(failures) / 5);
}

/** The last reported reading, with its boot: it stays until there is a newer one. */
export function pickReading(seen: DeviceReport | undefined): Partial<DeviceReport> {
  const { bootID, driverLoad, driverVersion, cudaVersion, gpus, models, advertised } = seen ?? {};
  return {
    ...(bootID === undefined ? {} : { bootID }),
    ...(driverLoad === undefined ? {} : { driverLoad }),
    ...(driverVersion === undefined ? {} : { driverVersion }),
    ...(cudaVersion === undefined ? {} : { cudaVersion }),
    ...(gpus === undefined ? {} : { gpus }),
    ...(models === undefined ? {} : { models }),
    ...(advertised === undefined ? {} : { advertised }),
  };
}

/** The outcome of the last grant stays reported until the next one. */
export function keepOutcome(seen: DeviceReport | undefined): Partial<DeviceReport> {
  if (seen?.step !== 'Failed') return { step: 'Idle' };
  const { step, error, nextRetryTime } = seen;
  return { step, ...(error ? { error } : {}), ...(nextRetryTime ? { nextRetryTime } : {}) };
}

/** @param afterMs when it is retried; absent if that does not depend on time */
export function faultFields(fault: Fault, step: 'Failed' | 'Unknown', afterMs?: number): Partial<DeviceReport> {
  const { code, message, gpu } = fault;
  return {
    step,
    error: { code, message: message.slice(0, 1024), ...(gpu === undefined ? {} : { gpu }) },
    ...(afterMs === undefined ? {} : { nextRetryTime: timeText(Math.ceil((Date.now() + afterMs) / 1000) * 1000) }),
  };
}
