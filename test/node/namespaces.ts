import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { runProgram } from '../../src/simulator/control-plane/run.ts';
import type { NodePackages } from './packages.ts';

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Names of the variables that tell a program inside of the node's namespaces what it has. */
export const nodeVariables = {
  cgroup: 'REAL_NODE_CGROUP',
  tools: 'REAL_NODE_TOOLS',
  base: 'REAL_NODE_BASE',
} as const;

/** Why this machine cannot have a node in namespaces of its own; undefined where it can. */
export async function findObstacle(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `this is ${process.platform}, not Linux`;
  if (process.getuid?.() !== 0) return 'this is not root';
  const tried = await runProgram('unshare', ['--mount', '--net', '--pid', '--fork', '--mount-proc', 'true']).catch(
    (error: unknown) => ({ code: -1, stderr: String(error) }),
  );
  return tried.code === 0 ? undefined : `unshare of mounts, network and processes: ${tried.stderr.trim()}`;
}

/**
 * Runs a command as the node's: in mount, network and process namespaces and a cgroup of its own, all of which is gone afterwards,
 * even if this process is killed.
 *
 * @returns its exit status
 * @throws Error where something was left behind
 */
export async function runOnNode(command: readonly string[], packages: NodePackages): Promise<number> {
  return exitOf(startOnNode(command, packages, 'inherit'));
}

/** Tries to run a container there. @returns why it cannot be; undefined where it can */
export async function findLack(packages: NodePackages): Promise<string | undefined> {
  const run = startOnNode(['sh', script('probe.sh')], packages, ['ignore', 'ignore', 'pipe']);
  let complaint = '';
  run.node.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const code = await exitOf(run);
  return code === 0 ? undefined : complaint.trim().split('\n').join('; ');
}

interface NodeRun {
  readonly node: ChildProcess;
  /** Cleans up when its input closes. */
  readonly cleaner: ChildProcess;
}

function startOnNode(command: readonly string[], { tools, base }: NodePackages, stdio: StdioOptions): NodeRun {
  const cgroup = `real-node-${process.pid}`;
  const flags = [
    '--mount',
    '--net',
    '--pid',
    '--fork',
    '--propagation',
    'private',
    '--mount-proc',
    '--kill-child=KILL',
  ];
  const node = spawn('unshare', [...flags, 'sh', script('init.sh'), cgroup, tools, ...command], {
    stdio,
    env: {
      ...process.env,
      PATH: [`${tools}/usr/bin`, `${tools}/usr/sbin`, process.env['PATH']].join(':'),
      LD_LIBRARY_PATH: `${tools}/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`,
      [nodeVariables.cgroup]: cgroup,
      [nodeVariables.tools]: tools,
      [nodeVariables.base]: base,
    },
  });
  const cleaner = spawn('sh', [script('end.sh'), cgroup, String(node.pid)], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  return { node, cleaner };
}

async function exitOf({ node, cleaner }: NodeRun): Promise<number> {
  const code = await codeOf(node);
  cleaner.stdin?.end();
  if ((await codeOf(cleaner)) !== 0) throw new Error('the node left something behind');
  return code;
}

async function codeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
