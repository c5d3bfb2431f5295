import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { runOnFiles, type Settings } from './state/process-world.ts';

/**
 * Runs the commands of simulated `nvidia-smi`s in this process, for the wrapper: a Node.js for each takes ten times as much time as
 * the command. Faults need a process of their own, which can hang or be killed.
 *
 * A request is the number of arguments and the arguments, each ended by NUL; the answer the exit status, a line feed, and the output.
 */
export class NvidiaSmiServer implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  static async start(settings: Settings): Promise<NvidiaSmiServer> {
    const answer = (argv: readonly string[]): string => {
      let output = '';
      const status = runOnFiles(settings, argv, (text) => (output += text));
      return `${status}\n${output}`;
    };
    const server = createServer((socket) => serve(socket, answer));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new NvidiaSmiServer(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function serve(socket: Socket, answer: (argv: readonly string[]) => string): void {
  let request = '';
  socket.setEncoding('utf8');
  // A caller that is killed does not wait for its answer.
  socket.on('error', () => socket.destroy());
  socket.on('data', (text: string) => {
    request += text;
    const [count = '', ...argv] = request.split('\0');
    if (argv.length <= Number(count)) return;
    try {
      socket.end(answer(argv.slice(0, -1)));
    } catch (error) {
      socket.end(`70\nnvidia-smi-sim: ${String(error)}\n`);
    }
  });
}
