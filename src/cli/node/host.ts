import { resolve, join } from 'node:path';
import { DeviceError, explainFault, type DeviceState } from '../../core/gpu/device-state.ts';
import { type NvidiaSmi, openNvidiaSmi } from '../../device/nvidia-smi.ts';
import {
  findTool,
  type Tool,
  type ToolOptions,
  readTimeouts,
  type TimeoutOptions,
  addTimeoutOptions,
} from '../../device/child.ts';
import { CliError, type ExitCode, type Terminal } from '../terminal.ts';
import { Journal } from '../../device/host/journal.ts';
import { lockNode, type NodeLock } from '../../device/host/node-lock.ts';
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { holdersOnHost } from '../../core/device/kubelet.ts';
import { PodResourcesClient } from '../../kubelet/pod-resources.ts';
import { readPath, type OutputFormat, outputOption } from '../options.ts';
import { messageOf } from '../../core/text/words.ts';
import { askToolkit, type DeviceNodeOptions, refreshDeviceNodes } from '../../device/host/openers.ts';
import { integer } from '../../process/options.ts';

/** Options of every command that reads the GPUs of this machine. */
interface HostOptions extends TimeoutOptions {
  readonly nvidiaSmi?: string;
  readonly driverRoot?: string;
}

/** Opens nvidia-smi. @throws CliError with code 3 if there is none */
export function openHost(options: HostOptions, terminal: Terminal): NvidiaSmi {
  return report(3, () => openNvidiaSmi({ ...readTimeouts(options), ...toolOf(options, terminal) }));
}

/** Finds nvidia-smi. @throws CliError with code 3 if there is none */
export function findHostTool(options: HostOptions, terminal: Terminal): Tool {
  return report(3, () => findTool(toolOf(options, terminal)));
}

function toolOf({ nvidiaSmi, driverRoot }: HostOptions, { cwd }: Terminal): ToolOptions {
  // Inside a driver root the path belongs to another file system; a bare name is looked up on the path.
  const isFile = nvidiaSmi?.includes('/') === true && driverRoot === undefined;
  return {
    path: isFile ? resolve(cwd, nvidiaSmi) : nvidiaSmi,
    driverRoots: driverRoot === undefined ? undefined : [resolve(cwd, driverRoot)],
  };
}

/** Reads all GPUs. @throws CliError with code 3 if the node cannot be read */
export async function readHost(driver: NvidiaSmi): Promise<DeviceState> {
  return reportAsync(3, () => driver.readDevice());
}

/** Runs something and turns a device error into a command error with the given exit code. */
export async function reportAsync<Result>(exitCode: ExitCode, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw translate(error, exitCode);
  }
}

function report<Result>(exitCode: ExitCode, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw translate(error, exitCode);
  }
}

function translate(error: unknown, exitCode: ExitCode): unknown {
  if (!(error instanceof DeviceError)) return error;
  return new CliError(explainFault(error).message, exitCode, { cause: error });
}

export interface HostLockOptions {
  /** Folder of the lock and the journal. */
  readonly stateDir: string;
  /** How long to wait for another program, in seconds. */
  readonly lockTimeout: number;
}

/** The parts of a host that only the holder of the lock may use. */
interface LockedHost {
  readonly lock: NodeLock;
  readonly journal: Journal;
  /** `stateDir` as an absolute path. */
  readonly folder: string;
}

/**
 * Works under the lock of this host, and releases it whatever happens.
 * @throws CliError with code 1 if the lock is not available
 */
export async function withHostLock<Result>(
  { stateDir, lockTimeout }: HostLockOptions,
  cwd: string,
  work: (host: LockedHost) => Promise<Result>,
): Promise<Result> {
  const folder = resolve(cwd, stateDir);
  const lock = await reportAsync(1, () => lockNode({ folder, waitMs: lockTimeout * 1000 }));
  try {
    return await work({ lock, journal: new Journal({ path: join(folder, 'journal.json') }), folder });
  } finally {
    await lock.release();
  }
}

export interface PodOptions {
  readonly podResourcesSocket: string;
  readonly ignorePods?: boolean;
}

export function addPodOptions(command: Command): Command {
  return command
    .option(
      '--pod-resources-socket <file>',
      'PodResources socket of a kubelet, which tells which pod holds which device; used if it exists',
      readPath,
      '/var/lib/kubelet/pod-resources/kubelet.sock',
    )
    .option(
      '--ignore-pods',
      'rely on processes alone; a pod that holds an instance without running a process on it is not noticed',
    );
}

