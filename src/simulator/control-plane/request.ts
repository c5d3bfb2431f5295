import { Agent, request } from 'undici';

import { ControlPlaneError } from './errors.ts';

export interface ControlPlaneRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query: `/api/v1/nodes?limit=1`. */
  readonly path: string;
  readonly body?: unknown;
  /** Of the body; JSON if absent. A PATCH needs one of the API's patch types. */
  readonly contentType?: string;
  readonly token?: string;
}

/** `body` is the parsed JSON, or the text if it is not JSON. */
export interface ApiResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Raw calls to one API server: no retries, and every status is a response. */
export interface ApiClient {
  send(call: ControlPlaneRequest): Promise<ApiResponse>;
  /** As `send`, for the body of a successful response. @throws ControlPlaneError `RequestFailed` unless it is 2xx. */
  demand(call: ControlPlaneRequest): Promise<unknown>;
  close(): Promise<void>;
}

/** One connection pool. HTTP/1.1, since a dead HTTP/2 connection goes unnoticed for a minute. */
export function createApiClient(server: string, ca: string, token: string): ApiClient {
  const agent = new Agent({ allowH2: false, connect: { ca }, keepAliveTimeout: 10_000 });
  const send = async (call: ControlPlaneRequest): Promise<ApiResponse> => {
    const answer = await request(`${server}${call.path}`, {
      method: call.method ?? 'GET',
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${call.token ?? token}`,
        ...(call.body !== undefined && { 'content-type': call.contentType ?? 'application/json' }),
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    });
    return { status: answer.statusCode, body: parseBody(await answer.body.text()) };
  };
  return {
    send,
    demand: async (call) => {
      const { status, body } = await send(call);
      if (status >= 200 && status < 300) return body;
      const what = `${call.method ?? 'GET'} ${call.path}`;
      throw new ControlPlaneError('RequestFailed', `${what} was answered ${status}: ${JSON.stringify(body)}`);
    },
    close: () => agent.destroy(),
  };
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Follows a path of names into parsed JSON; undefined if it does not exist. */
export function pick(body: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => {
    if (typeof at !== 'object' || at === null) return undefined;
    return Object.entries(at).find(([key]) => key === name)?.[1];
  }, body);
}

export function pickText(body: unknown, ...path: readonly string[]): string | undefined {
  const found = pick(body, ...path);
  return typeof found === 'string' ? found : undefined;
}
