import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../src/simulator/control-plane/main.ts', import.meta.url));
const goMod = fileURLToPath(new URL('../../control-plane/go.mod', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface GoBehaviour {
  /** Default `go1.99.0`. */
  readonly version?: string;
  readonly buildSeconds?: number;
  /** A build lasts until {@link StandInGo.release}. */
  readonly isHeld?: boolean;
  /** What the program that it builds does; by default it answers with the right version. */
  readonly builtScript?: string;
  readonly fails?: boolean;
}

/**
 * A folder with a `go` of ours that takes a moment where the real one takes minutes, a cache of its own, and our program
 * run with both. The real build is tried by every run that needs a cluster.
 */
export class StandInGo {
  readonly folder = mkdtempSync(join(tmpdir(), 'stand-in-go-'));
  readonly cache = join(this.folder, 'xdg/gpu-partition-operator/control-plane');
  readonly #log = join(this.folder, 'builds');
  readonly #released = join(this.folder, 'released');

  install(behaviour: GoBehaviour = {}): void {
    const kubernetes = /k8s\.io\/kubernetes (v\S+)/.exec(readFileSync(goMod, 'utf8'))?.[1] ?? '';
    const built = behaviour.builtScript ?? `echo '{"clientVersion":{"gitVersion":"${kubernetes}"}}'`;
    mkdirSync(join(this.folder, 'bin'), { recursive: true });
    const script = `#!/bin/sh
if [ "$1" = env ]; then printf '%s\\nlinux\\namd64\\n' '${behaviour.version ?? 'go1.99.0'}'; exit 0; fi
echo "$$ $*" >>'${this.#log}'
sleep ${behaviour.buildSeconds ?? 0}
${behaviour.isHeld === true ? `while [ ! -e '${this.#released}' ]; do sleep 0.1; done` : ''}
${behaviour.fails === true ? "echo 'main.go: it does not compile' >&2; exit 1" : ''}
while [ "$1" != -o ]; do shift; done
printf '%s\\n' '#!/bin/sh' "$BUILT" >"$2"
chmod +x "$2"
`;
    const file = join(this.folder, 'bin/go');
    writeFileSync(file, script.replace('"$BUILT"', `'${built.replaceAll("'", `'\\''`)}'`));
    chmodSync(file, 0o755);
  }

  release(): void {
    writeFileSync(this.#released, '');
  }

  /** Arguments of each build so far, with the pid of the build in front. */
  listBuilds(): readonly string[] {
    try {
      return readFileSync(this.#log, 'utf8').trimEnd().split('\n');
    } catch {
      return [];
    }
  }

  listCache(): readonly string[] {
    return readdirSync(this.cache);
  }

  /** Starts `main.ts build`. `withGo: false` is a machine without Go. */
  start({ withGo = true, assets }: { readonly withGo?: boolean; readonly assets?: string } = {}): ChildProcess {
    const path = [...(withGo ? [join(this.folder, 'bin')] : []), '/usr/bin', '/bin'].join(delimiter);
    const env = {
      PATH: path,
      HOME: this.folder,
      XDG_CACHE_HOME: join(this.folder, 'xdg'),
      KUBEBUILDER_ASSETS: assets ?? '',
    };
    return spawn(process.execPath, [program, 'build'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async build(options: Parameters<StandInGo['start']>[0] = {}): Promise<Ended> {
    return collect(this.start(options));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function collect(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}
