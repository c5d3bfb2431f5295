import type { DaemonWork, DaemonRunResult, WorkSettings } from './daemon-work.ts';
import { failureToOpen } from '../../nvidia-smi/faults/opening.ts';
import type { Machine } from '../node/machine.ts';

/** The device plugin: reads the devices once, and advertises what it saw until it ends. */
export class PluginWork implements DaemonWork {
  readonly #machine: Machine;
  readonly #uid: string;

  constructor(machine: Machine, uid: string) {
    this.#machine = machine;
    this.#uid = uid;
  }

  start({ strategy, sharing }: WorkSettings): DaemonRunResult {
    const { gpus, node } = this.#machine;
    const unopened = failureToOpen(gpus, node.faultsFile);
    if (unopened !== undefined) return { failure: `error starting plugins: error building device map: ${unopened}` };
    const seen = this.#machine.seeDevices(strategy, sharing);
    if (seen === undefined) return { failure: 'error starting plugins: error building device map: ERROR_UNKNOWN' };
    const { failure } = this.#machine.registration.register(this.#uid, seen);
    return failure === undefined ? {} : { failure: `error starting plugins: ${failure}` };
  }

  continue(): Promise<DaemonRunResult> {
    return Promise.resolve({});
  }

  stop(): void {
    this.#machine.registration.unregister(this.#uid);
  }
}
