import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The answer to one request; an object is sent as JSON, and nothing at all is a 404. */
type Speak = (method: string, url: URL, body: string) => object | string | number | undefined;

/** A server that speaks the API of Kubernetes, with the answers that a test gives. */
export class SpokenApi implements AsyncDisposable {
  readonly #server: Server;

  private constructor(speak: Speak) {
    this.#server = createServer((request, response) => void reply(request, response, speak));
  }

  static async start(speak: Speak): Promise<SpokenApi> {
    const api = new SpokenApi(speak);
    await once(api.#server.listen(0, '127.0.0.1'), 'listening');
    return api;
  }

  /** @returns the file's path */
  writeKubeconfig(file: string, namespace?: string): string {
    const { port } = this.#server.address() as AddressInfo;
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', namespace } }],
    };
    writeFileSync(file, JSON.stringify(config));
    return file;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** A list of objects in one page. */
export function listOf(...items: readonly object[]): object {
  return { metadata: { resourceVersion: '1' }, items };
}

async function reply(request: IncomingMessage, response: ServerResponse, speak: Speak): Promise<void> {
  const { method = '', url = '' } = request;
  const answer = speak(method, new URL(url, 'http://api'), await text(request)) ?? 404;
  if (typeof answer === 'string') response.end(answer);
  else if (typeof answer === 'object') response.end(JSON.stringify(answer));
  else {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: answer, message: `told ${answer}` };
    response.writeHead(answer).end(JSON.stringify(status));
  }
}
