import { nothingAdvertised } from './advertisement.ts';
import type { Advertisement } from './advertisement.ts';

/**
 * A faulty plugin. `Stale`: a new pod keeps advertising what its predecessor saw, ids and counts.
 * `NeverReady`: a new pod starts, is never Ready and advertises nothing.
 */
export type PluginFault = 'Stale' | 'NeverReady';

/** What a node's device plugins have registered with its kubelet. Of two with one resource name the last wins. */
export class PluginRegistration {
  fault: PluginFault | undefined;
  #advertised = nothingAdvertised;
  #lastSeen: Advertisement | undefined;
  #uid: string | undefined;

  get advertised(): Advertisement {
    return this.#advertised;
  }

  /** A plugin has read the devices, and registers. @returns what it advertises, which may be false under a fault */
  register(uid: string, seen: Advertisement): Advertisement {
    const told = this.fault === 'Stale' && this.#lastSeen !== undefined ? this.#lastSeen : seen;
    if (told.failure !== undefined) {
      this.unregister(uid);
      return told;
    }
    this.#uid = uid;
    this.#advertised = told;
    this.#lastSeen = told;
    return told;
  }

  /** The process with this uid is gone. */
  unregister(uid: string): void {
    if (this.#uid !== uid) return;
    this.#uid = undefined;
    this.#advertised = nothingAdvertised;
  }

  /** For a plugin that reads the devices at every change. */
  replace(seen: Advertisement): void {
    this.#advertised = seen;
  }
}
