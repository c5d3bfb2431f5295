import type { DaemonWork } from './daemon-work.ts';
import { failureToOpen } from '../../nvidia-smi/faults/opening.ts';
import type { Machine } from '../node/machine.ts';

/** The device plugin: reads the devices once, and advertises what it saw until it ends. */
export function pluginWork(machine: Machine, uid: string): DaemonWork {
  return {
    start: ({ strategy, sharing }) => {
      const unopened = failureToOpen(machine.gpus, machine.node.faultsFile);
      if (unopened !== undefined) return { failure: `error starting plugins: error building device map: ${unopened}` };
      const seen = machine.seeDevices(strategy, sharing);
      if (seen === undefined) return { failure: 'error starting plugins: error building device map: ERROR_UNKNOWN' };
      const { failure } = machine.registration.register(uid, seen);
      return failure === undefined ? {} : { failure: `error starting plugins: ${failure}` };
    },
    continue: () => Promise.resolve({}),
    stop: () => machine.registration.unregister(uid),
  };
}
