import { describeError, type Logger } from '../process/logger.ts';
import { systemClock, waitFor } from '../process/clock.ts';
import { ApiError } from './api-error.ts';
import { backoffMs } from './backoff.ts';
import type { KubeClient, Selection } from './client.ts';
import { collectionPath, keyOf, type KubeObject, type Resource } from './resource.ts';
import { isOlder } from './resource-version.ts';
import { isSame, ObjectStore, type Change, type Store } from './store.ts';
import { readWatch, type WatchEvent } from './watch-stream.ts';

/** Waits of a reflector, in ms. */
export interface ReflectorTiming {
  /** A watch that is silent for so long is dead. The server sends a bookmark about every minute. */
  readonly idleMs: number;
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

const usualTiming: ReflectorTiming = {
  idleMs: 90_000,
  floorMs: 1_000,
  backoffBaseMs: 500,
  backoffMaxMs: 30_000,
  relistMs: 45 * 60_000,
};

/**
 * Follows a resource and never gives up: a streamed list (KEP-3157) or pages where the server has none, then a watch
 * that resumes where it was cut, until `stop`. The store holds only what came from complete lists and their events.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #timing: ReflectorTiming;
  readonly #items = new ObjectStore<T>();
  readonly #stopped = new AbortController();
  readonly #firstSync = Promise.withResolvers<void>();
  readonly #counts = { lists: 0, reconnects: 0, events: 0, failures: 0, handlerErrors: 0 };
  #running: Promise<void> | undefined;
  #synced = false;
  readonly #cursor = new WatchCursor();
  #failuresInRow = 0;
  #relistAtMs = 0;
  #contactAtMs = performance.now();

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#timing = { ...usualTiming, ...options.timing };
  }

  get store(): Store<T> {
    return this.#items;
  }

  /** Whether a complete list has come in since the start. Stays true when the connection is lost. */
  get synced(): boolean {
    return this.#synced;
  }

