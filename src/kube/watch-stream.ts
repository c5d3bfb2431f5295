import { ApiError, describeCause, type Status } from './api-error.ts';
import type { PooledKubeConfig } from './kubeconfig.ts';
import { describeRequest, openRequest, type Query } from './request.ts';
import type { KubeObject } from './resource.ts';

/** A line of a watch. A bookmark's object has only a version. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject };

type WireEvent<T> = WatchEvent<T> | { readonly type: 'ERROR'; readonly object: Status };

export interface WatchRequest {
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
