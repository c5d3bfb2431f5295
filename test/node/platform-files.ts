import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { writeNvidiaSmiWrapper } from '../../src/simulator/nvidia-smi/wrapper.ts';
import { projectRoot } from '../../src/simulator/rig/process.ts';

/** A driver of a machine, as the process sees it that runs its `nvidia-smi`. */
export interface DriverFiles {
  /** Product name of its GPU. */
  readonly gpu: string;
  /** Where `nvidia-smi` goes on the node. */
  readonly bin: string;
  /** A folder for the simulator on the node, and what nvidia-smi calls it. */
  readonly folder: string;
  readonly seenAs: string;
  /** The Node.js binary, as nvidia-smi calls it. */
  readonly node: string;
  /** Whether nvidia-smi runs in the agent's image, which has no shell. */
  readonly lacksShell?: boolean;
  /** Folder on the node of the driver's libraries, without which nvidia-smi does not start. */
  readonly libraries?: string;
}

const library = 'libnvidia-ml.so.1';
/** The real one's, where the linker does not find the library. */
const lacksLibrary = `NVIDIA-SMI couldn't find ${library} library in your system. Please make sure that the NVIDIA Display Driver is properly installed and present in your system.`;

export async function writeDriverFiles(files: DriverFiles): Promise<void> {
  const { gpu, bin, folder, seenAs, node, libraries, lacksShell = false } = files;
  await mkdir(folder, { recursive: true });
  const name = 'nvidia-smi-sim.mjs';
  await copyFile(join(projectRoot, 'dist', name), join(folder, name));
  const [program, stateFile] = [join(seenAs, name), join(seenAs, 'state')];
  if (libraries !== undefined) {
    await mkdir(libraries, { recursive: true });
    await writeFile(join(libraries, library), '');
  }
  if (lacksShell) {
    await mkdir(bin, { recursive: true });
    const variables = { NVIDIA_SMI_SIM_GPUS: gpu, NVIDIA_SMI_SIM_STATE: stateFile };
    const file = join(bin, 'nvidia-smi');
    await writeFile(file, scriptOfNode(node, program, variables));
    await chmod(file, 0o755);
    return;
  }
  const file = writeNvidiaSmiWrapper(bin, { gpus: [gpu], stateFile, program, node });
  if (libraries === undefined) return;
  const [start = '', ...rest] = (await readFile(file, 'utf8')).split('\n');
  const check = `test -e "$LD_LIBRARY_PATH/${library}" || { echo "${lacksLibrary}"; exit 12; }`;
  await writeFile(file, [start, check, ...rest].join('\n'));
}

/** The same as the shell's script, for Node.js. */
function scriptOfNode(node: string, program: string, variables: Readonly<Record<string, string>>): string {
  return `#!${node}
if (!require('node:fs').existsSync(process.env.LD_LIBRARY_PATH + '/${library}')) {
  console.log(${JSON.stringify(lacksLibrary)});
  process.exit(12);
}
Object.assign(process.env, ${JSON.stringify(variables)});
import(${JSON.stringify(program)});
`;
}

/**
 * Lets a folder of the machine be written in the node's namespaces alone, until disposed of.
 *
 * @returns why it cannot be
 */
export async function coverFolder(folder: string): Promise<AsyncDisposable | string> {
  const below = (await readFile('/proc/self/mountinfo', 'utf8'))
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .find((place) => place.startsWith(`${folder}/`));
  // The overlay would hide it.
  if (below !== undefined) return `${below} is a file system of its own`;
  const own = join('/run/covered', folder);
  for (const name of ['files', 'work']) await mkdir(join(own, name), { recursive: true });
  const layers = `lowerdir=${folder},upperdir=${own}/files,workdir=${own}/work`;
  const { code, stderr } = await runProgram('mount', ['-t', 'overlay', 'overlay', '-o', layers, folder]);
  if (code !== 0) return `no overlay on ${folder}: ${stderr.trim()}`;
  return { [Symbol.asyncDispose]: async () => void (await runProgram('umount', ['-l', folder])) };
}
