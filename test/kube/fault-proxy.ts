import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetch } from 'undici';
import type { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly atMs: number;
}

/** What the proxy does instead of, or to, the real answer. */
export type Fault =
  /** Answers itself. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  /** Closes the connection: before the request is passed on, after it took effect, or within the answer's body. */
  | { readonly reset: 'before' | 'after' | 'body' }
  /** Replaces each line of a stream by others; `end` ends the stream after them, else it is left open as it is. */
  | { readonly lines: (line: string) => { readonly send: readonly string[]; readonly end?: boolean } };

/** Decides over a request; nothing lets it pass. */
export type Rule = (request: SeenRequest) => Fault | undefined;

/** An HTTP proxy before the real API server, which speaks as an administrator and makes faults by a rule. */
export class FaultProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #config: PooledKubeConfig;
  readonly #streams = new AbortController();
  readonly requests: SeenRequest[] = [];
  rule: Rule = () => undefined;

  private constructor(config: PooledKubeConfig) {
    this.#config = config;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  static async open(config: PooledKubeConfig): Promise<FaultProxy> {
    const proxy = new FaultProxy(config);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get server(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends all open streams as a server does that goes away. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#streams.abort();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://proxy');
    const seen = { method: request.method ?? '', path: url.pathname, query: url.searchParams, atMs: performance.now() };
    this.requests.push(seen);
    const fault = this.rule(seen);
    if (fault !== undefined && 'status' in fault) {
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      response.end(JSON.stringify(fault.body ?? {}));
      return;
    }
    if (fault !== undefined && 'reset' in fault && fault.reset === 'before') {
      request.socket.resetAndDestroy();
      return;
    }
    const answer = await this.#pass(request, url, response);
    if (fault !== undefined && 'reset' in fault && fault.reset === 'after') {
      await answer.text();
      request.socket.resetAndDestroy();
      return;
    }
    const length = answer.headers.get('content-length');
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'application/json',
      ...(length === null ? {} : { 'content-length': length }),
    });
    if (fault !== undefined && 'reset' in fault) {
      const body = await answer.text();
      response.write(body.slice(0, body.length / 2), () => request.socket.resetAndDestroy());
      return;
    }
    await copyBody(answer.body ?? [], response, fault?.lines);
    response.end();
  }

  async #pass(request: IncomingMessage, url: URL, response: ServerResponse): ReturnType<typeof fetch> {
    const { server, headers, dispatcher } = await this.#config.credentials();
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    return fetch(server + url.pathname + url.search, {
      method: request.method ?? 'GET',
      headers: {
        ...headers,
        'accept-encoding': 'identity',
        accept: request.headers.accept ?? '',
        ...(parts.length === 0 ? {} : { 'content-type': request.headers['content-type'] ?? '' }),
      },
      ...(parts.length === 0 ? {} : { body: Buffer.concat(parts) }),
      dispatcher,
      signal: AbortSignal.any([gone.signal, this.#streams.signal]),
    });
  }
}

type LineFault = Extract<Fault, { readonly lines: unknown }>['lines'];

async function copyBody(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  response: ServerResponse,
  change: LineFault | undefined,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  // A watch must be seen to have begun although it has no event yet.
  response.flushHeaders();
  for await (const chunk of body) {
    if (change === undefined) {
      response.write(chunk);
      continue;
    }
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { send, end = false } = change(line);
      for (const text of send) response.write(`${text}\n`);
      if (end) return;
    }
  }
  response.write(rest);
}
