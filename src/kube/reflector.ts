import { untilAborted } from '../process/abort.ts';
import { systemClock, waitFor } from '../process/clock.ts';
import { ApiError } from './api-error.ts';
import { usualTiming } from './reflector-options.ts';
import type { ReflectorCounts, ReflectorOptions, ReflectorTiming } from './reflector-options.ts';
import { collectionPath, keyOf, type KubeObject } from './resource.ts';
import { ObjectStore, type Store } from './store.ts';
import { isAsKnown, type LastChange, lastOf, selectLast } from './last-change.ts';
import { isOlder } from './resource-version.ts';
import { RetryPace } from './retry-pace.ts';
import { WatchCursor } from './watch-cursor.ts';
import { WatchHandlers } from './watch-handlers.ts';
import { isEndOfList, readWatch, watchQuery, type WatchEvent } from './watch-stream.ts';

/** Time limit of the request that precedes a resumed watch. */
const longestQuestionMs = 10_000;

/**
 * Watches a resource and never gives up: a streamed list (KEP-3157), or pages if the server cannot stream, then a watch
 * that resumes where it was cut, until `stop`. The store holds only what came from complete lists and their events.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #timing: ReflectorTiming;
  readonly #handlers: WatchHandlers<T>;
  readonly #items = new ObjectStore<T>();
  readonly #cursor = new WatchCursor();
  readonly #stopped = new AbortController();
  readonly #firstSync = Promise.withResolvers<void>();
  readonly #counts = { lists: 0, reconnects: 0, events: 0, failures: 0 };
  readonly #retries: RetryPace;
  #connection = new AbortController();
  #running: Promise<void> | undefined;
  #synced = false;
  #connections = 0;
  #relistAtMs = 0;
  #last: LastChange | undefined;
  /** The last watch ended because its requested time was over: the same server continues. */
  #endedInTime = false;
  #contactAtMs = performance.now();
  #trouble: unknown;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#handlers = new WatchHandlers(options);
    this.#timing = { ...usualTiming, ...options.timing };
    this.#retries = new RetryPace(this.#timing);
  }

  get store(): Store<T> {
    return this.#items;
  }

  /** Whether a complete list has come in since the start. Stays true when the connection is lost. */
  get synced(): boolean {
    return this.#synced;
  }

  get counts(): ReflectorCounts {
    return { ...this.#counts, handlerErrors: this.#handlers.errors };
  }

  /** The newest seen version; the store is at least as new. */
  get resourceVersion(): string {
    return this.#cursor.newest;
  }

  /** Time since the server last sent something, in ms: how stale the store may be. */
  get silenceMs(): number {
    return performance.now() - this.#contactAtMs;
  }

  /** Why there is no connection now: the last failure, until a watch is open again. */
  get trouble(): unknown {
    return this.#trouble;
  }

  start(): this {
    this.#running ??= this.#run();
    return this;
  }

  /** Resolves when `synced`; rejects with the signal's reason if that comes first. */
  async waitForSync(signal?: AbortSignal): Promise<void> {
    await untilAborted(this.#firstSync.promise, signal);
  }

  /** Reports everything in the store as a change. */
  replay(): void {
    const list = this.#items.list();
    this.#handlers.emit(list.map((object) => ({ type: 'apply', key: keyOf(object), object, previous: undefined })));
  }

  /** Reads the list now, over another connection: for a watch that has fallen behind. */
  relist(): void {
    const { resource, namespace } = this.#options;
    const request = `GET ${collectionPath(resource, namespace)}`;
    const text = 'the watch is behind a list that was read later';
    // Between two connections there is none to end.
    this.#cursor.demandList();
    this.#connection.abort(new ApiError({ request, code: 410, reason: 'Expired', text }));
  }

  /** Ends the watch; no change is reported after this resolves. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const startedAt = performance.now();
      let delayMs = 0;
      try {
        await this.#follow();
      } catch (error) {
        if (signal.aborted) return;
        delayMs = this.#takeFailure(this.#connection.signal.reason ?? error);
        if (delayMs === 0) continue;
      }
      await waitFor(systemClock, Math.max(delayMs, this.#timing.floorMs - (performance.now() - startedAt)), signal);
    }
  }

  /**
   * Reads the list in pages if necessary. Before a watch resumes after a lost connection, checks that the server still has our state:
   * a server restored from a backup accepts a version from its future and stays silent until it gets there; even then it never
   * reports what it has forgotten.
   * @returns where to watch from; without a version the watch begins with a list.
   */
  async #prepare(): Promise<{ readonly resumeAt: string; readonly isInitial: boolean }> {
    if (this.#connections > 0) this.#counts.reconnects += 1;
    this.#connections += 1;
    if (performance.now() > this.#relistAtMs) this.#cursor.demandList();
    if (this.#cursor.needsPages) await this.#listPages();
    else if (this.#cursor.resumeAt !== '' && !this.#endedInTime) await this.#takeStock();
    this.#endedInTime = false;
    return { resumeAt: this.#cursor.resumeAt, isInitial: this.#cursor.resumeAt === '' };
  }

  /** Asks the server for its version and for the object that changed last. */
  async #takeStock(): Promise<void> {
    const { client, resource, namespace, labelSelector, fieldSelector } = this.#options;
    const timeoutMs = Math.min(this.#timing.idleMs, longestQuestionMs);
    const options = { signal: this.#stopped.signal, attempts: 1, timeoutMs, pageSize: 1, metadataOnly: true };
    const selection = selectLast(this.#last, { namespace, labelSelector, fieldSelector });
    for await (const { items, resourceVersion } of client.listPages(resource, selection, options)) {
      this.#cursor.takeStock(resourceVersion, isAsKnown(this.#last, items[0]));
      return;
    }
  }

  /** One connection: a list if one is due, then its watch until that ends. */
  async #follow(): Promise<void> {
    const { client, resource, namespace, labelSelector, fieldSelector } = this.#options;
    this.#connection = new AbortController();
    const { resumeAt, isInitial } = await this.#prepare();
    const path = collectionPath(resource, namespace);
    const watchSeconds = Math.floor((this.#timing.watchMs * (1 + Math.random())) / 1000);
    const query = watchQuery({ labelSelector, fieldSelector }, resumeAt, watchSeconds);
    const startedAt = performance.now();
    let list: Map<string, T> | undefined = isInitial ? new Map() : undefined;
    if (isInitial) this.#counts.lists += 1;
    const onOpen = (): void => {
      this.#trouble = undefined;
      this.#contactAtMs = performance.now();
    };
    const signal = AbortSignal.any([this.#stopped.signal, this.#connection.signal]);
    const request = { path, query, idleMs: this.#timing.idleMs, signal, onOpen };
    for await (const event of readWatch<T>(client.config, request)) {
      this.#contactAtMs = performance.now();
      this.#counts.events += 1;
      if (list === undefined) {
        this.#handle(event);
        this.#retries.reset();
        if (performance.now() > this.#relistAtMs) return;
      } else if (isEndOfList(event)) {
        this.#promote(list, event.object.metadata.resourceVersion ?? '');
        list = undefined;
      } else {
        this.#collect(list, event);
      }
    }
    if (list !== undefined) throw new Error('the streamed list ended before its end was announced');
    this.#endedInTime = performance.now() - startedAt >= watchSeconds * 1000;
  }

  #handle(event: WatchEvent<T>): void {
    const version = event.object.metadata.resourceVersion ?? '';
    if (event.type === 'BOOKMARK') {
      this.#cursor.takeBookmark(version);
    } else if (this.#cursor.takeEvent(version)) {
      const object = this.#handlers.strip(event.object);
      this.#last = { object: event.object.metadata, isGone: event.type === 'DELETED' };
      this.#handlers.emit(event.type === 'DELETED' ? this.#items.remove(object) : this.#items.upsert(object));
    }
    this.#options.onProgress?.();
  }

  /** Buffers an event of a streamed list: nobody may see half a list. */
  #collect(list: Map<string, T>, event: WatchEvent<T>): void {
    if (event.type === 'BOOKMARK') return;
    const key = keyOf(event.object);
    if (event.type === 'DELETED') list.delete(key);
    else list.set(key, this.#handlers.strip(event.object));
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

  /** Replaces the store's content with a complete list. */
  #promote(list: ReadonlyMap<string, T>, version: string): void {
    const hasGoneBack = this.#cursor.doubts > 0 || [...list].some(([key, object]) => this.#isOlder(key, object));
    this.#cursor.takeList(version);
    this.#last = lastOf(list);
    this.#retries.reset();
    this.#relistAtMs = performance.now() + this.#timing.relistMs * (2 / 3 + (Math.random() * 2) / 3);
    const changes = this.#items.replace(list, !hasGoneBack);
    this.#synced = true;
    if (hasGoneBack) this.#handlers.tellOfRewind(version);
    this.#handlers.emit(changes);
    this.#options.onProgress?.();
    this.#firstSync.resolve();
  }

  /** Lists are consistent reads, so only a restored server has an older state of an object. */
  #isOlder(key: string, { metadata: { uid, resourceVersion } }: T): boolean {
    const known = this.#items.get(key)?.metadata;
    return known?.uid === uid && isOlder(resourceVersion, known?.resourceVersion);
  }

  /** @returns how long to wait before the next retry, in ms. */
  #takeFailure(error: unknown): number {
    this.#counts.failures += 1;
    this.#trouble = error;
    if (error instanceof ApiError && error.code === 401) this.#options.client.config.reload();
    const isExpected = this.#cursor.learn(error);
    const delayMs = this.#retries.delayAfter(error, { isExpected, doubts: this.#cursor.doubts });
    this.#handlers.tellOfTrouble(error, delayMs, isExpected);
    return delayMs;
  }
}
