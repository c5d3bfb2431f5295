import type { SeenRequest } from './seen-request.ts';

/** Replaces a line of a stream by others; `end` then ends the stream, otherwise it stays open. */
export type LineFault = (line: string) => { readonly send: readonly string[]; readonly end?: boolean };

/** A list as the API server returned it earlier. */
export interface EarlierList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly object[];
}

/** What the proxy does instead of, or with, the real response. */
export type RequestFault =
  /** Responds itself; with `forwards`, after the request took effect. */
  | {
      readonly status: number;
      readonly forwards?: true;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** Resets the connection: before the request is forwarded, after it took effect, or within the response's body. */
  | { readonly reset: 'before' | 'after' | 'body' }
  /** Never responds, and leaves the connection open: before the request is forwarded, or after it took effect; then calls `onDrop`. */
  | { readonly drop: 'before' | 'after'; readonly onDrop?: () => void }
  /** Delays the request or its response. */
  | { readonly delay: 'before' | 'after'; readonly ms: number }
  /** Forwards the request twice and returns the second response, as a load balancer does that retries by itself. */
  | { readonly repeat: true }
  /** Answers a list, streamed or not, with earlier data, and silences its watch: a server that has fallen behind. */
  | { readonly stale: EarlierList }
  | { readonly lines: LineFault };

/** Decides about a request; no result lets it pass. */
export type RequestRule = (request: SeenRequest) => RequestFault | undefined;

/** A Status as the API server returns it, for `status` and for ERROR events. */
export function aStatus(code: number, reason: string, more: object = {}): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: 'by the test', ...more };
}

/** A refusal with its Status. */
export function refusal(code: number, reason: string, retryAfter?: number): RequestFault {
  const headers = retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } };
  return { status: code, body: aStatus(code, reason), ...headers };
}

/** A refusal of what has taken effect, as a load balancer makes that gives up too early. */
export function falseRefusal(code: number, reason: string): RequestFault {
  return { status: code, forwards: true, body: aStatus(code, reason) };
}

/** The line of an ERROR event within a stream. */
export function errorLine(status: object): string {
  return JSON.stringify({ type: 'ERROR', object: status });
}

/** The lines of a streamed list. */
export function listLines({ apiVersion, kind, metadata, items }: EarlierList): readonly string[] {
  const type = { apiVersion, kind: kind.replace(/List$/, '') };
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  return [
    ...items.map((item) => ({ type: 'ADDED', object: { ...type, ...item } })),
    { type: 'BOOKMARK', object: { ...type, metadata: { ...metadata, annotations } } },
  ].map((event) => JSON.stringify(event));
}
