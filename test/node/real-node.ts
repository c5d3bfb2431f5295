import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { findControlPlane } from '../../src/simulator/control-plane/build.ts';
import { startComponent, waitUntilReady, type Component } from '../../src/simulator/control-plane/components.ts';
import { type ControlPlane, startControlPlane } from '../../src/simulator/control-plane/start.ts';
import { startGuard } from '../../src/simulator/control-plane/run.ts';
import { startContainerd } from './containerd.ts';
import { makeDriverRoot } from './gpus.ts';
import { nodeVariables } from './namespaces.ts';
import {
  cniConfig,
  describeContainerd,
  describeKubelet,
  kubeletArguments,
  nodeFolder,
  nodeName,
} from './node-config.ts';
import type { NodePackages } from './packages.ts';
import { forwardService } from './service-forward.ts';

/** A real kubelet and containerd in the namespaces that this process runs in, with our image and a driver with two GPUs. */
export interface RealNode {
  readonly controlPlane: ControlPlane;
  /** Kills the kubelet, as a crash does, and starts it again. @param meanwhile what is done while there is none */
  restartKubelet(meanwhile?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Whether this process is in namespaces of its own: `make test-node`. */
export function isOnNode(): boolean {
  return process.env[nodeVariables.cgroup] !== undefined;
}

/** @param statusPeriodSeconds `nodeStatusUpdateFrequency`; the kubelet's own default is 10 */
export async function startRealNode(statusPeriodSeconds: number): Promise<RealNode> {
  const packages: NodePackages = { tools: readVariable('tools'), base: readVariable('base') };
  const guard = startGuard();
  await mkdir(join(nodeFolder, 'cni'), { recursive: true });
  await writeFile(join(nodeFolder, 'cni/10-bridge.conflist'), JSON.stringify(cniConfig));
  await writeFile(join(nodeFolder, 'containerd.toml'), describeContainerd(packages.tools));
  const kubeletConfig = join(nodeFolder, 'kubelet.json');
  await writeFile(kubeletConfig, JSON.stringify(describeKubelet(readVariable('cgroup'), statusPeriodSeconds)));
  await makeDriverRoot(packages.base);

  const binaries = await findControlPlane();
  if (binaries.kubelet === undefined) throw new Error(`there is no kubelet in ${binaries.folder}`);
  const { kubelet } = binaries;
  const [controlPlane, containerd] = await Promise.all([
    startControlPlane({
      binaries,
      apiServerArguments: ['--endpoint-reconciler-type=none', '--kubelet-preferred-address-types=InternalIP'],
    }),
    startContainerd(guard, packages),
  ]);
  const forwarding = await forwardService(controlPlane.server);
  const kubeconfig = await controlPlane.kubeconfigFile({ token: controlPlane.kubeletToken });
  const startKubelet = async (): Promise<Component> =>
    startComponent(kubelet, kubeletArguments(kubeletConfig, kubeconfig), {
      log: join(nodeFolder, 'kubelet.log'),
      guard,
    });
  let component = await startKubelet();
  await waitUntilReady(component, async () => isNodeReady(controlPlane));
  return {
    controlPlane,
    restartKubelet: async (meanwhile) => {
      await component.kill();
      await meanwhile?.();
      component = await startKubelet();
    },
    stop: async () => {
      await component.kill();
      await containerd.kill();
      forwarding[Symbol.dispose]();
      await controlPlane.stop();
      guard.release();
    },
  };
}

async function isNodeReady(controlPlane: ControlPlane): Promise<boolean> {
  const path = `jsonpath={.status.conditions[?(@.type=="Ready")].status}{.spec.taints}`;
  return (await controlPlane.kubectl(['get', 'node', nodeName, '-o', path])).stdout === 'True';
}

function readVariable(name: keyof typeof nodeVariables): string {
  const value = process.env[nodeVariables[name]];
  if (value === undefined) throw new Error(`${nodeVariables[name]} is not set: run this by test/node/main.ts`);
  return value;
}

/** The ends of the logs of containerd, kubelet and our pods, for a test that failed. */
export async function readNodeLogs(): Promise<string> {
  const files = ['containerd.log', 'kubelet.log'].map((name) => join(nodeFolder, name));
  for await (const file of glob('/var/log/pods/*gpu-partition-*/*/*.log')) files.push(file);
  const ends = files.map(async (file) => {
    const lines = (await readFile(file, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-15);
    return `--- ${file}\n${lines.map((line) => line.slice(0, 400)).join('\n')}\n`;
  });
  return (await Promise.all(ends)).join('');
}
