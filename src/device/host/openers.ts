import { existsSync, readdirSync, readFileSync, constants, statSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { makeExecute, findTool, type Tool } from '../child.ts';
import { describeOutput } from '../../core/smi/command.ts';
import { DeviceError } from '../../core/gpu/device-state.ts';
import { messageOf } from '../../core/text/words.ts';
import { readIfThere } from './journal.ts';

export interface DeviceNodeOptions {
  /** Roots in which the NVIDIA Container Toolkit may be; if empty, nothing is done. */
  readonly roots: readonly string[];
  /** Roots in which the driver may be. */
  readonly driverRoots?: readonly string[] | undefined;
  readonly searchPath?: string;
  readonly timeoutMs?: number | undefined;
}

/** A command line, and all that it printed. */
interface ToolkitAnswer {
  readonly command: string;
  readonly output: string;
}

export interface DeviceNodeReport {
  /** Command lines. */
  readonly done: readonly string[];
  /** Why nothing was done, if no toolkit was found. */
  readonly missing?: string;
  /** What does not match the current devices, and what to do. */
  readonly problems: readonly string[];
}

/** Possible names of the toolkit in its root: as a package, or as gpu-operator installs it. */
const programs: readonly string[] = ['nvidia-ctk', '/usr/local/nvidia/toolkit/nvidia-ctk'];

/** Specs that name devices individually, and what generates them (NVIDIA/mig-parted; nvidia-cdi-refresh of the toolkit's packages). */
const specs: readonly { readonly file: string; readonly args: readonly string[] }[] = [
  {
    file: 'management.nvidia.com-gpu.yaml',
    args: ['--mode=management', '--vendor=management.nvidia.com', '--class=gpu'],
  },
  { file: 'nvidia.yaml', args: [] },
];

/**
 * Makes the toolkit create the device nodes of a changed layout, and regenerate the existing CDI specs: stale ones lack the
 * capabilities of new instances. Never throws: the layout exists, whoever can use it.
 */
export async function refreshDeviceNodes(options: DeviceNodeOptions): Promise<DeviceNodeReport> {
  const { roots, timeoutMs = 60_000 } = options;
  if (roots.length === 0) return { done: [], problems: [] };
  const tool = findToolkit(options);
  if (tool === undefined) return explainMissing(roots);
  const { root = '/' } = tool;
  const driverRoot = findDriverRoot(options);
  const where = driverRoot === undefined || driverRoot === root ? [] : [`--driver-root=${driverRoot}`];
  const commands = [
    ['system', 'create-device-nodes', '--control-devices', ...where],
    ...specs
      .filter(({ file }) => existsSync(pathOf(root, file)))
      .map(({ file, args }) => ['cdi', 'generate', ...args, `--output=/var/run/cdi/${file}`, ...where]),
  ];
  const execute = makeExecute(tool, { program: 'nvidia-ctk' });
  const done: string[] = [];
  const problems: string[] = [];
  for (const args of commands) {
    const line = ['nvidia-ctk', ...args].join(' ');
    try {
      const execution = await execute(args, timeoutMs);
      if (execution.rc === 0 && execution.end === 'Exited') done.push(line);
      else problems.push(`${line}: ${describeOutput(execution, 'Last')}`);
    } catch (error) {
      problems.push(`${line}: ${messageOf(error)}`);
    }
  }
  return { done, problems: [...problems, ...listFixedSpecs(options.roots)] };
}

/** A spec of NVIDIA's devices, in YAML or JSON. */
const gpuKind =
  /^\W*kind["']?\s*:\s*["']?(management\.)?nvidia\.com\/|["']kind["']\s*:\s*["'](management\.)?nvidia\.com\//m;

/** Specs in the folder that is the administrator's: runtimes read them as well. */
function listFixedSpecs(roots: readonly string[]): readonly string[] {
  return roots.flatMap((root) => {
    const folder = join(root, 'etc/cdi');
    return listFiles(folder)
      .filter((path) => gpuKind.test(readNodeText(path)))
      .map(
        (path) =>
          `${path} describes the previous layout, and is not rewritten: it may have been written by hand. Move it to ` +
          '/run/cdi under the name nvidia.yaml, where it follows each change, or regenerate it with nvidia-ctk cdi generate',
      );
  });
}

function listFiles(folder: string): readonly string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .toSorted()
    .map((name) => join(folder, name));
}

/** Empty if it cannot be read: runtimes cannot, either. */
function readNodeText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** What the toolkit says of itself and of the CDI devices that it finds; empty if there is none. Never throws. */
export async function askToolkit(options: DeviceNodeOptions): Promise<readonly ToolkitAnswer[]> {
  const tool = options.roots.length === 0 ? undefined : findToolkit(options);
  if (tool === undefined) return [];
  const execute = makeExecute(tool, { program: 'nvidia-ctk', maxOutputBytes: 64 * 1024 });
  const answers: ToolkitAnswer[] = [];
  for (const args of [['--version'], ['cdi', 'list']]) {
    const command = ['nvidia-ctk', ...args].join(' ');
    const output = await execute(args, options.timeoutMs ?? 10_000).then(
      ({ stdout, stderr = '' }) => stdout + stderr,
      String,
    );
    answers.push({ command, output });
  }
  return answers;
}

function findToolkit({ roots, searchPath }: DeviceNodeOptions): Tool | undefined {
  for (const path of programs) {
    const tool = tryFind(() => findTool({ path, driverRoots: roots, searchPath }));
    if (tool !== undefined) return tool;
  }
  return undefined;
}

function findDriverRoot({ driverRoots, searchPath }: DeviceNodeOptions): string | undefined {
  if (driverRoots === undefined) return undefined;
  return tryFind(() => findTool({ driverRoots, searchPath }))?.root;
}

function tryFind(find: () => Tool): Tool | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof DeviceError) return undefined;
    throw error;
  }
}

