import { ApiError, describeCause, type Status, backoffMs } from './api-error.ts';
import type { PooledKubeConfig } from './kubeconfig.ts';
import { describeRequest, openRequest, type Query, type Selection } from './request.ts';
import { omitUndefined } from '../core/text/json.ts';
import type { ObjectMeta } from '../core/kubernetes/pod.ts';
import { describeError } from '../process/log.ts';
import type { ReflectorOptions, ReflectorTiming } from './reflector.ts';

/**
 * Compares two resourceVersions of one resource: negative when `a` is older. They are decimal numbers of any length
 * (comparable by contract since Kubernetes 1.35, KEP-5504; in fact always). `undefined` when one is something else.
 */
export function compareVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined || !isNumber(a) || !isNumber(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Whether `a` is certainly older than `b`. */
export function isOlder(a: string | undefined, b: string | undefined): boolean {
  return (compareVersions(a, b) ?? 0) < 0;
}

function isNumber(version: string): boolean {
  return /^(0|[1-9]\d*)$/.test(version);
}

/** The server is behind what we have seen: it lags, or was restored from a backup. */
export class TimeTravelError extends Error {
  override readonly name = 'TimeTravelError';

  constructor(found: string, known: string) {
    super(`the server is at version ${found}, but ${known} was seen before: it lags, or was restored from a backup`);
  }
}

/** The number of consecutive answers older than what we know that tells a restore: then they are accepted. */
const doubtsUntilBelieved = 3;

/** A reflector's position in the history of its resource, and what the next connection must request. */
export class WatchCursor {
  /** The newest version seen. */
  #newest = '';
  /** Version from which the next watch starts; empty when a list is due. */
  #resumeAt = '';
  #doubts = 0;
  /** False once the server has rejected streamed lists. */
  #hasWatchList = true;
  /** The last streamed list failed halfway; the next one is read in pages. */
  #streamFailed = false;

  get newest(): string {
    return this.#newest;
  }

  /** The version to watch from; empty when a list is due. */
  get resumeAt(): string {
    return this.#resumeAt;
  }

  /** Whether a due list must be read in pages, because the server cannot stream it. */
  get needsPages(): boolean {
    return this.#resumeAt === '' && (!this.#hasWatchList || this.#streamFailed);
  }

  /** How many times in a row the server was older than what we know: it lags, or was restored from a backup. */
  get doubts(): number {
    return this.#doubts;
  }

  /** Makes the next connection begin with a list. */
  demandList(): void {
    this.#resumeAt = '';
  }

  /**
   * Takes the server's own version before a watch resumes. A list is due if the last change is not as we know it.
   * @throws TimeTravelError when its version is older than what we know: it would accept the watch and stay silent until it catches up.
   */
  takeStock(version: string, isAsKnown: boolean): void {
    this.#requireProgress(version);
    if (!isAsKnown) this.demandList();
  }

  /** Takes the version of a complete list. @throws TimeTravelError when it is older than what we know. */
  takeList(version: string): void {
    this.#requireProgress(version);
    this.#doubts = 0;
    this.#streamFailed = false;
    this.#newest = version;
    this.#resumeAt = version;
  }

  /**
   * Takes the version of an event. @returns false for an event to be ignored: versions within a watch only grow; an older
   * event was sent before, and could bring back what has been deleted since.
   */
  takeEvent(version: string): boolean {
    if (isOlder(version, this.#newest)) return false;
    this.#advance(version);
    return true;
  }

  /**
   * Takes the version of a bookmark.
   * @throws TimeTravelError when it is older than what we know: such a server would stay silent until it catches up.
   */
  takeBookmark(version: string): void {
    if (isOlder(version, this.#newest)) throw new TimeTravelError(version, this.#newest);
    this.#advance(version);
  }

  /** Learns from a failure. @returns true if the failure is expected and an immediate list repairs it. */
  learn(error: unknown): boolean {
    const wasListing = this.#resumeAt === '';
    if (!(error instanceof ApiError)) {
      // Time travel, or inconsistent events.
      this.#resumeAt = '';
      this.#streamFailed = wasListing && !(error instanceof TimeTravelError);
      return false;
    }
    if (error.code === 410) {
      this.#resumeAt = '';
      return true;
    }
    if (error.code === 422 && wasListing && this.#hasWatchList) {
      // "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"
      this.#hasWatchList = false;
      return true;
    }
    if (error.reason === 'InvalidAnswer' || error.hasCause('ResourceVersionTooLarge')) this.#resumeAt = '';
    // An old server ignores sendInitialEvents and goes silent after the last object; some fail midway (500).
    this.#streamFailed = wasListing && (error.code >= 500 || error.reason === 'Timeout');
    return false;
  }

  #requireProgress(version: string): void {
    if (!isOlder(version, this.#newest) || this.#doubts >= doubtsUntilBelieved) return;
    this.#doubts += 1;
    throw new TimeTravelError(version, this.#newest);
  }

  #advance(version: string): void {
    if (version === '') return;
    this.#newest = version;
    this.#resumeAt = version;
  }
}

/** A line of a watch. A bookmark's object has only a version. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject };

type WireEvent<T> = WatchEvent<T> | { readonly type: 'ERROR'; readonly object: Status };

interface WatchRequest {
  readonly path: string;
  readonly query: Query;
  /** The watch ends with a Timeout when the server sends nothing for this long, in ms. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
  /** Called when the server has accepted the watch. */
  readonly onOpen?: () => void;
}

/** Requests a watch from a version, with bookmarks; without a version it begins with the whole list (KEP-3157). */
export function watchQuery(
  selection: Pick<Query, 'labelSelector' | 'fieldSelector'>,
  resumeAt: string,
  timeoutSeconds: number,
): Query {
  return {
    ...selection,
    watch: true,
    allowWatchBookmarks: true,
    timeoutSeconds,
    resourceVersion: resumeAt,
    ...(resumeAt === '' ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : {}),
  };
}

/**
 * Opens a watch and yields its events until the server ends it. An ERROR event ends it too: the server may leave
 * the stream open after one and send nothing more.
 * @throws ApiError; reason `Timeout` when the connection went silent, `InvalidAnswer` for a line that is not JSON.
 */
export async function* readWatch<T extends KubeObject>(
  config: PooledKubeConfig,
  { path, query, idleMs, signal, onOpen }: WatchRequest,
): AsyncGenerator<WatchEvent<T>> {
  const request = { method: 'GET', path, query } as const;
  const name = describeRequest(request);
  const silence = new AbortController();
  const timer = setTimeout(() => {
    const text = `the server said nothing for ${idleMs} ms`;
    config.renewConnections();
    silence.abort(new ApiError({ request: name, code: 0, reason: 'Timeout', text }));
  }, idleMs);
  try {
    const response = await openRequest(config, request, AbortSignal.any([signal, silence.signal]));
    onOpen?.();
    const body: AsyncIterable<Uint8Array> = response.body;
    for await (const line of splitLines(body, () => timer.refresh())) {
      const event = parseEvent<T>(name, line);
      if (event.type === 'ERROR') throw errorOf(name, event.object);
      yield event;
    }
  } catch (cause) {
    if (cause instanceof ApiError || signal.aborted) throw cause;
    if (silence.signal.aborted) throw silence.signal.reason;
    const text = `the connection was cut: ${describeCause(cause)}`;
    throw new ApiError({ request: name, code: 0, reason: 'Unreachable', text, cause });
  } finally {
    clearTimeout(timer);
    // Closes the socket when the reader left early.
    silence.abort();
  }
}

async function* splitLines(body: AsyncIterable<Uint8Array>, onData: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    onData();
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
}

function parseEvent<T>(request: string, line: string): WireEvent<T> {
  try {
    // The server has checked the objects against their schema.
    return JSON.parse(line) as WireEvent<T>;
  } catch (cause) {
    throw new ApiError({ request, code: 0, reason: 'InvalidAnswer', text: 'an event is not JSON', cause });
  }
}

function errorOf(request: string, { code, reason, message, details }: Status): ApiError {
  return new ApiError({
    request,
    code: code ?? 500,
    reason: reason ?? 'InternalError',
    text: `the watch ended with an error: ${message ?? 'no explanation given'}`,
    details,
  });
}

/** The bookmark after the last object of a streamed list. */
export function isEndOfList<T>(event: WatchEvent<T>): event is Extract<WatchEvent<T>, { readonly type: 'BOOKMARK' }> {
  return event.type === 'BOOKMARK' && event.object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
}

/** A resource of the Kubernetes API, as `kubectl api-resources` lists it. */
export interface Resource {
  /** API group; empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

/** A reference to one object, or to one of its subresources. */
export interface ObjectRef {
  readonly resource: Resource;
  readonly name: string;
  /** Namespace; absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly subresource?: string;
}

/** The fields that all objects share. Programs add the parts of `spec` and `status` that they read. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** `group/version`, or `version` for the core group. */
export function apiVersionOf(resource: Resource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** Path of a collection: `/apis/apps/v1/namespaces/a/deployments`. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const root = resource.group === '' ? '/api' : '/apis';
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}/${apiVersionOf(resource)}${scope}/${resource.plural}`;
}

/** Path of an object or its subresource: `/api/v1/nodes/n1/status`. */
export function objectPath(ref: ObjectRef): string {
  if (['', '.', '..'].includes(ref.name))
    throw new Error(`${JSON.stringify(ref.name)} is not the name of a ${ref.resource.kind}`);
  const path = `${collectionPath(ref.resource, ref.namespace)}/${encodeURIComponent(ref.name)}`;
  return ref.subresource === undefined ? path : `${path}/${ref.subresource}`;
}

/** Key of an object within its resource: `namespace/name`, or `name` when cluster-scoped. */
export function keyOf(object: KubeObject): string {
  const { name, namespace } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Reference to an object that was read. */
export function refOf(resource: Resource, object: KubeObject, subresource?: string): ObjectRef {
  const { name, namespace } = object.metadata;
  return omitUndefined({ resource, name, namespace, subresource });
}

/** What tells an object and its version from others. */
export function keepVersion({ metadata: { name, namespace, uid, resourceVersion } }: KubeObject): KubeObject {
  return { metadata: omitUndefined({ name, namespace, uid, resourceVersion }) };
}

/** Calls the handlers of a watch's owner, and its log. An error of theirs is counted and logged, and stops nothing. */
export class WatchHandlers<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  /** How many calls have failed. */
  errors = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
  }

  emit(changes: readonly Change<T>[]): void {
    for (const change of changes) {
      try {
        this.#options.onChange?.(change);
      } catch (error) {
        this.#fail('a handler of changes failed', error, { key: change.key });
      }
    }
  }

  /** @returns what is kept of an object */
  trim(object: T): T {
    try {
      return this.#options.trim?.(object) ?? object;
    } catch (error) {
      this.#fail('cannot trim an object', error, { key: keyOf(object) });
      return object;
    }
  }

  tellOfRewind(version: string): void {
    const { logger, resource, onRewind } = this.#options;
    logger.warn('the API server was restored from a backup; its list is taken as it is', {
      resource: resource.plural,
      version,
    });
    onRewind?.();
  }

  /** @param isExpected whether a list repairs it */
  tellOfTrouble(error: unknown, delayMs: number, isExpected: boolean): void {
    const { logger, resource } = this.#options;
    const fields = { resource: resource.plural, error: describeError(error), retryInMs: Math.round(delayMs) };
    if (isExpected) logger.info('watch restarts from a list', fields);
    else logger.warn('watch interrupted', fields);
  }

  #fail(message: string, error: unknown, fields: Readonly<Record<string, string>>): void {
    this.errors += 1;
    this.#options.logger.error(message, { ...fields, error: describeError(error) });
  }
}

/** A change of an object. An object that was deleted and recreated is a `delete` and then an `apply`. */
export type Change<T> =
  | { readonly type: 'apply'; readonly key: string; readonly object: T; readonly previous: T | undefined }
  | { readonly type: 'delete'; readonly key: string; readonly object: T };

/** The objects as last seen, by key (`namespace/name`, or `name`). */
export interface Store<T> {
  readonly size: number;
  get(key: string): T | undefined;
  list(): readonly T[];
}

/**
 * The store behind a reflector. It returns the changes that it made, and accepts nothing older than what it has:
 * repeated or late events change nothing.
 */
export class ObjectStore<T extends KubeObject> implements Store<T> {
  #items: Map<string, T> = new Map();

  get size(): number {
    return this.#items.size;
  }

  get(key: string): T | undefined {
    return this.#items.get(key);
  }

  list(): readonly T[] {
    return [...this.#items.values()];
  }

  /** Takes an object's current state. */
  upsert(object: T): readonly Change<T>[] {
    const key = keyOf(object);
    const before = this.#items.get(key);
    if (before !== undefined && (isSame(before, object) || isOlder(versionOf(object), versionOf(before)))) return [];
    this.#items.set(key, object);
    return describeChange(key, before, object);
  }

  /** Takes the last state of an object that is gone. */
  remove(object: T): readonly Change<T>[] {
    const key = keyOf(object);
    const before = this.#items.get(key);
    if (before === undefined || isOlder(versionOf(object), versionOf(before))) return [];
    this.#items.delete(key);
    return [{ type: 'delete', key, object: before.metadata.uid === object.metadata.uid ? object : before }];
  }

  /**
   * Takes a complete list: what is not in it is gone. The list decides, even if it is older.
   * @param trustsVersions false: an object with the version that we know may still be a different state of it
   */
  replace(next: ReadonlyMap<string, T>, trustsVersions = true): readonly Change<T>[] {
    const before = this.#items;
    this.#items = new Map();
    const changes: Change<T>[] = [];
    for (const [key, object] of before) if (!next.has(key)) changes.push({ type: 'delete', key, object });
    for (const [key, object] of next) {
      const known = before.get(key);
      const same = trustsVersions && known !== undefined && isSame(known, object);
      this.#items.set(key, same ? known : object);
      if (!same) changes.push(...describeChange(key, known, object));
    }
    return changes;
  }
}

function describeChange<T extends KubeObject>(key: string, before: T | undefined, object: T): readonly Change<T>[] {
  if (before === undefined || before.metadata.uid === object.metadata.uid) {
    return [{ type: 'apply', key, object, previous: before }];
  }
  return [
    { type: 'delete', key, object: before },
    { type: 'apply', key, object, previous: undefined },
  ];
}

/** Whether both are the same state of the same object. */
function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.uid === b.metadata.uid && versionOf(a) === versionOf(b);
}

function versionOf(object: KubeObject): string | undefined {
  return object.metadata.resourceVersion;
}

/** The newest known state of a resource, as a witness: a server that has lost it was restored from a backup. */
export interface LastChange {
  readonly object: ObjectMeta;
  readonly isGone: boolean;
}

/** The object of a list that changed last. */
export function lastOf<T extends KubeObject>(list: ReadonlyMap<string, T>): LastChange | undefined {
  let last: ObjectMeta | undefined;
  for (const { metadata } of list.values()) {
    if (last === undefined || isOlder(last.resourceVersion, metadata.resourceVersion)) last = metadata;
  }
  return last && { object: last, isGone: false };
}

/** Narrows a selection to the object that changed last; the whole selection if nothing is known. */
export function selectLast(last: LastChange | undefined, selection: Selection): Selection {
  if (last === undefined) return selection;
  const { name, namespace = selection.namespace } = last.object;
  const terms = [selection.fieldSelector, `metadata.name=${name}`].filter((term) => term !== undefined);
  return { ...selection, namespace, fieldSelector: terms.join(',') };
}

/** Whether the server knows the same last state as we do. */
export function isAsKnown(last: LastChange | undefined, found: KubeObject | undefined): boolean {
  if (last === undefined || last.isGone) return found === undefined;
  const { uid, resourceVersion } = last.object;
  return found?.metadata.uid === uid && found?.metadata.resourceVersion === resourceVersion;
}

/** What stands before the server may ask for a wait of an hour, and a watch must not be blind for so long. In ms. */
const longestAskedMs = 30_000;

/** How long a watch waits before it is opened again. */
export class RetryPace {
  readonly #timing: ReflectorTiming;
  #failuresInRow = 0;
  /** The time at which we last retried without a wait. */
  #hurriedAtMs = -Infinity;

  constructor(timing: ReflectorTiming) {
    this.#timing = timing;
  }

  /** The server has answered. */
  reset(): void {
    this.#failuresInRow = 0;
  }

  /**
   * @param isExpected whether a list repairs it
   * @param doubts how often in a row the server has gone back
   * @returns in ms
   */
  delayAfter(
    error: unknown,
    { isExpected, doubts }: { readonly isExpected: boolean; readonly doubts: number },
  ): number {
    const { backoffBaseMs: baseMs, backoffMaxMs: maxMs, floorMs } = this.#timing;
    this.#failuresInRow += 1;
    // What a list repairs needs no wait, but not repeatedly: the list may not help.
    if (isExpected && performance.now() - this.#hurriedAtMs > 30 * floorMs) {
      this.#hurriedAtMs = performance.now();
      return 0;
    }
    // A server that has gone back does answer: how long it was unreachable before is irrelevant.
    const failures = error instanceof TimeTravelError ? doubts : this.#failuresInRow;
    const askedMs = Math.min(longestAskedMs, (error instanceof ApiError && error.retryAfterMs) || 0);
    return askedMs + backoffMs({ baseMs, maxMs }, failures);
  }
}
