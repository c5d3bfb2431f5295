import type { DeviceReport } from '../api/types.ts';
import type { DeviceState } from '../core/gpu/state/device-state.ts';
import { findLostDevices, type LostDevice } from '../core/pods/lost-devices.ts';
import type { Holders } from '../core/pods/slice-holders.ts';

/**
 * Devices that pods hold and that two readings in a row did not have. One is not enough: the kubelet is asked after the GPUs, and a
 * device may have been made in between.
 */
export class MissingDevices {
  /** The reading that each was first missing from. */
  #missing: ReadonlyMap<string, DeviceState> = new Map();

  /** @param report what was made of the reading */
  note(state: DeviceState, report: Pick<DeviceReport, 'gpus'>, holders: Holders | undefined): readonly LostDevice[] {
    const found = holders === undefined || state.lost.length > 0 ? [] : findLostDevices(report, holders);
    const before = this.#missing;
    this.#missing = new Map(found.map(({ id }) => [id, before.get(id) ?? state]));
    return found.filter(({ id }) => this.#missing.get(id) !== state);
  }
}
