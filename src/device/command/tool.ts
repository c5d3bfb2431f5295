import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { classifyNotRun } from './spawn-error.ts';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import { wordsOf, type Execution } from '../../core/smi/output.ts';
import { cutText } from '../../core/text/cut-text.ts';

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
  /** Absent: {@link systemPath}. */
  readonly searchPath?: string | undefined;
}

/** The path that children get; nothing else of our environment reaches them. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/nvidia/bin';

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

/** Why the tool was not run; undefined if it was. */
export function explainNotRun({ root }: Tool, tried: string, execution: Execution): DeviceError | undefined {
  const code = classifyNotRun(execution);
  if (code === undefined) return undefined;
  const found = `exit code ${execution.rc}: ${JSON.stringify(cutText(wordsOf(execution).trim(), 240))}`;
  // gpu-operator's driver container creates its root before it fills it.
  const isEmpty = root !== undefined && !['usr', 'bin'].some((name) => isFolder(join(root, name)));
  if (code !== 'ToolMissing' || !isEmpty) return new DeviceError(code, { tried, found });
  return new DeviceError('DriverUnavailable', {
    tried,
    found: `${root} is empty, the driver’s container may be starting: ${found}`,
  });
}