function explainMissing(roots: readonly string[]): DeviceNodeReport {
  const missing = `no nvidia-ctk in ${roots.join(', ')}`;
  const stale = roots.flatMap((root) => specs.map(({ file }) => pathOf(root, file))).filter((path) => existsSync(path));
  const problems = stale.map(
    (path) =>
      `${path} describes the previous layout: ${missing}. Install the NVIDIA Container Toolkit there or name its root (--toolkit-root), ` +
      'or regenerate the spec manually',
  );
  return { done: [], missing, problems: [...problems, ...listFixedSpecs(roots)] };
}

/** The path of a file in the host's `/run/cdi`. Not `/var/run`, which is a link that would lead out of the root. */
function pathOf(root: string, file: string): string {
  return join(root, 'run/cdi', file);
}

interface HostFolders {
  /** `/proc` of the host. */
  readonly proc: string;
  /** `/sys/module` */
  readonly modules: string;
}

const hostFolders: HostFolders = { proc: '/proc', modules: '/sys/module' };

/**
 * Lists who has a GPU open on this host: programs that the driver does not list, since they run nothing on it (DCGM, nvsm, Fabric Manager,
 * nvidia-persistenced, an X server), and a kernel module that does the same (mig-parted #181).
 *
 * @param minor of `/dev/nvidiaN`; undefined: of any GPU
 */
export function listGpuOpeners(
  minor: number | undefined,
  { proc, modules }: HostFolders = hostFolders,
): readonly string[] {
  const majors = readMajors(proc);
  const isMeant = (device: Device | undefined): boolean =>
    device !== undefined &&
    majors.has(device.major) &&
    (minor === undefined ? device.minor < firstOtherMinor : device.minor === minor);
  const programs = list(proc)
    .filter((name) => /^\d+$/.test(name))
    .toSorted((a, b) => Number(a) - Number(b))
    .filter((pid) => list(proc, pid, 'fd').some((fd) => isMeant(deviceAt(proc, pid, 'fd', fd))))
    .map((pid) => `${readName(proc, pid)} (pid ${pid}${describeOwner(readText(proc, pid, 'cgroup'))})`);
  const module = existsSync(join(modules, 'nvidia_drm'))
    ? ['the module nvidia_drm (modprobe -r nvidia_drm unloads it)']
    : [];
  return [...programs, ...module];
}

