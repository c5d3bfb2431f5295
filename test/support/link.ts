import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

type Pair = readonly [client: Socket, upstream: Socket];

/** A TCP relay on the loopback interface whose connections a test can reset, refuse or freeze. */
export class Link implements AsyncDisposable {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #mode: 'open' | 'refused' | 'frozen' = 'open';
  /** Connections accepted since the start. */
  connections = 0;

  private constructor(port: number) {
    this.#server = createServer((client) => {
      if (this.#mode === 'refused') {
        client.destroy();
        return;
      }
      this.connections += 1;
      const upstream = connect(port, '127.0.0.1');
      const pair = [client, upstream] as const;
      this.#pairs.add(pair);
      for (const socket of pair) {
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.#pairs.delete(pair);
          for (const other of pair) other.destroy();
        });
      }
      if (this.#mode === 'frozen') return;
      client.pipe(upstream).pipe(client);
    });
  }

  /** Opens a relay to a port of the loopback interface. */
  static async open(port: number): Promise<Link> {
    const link = new Link(port);
    await new Promise<void>((resolve) => link.#server.listen(0, '127.0.0.1', resolve));
    return link;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resets all connections, or the one whose relayed end has this port; new ones are accepted. */
  reset(relayedPort?: number): void {
    for (const [client, upstream] of this.#pairs)
      if (relayedPort === undefined || upstream.localPort === relayedPort) client.resetAndDestroy();
  }

  /** Resets all connections and accepts no new one until {@link restore}. */
  cut(): void {
    this.#mode = 'refused';
    this.reset();
  }

  /** Silently stops forwarding, on old connections and new ones: a half-open connection. */
  freeze(): void {
    this.#mode = 'frozen';
    for (const pair of this.#pairs) for (const socket of pair) socket.unpipe().pause();
  }

  /** Accepts connections again and forwards everything. Frozen ones stay frozen. */
  restore(): void {
    this.#mode = 'open';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
