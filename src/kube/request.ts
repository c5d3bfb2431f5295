import type { KubeObject } from './watch.ts';
import { DecoratorHandler, type Dispatcher, request as send } from 'undici';
import { messageOf } from '../core/text/words.ts';
import { untilAborted, steadyMs, systemClock, waitFor } from '../process/clock.ts';
import { ApiError, describeCause, isDefinite, parseApiError, backoffMs } from './api-error.ts';
import type { PooledKubeConfig } from './kubeconfig.ts';

export interface CallOptions {
  /** Time limit of each attempt, in ms. */
  readonly timeoutMs?: number;
  /** Maximum number of attempts; 1 means no retry. */
  readonly attempts?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Selection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends CallOptions {
  /** Objects per page; default 500. */
  readonly pageSize?: number;
  /**
   * False: everything in one answer, without `limit`, for short selections such as the pods of one node. A limit sends servers
   * before Kubernetes 1.34 past their watch cache and its indexes to etcd, where they read every object of the resource.
   */
  readonly paged?: boolean;
  /** The objects come with their metadata only. */
  readonly metadataOnly?: boolean;
  /** What is kept of each object, applied as each one arrives: for lists that anybody may make long. */
  readonly trim?: (object: never) => KubeObject;
}

export interface List<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  /** The answer has metadata only: saves memory and time if the rest is not read, as with Nodes. */
  readonly metadataOnly?: boolean;
}

export interface ApplyOptions extends WriteOptions {
  /** Take fields from other managers; otherwise a field of another manager is a Conflict. */
  readonly force?: boolean;
  readonly fieldManager?: string;
}

export interface StatusOptions extends ApplyOptions {
  /** Write only to this version; otherwise Conflict. Of the uid, the API server takes no notice in a status. */
  readonly resourceVersion?: string | undefined;
}

export interface DeleteOptions extends CallOptions {
  /** Delete only the object with this uid or version; otherwise Conflict. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly gracePeriodSeconds?: number;
}

/** A list is larger than the limit for reading one. */
export class ListTooLarge extends Error {
  override readonly name = 'ListTooLarge';
}

const bytes = { quote: 0x22, backslash: 0x5c, open: 0x7b, close: 0x7d, openList: 0x5b, closeList: 0x5d } as const;

/**
 * Reads the JSON of a Kubernetes list item by item and keeps what `trim` returns for each: filling a node with pods of 1 MB
 * makes the list longer, but does not use more of our memory.
 *
 * @param mostBytes of the whole list
 * @returns the list as received, with the projected items
 * @throws SyntaxError if it is not JSON or was cut off; ListTooLarge
 */
export async function readList(
  chunks: AsyncIterable<Uint8Array>,
  trim: (item: unknown) => unknown,
  mostBytes: number,
): Promise<unknown> {
  const scan = new ListScan(trim);
  let read = 0;
  for await (const chunk of chunks) {
    read += chunk.length;
    if (read > mostBytes) throw new ListTooLarge(`the list is longer than ${mostBytes} bytes`);
    scan.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
  }
  return scan.end();
}

/** The position in the list. Outside of strings only brackets count: JSON.parse judges what is between two of them. */
class ListScan {
  readonly #trim: (item: unknown) => unknown;
  readonly #kept: unknown[] = [];
  /** The list without its items. */
  readonly #rest: Buffer[] = [];
  #item: Buffer[] | undefined;
  /** Index in the chunk at which the part begins that is not yet consumed. */
  #from = 0;
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  #isInItems = false;

  constructor(trim: (item: unknown) => unknown) {
    this.#trim = trim;
  }

