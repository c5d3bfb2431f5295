import { definedOnly } from '../core/text/defined-fields.ts';
import type { RequestOptions } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { KubeConfig, type RequestContext, type User } from '@kubernetes/client-node';
import { Agent, ProxyAgent, type Dispatcher } from 'undici';
import { ServerClock } from './server-clock.ts';

/** Everything that one request needs to reach the API server with our identity. */
export interface Credentials {
  /** Base URL without a trailing slash. */
  readonly server: string;
  readonly headers: Headers;
  readonly dispatcher: Dispatcher;
}

type Headers = Readonly<Record<string, string | string[]>>;

/** A user with headers that say for whom they act, beside `as`, which client-node knows. */
export type ImpersonatingUser = User & { readonly impersonation?: Headers };

type TlsOptions = RequestOptions & { readonly servername?: string };
type Tls = Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>;
interface Pool {
  readonly key: string;
  readonly dispatcher: Agent | ProxyAgent;
}

/**
 * A KubeConfig that reuses its connections. The stock one makes a TLS connection for each request
 * (client-node 2.0.1, `createDispatcher`), which costs 5 to 7 times the CPU.
 */
export class PooledKubeConfig extends KubeConfig {
  /** Compares this machine's clock with the API server's. */
  readonly serverClock = new ServerClock();
  readonly #load: (() => KubeConfig) | undefined;
  #source: KubeConfig | undefined;
  #pool: Pool | undefined;

  /** @param load reads the configuration again; without it, `reload` only forgets cached tokens. */
  constructor(load?: () => KubeConfig) {
    super();
    this.#load = load;
    if (load !== undefined) this.#adopt(load());
  }

  override async applySecurityAuthentication(context: RequestContext): Promise<void> {
    const { headers, dispatcher } = await this.credentials();
    for (const [name, value] of Object.entries(headers)) context.setHeaderParam(name, String(value));
    context.setDispatcher(dispatcher);
  }

  /**
   * Current headers and connections for a request. Certificate files are read each time and a token file once a minute,
   * so that a rotation is noticed without a restart.
   */
  async credentials(): Promise<Credentials> {
    const cluster = this.getCurrentCluster();
    if (cluster === null) throw new Error('the kubeconfig has no current cluster: set current-context');
    const user: ImpersonatingUser | null = this.getCurrentUser();
    const options: TlsOptions = {};
    await (this.#source ?? this).applyToHTTPSOptions(options);
    return {
      server: cluster.server.replace(/\/+$/, ''),
      headers: { ...headersOf(options), ...user?.impersonation },
      dispatcher: this.#connect(options),
    };
  }

  /**
   * Reads the configuration again and forgets cached tokens: call it after a 401. If the configuration cannot be read
   * (it is just being written), the old one stays.
   */
  reload(): void {
    try {
      this.#adopt(this.#load?.() ?? copyOf(this));
    } catch {
      // The next 401 tries again.
    }
  }

  /**
   * Makes later requests use new connections: call it when one went silent, since the others to the same server are
   * then dead too. Requests in flight are left to their own time limits.
   */
  renewConnections(): void {
    const pool = this.#pool;
    this.#pool = undefined;
    void pool?.dispatcher.close().catch(() => undefined);
  }

  /** Closes the connections, including those in use. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.dispatcher.destroy();
  }

  #adopt(source: KubeConfig): void {
    this.loadFromOptions(copyOf(source));
    this.#source = source;
  }

  #connect(options: TlsOptions): Dispatcher {
    const key = [options.ca, options.cert, options.key, options.rejectUnauthorized, options.servername]
      .map(String)
      .join('\0');
    if (this.#pool?.key === key) return this.#pool.dispatcher;
    // Requests in flight end on the old connections; new ones must not use the old certificates.
    this.renewConnections();
    this.#pool = { key, dispatcher: createDispatcher(tlsOf(options), this.getCurrentCluster()?.proxyUrl) };
    return this.#pool.dispatcher;
  }
}

function createDispatcher(tls: Tls, proxyUrl: string | undefined): Agent | ProxyAgent {
  // HTTP/2 is off: aborting a watch would only reset its stream, and the next request would go to the same dead
  // connection and hang (measured with undici 8). bodyTimeout is off: a quiet watch is not an error, and the callers
  // have their own limits.
  const common = { allowH2: false, bodyTimeout: 0, keepAliveTimeout: 30_000 };
  const connect = { ...tls, timeout: 10_000, keepAlive: true, keepAliveInitialDelay: 30_000, allowH2: false };
  if (proxyUrl === undefined || proxyUrl === '') return new Agent({ ...common, connect });
  return new ProxyAgent({ ...common, uri: proxyUrl, requestTls: connect });
}

function tlsOf({ ca, cert, key, rejectUnauthorized, servername }: TlsOptions): Tls {
  return definedOnly({ ca, cert, key, rejectUnauthorized, servername });
}

function copyOf(config: KubeConfig): KubeConfig {
  const copy = new KubeConfig();
  copy.loadFromOptions({
    clusters: config.clusters,
    users: config.users,
    contexts: config.contexts,
    currentContext: config.currentContext,
  });
  return copy;
}

function headersOf(options: TlsOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = String(value).trim();
  if (typeof options.auth === 'string') {
    headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  }
  return headers;
}
