import { cutText } from '../core/text/words.ts';
import { type Backoff, doubledMs } from '../core/text/syntax.ts';
import { type Fields, isFields } from '../core/text/json.ts';

/** A part of `details` of a Kubernetes Status. */
interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** `details` of a Kubernetes Status: what the error is about. */
interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** The parts that we read of a Kubernetes Status object (apimachinery `meta/v1.Status`). */
export interface Status {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: StatusDetails;
}

interface ApiErrorFields {
  /** The failed request: `PATCH /api/v1/nodes/n1`. */
  readonly request: string;
  readonly code: number;
  readonly reason: string;
  readonly text: string;
  readonly details?: StatusDetails | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A request to the API server failed. The message names the request, the code, the reason and the server's message. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0 when there was no answer at all: whether the request took effect is unknown. */
  readonly code: number;
  /**
   * `Conflict`, `NotFound`, `AlreadyExists`, … from the Status; if the API server did not name one itself: `Unreachable`,
   * `Timeout`, `InvalidAnswer`, `TooLarge` or `NoCredentials`.
   */
  readonly reason: string;
  /** The server's own words, without the request. */
  readonly text: string;
  readonly details: StatusDetails | undefined;
  /** The wait that the server asks for (header Retry-After or the Status), in ms. */
  readonly retryAfterMs: number | undefined;
  /** Whether an earlier attempt of the same request may have taken effect: it got no answer, and this one was refused. */
  isRepetition = false;

  constructor(fields: ApiErrorFields) {
    super(`${fields.request}: ${fields.code === 0 ? '' : `${fields.code} `}${fields.reason}: ${fields.text}`, {
      cause: fields.cause,
    });
    this.code = fields.code;
    this.reason = fields.reason;
    this.text = fields.text;
    this.details = fields.details;
    this.retryAfterMs = fields.retryAfterMs;
  }

  /** Whether the details name a cause of this kind, such as `DisruptionBudget` or `FieldManagerConflict`. */
  hasCause(reason: string): boolean {
    return this.details?.causes?.some((cause) => cause.reason === reason) ?? false;
  }
}

/** The object does not exist, or the API has no such resource (its CRD is not installed). */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 404;
}

/** A handler for `catch` that returns this for what does not exist, and throws any other error again. */
export function ifNotFound<Instead>(instead: Instead): (error: unknown) => Instead {
  return (error) => {
    if (isNotFound(error)) return instead;
    throw error;
  };
}

/** Whether somebody else changed or owns the object: the resourceVersion is not the newest, or another manager owns the fields. */
export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 409 && error.reason !== 'AlreadyExists';
}

/** Whether the name is taken. */
export function isAlreadyExists(error: unknown): error is ApiError {
  return error instanceof ApiError && error.reason === 'AlreadyExists';
}

/**
 * The API server has refused: the request has changed nothing. Without an answer, or after trouble of its own, it may have, even if a
 * repetition was then refused: our own first attempt may be what it conflicts with.
 */
export function isDefinite(error: unknown): boolean {
  return error instanceof ApiError && error.code !== 0 && error.code < 500 && !error.isRepetition;
}

/**
 * The answer to a write, or why the API server does not take what is written as it is, however often it is sent.
 *
 * @param more further codes on which the caller continues, too
 */
export async function orRefusal<T>(sent: Promise<T>, more: readonly number[] = []): Promise<T | ApiError> {
  return sent.catch((error: unknown) => {
    if (error instanceof ApiError && [400, 413, 422, ...more].includes(error.code)) return error;
    throw error;
  });
}

/** The resourceVersion or the continue token is too old: list again. */
export function isGone(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 410;
}

/** What failed below HTTP: with the cause behind undici's and Node's own words, which are empty if several addresses failed. */
export function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : [error.cause ?? []].flat();
  // Standard error of a credential plugin ends with a newline.
  const words = [error.message.trim(), inner.map(describeCause).join('; ')].filter((text) => text !== '');
  return words.length === 0 ? error.name : [...new Set(words)].join(': ');
}

/** Builds the error for an answer that is not 2xx. A body that is not a Status (a proxy's page) is quoted in short. */
export function parseApiError(request: string, httpStatus: number, retryAfter: string | null, body: string): ApiError {
  const status = parseStatus(body);
  const code = status?.code ?? httpStatus;
  const headerMs = parseRetryAfter(retryAfter);
  const seconds = status?.details?.retryAfterSeconds;
  return new ApiError({
    request,
    code,
    reason: status?.reason ?? reasons[code] ?? 'HttpError',
    text: status?.message ?? (body === '' ? 'no explanation given' : cutText(body, 300)),
    details: status?.details,
    retryAfterMs: headerMs ?? (seconds === undefined || seconds === 0 ? undefined : seconds * 1000),
  });
}

/** The Status in a body, or nothing if the body is something else. */
function parseStatus(body: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
}

/** The Retry-After header in ms; seconds only, since Kubernetes never sends a date. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null || !/^\d+$/.test(header.trim())) return undefined;
  return Number(header) * 1000;
}

/** Reasons as the API server names them, for answers of a proxy. */
const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/**
 * How long to wait after this many consecutive failures (1 is the first): full jitter, that is anything between zero and
 * a limit that doubles, so that a thousand clients do not come back at the same moment.
 */
export function backoffMs(backoff: Backoff, failures: number, random: () => number = Math.random): number {
  return random() * doubledMs(backoff, failures);
}

/** The kind of answer that was asked for. */
export type AnswerKind = 'object' | 'list';

/**
 * What stands before an API server, such as a proxy or a portal that wants a login, may answer everything with 200: then nothing is
 * known of what was asked for, above all not that it is absent.
 * @throws ApiError
 */
export function requireAnswer(request: string, answer: unknown, expected: AnswerKind): void {
  if (isFields(answer) && isFields(answer['metadata']) && isExpected(answer, answer['metadata'], expected)) return;
  const text = `the answer is not the ${expected} that was asked for; does something else than the API server answer at its address?`;
  throw new ApiError({ request, code: 0, reason: 'InvalidAnswer', text });
}

/** A Status has metadata, too, but neither a name nor items. An empty list of metadata has null. */
function isExpected({ items }: Fields, { name }: Fields, expected: AnswerKind): boolean {
  return expected === 'object' ? typeof name === 'string' : items === null || Array.isArray(items);
}
