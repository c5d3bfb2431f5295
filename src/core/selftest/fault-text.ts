import { DeviceError } from '../gpu/state/device-error.ts';
import { explainFault } from '../host/host-fault.ts';

/** A device error in one sentence, without process names: a bundle is shared with others. */
export function redactFault({ code, tried, found, gpu, instance, holders, cause }: DeviceError): string {
  const plain = new DeviceError(code, {
    tried,
    found,
    ...(gpu === undefined ? {} : { gpu }),
    ...(instance === undefined ? {} : { instance }),
    holders: holders.map((holder) => holder.replace(/^(pid \d+) \(.*\)/s, '$1')),
    cause,
  });
  return explainFault(plain).message;
}
