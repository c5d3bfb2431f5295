import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeExecute } from '../command/child.ts';
import { findTool, type Tool } from '../command/tool.ts';
import { describeEnd, wordsOf } from '../../core/smi/output.ts';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import { messageOf } from '../../core/text/message-of.ts';

export interface DeviceNodeOptions {
  /** Roots in which the NVIDIA Container Toolkit may be; if empty, nothing is done. */
  readonly roots: readonly string[];
  /** Roots in which the driver may be. */
  readonly driverRoots?: readonly string[] | undefined;
  readonly searchPath?: string;
  readonly timeoutMs?: number | undefined;
}

/** A command line, and all that it printed. */
export interface ToolkitAnswer {
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
      else problems.push(`${line}: ${describeEnd(execution)}: ${wordsOf(execution).trim().slice(-240)}`);
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
      .filter((path) => gpuKind.test(readText(path)))
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
function readText(path: string): string {
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

/** Not `/var/run`, which is a link that would lead out of the root. */
function pathOf(root: string, file: string): string {
  return join(root, 'run/cdi', file);
}
