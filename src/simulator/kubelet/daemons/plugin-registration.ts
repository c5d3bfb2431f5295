import { nothingAdvertised } from './advertisement.ts';
import type { Advertisement } from './advertisement.ts';

/**
 * A plugin that does not do its work. `Stale`: a new pod goes on advertising what the one before saw, ids and counts.
 * `NeverReady`: a new pod starts, is never Ready and advertises nothing.
 */
export type PluginFault = 'Stale' | 'NeverReady';

/** What the device plugins of one node have told its kubelet. Of two with one resource name the kubelet takes the last. */
export class PluginRegistration {
  fault: PluginFault | undefined;
  #advertised = nothingAdvertised;
  #lastSeen: Advertisement | undefined;
  #uid: string | undefined;

  get advertised(): Advertisement {
    return this.#advertised;
  }

  /** A plugin has looked at the devices, and registers. @returns what it advertises, which is not all the truth under a fault */
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

  /** For a plugin that looks at every change. */
  replace(seen: Advertisement): void {
    this.#advertised = seen;
  }
}
