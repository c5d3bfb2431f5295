import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files on the host of a simulated node. */
export interface NodeFiles {
  readonly folder: string;
  /** State of its nvidia-smi, the faults injected into it, and its operation log; see docs/internal/simulator.md. */
  readonly state: string;
  readonly faults: string;
  readonly operations: string;
  readonly bootId: string;
  readonly machine: string;
  readonly agentLog: string;
  readonly agentFolder: string;
  readonly podResourcesSocket: string;
}

/** `sun_path` of unix(7) has 108 bytes, the last of them NUL. */
const longestSocketPath = 107;

/** @throws RangeError if the path of the kubelet's socket is too long for the operating system */
export function nodeFilesIn(rigFolder: string, node: string): NodeFiles {
  const folder = join(rigFolder, node);
  const podResourcesSocket = join(folder, 'kubelet.sock');
  const bytes = Buffer.byteLength(podResourcesSocket);
  if (bytes > longestSocketPath) {
    throw new RangeError(
      `the PodResources socket of node ${node} would have the path ${podResourcesSocket} of ${bytes} bytes, and a Unix socket ` +
        `has at most ${longestSocketPath}: give the node a shorter name, or TMPDIR a shorter path`,
    );
  }
  return {
    folder,
    state: join(folder, 'state'),
    faults: join(folder, 'faults'),
    operations: join(folder, 'operations.jsonl'),
    bootId: join(folder, 'boot-id'),
    machine: join(folder, 'machine'),
    agentLog: join(folder, 'agent.log'),
    agentFolder: join(folder, 'agent'),
    podResourcesSocket,
  };
}

/** The files that exist before anything runs on the node. @returns the boot id */
export async function writeNodeFiles(files: NodeFiles, machineProduct: string): Promise<string> {
  await mkdir(files.folder, { recursive: true });
  await writeFile(files.faults, '');
  await writeFile(files.machine, `${machineProduct}\n`);
  return writeBootId(files);
}

/** The kernel's boot id, new after each boot. */
export async function writeBootId({ bootId }: NodeFiles): Promise<string> {
  const id = randomUUID();
  await writeFile(bootId, `${id}\n`);
  return id;
}
