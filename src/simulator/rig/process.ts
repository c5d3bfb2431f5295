import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Guard } from '../control-plane/guard.ts';
import type { PodProgram } from '../kubelet/pods/pod-program.ts';

/** As config/ sets them: otherwise glibc keeps an arena per thread, 10 to 15 MB that nobody uses. */
const memorySettings = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };

/** One of our programs, running as in a cluster: its own token, its own log. */
export class RigProcess implements PodProgram {
  readonly name: string;
  readonly logFile: string;
  readonly #argv: readonly string[];
  readonly #guard: Guard;
  readonly #onChange: () => void;
  #child: ChildProcess | undefined;
  #ends = 0;
  #crashes = 0;
  #crashedAtMs: number | undefined;
  #isToldToEnd = false;

  /** @param onChange called after it has started or exited */
  constructor(
    name: string,
    argv: readonly string[],
    logFile: string,
    guard: Guard,
    onChange: () => void = () => undefined,
  ) {
    this.name = name;
    this.logFile = logFile;
    this.#argv = argv;
    this.#guard = guard;
    this.#onChange = onChange;
  }

  get pid(): number | undefined {
    return this.#child?.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined;
  }

  get isRunning(): boolean {
    return this.pid !== undefined;
  }

  get ends(): number {
    return this.#ends;
  }

  /** How often it has ended without {@link stop}. */
  get crashes(): number {
    return this.#crashes;
  }

  get crashedAtMs(): number | undefined {
    return this.isRunning ? undefined : this.#crashedAtMs;
  }

  /** Exit status of the last run; undefined while it runs, null when a signal ended it. */
  get exitCode(): number | null | undefined {
    return this.#child && this.pid === undefined ? this.#child.exitCode : undefined;
  }

  /** Starts it if it is not running. */
  start(): void {
    if (this.pid !== undefined) return;
    this.#isToldToEnd = false;
    this.#crashedAtMs = undefined;
    const log = openSync(this.logFile, 'a');
    // Node's own memory settings are part of how the programs are deployed (config/).
    const child = spawn(process.execPath, ['--max-semi-space-size=1', ...this.#argv], {
      stdio: ['ignore', log, log],
      // Only what a pod would have: no administrator's KUBECONFIG by accident.
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...memorySettings },
    });
    closeSync(log);
    this.#child = child;
    const { pid } = child;
    if (pid === undefined) return;
    this.#guard.watch(pid);
    child.once('exit', () => {
      this.#guard.forget(pid);
      this.#ends += 1;
      if (!this.#isToldToEnd) {
        this.#crashes += 1;
        this.#crashedAtMs = performance.now();
      }
      this.#onChange();
    });
    this.#onChange();
  }

  /** Ends it and waits for its exit. SIGKILL, as in a crash; but it is left to the caller to start it again. */
  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#isToldToEnd = true;
    this.#crashedAtMs = undefined;
    if (child === undefined || this.pid === undefined) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await gone;
    clearTimeout(timer);
  }

  async readLog(): Promise<string> {
    return readFile(this.logFile, 'utf8').catch(() => '');
  }
}
