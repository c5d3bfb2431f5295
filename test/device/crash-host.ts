import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeNvidiaSmiWrapper } from '../../src/simulator/nvidia-smi/wrapper.ts';
import { eventually } from '../support/eventually.ts';

const sources = new URL('../../src/', import.meta.url).pathname;

/** A line of the simulator's operation log. */
export interface OperationLine {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly event: 'start' | 'change' | 'end';
  readonly call?: string;
  readonly removed?: readonly string[];
  readonly added?: readonly string[];
}

/** A machine on which `gpu-partition node apply` runs as a process of its own, and its nvidia-smi as processes of that. */
export class CrashHost implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'crash-'));
  readonly #nvidiaSmi: string;

  constructor(gpu: string, state: string) {
    this.#nvidiaSmi = writeNvidiaSmiWrapper(this.#folder, {
      gpus: [gpu],
      stateFile: this.#path('state'),
      logFile: this.#path('log'),
      faultsFile: this.#path('faults'),
      program: join(sources, 'simulator/nvidia-smi/main.ts'),
      node: process.execPath,
    });
    this.state = state;
    this.faults = '';
    writeFileSync(this.#path('log'), '');
  }

  get state(): string {
    return existsSync(this.#path('state')) ? readFileSync(this.#path('state'), 'utf8') : '';
  }

  set state(text: string) {
    writeFileSync(this.#path('state'), text);
  }

  set faults(text: string) {
    writeFileSync(this.#path('faults'), text);
  }

  /** The log so far; a line that is being written is left out. */
  readLog(): readonly OperationLine[] {
    const lines = readFileSync(this.#path('log'), 'utf8').split('\n').slice(0, -1);
    return lines.map((line): OperationLine => JSON.parse(line));
  }

  /** Starts the program; the layout is a `layouts:` entry. */
  start(entry: unknown): ChildProcess {
    writeFileSync(this.#path('layout.json'), JSON.stringify({ layouts: [entry] }));
    const state = ['--state-dir', this.#path('lib'), '--allow-gpu-reset'];
    const argv = ['node', 'apply', '-f', this.#path('layout.json'), '--nvidia-smi', this.#nvidiaSmi, ...state];
    return spawn(process.execPath, [join(sources, 'cli/main.ts'), ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Runs the program to its end; its exit code and all that it said. */
  async run(entry: unknown): Promise<{ readonly code: number | null; readonly summary: string }> {
    const child = this.start(entry);
    const summary: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => summary.push(String(chunk)));
    await once(child, 'close');
    return { code: child.exitCode, summary: summary.join('') };
  }

  /** Waits until the log shows something, unless the program ends before. */
  async waitForLog(
    child: ChildProcess,
    what: string,
    holds: (log: readonly OperationLine[]) => boolean,
  ): Promise<void> {
    await eventually(
      () => {
        const log = this.readLog();
        if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode} before ${what}`);
        return log;
      },
      holds,
      { what, timeoutMs: 30_000, intervalMs: 10 },
    );
  }

  /** Process ids of commands that have begun and not ended. */
  listRunning(): readonly number[] {
    const log = this.readLog();
    const ended = new Set(log.filter(({ event }) => event === 'end').map(({ pid }) => pid));
    return log.flatMap(({ event, pid }) => (event === 'start' && !ended.has(pid) && isAlive(pid) ? [pid] : []));
  }

  [Symbol.dispose](): void {
    for (const pid of this.listRunning()) kill(-pid);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

/** SIGKILL to a process, or to a group of them where the number is negative; waits until it is gone. */
export async function killNow(pid: number): Promise<void> {
  kill(pid);
  await eventually(
    () => isAlive(pid),
    (alive) => !alive,
    { what: `process ${pid}`, intervalMs: 5 },
  );
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It went by itself.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
