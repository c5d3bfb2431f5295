import { catchUp } from './catch-up.ts';
import type { KubeClient } from './client.ts';
import type { Stoppable } from './operator.ts';
import type { ReflectorCounts, ReflectorOptions } from './reflector-options.ts';
import { Reflector } from './reflector.ts';
import type { KubeObject } from './resource.ts';
import type { Store } from './store.ts';

/** Acts on what a watch brings. */
export type WatchReader<T extends KubeObject> = Required<Pick<ReflectorOptions<T>, 'onChange'>> &
  Pick<ReflectorOptions<T>, 'onRewind'>;

/**
 * A watch that outlives the terms of a leader: its store is kept up to date while another process leads, so that a term begins
 * with everything known. It reports to the reader of the current term only.
 */
export class WarmWatch<T extends KubeObject> implements Stoppable {
  readonly #options: Omit<ReflectorOptions<T>, 'onChange' | 'onRewind' | 'onProgress'>;
  readonly #reflector: Reflector<T>;
  #reader: WatchReader<T> | undefined;
  #moved = Promise.withResolvers<void>();

  constructor(options: Omit<ReflectorOptions<T>, 'onChange' | 'onRewind' | 'onProgress'>) {
    this.#options = options;
    this.#reflector = new Reflector<T>({
      ...options,
      onChange: (change) => this.#reader?.onChange?.(change),
      onRewind: () => this.#reader?.onRewind?.(),
      onProgress: () => {
        this.#moved.resolve();
        this.#moved = Promise.withResolvers();
      },
    });
  }

  get store(): Store<T> {
    return this.#reflector.store;
  }

  get counts(): ReflectorCounts {
    return this.#reflector.counts;
  }

  get silenceMs(): number {
    return this.#reflector.silenceMs;
  }

  get synced(): boolean {
    return this.#reflector.synced;
  }

  /** The newest version that was seen; the store is at least as new. */
  get newest(): string {
    return this.#reflector.resourceVersion;
  }

  /** Resolves with the next news. */
  get moved(): Promise<void> {
    return this.#moved.promise;
  }

  relist(): void {
    this.#reflector.relist();
  }

  start(): this {
    this.#reflector.start();
    return this;
  }

  /** Reports everything in the store as a change, then each change. @returns to call when the reader ends */
  attach(reader: WatchReader<T>): () => void {
    this.#reader = reader;
    this.#reflector.replay();
    return () => {
      if (this.#reader === reader) this.#reader = undefined;
    };
  }

  /**
   * Resolves when the store is at least as new as the API server is now: everything that an earlier leader has written is then in it.
   * @throws NotSentError when the term is over; the signal's reason when it aborts
   */
  async catchUp(client: KubeClient, signal: AbortSignal): Promise<void> {
    await this.#reflector.waitForSync(signal);
    const { resource, namespace, labelSelector, fieldSelector, logger } = this.#options;
    const selection = { namespace, labelSelector, fieldSelector };
    await catchUp({ client, resource, selection, signal, logger }, this);
  }

  stop(): Promise<void> {
    return this.#reflector.stop();
  }
}
