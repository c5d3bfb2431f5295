import { DeviceError, type DeviceErrorCode } from '../core/gpu/device-state.ts';
import { type Execution, type ChangeCommand, planRun, type ReadCommand } from '../core/smi/command.ts';
import { cutText, messageOf } from '../core/text/words.ts';
import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type ChildProcess, spawn } from 'node:child_process';
import { listLockDescriptors } from './host/node-lock.ts';
import { Semaphore } from '../process/clock.ts';
import type { Command } from 'commander';
import { integer } from '../process/options.ts';

/** Why the kernel did not start a program, by error number; anything else is `ToolBlocked`. */
const causes: ReadonlyMap<string, readonly [DeviceErrorCode, string]> = new Map([
  ['ENOENT', ['ToolMissing', 'there is no such file, or the interpreter in its first line is missing']],
  ['EAGAIN', ['HostExhausted', 'too many processes']],
  ['ENOMEM', ['HostExhausted', 'no memory']],
  ['EMFILE', ['HostExhausted', 'too many open files of this program']],
  ['ENFILE', ['HostExhausted', 'too many open files of the node']],
]);

/** The error for a program that was not started. */
export function explainSpawnError(tried: string, cause: unknown): DeviceError {
  const message = messageOf(cause);
  const number = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const [code, meaning] = causes.get(number) ?? ['ToolBlocked' as const, undefined];
  const found = meaning === undefined ? `it was not started: ${message}` : `it was not started: ${number}: ${meaning}`;
  return new DeviceError(code, { tried, found, cause });
}

/** How nvidia-smi is started: a program and the arguments before its own. */
export interface Tool {
  readonly file: string;
  readonly prefix: readonly string[];
  /** The root that chroot runs it in. */
  readonly root?: string;
}

export interface ToolOptions {
  /** Path of nvidia-smi; if absent, it is searched for on the path. */
  readonly path?: string | undefined;
  /**
   * Roots in which the driver may be, such as `/run/nvidia/driver` for a containerised one: chroot runs nvidia-smi in the first root
   * that has one.
   */
  readonly driverRoots?: readonly string[] | undefined;
  /** Where programs are searched, as in `PATH`; absent: {@link systemPath}. */
  readonly searchPath?: string | undefined;
}

/** The path that children get; nothing else of our environment reaches them. */
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/nvidia/bin';

/**
 * Finds nvidia-smi.
 * @throws DeviceError ToolMissing, ToolBlocked
 */
export function findTool({ path, driverRoots, searchPath = systemPath }: ToolOptions = {}): Tool {
  if (driverRoots !== undefined) {
    const name = path ?? 'nvidia-smi';
    const root = driverRoots.find((one) => isAbsolute(one) && hasProgram(one, name));
    if (root !== undefined) return { file: findProgram('chroot', searchPath), prefix: [root, name], root };
    const hint = path === undefined ? ': is the driver installed and its container running?' : '';
    const found = `no ${name} in it${hint}`;
    throw new DeviceError('ToolMissing', { tried: `driver root ${driverRoots.join(', then ')}`, found });
  }
  return { file: findProgram(path ?? 'nvidia-smi', searchPath), prefix: [] };
}