  get counts(): ReflectorCounts {
    return { ...this.#counts };
  }

  /** The newest version that was seen; the store is at least as new. */
  get resourceVersion(): string {
    return this.#newest;
  }

  /** Time since the server last said something, in ms: how old the store may be. */
  get silenceMs(): number {
    return performance.now() - this.#contactAtMs;
  }

  start(): this {
    this.#running ??= this.#run();
    return this;
  }

  /** Resolves when `synced`; rejects with the signal's reason when that comes first. */
  async waitForSync(signal?: AbortSignal): Promise<void> {
    if (signal === undefined) return this.#firstSync.promise;
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await Promise.race([this.#firstSync.promise, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Ends the watch; no change is reported after it has resolved. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const startedAt = performance.now();
      let delayMs = 0;
      let floorMs = this.#timing.floorMs;
      try {
        await this.#follow();
      } catch (error) {
        if (signal.aborted) return;
        const isExpected = this.#learn(error);
        // What is put right by listing at once needs no wait, but only the first time: it may not help.
        if (isExpected && this.#failuresInRow === 0) floorMs = 0;
        this.#failuresInRow += 1;
        this.#counts.failures += 1;
        if (floorMs > 0) delayMs = this.#delayAfter(error);
        this.#report(error, delayMs, isExpected);
      }
      await waitFor(systemClock, Math.max(delayMs, floorMs - (performance.now() - startedAt)), signal);
      this.#counts.reconnects += 1;
    }
  }

  /** One connection: a list if one is due, then its watch until that ends. */
  async #follow(): Promise<void> {
    const { client, resource, namespace, labelSelector, fieldSelector } = this.#options;
    if (performance.now() > this.#relistAtMs) this.#resumeAt = '';
    if (this.#resumeAt === '' && (!this.#hasWatchList || this.#streamFailed)) await this.#listPages();
    const isInitial = this.#resumeAt === '';
    const path = collectionPath(resource, namespace);
    const query = {
      labelSelector,
      fieldSelector,
      watch: true,
      allowWatchBookmarks: true,
      // The server ends the watch then; spread out, so that not all clients come back together.
      timeoutSeconds: 300 + Math.floor(Math.random() * 300),
      resourceVersion: this.#resumeAt,
      ...(isInitial ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : {}),
    };
    let list: Map<string, T> | undefined = isInitial ? new Map() : undefined;
    if (isInitial) this.#counts.lists += 1;
    const request = { path, query, idleMs: this.#timing.idleMs, signal: this.#stopped.signal };
    for await (const event of readWatch<T>(client.config, request)) {
      this.#contactAtMs = performance.now();
      this.#counts.events += 1;
      if (list === undefined) {
        this.#handle(event);
        this.#failuresInRow = 0;
        if (performance.now() > this.#relistAtMs) return;
      } else if (isEndOfList(event)) {
        this.#promote(list, event.object.metadata.resourceVersion ?? '');
        list = undefined;
      } else {
        this.#collect(list, event);
      }
    }
    if (list !== undefined) throw new Error('the streamed list ended before its end was announced');
  }

  #handle(event: WatchEvent<T>): void {
    const version = event.object.metadata.resourceVersion ?? '';
    // The versions of a watch only grow. What is older was sent before, and could bring back what has been deleted since.
    if (event.type !== 'BOOKMARK' && isOlder(version, this.#newest)) return;
    switch (event.type) {
      case 'BOOKMARK':
        // A server that is behind us would keep from us what happens until it has caught up.
        if (isOlder(version, this.#newest)) throw new TimeTravelError(version, this.#newest);
        break;
      case 'DELETED':
        this.#emit(this.#items.remove(this.#strip(event.object)));
        break;
      case 'ADDED':
      case 'MODIFIED':
        this.#emit(this.#items.upsert(this.#strip(event.object)));
        break;
    }
    if (version !== '' && !isOlder(version, this.#newest)) {
      this.#newest = version;
      this.#resumeAt = version;
    }
  }

  /** Puts an event of a streamed list aside: half a list must not be seen. */
  #collect(list: Map<string, T>, event: WatchEvent<T>): void {
    if (event.type === 'BOOKMARK') return;
    const key = keyOf(event.object);
    if (event.type === 'DELETED') {
      list.delete(key);
      return;
    }
    const known = this.#items.get(key);
    list.set(key, known !== undefined && isSame(known, event.object) ? known : this.#strip(event.object));
  }

  async #listPages(): Promise<void> {
    const { client, resource, namespace, labelSelector, fieldSelector } = this.#options;
    const list = new Map<string, T>();
    this.#counts.lists += 1;
    const options = { signal: this.#stopped.signal, attempts: 1 };
    for await (const page of client.listPages<T>(resource, { namespace, labelSelector, fieldSelector }, options)) {
      this.#contactAtMs = performance.now();
      for (const object of page.items) this.#collect(list, { type: 'ADDED', object });
      if (page.isLast) this.#promote(list, page.resourceVersion);
    }
  }

  /** Makes a complete list the truth. */
  #promote(list: ReadonlyMap<string, T>, version: string): void {
    if (isOlder(version, this.#newest) && this.#olderLists < olderListsUntilBelieved) {
      this.#olderLists += 1;
      throw new TimeTravelError(version, this.#newest);
    }
    this.#olderLists = 0;
    this.#streamFailed = false;
    this.#newest = version;
    this.#resumeAt = version;
    this.#failuresInRow = 0;
    this.#relistAtMs = performance.now() + this.#timing.relistMs * (2 / 3 + (Math.random() * 2) / 3);
    const changes = this.#items.replace(list);
    this.#synced = true;
    this.#emit(changes);
    this.#firstSync.resolve();
  }

  #emit(changes: readonly Change<T>[]): void {
    for (const change of changes) {
      try {
        this.#options.onChange?.(change);
      } catch (error) {
        this.#counts.handlerErrors += 1;
        this.#options.logger.error('a handler of changes failed', { key: change.key, error: describeError(error) });
      }
    }
  }

  #strip(object: T): T {
    try {
      return this.#options.strip?.(object) ?? object;
    } catch (error) {
      this.#counts.handlerErrors += 1;
      this.#options.logger.error('cannot strip an object', { key: keyOf(object), error: describeError(error) });
      return object;
    }
  }

  #delayAfter(error: unknown): number {
    const { backoffBaseMs: baseMs, backoffMaxMs: maxMs } = this.#timing;
    const jitterMs = backoffMs({ baseMs, maxMs }, this.#failuresInRow);
    return ((error instanceof ApiError ? error.retryAfterMs : undefined) ?? 0) + jitterMs;
  }

  #report(error: unknown, delayMs: number, isExpected: boolean): void {
    const { logger, resource, onTrouble } = this.#options;
    const fields = { resource: resource.plural, error: describeError(error), retryInMs: Math.round(delayMs) };
    if (isExpected) logger.info('watch starts anew from a list', fields);
    else logger.warn('watch interrupted', fields);
    try {
      onTrouble?.(error, delayMs);
    } catch (cause) {
      this.#counts.handlerErrors += 1;
      logger.error('a handler of troubles failed', { error: describeError(cause) });
    }
  }
}

function isEndOfList<T>(event: WatchEvent<T>): event is Extract<WatchEvent<T>, { readonly type: 'BOOKMARK' }> {
  return event.type === 'BOOKMARK' && event.object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
}
