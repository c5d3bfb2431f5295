import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { runOnFiles, type Settings } from './world.ts';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DriverBranch } from './board.ts';

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

/** The wrapper's settings. All paths are absolute: its caller may pass no environment and use any working directory. */
export interface WrapperSettings {
  readonly gpus: readonly string[];
  readonly driver?: DriverBranch;
  /** How slow commands are, as a multiple of real ones; default 0. */
  readonly pace?: number;
  readonly stateFile: string;
  readonly logFile?: string;
  readonly faultsFile?: string;
  readonly seed?: string;
  readonly uid?: number;
  /** Port of a server that runs commands as long as there are no faults; see `NvidiaSmiServer`. */
  readonly port?: number;
  /** The simulator: `main.ts`, or the bundle. */
  readonly program: string;
  /** The Node.js binary that runs it. */
  readonly node: string;
}

/** Writes an executable `nvidia-smi` into `dir`, creating it if necessary, and returns its path. */
export function writeNvidiaSmiWrapper(dir: string, settings: WrapperSettings): string {
  const variables = [
    ['GPUS', settings.gpus.join(',')],
    ['DRIVER', settings.driver],
    ['PACE', settings.pace === undefined ? undefined : String(settings.pace)],
    ['STATE', settings.stateFile],
    ['LOG', settings.logFile],
    ['FAULTS', settings.faultsFile],
    ['SEED', settings.seed],
    ['UID', settings.uid === undefined ? undefined : String(settings.uid)],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`export NVIDIA_SMI_SIM_${name}=${quote(value)}\n`]));
  const path = join(dir, 'nvidia-smi');
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    path,
    [
      settings.port === undefined ? '#!/bin/sh\n' : askServer(settings.port, settings.faultsFile),
      ...variables,
      compileCache(settings.program),
      `exec ${quote(settings.node)} ${quote(settings.program)} "$@"\n`,
    ].join(''),
  );
  chmodSync(path, 0o755);
  return path;
}

/** The beginning of a script that asks a server if there is no fault to suffer; if it is gone, a process of its own does the work. */
function askServer(port: number, faultsFile = ''): string {
  return `#!/bin/bash
if [ ! -s ${quote(faultsFile)} ] && { exec 3<>/dev/tcp/127.0.0.1/${port}; } 2>/dev/null; then
  printf '%s\\0' "$#" "$@" >&3
  IFS= read -r status <&3 || { echo 'nvidia-smi-sim: no answer' >&2; exit 70; }
  cat <&3
  exit "$status"
fi
`;
}

/** Compiled code is cached between runs: 0.05 s instead of 0.14 s from source, a quarter less from the bundle. */
function compileCache(program: string): string {
  const cache = join(
    dirname(program),
    ...(program.endsWith('.ts') ? ['..', '..', '..'] : ['..']),
    'node_modules',
    '.cache',
  );
  return existsSync(dirname(cache)) ? `export NODE_COMPILE_CACHE=${quote(join(cache, 'nvidia-smi-sim'))}\n` : '';
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