function findProgram(name: string, searchPath: string): string {
  const places = name.includes('/') ? [name] : searchPath.split(delimiter).map((folder) => join(folder, name));
  const found = places.find(isExecutable);
  if (found !== undefined) return found;
  const blocked = places.find(isThere);
  if (blocked !== undefined)
    throw new DeviceError('ToolBlocked', { tried: blocked, found: 'it is there, but not executable' });
  const where = name.includes('/') ? 'no executable file there' : `no executable ${name} in ${searchPath}`;
  throw new DeviceError('ToolMissing', { tried: name, found: where });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Links are not followed: from here they would lead out of the root. */
function hasProgram(root: string, name: string): boolean {
  const places = name.includes('/') ? [name] : systemPath.split(delimiter).map((folder) => join(folder, name));
  return places.some((place) => isThere(join(root, place)));
}

function isThere(path: string): boolean {
  try {
    return !lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** What the words of chroot and the shell mean, which have no error number; the first match decides. */
const shellWords: readonly (readonly [RegExp, DeviceErrorCode])[] = [
  [/Cannot allocate memory|Resource temporarily unavailable|Too many open files/i, 'HostExhausted'],
  [/Operation not permitted/i, 'NotPermitted'],
];

/**
 * What kept chroot or the shell around the tool from running it, by their exit codes, which nvidia-smi never has: 125 chroot itself
 * failed, 126 the tool cannot be executed, 127 it is not there. Undefined if it was run.
 */
function explainNotRun({ root }: Tool, tried: string, execution: Execution): DeviceError | undefined {
  const { rc, end, stdout, stderr = '' } = execution;
  if (end !== 'Exited' || rc < 125 || rc > 127) return undefined;
  const said = `${stdout.trimEnd()}\n${stderr}`.trim();
  const known = shellWords.find(([pattern]) => pattern.test(said))?.[1];
  const code = known ?? (rc === 126 ? 'ToolBlocked' : 'ToolMissing');
  const found = `exit code ${rc}: ${JSON.stringify(cutText(said, 240))}`;
  // gpu-operator's driver container creates its root before it fills it.
  const isEmpty = root !== undefined && !['usr', 'bin'].some((name) => isFolder(join(root, name)));
  if (code !== 'ToolMissing' || !isEmpty) return new DeviceError(code, { tried, found });
  return new DeviceError('DriverUnavailable', {
    tried,
    found: `${root} is empty, the driver’s container may be starting: ${found}`,
  });
}

/** Runs nvidia-smi once. @throws DeviceError why it could not be started, Unresponsive */
export type Execute = (args: readonly string[], deadlineMs: number) => Promise<Execution>;

export interface ChildOptions {
  /** The program's name in messages; default nvidia-smi. */
  readonly program?: string;
  /** The most bytes of output; more ends the child. */
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

export interface Deadlines {
  /** Default 15 s; large nodes without persistence mode take longer, for every command. */
  readonly readMs?: number | undefined;
  /** Default 60 s; eight GPUs with many instances were seen to take 44 s. */
  readonly changeMs?: number | undefined;
  /** Default 300 s: a reset, also the one within a change of MIG mode, is not to be killed halfway. */
  readonly resetMs?: number | undefined;
}

/** Runs commands in the order in which they are asked for, with at most so many children on the node: one, unless told otherwise. */
export class Runner {
  readonly #execute: Execute;
  readonly #deadlines: Readonly<Record<keyof Deadlines, number>>;
  readonly #children: Semaphore;

  constructor(
    execute: Execute,
    { readMs = 15_000, changeMs = 60_000, resetMs = 300_000 }: Deadlines = {},
    atOnce: number = 1,
  ) {
    this.#execute = execute;
    this.#children = new Semaphore(atOnce);
    this.#deadlines = { readMs, changeMs, resetMs };
  }

  /** @throws DeviceError why it could not be started, Unresponsive; every other end is an {@link Execution} */
  async run(command: ReadCommand | ChangeCommand): Promise<Execution> {
    const { args, deadlineMs, limit } = planRun(command, this.#deadlines);
    const execution = await this.#children.pass(() => this.#execute(args, deadlineMs));
    return execution.end === 'TimedOut' ? { ...execution, limit } : execution;
  }
}

/** Options of every program that runs nvidia-smi. */
export interface TimeoutOptions {
  readonly readTimeoutSeconds?: number;
  readonly changeTimeoutSeconds?: number;
  readonly resetTimeoutSeconds?: number;
}

export function addTimeoutOptions(command: Command): Command {
  return command
    .option(
      '--read-timeout-seconds <n>',
      'time limit of an nvidia-smi run that only reads; large nodes without persistence mode need more (default: 15)',
      integer(1, 600),
    )
    .option(
      '--change-timeout-seconds <n>',
      'time limit of an nvidia-smi run that changes a GPU, for each of several (default: 60)',
      integer(1, 3_600),
    )
    .option(
      '--reset-timeout-seconds <n>',
      'time limit of an nvidia-smi run that resets a GPU or changes its MIG mode, for each of several (default: 300)',
      integer(1, 3_600),
    );
}

export function readTimeouts(options: TimeoutOptions): Deadlines {
  const inMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1_000);
  return {
    readMs: inMs(options.readTimeoutSeconds),
    changeMs: inMs(options.changeTimeoutSeconds),
    resetMs: inMs(options.resetTimeoutSeconds),
  };
}