  push(chunk: Buffer): void {
    this.#from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (this.#isString) this.#readString(byte);
      else if (byte === bytes.quote) this.#isString = true;
      else if (byte === bytes.open || byte === bytes.openList) this.#open(chunk, at);
      else if (byte === bytes.close || byte === bytes.closeList) this.#close(chunk, at);
    }
    const left = chunk.subarray(this.#from);
    if (this.#item) this.#item.push(left);
    // Between two items there is only their comma.
    else if (!this.#isInItems) this.#rest.push(left);
  }

  #readString(byte: number | undefined): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === bytes.backslash) this.#isEscaped = true;
    else if (byte === bytes.quote) this.#isString = false;
  }

  #open(chunk: Buffer, at: number): void {
    const depth = this.#depth;
    this.#depth += 1;
    if (depth === 1 && chunk[at] === bytes.openList) {
      const before = chunk.subarray(this.#from, at + 1);
      this.#isInItems = /"items"\s*:\s*\[$/.test(tailOf([...this.#rest, before]));
      if (!this.#isInItems) return;
      this.#rest.push(before);
      this.#from = at + 1;
    } else if (depth === 2 && this.#isInItems) {
      this.#item = [];
      this.#from = at;
    }
  }

  #close(chunk: Buffer, at: number): void {
    this.#depth -= 1;
    if (this.#depth === 2 && this.#item) {
      const text = Buffer.concat([...this.#item, chunk.subarray(this.#from, at + 1)]).toString('utf8');
      this.#item = undefined;
      this.#from = at + 1;
      this.#kept.push(this.#trim(JSON.parse(text)));
    } else if (this.#depth === 1 && this.#isInItems) {
      this.#isInItems = false;
      this.#from = at;
    }
  }

  end(): unknown {
    const list: unknown = JSON.parse(Buffer.concat(this.#rest).toString('utf8'));
    // Without items it says nothing of what is absent.
    return typeof list === 'object' && list !== null && 'items' in list ? { ...list, items: this.#kept } : list;
  }
}

function tailOf(parts: readonly Buffer[]): string {
  return Buffer.concat(parts).subarray(-64).toString('utf8');
}

/** A request was held back at the last moment; `cause` says why. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';

  constructor(request: string, cause: unknown) {
    super(`${request}: not sent: ${messageOf(cause)}`, { cause });
  }
}

/**
 * A dispatcher that checks requests when they are written to their connection: while one waits for a connection, the process
 * may be stalled.
 */
function guardSending(dispatcher: Dispatcher, request: string, check: () => void): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => {
    const guarded: Dispatcher.DispatchHandler = new DecoratorHandler(handler);
    guarded.onRequestStart = (controller, context) => {
      handler.onRequestStart?.(controller, context);
      try {
        check();
      } catch (cause) {
        controller.abort(new NotSentError(request, cause));
      }
    };
    return dispatch(options, guarded);
  });
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A request, JSON in and JSON out. Nothing is ever decoded into typed models, which drop unknown fields. */
export interface ApiRequest {
  readonly method: Method;
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  /** Content type of the body; `application/json` by default. */
  readonly contentType?: string;
  readonly accept?: string;
  /** Time limit of each attempt, in ms, including the body. */
  readonly timeoutMs?: number;
  /** Maximum number of attempts; 1 means no retry. */
  readonly attempts?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called right before each attempt is sent, which may be long after the call. If it throws, the request ends: {@link NotSentError}. */
  readonly beforeSend?: (() => void) | undefined;
  /** Turns the body into the answer; by default JSON.parse of the whole body. */
  readonly readBody?: (chunks: AsyncIterable<Uint8Array>) => Promise<unknown>;
}

/** Attempts and waits when the request does not set them. */
const defaults = {
  timeoutMs: 15_000,
  attempts: 4,
  backoff: { baseMs: 300, maxMs: 5_000 },
  longestWaitMs: 10_000,
} as const;

/**
 * Sends a request and returns the JSON of the answer. Retries it, with full jitter and never sooner than Retry-After,
 * where that is safe: always after a refusal (429), and after a lost or broken answer only if the request is idempotent.
 * After a 401 it reads the credentials again, once.
 * @throws ApiError; NotSentError; or the signal's reason when the caller gave up.
 */
export async function sendRequest(config: PooledKubeConfig, request: ApiRequest): Promise<unknown> {
  const attempts = request.attempts ?? defaults.attempts;
  let reloaded = false;
  let isUnsure = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce(config, request);
    } catch (error) {
      request.signal?.throwIfAborted();
      if (!(error instanceof ApiError)) throw error;
      error.isRepetition = isUnsure;
      isUnsure ||= !isDefinite(error);
      if (error.reason === 'Timeout' && error.code === 0) config.renewConnections();
      if (error.code === 401 && !reloaded) {
        reloaded = true;
        config.reload();
        continue;
      }
      const waitMs = delayOf(error, attempt);
      if (attempt >= attempts || waitMs > defaults.longestWaitMs || !mayRepeat(request, error)) throw error;
      await waitFor(systemClock, waitMs, request.signal);
      request.signal?.throwIfAborted();
    }
  }
}

/**
 * Sends a request once and returns the answer with its body unread. The signal also ends the body.
 * @throws ApiError when the answer is not 2xx or does not come; NotSentError.
 */
export async function openRequest(
  config: PooledKubeConfig,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const name = describeRequest(request);
  const { server, headers, dispatcher } = await config.credentials().catch((cause: unknown) => {
    const text = `cannot read the credentials: ${describeCause(cause)}`;
    throw new ApiError({ request: name, code: 0, reason: 'NoCredentials', text, cause });
  });
  const url = new URL(server + request.path);
  for (const [key, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(key, String(value));
  }
  try {
    // Not fetch: its browser machinery costs 10 MB in each process.
    signal.throwIfAborted();
    const sentMs = steadyMs();
    const answer = send(url, {
      method: request.method,
      headers: {
        ...headers,
        'user-agent': 'gpu-partition-operator',
        accept: request.accept ?? 'application/json',
        ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      dispatcher: request.beforeSend === undefined ? dispatcher : guardSending(dispatcher, name, request.beforeSend),
      signal,
    });
    // undici notices an abort only once it has a connection: a handshake without an answer would block.
    const response = await untilAborted(answer, signal);
    if (response.statusCode >= 200 && response.statusCode < 300) {
      // A refusal may come from a proxy, whose clock is its own.
      config.serverClock.see(response.headers['date'], sentMs, steadyMs());
      return response;
    }
    const retryAfter = response.headers['retry-after'];
    const text = await response.body.text();
    throw parseApiError(name, response.statusCode, typeof retryAfter === 'string' ? retryAfter : null, text);
  } catch (error) {
    throw asApiError(name, signal.aborted ? signal.reason : error);
  }
}

/** `GET /api/v1/nodes/n1`, for messages. */
export function describeRequest(request: Pick<ApiRequest, 'method' | 'path'>): string {
  return `${request.method} ${request.path}`;
}

async function sendOnce(config: PooledKubeConfig, request: ApiRequest): Promise<unknown> {
  // Fractions are refused, and part of a lease has some.
  const limit = AbortSignal.timeout(Math.ceil(request.timeoutMs ?? defaults.timeoutMs));
  const signal = request.signal === undefined ? limit : AbortSignal.any([request.signal, limit]);
  const response = await openRequest(config, request, signal);
  try {
    return await (request.readBody?.(response.body) ?? response.body.json());
  } catch (error) {
    throw asApiError(describeRequest(request), signal.aborted ? signal.reason : error);
  }
}

function asApiError(request: string, cause: unknown): ApiError | NotSentError {
  if (cause instanceof ApiError || cause instanceof NotSentError) return cause;
  if (cause instanceof ListTooLarge) {
    return new ApiError({ request, code: 0, reason: 'TooLarge', text: cause.message, cause });
  }
  if (cause instanceof SyntaxError) {
    return new ApiError({
      request,
      code: 0,
      reason: 'InvalidAnswer',
      text: 'the answer is not JSON or was cut',
      cause,
    });
  }
  if (cause instanceof DOMException && cause.name === 'TimeoutError') {
    return new ApiError({ request, code: 0, reason: 'Timeout', text: 'no complete answer within the limit', cause });
  }
  const text = `the connection failed: ${describeCause(cause)}`;
  return new ApiError({ request, code: 0, reason: 'Unreachable', text, cause });
}

function mayRepeat(request: ApiRequest, error: ApiError): boolean {
  // A PodDisruptionBudget also refuses an eviction with 429; that is an answer, not overload.
  if (error.code === 429)
    return !error.hasCause('DisruptionBudget') && (isIdempotent(request) || error.retryAfterMs !== undefined);
  return (
    [0, 500, 502, 503, 504].includes(error.code) &&
    !['NoCredentials', 'TooLarge'].includes(error.reason) &&
    isIdempotent(request)
  );
}

function isIdempotent({ method, contentType }: ApiRequest): boolean {
  return method !== 'POST' && contentType !== 'application/json-patch+json';
}

function delayOf(error: ApiError, attempt: number): number {
  return (error.retryAfterMs ?? 0) + backoffMs(defaults.backoff, attempt);
}

/** Answers that took longer than this, in ms, say too little about the moment at which they were given. */
const longestMs = 2_000;
/** A steady clock that is off by no more, in ms, is left as it is: answers tell whole seconds. */
const noticedMs = 5_000;

/** How far this machine's clock is ahead of the API server's, from the `Date` of its answers: precise to two seconds. */
export class ServerClock {
  readonly #now: () => number;
  readonly #wallMs: () => number;
  /** How far the steady clock is ahead. */
  #aheadMs: number | undefined;
  #correctedMs = 0;

  /** @param now a clock that never jumps @param wallMs the machine's, which people may set */
  constructor(now = steadyMs, wallMs = Date.now) {
    this.#now = now;
    this.#wallMs = wallMs;
  }

  /** Milliseconds by which this machine's clock is ahead; negative if it is behind; undefined before the first answer. */
  get skewMs(): number | undefined {
    return this.#aheadMs === undefined ? undefined : this.#aheadMs + Math.round(this.#wallMs() - this.#now());
  }

  /**
   * Milliseconds since 1970 for what several programs compare. It jumps only where this process has had the time wrong by seconds: at its
   * first answer, or after its machine was suspended.
   */
  nowMs(): number {
    const aheadMs = this.#aheadMs ?? 0;
    if (Math.abs(aheadMs - this.#correctedMs) > noticedMs) this.#correctedMs = aheadMs;
    return this.#now() - this.#correctedMs;
  }

  /** Takes an answer. @param sentMs @param answeredMs by the steady clock */
  see(date: string | readonly string[] | undefined, sentMs: number, answeredMs: number): void {
    const server = typeof date === 'string' ? Date.parse(date) : Number.NaN;
    const tookMs = answeredMs - sentMs;
    if (!Number.isFinite(server) || tookMs < 0 || tookMs > longestMs) return;
    // The server drops fractions of a second.
    this.#aheadMs = (sentMs + answeredMs) / 2 - (server + 500);
  }
}
