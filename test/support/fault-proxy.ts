import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request as send, type Dispatcher } from 'undici';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { keyFileOf } from '../../src/simulator/control-plane/components.ts';
import { listLines, type EarlierList, type RequestFault, type LineFault, type RequestRule } from './fault.ts';
import { Link } from './link.ts';
import { describeSeen, type SeenRequest } from './seen-request.ts';

interface Parts {
  readonly target: string;
  readonly server: Server;
  readonly link: Link;
  readonly upstream: Agent;
  readonly program: string | undefined;
}

const none: RequestFault = { delay: 'before', ms: 0 };

/**
 * Proxies the real API server, with its certificate, so that a kubeconfig differs only in the port. Injects faults into
 * requests and responses by a rule, and into connections on demand.
 */
export class FaultProxy implements AsyncDisposable {
  readonly #parts: Parts;
  readonly requests: SeenRequest[] = [];
  rule: RequestRule = () => undefined;
  /** How far the clock that its answers show is ahead of the API server's, in ms. */
  aheadMs = 0;

  private constructor(parts: Parts) {
    this.#parts = parts;
    parts.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  /** @param program whose proxy it is: the audit log shows this name as the user agent */
  static async open({ server: target, caFile, folder, ca }: ControlPlane, program?: string): Promise<FaultProxy> {
    const [cert, key] = await Promise.all([readFile(caFile), readFile(keyFileOf(folder))]);
    const server = createServer({ cert, key });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const link = await Link.open((server.address() as AddressInfo).port);
    const upstream = new Agent({ allowH2: false, bodyTimeout: 0, headersTimeout: 0, connect: { ca } });
    return new FaultProxy({ target, server, link, upstream, program });
  }

  get server(): string {
    return `https://127.0.0.1:${this.#parts.link.port}`;
  }

  /** Connections accepted since the start. */
  get connections(): number {
    return this.#parts.link.connections;
  }

  /** Resets all connections, as a server does on shutdown; new ones are accepted. */
  reset(): void {
    this.#parts.link.reset();
  }

  /** Resets all connections and accepts no new one until {@link restore}. */
  cut(): void {
    this.#parts.link.cut();
  }

  /** Leaves all connections half-open, including new ones, until {@link restore}. */
  freeze(): void {
    this.#parts.link.freeze();
  }

  /** Accepts connections again. Frozen ones stay frozen. */
  restore(): void {
    this.#parts.link.restore();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.link[Symbol.asyncDispose]();
    this.#parts.server.closeAllConnections();
    await new Promise((resolve) => this.#parts.server.close(resolve));
    await this.#parts.upstream.destroy();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    const seen = describeSeen(request.method ?? '', request.url ?? '/', body.toString());
    this.requests.push(seen);
    const fault = this.rule(seen) ?? none;
    if ('status' in fault) {
      if (fault.forwards) await (await this.#pass(request, body, response)).body.dump();
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      response.end(JSON.stringify(fault.body ?? {}));
      return;
    }
    if ('stale' in fault) return answerStale(seen, fault.stale, response);
    if ('drop' in fault && fault.drop === 'before') return fault.onDrop?.();
    if ('reset' in fault && fault.reset === 'before') return this.#parts.link.reset(request.socket.remotePort);
    if ('delay' in fault && fault.delay === 'before' && fault.ms > 0) await pause(fault.ms);
    if ('repeat' in fault) await (await this.#pass(request, body, response)).body.dump();
    const answer = await this.#pass(request, body, response);
    if ('delay' in fault && fault.delay === 'after') await pause(fault.ms);
    if ('drop' in fault || ('reset' in fault && fault.reset === 'after')) {
      await answer.body.dump();
      if ('reset' in fault) this.#parts.link.reset(request.socket.remotePort);
      else fault.onDrop?.();
      return;
    }
    for (const name of ['content-type', 'content-length', 'retry-after']) {
      const value = answer.headers[name];
      if (value !== undefined) response.setHeader(name, value);
    }
    response.setHeader('date', new Date(Date.now() + this.aheadMs).toUTCString());
    response.writeHead(answer.statusCode);
    if ('reset' in fault) {
      const text = await answer.body.text();
      response.write(text.slice(0, text.length / 2), () => this.#parts.link.reset(request.socket.remotePort));
      return;
    }
    await copyBody(answer.body, response, 'lines' in fault ? fault.lines : undefined);
    response.end();
  }

  /** Forwards a request as its sender. */
  #pass(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<Dispatcher.ResponseData> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const { target, program } = this.#parts;
    return send(target + (request.url ?? '/'), {
      method: request.method ?? 'GET',
      headers: program === undefined ? headers : { ...headers, 'user-agent': program },
      ...(body.length === 0 ? {} : { body }),
      dispatcher: this.#parts.upstream,
      signal: gone.signal,
    });
  }
}

function answerStale({ verb }: SeenRequest, list: EarlierList, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  if (verb !== 'watch') {
    response.end(JSON.stringify(list));
    return;
  }
  for (const line of listLines(list)) response.write(`${line}\n`);
}

async function copyBody(
  body: AsyncIterable<Uint8Array>,
  response: ServerResponse,
  change: LineFault | undefined,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  // A watch must be seen to have started even if it has no event yet.
  response.flushHeaders();
  for await (const chunk of body) {
    if (change === undefined) {
      response.write(chunk);
      continue;
    }
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { send: sent, end = false } = change(line);
      for (const text of sent) response.write(`${text}\n`);
      if (end) return;
    }
  }
  response.write(rest);
}
