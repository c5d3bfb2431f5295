import type { DeviceError, DeviceErrorCode } from '../gpu/state/device-error.ts';

/** A device error as shown by a program on the host. */
export interface HostFault {
  readonly code: DeviceErrorCode;
  /** What was tried, what was found, who is in the way, what to do. */
  readonly message: string;
}

/** The driver's advice names a policy's fields where the command has options, or another meaning. */
const ADVICE: Partial<Readonly<Record<DeviceErrorCode, string>>> = {
  ResetRequired: 'allow a reset of this GPU with --allow-gpu-reset, or reset it while nothing uses it',
  RebootRequired: 'reboot this machine, then run this again; resetting a single GPU does not help here',
  ForeignInstance:
    'the GPU changed after the plan was printed, or has an instance that its driver lists no profile for; look at it and run this again',
  Stopped: 'run this again: it continues from the current state',
  Locked: 'wait until the other one is done; where an agent runs on this node, it holds the lock as long as it runs',
  JournalUnavailable: 'name a folder that this user may write with --state-dir, or free space on it',
};

export function explainFault(error: DeviceError): HostFault {
  const { code, message, advice } = error;
  return { code, message: message.replace(advice, ADVICE[code] ?? advice) };
}
