import { createHash, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files on the host of a simulated node. */
export type NodeFiles = ReturnType<typeof nodeFilesIn>;

/** `sun_path` of unix(7) has 108 bytes, the last of them NUL. */
const longestSocketPath = 107;

/**
 * A node whose name is too long for the path of a socket has a folder named by a hash.
 *
 * @throws RangeError if the path of the kubelet's socket is too long for the operating system even then
 */
export function nodeFilesIn(rigFolder: string, node: string) {
  const isLong = Buffer.byteLength(socketIn(join(rigFolder, node))) > longestSocketPath;
  const folder = join(rigFolder, isLong ? createHash('sha256').update(node).digest('hex').slice(0, 16) : node);
  const podResourcesSocket = socketIn(folder);
  const bytes = Buffer.byteLength(podResourcesSocket);
  if (bytes > longestSocketPath) {
    throw new RangeError(
      `the PodResources socket of node ${node} would have the path ${podResourcesSocket} of ${bytes} bytes, and a Unix socket ` +
        `has at most ${longestSocketPath}: give TMPDIR a shorter path`,
    );
  }
  return {
    folder,
    /** State of its nvidia-smi, the faults injected into it, and its operation log; see docs/internal/simulator.md. */
    state: join(folder, 'state'),
    faults: join(folder, 'faults'),
    operations: join(folder, 'operations.jsonl'),
    bootId: join(folder, 'boot-id'),
    machine: join(folder, 'machine'),
    rebootSentinel: join(folder, 'reboot-required'),
    agentLog: join(folder, 'agent.log'),
    agentFolder: join(folder, 'agent'),
    podResourcesSocket,
  };
}

function socketIn(folder: string): string {
  return join(folder, 'kubelet.sock');
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
