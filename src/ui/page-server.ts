import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WasteReport } from '../core/waste/waste-report.ts';
import type { FleetFeed } from './fleet-feed.ts';
import { pageText } from './page-text.ts';

export interface PageServer {
  /** Includes the token without which nothing is shown. */
  readonly address: string;
  stop(): Promise<void>;
}

/** What the page shows. */
export interface PageSources {
  readonly feed: FleetFeed;
  /** Read on demand. @throws Error that says why it is not available */
  readonly reportWaste: () => Promise<WasteReport>;
}

/** Serves the fleet's page to this machine only, read-only. @param port 0 takes a free one @throws Error if the port is taken */
export async function servePage(sources: PageSources, port: number): Promise<PageServer> {
  const token = randomBytes(16).toString('hex');
  const server = createServer((request, response) => answer({ ...sources, token }, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${taken}/${token}/`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Served extends PageSources {
  readonly token: string;
}

function answer({ feed, reportWaste, token }: Served, request: IncomingMessage, response: ServerResponse): void {
  // Not parsed as a URL: whoever reaches the port chooses the text, and `//` is not one.
  const [, given = '', path = ''] = /^\/([0-9a-f]*)\/([^?]*)/.exec(request.url ?? '') ?? [];
  if (request.method !== 'GET') return send(response, 405, 'text/plain', 'GET only\n');
  // A page of another origin may have our address under its own name (DNS rebinding): it lacks the token, and gets nothing.
  const isLocal = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '');
  if (!isLocal || !isSame(given, token))
    return send(response, 403, 'text/plain', 'open the address that gpu-partition ui prints\n');
  switch (path) {
    case '':
      return sendPage(response);
    case 'fleet':
      return send(response, 200, 'application/json', JSON.stringify(feed.fleet));
    case 'waste':
      return void sendWaste(reportWaste, response);
    case 'changes':
      return follow(feed, request, response);
    default:
      return send(response, 404, 'text/plain', 'not found\n');
  }
}

function sendPage(response: ServerResponse): void {
  const nonce = randomBytes(16).toString('base64');
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  response.setHeader('content-security-policy', policy);
  send(response, 200, 'text/html', pageText.replaceAll('__NONCE__', nonce));
}

async function sendWaste(reportWaste: PageSources['reportWaste'], response: ServerResponse): Promise<void> {
  try {
    send(response, 200, 'application/json', JSON.stringify(await reportWaste()));
  } catch (error) {
    send(response, 503, 'text/plain', error instanceof Error ? error.message : String(error));
  }
}

/** Server-sent events: each is the change since the previous one; the first is the whole fleet. */
function follow(feed: FleetFeed, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
  const write = (change: unknown): void => void response.write(`data: ${JSON.stringify(change)}\n\n`);
  write({ ...feed.fleet, gone: [], isWhole: true });
  request.once('close', feed.listen(write));
}

const headers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...headers, 'content-type': `${type}; charset=utf-8` }).end(body);
}

function isSame(given: string, token: string): boolean {
  return given.length === token.length && timingSafeEqual(Buffer.from(given), Buffer.from(token));
}
