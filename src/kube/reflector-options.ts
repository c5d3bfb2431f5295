import type { Logger } from '../process/logger.ts';
import type { KubeClient, Selection } from './client.ts';
import type { KubeObject, Resource } from './resource.ts';
import type { Change } from './store.ts';

/** Waits of a reflector, in ms. */
export interface ReflectorTiming {
  /** A watch that is silent for so long is dead. The server sends a bookmark about every minute. */
  readonly idleMs: number;
  /** The server is asked to end a watch after so long, or up to as long again: not all clients shall come back together. */
  readonly watchMs: number;
  /** Shortest time from the start of one watch to the start of the next: a server that closes at once is not hammered. */
  readonly floorMs: number;
  readonly backoffBaseMs: number;
  readonly backoffMaxMs: number;
  /** The list is read anew about this often (± a third), should an event ever have been lost. */
  readonly relistMs: number;
}

export interface ReflectorOptions<T extends KubeObject> extends Selection {
  readonly client: KubeClient;
  readonly resource: Resource;
  readonly logger: Logger;
  /** Called for each change, in order, after the store has it. What it throws is logged and goes no further. */
  readonly onChange?: ((change: Change<T>) => void) | undefined;
  /**
   * Called when the server turns out to have been restored from a backup, before its objects are told as changes: versions from before
   * say nothing about what comes.
   */
  readonly onRewind?: (() => void) | undefined;
  /** Takes what is not needed off an object before it is kept. */
  readonly strip?: ((object: T) => T) | undefined;
  /** Called when the server cannot be followed, with the wait before the next try. */
  readonly onTrouble?: ((error: unknown, delayMs: number) => void) | undefined;
  readonly timing?: Partial<ReflectorTiming> | undefined;
}

/** Counts since the start, for metrics. */
export interface ReflectorCounts {
  readonly lists: number;
  readonly reconnects: number;
  readonly events: number;
  readonly failures: number;
  readonly handlerErrors: number;
}

/** What a reflector waits when nothing else is said. */
export const usualTiming: ReflectorTiming = {
  idleMs: 90_000,
  watchMs: 300_000,
  floorMs: 1_000,
  backoffBaseMs: 500,
  backoffMaxMs: 30_000,
  relistMs: 45 * 60_000,
};
