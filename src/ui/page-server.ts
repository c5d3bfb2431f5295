import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { escapeInvisible, mapTexts, messageOf } from '../core/text/words.ts';
import type { FleetFeed } from './fleet-feed.ts';
import { pageText } from './page-text.ts';
import type { predictChange } from '../planner/questions.ts';
import type { viewHistory } from '../core/view/status.ts';
import type { findWaiting } from '../core/explain/pod.ts';
import { reportWaste } from '../core/explain/waste.ts';
import type { ClusterFacts } from '../core/cluster/facts.ts';

export interface PageServer {
  /** Includes the token without which nothing is shown. */
  readonly address: string;
  stop(): Promise<void>;
}

/** The sources of what the page shows. */
export interface PageSources {
  readonly feed: FleetFeed;
  readonly answers: PageAnswers;
}

/** A page that leaves this many bytes unread sleeps: it connects again when it wakes, and then gets the whole fleet. */
const mostUnread = 128 * 1024 * 1024;

/**
 * Serves the fleet's page to this machine only, read-only.
 *
 * @param port 0 takes a free one
 * @param unread how many bytes of changes a page may leave unread
 * @throws Error if the port is taken
 */
export async function servePage(sources: PageSources, port: number, unread = mostUnread): Promise<PageServer> {
  const token = randomBytes(16).toString('hex');
  const server = createServer((request, response) => answer({ ...sources, token, unread }, request, response));
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
  readonly unread: number;
}

/** The most bytes of policies, as `validate` and `plan` accept them. */
const longestPolicies = 4 * 1024 * 1024;

/** The answer to a wrong address. Most often the reader has that of a server that has ended: an old tab, a bookmark. */
const noAccess = 'open the address that gpu-partition ui prints: it is another at each start\n';

function answer({ feed, answers, token, unread }: Served, request: IncomingMessage, response: ServerResponse): void {
  // Not parsed as a URL: whoever reaches the port chooses the text, and `//` is not one.
  const [, given = '', path = '', query = ''] = /^\/([0-9a-f]*)\/([^?]*)\??(.*)/.exec(request.url ?? '') ?? [];
  // A plan writes nothing; it is posted because policies are longer than an address may be.
  const isPlan = path === 'plan';
  if (request.method !== (isPlan ? 'POST' : 'GET'))
    return send(response, 405, 'text/plain', isPlan ? 'POST only\n' : 'GET only\n');
  // A page of another origin may have our address under its own name (DNS rebinding): it lacks the token, and gets nothing.
  const isLocal = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '');
  if (!isLocal || !isSame(given, token)) return send(response, 403, 'text/plain', noAccess);
  switch (path) {
    case '':
      return sendPage(response);
    case 'fleet':
      return send(response, 200, 'application/json', showableJson(feed.fleet));
    case 'changes':
      return follow(feed, unread, request, response);
    case 'waste':
      return void sendAnswer(answers.waste, response);
    case 'waiting':
      return void sendAnswer(answers.waiting, response);
    case 'waiting-count':
      return void sendAnswer(answers.countWaiting, response);
    case 'history':
      return void sendAnswer(() => answers.history(named(query, 'node')), response);
    case 'policy':
      return void sendText(() => answers.policy(named(query, 'name')), response);
    case 'plan':
      return void sendAnswer(async () => answers.plan(await readBody(request)), response);
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

function named(query: string, name: string): string {
  return new URLSearchParams(query).get(name) ?? '';
}

async function sendAnswer(read: () => Promise<unknown>, response: ServerResponse): Promise<void> {
  await sendText(async () => showableJson((await read()) ?? null), response, 'application/json');
}

async function sendText(read: () => Promise<string>, response: ServerResponse, type = 'text/plain'): Promise<void> {
  try {
    send(response, 200, type, await read());
  } catch (error) {
    send(response, 503, 'text/plain', escapeInvisible(messageOf(error)));
  }
}

/** What others write, such as Events, may hold characters that turn the text after them around: the page shows their codes. */
function showableJson(value: unknown): string {
  const json = JSON.stringify(value);
  return escapeInvisible(json) === json ? json : JSON.stringify(mapTexts(value, escapeInvisible));
}

/** @throws Error if it is too long */
async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > longestPolicies) throw new Error(`policies of more than ${longestPolicies / 1024 / 1024} MiB`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Nodes of the first event: more than a screen shows, so that the first picture waits for no others. */
const firstNodes = 100;
const moreNodes = 300;

/** Server-sent events: each is the change since the previous one; the first ones are the whole fleet, what needs somebody first. */
function follow(feed: FleetFeed, unread: number, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
  const write = (change: unknown): void => void response.write(`data: ${showableJson(change)}\n\n`);
  const { nodes, ...rest } = feed.fleet;
  write({ ...rest, nodes: nodes.slice(0, firstNodes), gone: [], all: nodes.map(({ node }) => node) });
  for (let at = firstNodes; at < nodes.length; at += moreNodes)
    write({ ...rest, nodes: nodes.slice(at, at + moreNodes), gone: [] });
  const stop = feed.listen((change) => {
    if (response.writableLength > unread) response.destroy();
    else write(change);
  });
  request.once('close', stop);
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

type ChangePlan = Awaited<ReturnType<typeof predictChange>>['plan'];

/** A change in advance, as `gpu-partition plan` shows it. */
export interface PlanAnswer extends Pick<ChangePlan, 'waves' | 'findings' | 'summary'> {
  /** The plan as text in 80 columns. */
  readonly lines: readonly string[];
  /** Pods that go, with the node that they leave. */
  readonly evictions: readonly { readonly node: string; readonly pod: string; readonly fate: string }[];
}

interface NodeAnswer extends ReturnType<typeof viewHistory> {
  /** The times at which the pods on the node started, RFC 3339, by NAMESPACE/NAME; empty if the user may not list pods. */
  readonly podsSince: Readonly<Record<string, string>>;
}

type Waiting = NonNullable<ReturnType<typeof findWaiting>>;

/** What the page asks for when somebody looks at it; each reads the cluster, and fails with an Error that says why it cannot. */
export interface PageAnswers {
  readonly waste: WasteSamples['report'];
  /** Why pods wait for GPUs; undefined if the user may not list pods. */
  readonly waiting: () => Promise<ReturnType<Waiting['explain']> | undefined>;
  /** How many pods wait for GPUs; undefined if the user may not list pods. */
  readonly countWaiting: () => Promise<number | undefined>;
  readonly history: (node: string) => Promise<NodeAnswer>;
  /** A policy of the cluster as its author would write it, in YAML: to start a change from. */
  readonly policy: (name: string) => Promise<string>;
  /** @param policies YAML or JSON */
  readonly plan: (policies: string) => Promise<PlanAnswer>;
}

/** A fleet of thousands of nodes takes megabytes each time. */
const mostSamples = 12;

/** Reads a cluster whenever somebody asks for its waste, and keeps what it saw: the longer a page is open, the more it can tell. */
export class WasteSamples {
  readonly #read: () => Promise<ClusterFacts>;
  #seen: readonly ClusterFacts[] = [];

  constructor(read: () => Promise<ClusterFacts>) {
    this.#read = read;
  }

  async report() {
    const facts = await this.#read();
    this.#seen = [...this.#seen, facts].slice(-mostSamples);
    return reportWaste(this.#seen);
  }
}
