import { type ChildProcess, spawn } from 'node:child_process';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import { listLockDescriptors } from '../host/node-lock.ts';
import type { Execution } from '../../core/smi/output.ts';
import { explainSpawnError } from './spawn-error.ts';
import { explainNotRun, systemPath, type Tool } from './tool.ts';

/** Runs nvidia-smi once. @throws DeviceError why it could not be started, Unresponsive */
export type Execute = (args: readonly string[], deadlineMs: number) => Promise<Execution>;

export interface ChildOptions {
  /** Its name in messages; default nvidia-smi. */
  readonly program?: string;
  /** More output than this ends the child. */
  readonly maxOutputBytes?: number;
  /** `LD_LIBRARY_PATH` of the child, if the driver's libraries are where the linker does not look (GKE). */
  readonly libraryPath?: string | undefined;
  /** How long a child may take to end after SIGKILL before it counts as stuck in the driver. */
  readonly killGraceMs?: number;
  /** Ends a process group; tests replace it to make a child that cannot be killed. */
  readonly kill?: (group: number) => void;
}

interface Stuck {
  readonly pid: number;
  readonly tried: string;
}

/**
 * Makes the function that starts children. If the tool is a function, it is called each time: a driver may come and go. A child in
 * uninterruptible sleep (D state) survives SIGKILL: it is abandoned, and no other is started while it exists, so that a hung
 * driver costs a node the processes that were running, and not thousands.
 */
export function makeExecute(tool: Tool | (() => Tool), options: ChildOptions = {}): Execute {
  const { program = 'nvidia-smi', maxOutputBytes = 4 * 1024 * 1024, killGraceMs = 2_000 } = options;
  const { kill = killGroup, libraryPath } = options;
  const stuck = new Map<number, Stuck>();

  return (args, deadlineMs) => {
    const tried = [program, ...args].join(' ');
    const [first] = stuck.values();
    if (first !== undefined) {
      const found = `process ${first.pid} (${first.tried}) survived SIGKILL and is still running`;
      return Promise.reject(new DeviceError('Unresponsive', { tried, found }));
    }
    return new Promise<Execution>((resolve, reject) => {
      const found = typeof tool === 'function' ? tool() : tool;
      // Its own process group, so that anything a wrapper script started ends with it.
      const child = start(tried, found, args, libraryPath);
      const chunks: Buffer[] = [];
      const errors: Buffer[] = [];
      let bytes = 0;
      let end: Execution['end'] = 'Exited';
      let grace: NodeJS.Timeout | undefined;

      const settle = (code: number | null, signal?: NodeJS.Signals | null): void => {
        clearTimeout(deadline);
        clearTimeout(grace);
        child.stdout?.destroy();
        child.stderr?.destroy();
        const execution: Execution = {
          rc: code ?? 255,
          stdout: Buffer.concat(chunks).toString('utf8'),
          ...(errors.length > 0 && { stderr: Buffer.concat(errors).toString('utf8') }),
          end,
          ...(end === 'Exited' && typeof signal === 'string' && { signal }),
        };
        const notRun = explainNotRun(found, tried, execution);
        if (notRun === undefined) resolve(execution);
        else reject(notRun);
      };
      const stop = (reason: 'TimedOut' | 'TooLong'): void => {
        if (end !== 'Exited' || child.pid === undefined) return;
        end = reason;
        const { pid } = child;
        kill(pid);
        grace = setTimeout(() => {
          // The child is gone, but a process that it left in another group holds its output open.
          if (child.exitCode !== null || child.signalCode !== null) return settle(null);
          stuck.set(pid, { pid, tried });
          child.stdout?.destroy();
          child.stderr?.destroy();
          child.unref();
          const found = `no answer in ${deadlineMs} ms, and process ${pid} survived SIGKILL`;
          reject(new DeviceError('Unresponsive', { tried, found }));
        }, killGraceMs);
      };
      const deadline = setTimeout(stop, deadlineMs, 'TimedOut');
      const collect = (into: Buffer[]) => (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxOutputBytes) stop('TooLong');
        else into.push(chunk);
      };
      child.stdout?.on('data', collect(chunks));
      child.stderr?.on('data', collect(errors));
      child.once('error', (cause) => {
        clearTimeout(deadline);
        clearTimeout(grace);
        reject(explainSpawnError(tried, cause));
      });
      child.once('exit', () => {
        if (child.pid !== undefined) stuck.delete(child.pid);
      });
      child.once('close', settle);
    });
  };
}

/** Node reports some errors of the kernel as an event, and throws the others. */
function start(tried: string, { file, prefix }: Tool, args: readonly string[], libraryPath?: string): ChildProcess {
  try {
    return spawn(file, [...prefix, ...args], {
      cwd: '/',
      env: { PATH: systemPath, LC_ALL: 'C', ...(libraryPath !== undefined && { LD_LIBRARY_PATH: libraryPath }) },
      // It keeps the node's lock as long as it lives, even if this process is killed.
      stdio: ['ignore', 'pipe', 'pipe', ...listLockDescriptors()],
      detached: true,
    });
  } catch (cause) {
    throw explainSpawnError(tried, cause);
  }
}

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}
