import type { Logger } from '../process/logger.ts';
import type { KubeClient } from './client.ts';
import type { Selection } from './call-options.ts';
import type { KubeObject, Resource } from './resource.ts';
import type { Change } from './store.ts';

/** Waits of a reflector, in ms. */
export interface ReflectorTiming {
  /** A watch that is silent for this long is dead. The server sends a bookmark about every minute. */
  readonly idleMs: number;
  /** The server is asked to end a watch after this time, up to twice as long: not all clients should reconnect together. */
  readonly watchMs: number;
  /** Minimum time from the start of one watch to the start of the next: a server that closes at once is not hammered. */
  readonly floorMs: number;
  readonly backoffBaseMs: number;
  readonly backoffMaxMs: number;
  /** The list is read again about this often (± a third), in case an event was ever lost. */
  readonly relistMs: number;
}

export interface ReflectorOptions<T extends KubeObject> extends Selection {
  readonly client: KubeClient;
  readonly resource: Resource;
  readonly logger: Logger;
  /** Called for each change, in order, after the store has it. What it throws is only logged. */
  readonly onChange?: ((change: Change<T>) => void) | undefined;
  /**
   * Called when the server turns out to have been restored from a backup, before its objects are reported as changes: earlier
   * versions are meaningless from then on.
   */
  readonly onRewind?: (() => void) | undefined;
  /** Called when a newer version is known, after a list, an event or a bookmark, even if it changed nothing. */
  readonly onProgress?: (() => void) | undefined;
  /** Removes unneeded parts of an object before it is stored. */
  readonly strip?: ((object: T) => T) | undefined;
  readonly timing?: Partial<ReflectorTiming> | undefined;
}

/** Counters since the start, for metrics. */
export interface ReflectorCounts {
  readonly lists: number;
  readonly reconnects: number;
  readonly events: number;
  readonly failures: number;
  readonly handlerErrors: number;
}

/** The default waits of a reflector. */
export const usualTiming: ReflectorTiming = {
  idleMs: 90_000,
  watchMs: 300_000,
  floorMs: 1_000,
  backoffBaseMs: 500,
  backoffMaxMs: 30_000,
  relistMs: 45 * 60_000,
};
