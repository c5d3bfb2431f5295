import { cp, lstat, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import type { Rig } from '../../src/simulator/rig/rig.ts';

const resources: readonly string[] = [
  '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies',
  '/apis/gpupartition.dev/v1alpha1/gpunodepartitions',
  '/api/v1/nodes',
  '/api/v1/pods',
  '/apis/apps/v1/daemonsets',
  '/apis/apps/v1/deployments',
  '/api/v1/events',
];

/** All objects that tell why a node or a policy is as it is, at one moment. */
export async function dumpObjects({ client }: ControlPlane, file: string): Promise<void> {
  const lists = await Promise.all(resources.map(async (path) => [path, await client.demand({ path })] as const));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ at: new Date().toISOString(), ...Object.fromEntries(lists) }, undefined, 1));
}

/** The programs' logs, the states of the devices and the audit log. */
export async function keepFiles({ folder, controlPlane }: Rig, into: string): Promise<void> {
  // Locks of agents are sockets, too, and come and go.
  const isFile = async (file: string): Promise<boolean> =>
    (await lstat(file).catch(() => undefined))?.isSocket() === false;
  await cp(folder, into, { recursive: true, filter: isFile });
  await cp(join(controlPlane.folder, 'audit.log'), join(into, 'audit.log'));
}