/** The number under which the driver registers its devices. */
const usualMajor = 195;
/** The minor number from which on they are those of `nvidia-modeset` and `nvidiactl`, which are not a GPU's. */
const firstOtherMinor = 254;

function readMajors(proc: string): ReadonlySet<number> {
  const [characters = ''] = readText(proc, 'devices').split('Block devices:', 1);
  const majors = [...characters.matchAll(/^ *(\d+) nvidia(?:-frontend)?$/gm)].map(([, major]) => Number(major));
  return new Set(majors.length > 0 ? majors : [usualMajor]);
}

interface Device {
  readonly major: number;
  readonly minor: number;
  /** Permission bits of the device file. */
  readonly mode: number;
}

/**
 * The device that an open file is, if it is one, whatever its path is called: a container has device files of its own, under any name. The
 * numbers are packed as in Linux' `dev_t`.
 */
export function deviceAt(...path: readonly string[]): Device | undefined {
  try {
    const { mode, rdev } = statSync(join(...path), { bigint: true });
    if ((mode & BigInt(constants.S_IFMT)) !== BigInt(constants.S_IFCHR)) return undefined;
    const major = Number(((rdev >> 8n) & 0xfffn) | ((rdev >> 32n) & ~0xfffn));
    const minor = Number((rdev & 0xffn) | ((rdev >> 12n) & ~0xffn));
    return { major, minor, mode: Number(mode & 0o7777n) };
  } catch {
    // It was closed since.
    return undefined;
  }
}

/** The systemd service of a process, by its `/proc/PID/cgroup`. */
export function unitOf(cgroup: string): string | undefined {
  return /\/([\w@.:-]+\.service)(?:\/|$)/m.exec(cgroup)?.[1];
}

function describeOwner(cgroup: string): string {
  const unit = unitOf(cgroup);
  if (/(?:^|[/-])pod[0-9a-f][0-9a-f_-]+/m.test(cgroup)) return ', a pod';
  return unit === undefined ? '' : `, ${unit}`;
}

function readName(proc: string, pid: string): string {
  return (
    readText(proc, pid, 'comm')
      .replace(/\p{C}+/gu, ' ')
      .trim()
      .slice(0, 64) || 'a process'
  );
}

function list(...path: readonly string[]): readonly string[] {
  try {
    return readdirSync(join(...path));
  } catch {
    // The process has ended since.
    return [];
  }
}

function readText(...path: readonly string[]): string {
  return readIfThere(join(...path)) ?? '';
}

/** Inode of the machine's own process namespace (the kernel's PROC_PID_INIT_INO). */
const initial = 'pid:[4026531836]';

interface ProcessView {
  readonly proc: string;
  readonly pid: number;
  /** Whether this is a container of a pod. */
  readonly isPod: boolean;
}

/**
 * Why this process may not see the host's processes; undefined if it does. nvidia-smi lists no processes of another namespace, so a
 * busy instance would look idle. In a pod without `hostPID`, process 1 belongs to the pod itself: it is this container's first, or
 * the pause container if the pod shares its namespace.
 */
export function explainHiddenProcesses({ proc, pid, isPod }: ProcessView): string | undefined {
  if (!isPod || readNamespace(proc) === initial) return undefined;
  const read = (path: string): string | undefined => readIfThere(join(proc, path))?.trim();
  const first = read('1/cgroup');
  // A node that is itself a container (kind) has its own namespace, and an init that belongs to no pod.
  const isOwn = pid === 1 || first === undefined || first === read('self/cgroup') || read('1/comm') === 'pause';
  if (!isOwn) return undefined;
  return (
    'the agent’s pod does not see the host’s processes, so a GPU in use would look idle: ' +
    'set hostPID: true in its DaemonSet, as config/agent has it'
  );
}

function readNamespace(proc: string): string | undefined {
  try {
    return readlinkSync(join(proc, 'self/ns/pid'));
  } catch {
    return undefined;
  }
}
