import { type Logger, describeError } from '../process/log.ts';
import type { KubeClient } from './client.ts';
import type { Selection, List } from './request.ts';
import {
  type KubeObject,
  type Resource,
  type Change,
  collectionPath,
  keyOf,
  ObjectStore,
  type Store,
  isAsKnown,
  type LastChange,
  lastOf,
  selectLast,
  isOlder,
  RetryPace,
  WatchCursor,
  WatchHandlers,
  isEndOfList,
  readWatch,
  watchQuery,
  type WatchEvent,
  keepVersion,
  compareVersions,
} from './watch.ts';
import { untilAborted, systemClock, waitFor, whenAborted } from '../process/clock.ts';
import { ApiError, backoffMs } from './api-error.ts';

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
  readonly trim?: ((object: T) => T) | undefined;
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

  /** Follows one connection: a list if one is due, then its watch until that ends. */
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
      const object = this.#handlers.trim(event.object);
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
    else list.set(key, this.#handlers.trim(event.object));
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

interface Question {
  /** Sends nothing after the term of its leader. */
  readonly client: Pick<KubeClient, 'list' | 'listPages'>;
  readonly resource: Resource;
  readonly selection: Selection;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** A watch whose store is compared with the API server. */
interface FollowedStore {
  readonly store: Store<KubeObject>;
  /** The newest version that the watch has seen. */
  readonly newest: string;
  /** Resolves when the watch has seen something more. */
  readonly moved: Promise<void>;
  /** Makes the watch begin again with a list. */
  relist(): void;
}

/** How long an event is waited for before all versions are listed, in ms: 1,000 Nodes cost the API server half a second of CPU time. */
const patienceMs = 300;
/** A watch that is behind for this long begins again with a list, in ms: its connection may be dead. */
const longestLagMs = 5_000;
const backoff = { baseMs: 500, maxMs: 5_000 };

/**
 * Waits until a store is at least as new as the API server is when this is called. In a busy cluster an event soon proves it. If none
 * comes, the versions of all objects are listed, without their content, and the watch must have brought each of them. A bookmark would
 * prove it too, but may take a minute.
 *
 * @throws NotSentError when the term is over; the signal's reason when it aborts
 */
export async function catchUp(question: Question, followed: FollowedStore): Promise<void> {
  const { signal, logger, resource } = question;
  const { resourceVersion } = await readUntilProgress(followed, question, () => readVersion(question));
  const hasPassed = (): boolean => isAtLeast(followed.newest, resourceVersion);
  if (await waitUntil(hasPassed, followed, patienceMs, signal)) return;
  const list = await readUntilProgress(followed, question, () => listVersions(question));
  const isCurrent = compare(followed, list);
  while (!(await waitUntil(isCurrent, followed, longestLagMs, signal))) {
    const fields = { resource: resource.plural, newest: followed.newest, wanted: list.resourceVersion };
    logger.warn('a watch is behind the API server: it begins again with a list', fields);
    followed.relist();
  }
}

/**
 * Never gives up, as a watch does not. An answer is consistent: only a server that was restored has less than was known before. The
 * watch finds that out.
 */
async function readUntilProgress<Answer extends Pick<List<KubeObject>, 'resourceVersion'>>(
  followed: FollowedStore,
  { resource, signal, logger }: Question,
  read: () => Promise<Answer>,
): Promise<Answer> {
  for (let failures = 1; ; failures += 1) {
    const { newest } = followed;
    const retryInMs = Math.round(backoffMs(backoff, failures));
    try {
      const answer = await read();
      if (!isOlder(answer.resourceVersion, newest)) return answer;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const fields = { resource: resource.plural, error: describeError(error), retryInMs };
      logger.warn('cannot compare a watch with the API server; trying again', fields);
    }
    await waitFor(systemClock, retryInMs, signal);
    signal.throwIfAborted();
  }
}

async function readVersion({ client, resource, selection, signal }: Question): Promise<List<KubeObject>> {
  const pages = client.listPages<KubeObject>(resource, selection, { pageSize: 1, metadataOnly: true, signal });
  for await (const page of pages) return page;
  throw new Error(`a list of ${resource.plural} has no page`);
}

function listVersions({ client, resource, selection, signal }: Question): Promise<List<KubeObject>> {
  return client.list(resource, selection, { metadataOnly: true, paged: false, trim: keepVersion, signal });
}

/** @returns what tells whether a store is at least as new as a list */
function compare(followed: FollowedStore, { items, resourceVersion }: List<KubeObject>): () => boolean {
  const { store } = followed;
  const listed = new Map(items.map((item) => [keyOf(item), item.metadata]));
  const isSeen = (key: string): boolean => {
    const [wanted, known] = [listed.get(key), store.get(key)?.metadata];
    // What is not listed is gone, or newer than the list.
    if (wanted === undefined) return known === undefined || isAtLeast(known.resourceVersion, resourceVersion);
    return known?.uid === wanted.uid && isAtLeast(known?.resourceVersion, wanted.resourceVersion);
  };
  let behind = [...new Set([...listed.keys(), ...store.list().map(keyOf)])];
  return () => {
    if (isAtLeast(followed.newest, resourceVersion)) return true;
    behind = behind.filter((key) => !isSeen(key));
    return behind.length === 0;
  };
}

/** Asks again with all news of the watch. @returns whether it came to hold in time */
async function waitUntil(
  holds: () => boolean,
  followed: FollowedStore,
  forMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const late = AbortSignal.timeout(forMs);
  for (;;) {
    const { moved } = followed;
    if (holds()) return true;
    if (late.aborted) return false;
    await Promise.race([moved, whenAborted(AbortSignal.any([signal, late]))]);
    signal.throwIfAborted();
  }
}

/** Versions that cannot be compared prove nothing unless they are equal. */
function isAtLeast(version: string | undefined, wanted: string | undefined): boolean {
  return version !== undefined && (version === wanted || (compareVersions(version, wanted) ?? -1) >= 0);
}
