import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readHolder, releaseLock, tryLock } from '../nvidia-smi/state.ts';

export interface Finished {
  /** Exit status; -1 if a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Written to its standard input, which is closed in any case. */
  readonly input?: string;
  /** Killed after this time; no limit if absent. */
  readonly timeoutMs?: number;
  readonly onStart?: (pid: number) => void;
  /** Makes it the leader of a process group, so that it can be killed with all its children. */
  readonly ownGroup?: boolean;
}

/**
 * Runs a program to its end and collects its output.
 *
 * @throws the error of the operating system (`ENOENT`, `EACCES`, …) if the program cannot be started.
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  { cwd, env, input, timeoutMs, onStart, ownGroup = false }: RunOptions = {},
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, timeout: timeoutMs, killSignal: 'SIGKILL', detached: ownGroup });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', reject);
    child.once('spawn', () => {
      if (child.pid !== undefined) onStart?.(child.pid);
    });
    child.once('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
    // A program that exits without reading its input closes the pipe on us; only its exit status matters.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
  });
}

/** What can go wrong with a private control plane: one code per action of the reader. */
type ControlPlaneErrorCode =
  | 'AssetsIncomplete'
  | 'BuildFailed'
  | 'BuildUnusable'
  | 'GoMissing'
  | 'GoTooOld'
  | 'RequestFailed'
  | 'StartFailed';

/** The message is one sentence (then, if available, the tail of a log): what was tried, found, and what to do. */
export class ControlPlaneError extends Error {
  readonly code: ControlPlaneErrorCode;

  constructor(code: ControlPlaneErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ControlPlaneError';
    this.code = code;
  }
}

/** Takes a line for people about the search for the programs. */
export type OnProgress = (line: string) => void;

const phases = {
  waiting: "waiting for another process that builds Kubernetes' control plane",
  building: "building Kubernetes' control plane (once, it is kept)",
} as const;

/**
 * Reports at once and every few seconds until stopped. The timer keeps no process alive.
 *
 * @param expectedSeconds that the whole build takes: as measured here before, else those of a cold build on two cores
 */
export function reportProgress(
  onProgress: OnProgress | undefined,
  phase: keyof typeof phases,
  startedAt: number,
  expectedSeconds: number,
): Disposable {
  const report = (): void => {
    const elapsedSeconds = Math.round((Date.now() - startedAt) / 1000);
    onProgress?.(`${phases[phase]}: ${elapsedSeconds} s of about ${expectedSeconds} s`);
  };
  report();
  const timer = setInterval(report, 5_000).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Longest time between two looks that counts: a machine that stood still meanwhile says nothing about the programs. */
const longestStepMs = 5_000;

/** Milliseconds in which the machine went on, as far as somebody looked. */
export class FairClock {
  readonly #shareNow: () => number;
  #spentMs = 0;
  #lookedMs: number | undefined;

  /** @param shareNow of the time since the last look that counts */
  constructor(shareNow: () => number = () => 1) {
    this.#shareNow = shareNow;
  }

  read(nowMs: number): number {
    this.#spentMs += this.#shareNow() * Math.min(longestStepMs, nowMs - (this.#lookedMs ?? nowMs));
    this.#lookedMs = nowMs;
    return this.#spentMs;
  }
}

/** Estimates what a program that wants to run has of a core: a quarter if eight want to run on two. Where Linux does not tell, all of it. */
export function shareOfCore(): number {
  try {
    const [, wanting = '1'] = /(\d+)\//.exec(readFileSync('/proc/loadavg', 'utf8')) ?? [];
    return Math.min(1, availableParallelism() / Math.max(1, Number(wanting)));
  } catch {
    return 1;
  }
}

/** What changes though nothing happens: times, and the revisions of what is written with them. */
const restless = /\d{4}-\d\d-\d\dT[\d:.]+Z?|"resourceVersion":"\d+"/g;

/** Tells slowness from standstill: a wait ends once nothing is seen for too long that was not seen before, on a loaded machine later. */
export class Waiting {
  readonly #allowanceMs: number;
  readonly #clock: FairClock;
  readonly #seen = new Set<string>();
  #newsMs = 0;
  #lookedMs = -Infinity;

  /** @param allowanceMs for which nothing new may be seen */
  constructor(allowanceMs: number, clock = new FairClock(shareOfCore)) {
    this.#allowanceMs = allowanceMs;
    this.#clock = clock;
  }

  /** @param describe what is seen now; it is asked only now and then */
  isOver(describe: () => string = () => '', nowMs = Date.now()): boolean {
    const atMs = this.#clock.read(nowMs);
    if (atMs - this.#lookedMs < this.#allowanceMs / 20) return false;
    this.#lookedMs = atMs;
    const seen = hash('sha1', describe().replaceAll(restless, ''));
    if (!this.#seen.has(seen)) this.#newsMs = atMs;
    this.#seen.add(seen);
    return atMs - this.#newsMs > this.#allowanceMs;
  }
}

/** How often a holder refreshes its lock, so that its age shows that it lives. */
const beatMs = 2_000;
const pollMs = 500;

/**
 * Takes a lock file for work of minutes, waiting while another live process holds it.
 *
 * @param onWait called on each look at a lock that somebody else holds; `since` in milliseconds of the epoch
 */
export async function takeLock(file: string, onWait?: (since: number) => void): Promise<AsyncDisposable> {
  while (!tryLock(file)) {
    const holder = readHolder(file);
    if (holder === undefined) continue;
    onWait?.(holder.since);
    await sleep(pollMs);
  }
  const beat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined);
  }, beatMs).unref();
  return {
    [Symbol.asyncDispose]: () => {
      clearInterval(beat);
      releaseLock(file);
      return Promise.resolve();
    },
  };
}

