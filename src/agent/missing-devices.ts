import type { DeviceReport } from '../api/types.ts';
import { findLostDevices, type LostDevice } from '../core/pods/lost-devices.ts';
import type { Holders } from '../core/pods/slice-holders.ts';

/** A reading of the GPUs, and which of them did not answer. */
interface Reading {
  readonly lost: readonly unknown[];
}

/**
 * Devices that pods hold and that two readings in a row did not have. One is not enough: the kubelet is asked after the GPUs, and a
 * device may have been made in between.
 */
export class MissingDevices {
  /** The reading that each was first missing from. */
  #missing: ReadonlyMap<string, Reading> = new Map();
  /** Whether the last reading was the first to lack a device. */
  isUnsure = false;

  /** @param report what was made of the reading */
  note(reading: Reading, report: Pick<DeviceReport, 'gpus'>, holders: Holders | undefined): readonly LostDevice[] {
    const found = holders === undefined || reading.lost.length > 0 ? [] : findLostDevices(report, holders);
    const before = this.#missing;
    this.#missing = new Map(found.map(({ id }) => [id, before.get(id) ?? reading]));
    const lost = found.filter(({ id }) => this.#missing.get(id) !== reading);
    this.isUnsure = lost.length < found.length;
    return lost;
  }
}
