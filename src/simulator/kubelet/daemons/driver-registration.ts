import type { DriverDevice } from '../../dra-driver/driver-device.ts';

/**
 * A faulty DRA driver. `NeverReady`: a new process starts, registers nothing and publishes nothing. `Stale`: a new process prepares
 * claims for the devices that it found, and publishes them only once the fault is lifted.
 */
export type DriverFault = 'NeverReady' | 'Stale';

/** What a node's DRA driver has registered with its kubelet. */
export class DriverRegistration {
  fault: DriverFault | undefined;
  #devices: readonly DriverDevice[] | undefined;
  #uid: string | undefined;
  #goneAtMs: number | undefined;

  /** The devices that the driver found at its start, for which it prepares claims; undefined without a driver. */
  get devices(): readonly DriverDevice[] | undefined {
    return this.#devices;
  }

  /** Since when there has been no driver, in `performance.now()`; undefined while there is one, or never was. */
  get goneAtMs(): number | undefined {
    return this.#goneAtMs;
  }

  register(uid: string, devices: readonly DriverDevice[]): void {
    this.#uid = uid;
    this.#devices = devices;
    this.#goneAtMs = undefined;
  }

  /** The process in the pod with this uid is gone. */
  unregister(uid: string): void {
    if (this.#uid !== uid) return;
    this.#uid = undefined;
    this.#devices = undefined;
    this.#goneAtMs = performance.now();
  }

  /** Nothing of the driver is left in the API. */
  forget(): void {
    this.#goneAtMs = undefined;
  }
}
