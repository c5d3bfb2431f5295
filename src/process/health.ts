import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Registry, collectDefaultMetrics, Gauge } from 'prom-client';
import { describeError, type Logger } from './log.ts';
import type { Figure } from '../core/node/status-figures.ts';

/** Explains why something is unhealthy; returns nothing if it is healthy. */
type Check = () => string | undefined;
export type Checks = Readonly<Record<string, Check>>;

export interface HealthOptions {
  readonly logger: Logger;
  /** 0 picks a free port. */
  readonly port: number;
  readonly host?: string | undefined;
  /** Checked at /healthz: if one fails, a restart would help. */
  readonly live?: Checks;
  /** Checked at /readyz: if one fails, nobody should rely on this process yet. */
  readonly ready?: Checks;
  /** Served at /metrics. */
  readonly registry?: Pick<Registry, 'contentType' | 'metrics'>;
}

export interface HealthServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Serves /healthz, /readyz and /metrics. @throws Error when the port is taken. */
export async function serveHealth(options: HealthOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      options.logger.error('cannot answer a health request', { path: request.url, error: describeError(error) });
      send(response, 500, 'internal error\n');
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(options: HealthOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').split('?')[0];
  if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, 'GET only\n');
  if (path === '/healthz') return report(response, options.live);
  if (path === '/readyz') return report(response, options.ready);
  if (path === '/metrics' && options.registry !== undefined) {
    return send(response, 200, await options.registry.metrics(), options.registry.contentType);
  }
  return send(response, 404, 'not found; there is /healthz, /readyz, /metrics\n');
}

/** Answers with one line per check, in the format of Kubernetes' own components. */
function report(response: ServerResponse, checks: Checks = {}): void {
  const results = Object.entries(checks).map(([name, check]) => ({ name, fault: runCheck(check) }));
  const lines = results.map(({ name, fault }) => (fault === undefined ? `[+]${name} ok` : `[-]${name} ${fault}`));
  const failed = results.some(({ fault }) => fault !== undefined);
  send(response, failed ? 503 : 200, `${[...lines, failed ? 'failed' : 'ok'].join('\n')}\n`);
}

function runCheck(check: Check): string | undefined {
  try {
    return check();
  } catch (error) {
    return describeError(error);
  }
}

function send(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}

/** Whether a process listens on a Unix socket. Only a refusal proves that none does: one that is stopped, or has a full queue, is still there. */
export function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', (error) =>
      resolve(!('code' in error) || (error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT')),
    );
  });
}

/** A registry with the process's own metrics (CPU, memory, event loop, garbage collection), all labelled. */
export function createRegistry(labels: Readonly<Record<string, string>> = {}): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ ...labels });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** A gauge whose series are computed on scrape. */
export function registerGauge<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[],
  list: () => readonly Figure<Label>[],
): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, value } of list()) this.set(labels, value);
    },
  });
}
