import { spawn } from 'node:child_process';

export interface Finished {
  /** Exit status; -1 if a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
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
