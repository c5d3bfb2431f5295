import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy on the loopback interface whose connections a test can cut or freeze. */
export class TcpProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #mode: 'open' | 'refused' | 'frozen' = 'open';
  /** Connections taken since the start. */
  connections = 0;

  private constructor(target: URL) {
    this.#server = createServer((client) => {
      if (this.#mode === 'refused') {
        client.destroy();
        return;
      }
      this.connections += 1;
      const upstream = connect(Number(target.port), target.hostname);
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

  static async open(target: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(target));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get server(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resets all connections and takes no new one. */
  cut(): void {
    this.#mode = 'refused';
    for (const [client] of this.#pairs) client.resetAndDestroy();
  }

  /** Passes nothing on any more, on old connections and new ones, and says nothing about it: a half-open connection. */
  freeze(): void {
    this.#mode = 'frozen';
    for (const pair of this.#pairs) for (const socket of pair) socket.unpipe().pause();
  }

  /** Takes connections again and passes everything. What was frozen stays so. */
  restore(): void {
    this.#mode = 'open';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