/**
 * What the pods of this host hold, as `DeviceApplyOptions.listHeld` defines it. A host without a kubelet has none; one that has it now
 * has it until the end, though the socket is missing while it restarts.
 *
 * @returns the question; it throws DeviceError Stopped if the kubelet does not answer: unknown does not mean nobody
 */
export function listHeldOnHost(
  { podResourcesSocket, ignorePods = false }: PodOptions,
  device: DeviceState,
): () => Promise<ReadonlySet<string>> {
  if (ignorePods || !existsSync(podResourcesSocket)) return () => Promise.resolve(new Set());
  const kubelet = new PodResourcesClient({ socket: podResourcesSocket });
  return async () => {
    try {
      return holdersOnHost(device, await kubelet.list()).ids;
    } catch (cause) {
      const found = `${messageOf(cause)}; --ignore-pods proceeds without`;
      throw new DeviceError('Stopped', { tried: 'to ask the kubelet who holds a GPU', found, cause });
    }
  };
}

export interface ToolkitOptions extends HostOptions {
  readonly toolkitRoot?: string;
}

/** Updates this machine's device nodes and CDI specs to match its GPUs. @returns what does not match, and what to do */
export async function refreshHost(options: ToolkitOptions, cwd: string): Promise<readonly string[]> {
  const timeoutMs = readTimeouts(options).changeMs;
  return (await refreshDeviceNodes({ ...findRoots(options, cwd), timeoutMs })).problems;
}

/** What the toolkit of this machine says of itself. */
export function askHostToolkit(options: ToolkitOptions, cwd: string): ReturnType<typeof askToolkit> {
  return askToolkit(findRoots(options, cwd));
}

function findRoots(
  { toolkitRoot, driverRoot, nvidiaSmi }: ToolkitOptions,
  cwd: string,
): Pick<DeviceNodeOptions, 'roots' | 'driverRoots'> {
  // A named nvidia-smi may be for any machine: its devices are not known to be this machine's.
  const root = toolkitRoot ?? driverRoot ?? (nvidiaSmi === undefined ? '/' : undefined);
  return {
    roots: root === undefined ? [] : [resolve(cwd, root)],
    driverRoots: driverRoot === undefined ? undefined : [resolve(cwd, driverRoot)],
  };
}

/**
 * Runs something until a signal: on SIGTERM (systemctl stop), SIGINT and SIGHUP (the terminal is gone, as with a lost connection), work in
 * progress is finished and nothing else started; a second SIGTERM or SIGINT ends the program. SIGHUP comes from the shell and from the
 * kernel: never once for sure.
 */
export async function withSignal<Result>(run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  process.once('SIGTERM', stop).once('SIGINT', stop).on('SIGHUP', stop);
  try {
    return await run(controller.signal);
  } finally {
    process.off('SIGTERM', stop).off('SIGINT', stop).off('SIGHUP', stop);
  }
}

/** Options of every `node` command. */
export interface NodeCommandOptions extends HostOptions {
  readonly output: OutputFormat;
}

export interface LayoutOptions {
  readonly filename: string;
  readonly config?: string;
}

export function addNodeOptions(command: Command): Command {
  return addTimeoutOptions(command)
    .option(
      '--nvidia-smi <file>',
      'path of nvidia-smi; otherwise found in /usr/bin or another folder of the system, whatever PATH says',
      readPath,
    )
    .option('--driver-root <folder>', 'folder with the driver’s files; nvidia-smi runs in it by chroot', readPath)
    .addOption(outputOption());
}

/** Options of every command that changes GPUs. */
export function addChangeOptions(command: Command): Command {
  return command
    .option(
      '--toolkit-root <folder>',
      'folder with the NVIDIA Container Toolkit; nvidia-ctk in it makes device nodes and CDI specs after a change',
      readPath,
    )
    .option(
      '--lock-timeout <seconds>',
      'how long to wait for another program that changes the GPUs',
      integer(0, 86_400),
      10,
    )
    .option('--state-dir <folder>', 'folder for lock and journal', readPath, '/var/lib/gpu-partition');
}

export function addLayoutOptions(command: Command, isRequired = true): Command {
  const describe = 'file with layouts as in a policy, a policy, or a mig-parted file; - for standard input';
  const flags = '-f, --filename <path>';
  return (isRequired ? command.requiredOption(flags, describe) : command.option(flags, describe)).option(
    '--config <name>',
    'config in a mig-parted file; optional if it has only one',
  );
}
