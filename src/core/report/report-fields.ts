import type { DeviceReport } from '../../api/types.ts';
import { definedOnly } from '../text/defined-fields.ts';
import { doubledMs } from '../text/duration.ts';
import type { Fault } from './fault.ts';
import { cutText } from '../text/cut-text.ts';

/** The firmware's text, or a file of the user's: as much of it as the API takes. */
const longestMachine = 128;

const retry = { baseMs: 5_000, maxMs: 5 * 60_000 };

/** Rest before the next try after this many consecutive failures, in ms. */
export function retryMs(failures: number): number {
  return doubledMs(retry, failures);
}

/** The last reported reading, with its boot: it stays until there is a newer one. */
export function pickReading(seen: DeviceReport | undefined): Partial<DeviceReport> {
  const { bootID, driverLoad, driverVersion, cudaVersion, gpus, models, advertised, lostDevices } = seen ?? {};
  return definedOnly({ bootID, driverLoad, driverVersion, cudaVersion, gpus, models, advertised, lostDevices });
}

/** The outcome of the last grant stays reported until the next one. */
export function keepOutcome(seen: DeviceReport | undefined): Partial<DeviceReport> {
  if (seen?.step !== 'Failed') return { step: 'Idle' };
  const { step, error } = seen;
  return { step, ...(error ? { error } : {}) };
}

export function faultFields(fault: Fault, step: 'Failed' | 'Unknown'): Partial<DeviceReport> {
  const { code, message, gpu } = fault;
  return {
    step,
    error: { code, message: cutText(message, 1024), ...(gpu === undefined ? {} : { gpu }) },
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
  signalled: DeviceReport['signalled'] | null,
): DeviceReport {
  // A signal from before the reboot reached a process that is gone.
  const before = seen?.bootID === bootID ? seen.signalled : undefined;
  const known = signalled === undefined ? before : signalled;
  return {
    agentVersion,
    ...(machine === undefined ? {} : { machine: machine.slice(0, longestMachine) }),
    ...(seen?.observedEpoch === undefined ? {} : { observedEpoch: seen.observedEpoch }),
    ...(known ? { signalled: known } : {}),
    ...(seen?.lastGood === undefined ? {} : { lastGood: seen.lastGood }),
  };
}

/** What the host is still owed after a change, a sentence each. */
export function hostFields(problems: readonly string[]): Pick<DeviceReport, 'hostProblems'> {
  if (problems.length === 0) return {};
  return { hostProblems: problems.slice(0, 16).map((problem) => cutText(problem, 512)) };
}
