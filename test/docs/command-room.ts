import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Fence } from './pages.ts';

/** A folder in which the commands of a page find the files that it speaks of, and programs by their names. */
export interface CommandRoom {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
}

export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const node = {
  driverVersion: '550.54.15',
  cudaDriverVersion: [12, 4],
  gpus: [
    {
      name: 'NVIDIA A100-SXM4-40GB',
      memoryMiB: 40960,
      computeCapability: [8, 0],
      migCapable: true,
      migEnabled: false,
      migDevices: [],
    },
  ],
};

/** For `recommend --pool`. */
const pool = {
  gpus: [
    {
      id: 'gpu-0',
      model: 'a100-40gb',
      instances: [
        { profile: '1g.5gb', start: 0, busy: true },
        { profile: '2g.10gb', start: 2, busy: false },
      ],
    },
    { id: 'gpu-1', model: 'a100-40gb', instances: [] },
  ],
};

const ours = 'gpupartition.dev/v1alpha1';
const snapshot = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n0', uid: 'n0' }, spec: {}, status: {} },
    { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'a', name: 'b', uid: 'b' }, spec: { containers: [] } },
    { apiVersion: ours, kind: 'GpuNodePartition', metadata: { name: 'n0' }, spec: { nodeUID: 'n0' } },
    {
      apiVersion: ours,
      kind: 'GpuPartitionPolicy',
      metadata: { name: 'p' },
      spec: { nodeSelector: { matchLabels: { pool: 'a' } }, strategy: 'mixed', layouts: [{ mig: 'Disabled' }] },
    },
  ],
};

/** Only a usage error is a fault of a command here: it may well find something, or find no GPU. */
const toleratesFindings = (program: string) =>
  `${JSON.stringify(process.execPath)} ${JSON.stringify(resolve(program))} "$@"; code=$?; [ $code -eq 2 ] && exit 2; exit 0`;

/** Knows targets and scripts, and runs none of them. */
const names = (file: string, pattern: string) =>
  `for word in "$@"; do case $word in run|ci|*=*) ;; *) grep -q "${pattern}" ${JSON.stringify(resolve(file))} || exit 2;; esac; done`;

/** @param kubectl path of the real one; @param kubeconfig of the cluster that it asks */
export async function prepareRoom(kubectl: string, kubeconfig: string): Promise<CommandRoom> {
  const folder = await mkdtemp(join(tmpdir(), 'docs-'));
  const bin = join(folder, '.bin');
  await mkdir(bin);
  await mkdir(join(folder, 'dist'));
  for (const name of ['samples', 'config']) await cp(name, join(folder, name), { recursive: true });
  await cp('samples/inference-mixed.yaml', join(folder, 'policies/inference.yaml'));
  await cp('samples/inference-mixed.yaml', join(folder, 'policy.yaml'));
  await cp('samples/host/layout.yaml', join(folder, 'layout.yaml'));
  await cp('test/fixtures/mig-parted/mig-parted-HEAD-examples-config.yaml', join(folder, 'config.yaml'));
  await writeFile(join(folder, 'node.json'), JSON.stringify(node));
  await writeFile(join(folder, 'pool.json'), JSON.stringify(pool));
  await writeFile(join(folder, 'demand.json'), JSON.stringify({ '1g.5gb': 4, '3g.20gb': 3 }));
  for (const name of ['snapshot', 'monday', 'tuesday', 'wednesday']) {
    await writeFile(join(folder, `${name}.yaml`), JSON.stringify(snapshot));
  }
  const programs = {
    'gpu-partition': toleratesFindings('src/cli/main.ts'),
    make: names('Makefile', '^$word:'),
    npm: names('package.json', '\\"$word\\":'),
  };
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/bash\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  await symlink(kubectl, join(bin, 'kubectl'));
  await symlink(process.execPath, join(bin, 'node'));
  const simulator = resolve('src/simulator/nvidia-smi/main.ts');
  await writeFile(join(folder, 'dist/nvidia-smi-sim.mjs'), `await import(${JSON.stringify(simulator)});\n`);
  return { folder, environment: { PATH: `${bin}:/usr/bin:/bin`, HOME: folder, KUBECONFIG: kubeconfig } };
}

/** What of a block is to be typed in: all of it, or what follows the prompts with the lines that they continue on. */
export function scriptOf({ language, text }: Fence): string {
  if (language === 'sh') return text;
  return [...text.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(([, command = '']) => command).join('\n');
}

/** What a block shows as the output of its commands. */
export function outputOf({ text }: Fence): string {
  return text.replaceAll(/^\$ (?:.*\\\n)*.*\n/gm, '');
}

/** Runs commands as a shell that ends at the first that fails. */
export async function runScript({ folder, environment }: CommandRoom, script: string): Promise<CommandRun> {
  // What a page puts into /tmp stays in the room.
  const text = `set -eu -o pipefail\n${script.replaceAll('/tmp/', `${folder}/`)}`;
  return new Promise((done) => {
    execFile('/bin/bash', ['-c', text], { cwd: folder, env: environment }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr });
    });
  });
}
