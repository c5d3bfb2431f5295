import { untilAborted } from '../process/abort.ts';
import { steadyMs, systemClock, waitFor } from '../process/clock.ts';
import { type Dispatcher, request as send } from 'undici';
import { ApiError, describeCause, isDefinite, parseApiError } from './api-error.ts';
import { backoffMs } from './backoff.ts';
import type { PooledKubeConfig } from './kubeconfig.ts';
import { ListTooLarge } from './list-items.ts';
import { guardSending, NotSentError } from './send-guard.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** One request, JSON in and JSON out. Nothing is ever decoded into typed models, which drop unknown fields. */
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
