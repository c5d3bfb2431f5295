/**
 * What NVIDIA's mig-manager does to change the layout of a node whose GPUs are in MIG mode, call by call: its labels, its
 * order, its waits. Written after mig-parted's pkg/mig/reconfigure/reconfigure.go (v0.13 to v0.15), which it shares no code
 * with. Left out, all to its advantage: the four runs of `nvidia-mig-parted assert`, host services and their 30 s of settling
 * time, CDI, and the wait of 5 s steps for pods that a node label `gpu.deploy.client` asks for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { type ApiClient, pick } from '../../src/simulator/control-plane/access.ts';

export interface MigManagerNode {
  readonly client: ApiClient;
  /** Of mig-manager's ServiceAccount. */
  readonly token: string;
  readonly node: string;
  /** Of gpu-operator's pods. */
  readonly namespace: string;
  readonly nvidiaSmi: string;
}

/** A GPU that differs from its layout: mig-parted clears it and recreates all instances. */
export interface GpuRebuild {
  readonly gpu: number;
  /** Ids of GPU instance profiles, in the order in which they are made. */
  readonly profileIds: readonly number[];
}

/** The rights that mig-manager has on Nodes and pods. */
export const migManagerRules = [
  { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch', 'update', 'patch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'delete'] },
] as const;

const deployLabels = ['device-plugin', 'gpu-feature-discovery', 'dcgm-exporter', 'dcgm', 'nvsm'].map(
  (name) => `nvidia.com/gpu.deploy.${name}`,
);
const awaitedApps = ['nvidia-device-plugin-daemonset', 'gpu-feature-discovery', 'nvidia-dcgm-exporter', 'nvidia-dcgm'];
const stateLabel = 'nvidia.com/mig.config.state';
/** `wait.PollUntilContextTimeout(ctx, time.Second, 5 min, immediate: false, …)`: the first look is after a second too. */
const pollMs = 1_000;
const waitLimitMs = 300_000;

/**
 * Changes one GPU, and says `success`.
 *
 * @returns milliseconds since 1970 at which `success` was written
 * @throws Error where a command fails or a pod does not go
 */
export async function runMigManagerSequence(at: MigManagerNode, { gpu, profileIds }: GpuRebuild): Promise<number> {
  // 1. All clients of all GPUs away, whichever GPU is to change.
  const labels = await readLabels(at);
  await setLabels(at, { [stateLabel]: 'pending' });
  await setLabels(at, withDeployLabels(labels, 'paused-for-mig-change'));
  for (const app of awaitedApps) await waitUntilGone(at, app);
  await deletePods(at, 'nvidia-cuda-validator');
  await deletePods(at, 'nvidia-device-plugin-validator');
  // 2. The GPU that differs: everything off, then everything on.
  await change(at, ['mig', '-dci', '-i', `${gpu}`]);
  await change(at, ['mig', '-dgi', '-i', `${gpu}`]);
  await change(at, ['mig', '-cgi', profileIds.join(','), '-C', '-i', `${gpu}`]);
  // 3. The clients come back; what they find is not looked at.
  await deletePods(at, 'nvidia-operator-validator');
  await setLabels(at, withDeployLabels(labels, 'true'));
  await setLabels(at, { [stateLabel]: 'success' });
  return Date.now();
}

type Labels = Readonly<Record<string, string>>;

/** A label that is not there is treated as `true`; only `false` is left alone. */
function withDeployLabels(labels: Labels, value: string): Labels {
  return Object.fromEntries(deployLabels.map((key) => [key, labels[key] === 'false' ? 'false' : value]));
}

async function readLabels({ client, token, node }: MigManagerNode): Promise<Labels> {
  const labels = pick(await client.demand({ path: `/api/v1/nodes/${node}`, token }), 'metadata', 'labels');
  return Object.fromEntries(Object.entries(labels ?? {}).map(([key, value]) => [key, String(value)]));
}

async function setLabels({ client, token, node }: MigManagerNode, labels: Labels): Promise<void> {
  await client.demand({
    method: 'PATCH',
    path: `/api/v1/nodes/${node}`,
    body: { metadata: { labels } },
    contentType: 'application/merge-patch+json',
    token,
  });
}

async function waitUntilGone(at: MigManagerNode, app: string): Promise<void> {
  const deadline = Date.now() + waitLimitMs;
  do {
    await sleep(pollMs);
    if ((await listPods(at, app)).length === 0) return;
  } while (Date.now() < deadline);
  throw new Error(`pods of ${app} have not gone from ${at.node} within ${waitLimitMs / 1000} s`);
}

async function deletePods(at: MigManagerNode, app: string): Promise<void> {
  for (const name of await listPods(at, app)) {
    const path = `/api/v1/namespaces/${at.namespace}/pods/${name}`;
    await at.client.demand({ method: 'DELETE', path, token: at.token });
  }
}

/** Names of a program's pods on the node. */
async function listPods({ client, token, node, namespace }: MigManagerNode, app: string): Promise<readonly string[]> {
  const query = new URLSearchParams({ fieldSelector: `spec.nodeName=${node}`, labelSelector: `app=${app}` });
  const list = await client.demand({ path: `/api/v1/namespaces/${namespace}/pods?${query.toString()}`, token });
  const items = pick(list, 'items');
  return Array.isArray(items) ? items.map((item) => String(pick(item, 'metadata', 'name'))) : [];
}

async function change({ nvidiaSmi }: MigManagerNode, argv: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runProgram(nvidiaSmi, argv);
  if (code !== 0) throw new Error(`nvidia-smi ${argv.join(' ')} ended with ${code}: ${stdout}${stderr}`);
}