/** Kills processes and removes a folder when this process exits, however it exits. */
export interface Guard {
  /** Kill this process too; a negative number is a process group. */
  watch(pid: number): void;
  /** Forgets a process that has exited: its id may soon be reused. */
  forget(pid: number): void;
  /** Ends the guard: kills the processes that it still watches, and removes the folder. */
  release(): void;
}

/**
 * The shell reads `+PID` and `-PID` until its input closes, which the kernel ensures even if we die of SIGKILL.
 * It ignores the terminal's signals, so that Ctrl-C cannot kill the guard before the guarded.
 */
const script = `
trap '' INT TERM HUP
pids=' '
while read -r line; do
  pid="\${line#?}"
  case "$line" in
    +*) pids="$pids$pid " ;;
    -*) pids="\${pids%% "$pid" *} \${pids#* "$pid" }" ;;
  esac
done
for pid in $pids; do kill -9 "$pid" 2>/dev/null; done
[ -z "$1" ] && exit
# One that is about to die may still make a file.
for try in 1 2 3 4 5 6 7 8 9 10; do rm -rf "$1" 2>/dev/null && exit; sleep 0.2; done
`;

/** @param folder removed at the end; if absent, nothing is removed. */
export function startGuard(folder?: string): Guard {
  const pids = new Set<number>();
  const shell = spawn('/bin/sh', ['-c', script, 'guard', folder ?? ''], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const input = shell.stdin;
  input.on('error', () => undefined);
  shell.on('error', () => undefined);
  // Neither may keep our event loop alive: a program that forgets to stop its cluster still exits.
  shell.unref();
  if ('unref' in input && typeof input.unref === 'function') input.unref();

  // The shell would do it too, but a moment after us; a check for leftovers right after our exit must find none.
  const onExit = (): void => {
    for (const pid of pids) killNow(pid);
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once('exit', onExit);
  return {
    watch: (pid) => {
      pids.add(pid);
      input.write(`+${pid}\n`);
    },
    forget: (pid) => {
      pids.delete(pid);
      input.write(`-${pid}\n`);
    },
    release: () => {
      process.removeListener('exit', onExit);
      onExit();
      pids.clear();
      input.end();
    },
  };
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
