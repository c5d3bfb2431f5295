import type { DeviceReport } from '../../api/types.ts';
import { timeText } from '../text/time.ts';
import type { Fault } from './fault.ts';

const firstRetryMs = 5_000;
const longestRetryMs = 5 * 60_000;

/** Wait before the next retry after this many consecutive failures, in ms. */
export function retryMs(failures: number): number {
  return Math.min(longestRetryMs, firstRetryMs * 2 ** Math.max(0, Math.min(failures - 1, 10)));
}

/** How long a fault rests before it is retried, in ms; soon if somebody is merely about to leave. */
export function restMs({ retryAtOnce = false, retrySoon = false }: Fault, failures: number): number {
  if (retryAtOnce) return 0;
  return retrySoon ? Math.min(firstRetryMs, retryMs(failures) / 5) : retryMs(failures);
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

/** @param retryAt when it is retried, in ms since 1970; absent if that does not depend on time */
export function faultFields(fault: Fault, step: 'Failed' | 'Unknown', retryAt?: number): Partial<DeviceReport> {
  const { code, message, gpu } = fault;
  return {
    step,
    error: { code, message: message.slice(0, 1024), ...(gpu === undefined ? {} : { gpu }) },
    ...(retryAt === undefined ? {} : { nextRetryTime: timeText(Math.ceil(retryAt / 1000) * 1000) }),
  };
}

/**
 * What is reported whatever was found: who reports, what it has answered, and what earlier work has left.
 *
 * @param signalled what this process has signalled; null: nothing. Undefined: it has not done any work yet
 */
export function lastingFields(
  {
    agentVersion,
    bootID,
    machine,
  }: { readonly agentVersion: string; readonly bootID: string; readonly machine: string | undefined },
  seen: DeviceReport | undefined,
  observedEpoch: number,
  signalled: DeviceReport['signalled'] | null,
): DeviceReport {
  // A signal from before the reboot reached a process that is gone.
  const before = seen?.bootID === bootID ? seen.signalled : undefined;
  const known = signalled === undefined ? before : signalled;
  return {
    agentVersion,
    ...(machine === undefined ? {} : { machine }),
    ...(observedEpoch === 0 ? {} : { observedEpoch }),
    ...(known ? { signalled: known } : {}),
    ...(seen?.lastGood === undefined ? {} : { lastGood: seen.lastGood }),
  };
}
