import { readFile, writeFile } from 'node:fs/promises';

import type { GpuPartitionPolicy } from '../../src/api/types.ts';
import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { applyFolder } from '../../src/simulator/rig/install.ts';
import { eventually } from '../support/eventually.ts';
import { driverRoot, faultsFile, operationsFile } from './gpus.ts';
import { nodeName } from './node-config.ts';
import { describeGpuPod, pluginDaemonSet, pluginLabel, pluginNamespace } from './plugin-daemon-set.ts';
import { startRealNode } from './real-node.ts';
import type { RealNode } from './real-node.ts';

/** Profile to count, on each of the node's GPUs. */
export type Profiles = Readonly<Record<string, number>>;

interface NodeObject {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly taints?: readonly { readonly key: string }[] };
  readonly status: { readonly allocatable: Readonly<Record<string, string>> };
}

const policyPath = '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies/slices';
const gpuCount = 2;
const timeoutMs = 90_000;

/** Our operator on a real node, installed from the shipped image and manifests. */
export class Operator {
  readonly node: RealNode;

  private constructor(node: RealNode) {
    this.node = node;
  }

  /** @param statusPeriodSeconds of the kubelet */
  static async install(statusPeriodSeconds: number): Promise<Operator> {
    const node = await startRealNode(statusPeriodSeconds);
    const operator = new Operator(node);
    await applyFolder(node.controlPlane, 'config/default');
    await operator.apply(pluginDaemonSet);
    await operator.kubectl(
      'rollout',
      'status',
      '--timeout=60s',
      '-n',
      pluginNamespace,
      `daemonset/${pluginDaemonSet.metadata.name}`,
    );
    await operator.kubectl(
      'rollout',
      'status',
      '--timeout=60s',
      '-n',
      'gpu-partition-agents',
      'daemonset/gpu-partition-agent',
    );
    await operator.rollOutController();
    return operator;
  }

  async kubectl(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.node.controlPlane.kubectl(args);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr || stdout}`);
    return stdout;
  }

  async apply(object: object): Promise<void> {
    const input = JSON.stringify(object);
    const { code, stderr } = await this.node.controlPlane.kubectl(['apply', '-f', '-'], { input });
    if (code !== 0) throw new Error(`kubectl apply: ${stderr}`);
  }

  async rollOutController(): Promise<void> {
    await this.kubectl(
      'rollout',
      'status',
      '--timeout=90s',
      '-n',
      'gpu-partition-system',
      'deployment/gpu-partition-controller',
    );
  }

  /** Has the plugin refreshed by a signal, or by a new pod. */
  async setPluginRefresh(way: 'Signal' | 'Evict'): Promise<void> {
    const args = ['--health-port=8081', `--plugin-refresh=${way}`];
    const patch = [{ op: 'replace', path: '/spec/template/spec/containers/0/args', value: args }];
    const target = ['-n', 'gpu-partition-system', 'deployment/gpu-partition-controller'];
    await this.kubectl('patch', ...target, '--type=json', '-p', JSON.stringify(patch));
    await this.rollOutController();
  }

  /** Asks for a layout of all GPUs. */
  async ask(profiles: Profiles): Promise<void> {
    await this.apply({
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuPartitionPolicy',
      metadata: { name: 'slices' },
      spec: {
        nodeSelector: { matchLabels: { 'nvidia.com/gpu.present': 'true' } },
        strategy: 'mixed',
        layouts: [{ profiles }],
      },
    });
  }

  /** Waits until the policy says that it is done, and the node offers the layout and is open. */
  async untilDone(profiles: Profiles): Promise<void> {
    const read = async (): Promise<object> => {
      const { metadata, status } = await this.#demand<GpuPartitionPolicy>(policyPath);
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      return { isReady: ready?.status === 'True' && ready.observedGeneration === metadata.generation, ready };
    };
    await eventually(read, (seen) => 'isReady' in seen && seen.isReady === true, { timeoutMs, what: 'the policy' });
    const wanted = Object.entries(profiles).map(([profile, count]) => [`nvidia.com/mig-${profile}`, count * gpuCount]);
    const offered = await this.offered();
    const expected = Object.fromEntries(wanted);
    if (JSON.stringify(sortKeys(offered)) !== JSON.stringify(sortKeys(expected)))
      throw new Error(`Ready, and the node offers ${JSON.stringify(offered)} instead of ${JSON.stringify(expected)}`);
    const taints = await this.taints();
    if (taints.length > 0) throw new Error(`Ready, and the node has ${taints.join(', ')}`);
  }

  /** GPU resources of which the node has any to give. */
  async offered(): Promise<Readonly<Record<string, number>>> {
    const { allocatable } = (await this.readNode()).status;
    return Object.fromEntries(
      Object.entries(allocatable)
        .filter(([name, count]) => name.startsWith('nvidia.com/') && count !== '0')
        .map(([name, count]) => [name, Number(count)]),
    );
  }

  async taints(): Promise<readonly string[]> {
    return ((await this.readNode()).spec.taints ?? []).map(({ key }) => key);
  }

  async readNode(): Promise<NodeObject> {
    return this.#demand(`/api/v1/nodes/${nodeName}`);
  }

  /** Starts a pod on a slice. @returns the UUID of the device that it has */
  async runGpuPod(name: string, profile: string): Promise<string> {
    await this.apply(describeGpuPod(name, `nvidia.com/mig-${profile}`));
    await this.kubectl('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=60s');
    return (await this.kubectl('logs', name)).trim();
  }

  /** Uid and restarts of the plugin's pod. */
  async pluginPod(): Promise<string> {
    const [[key, value] = []] = Object.entries(pluginLabel);
    const path = '-o=jsonpath={.items[*].metadata.uid} {.items[*].status.containerStatuses[*].restartCount}';
    return this.kubectl('get', 'pods', '-n', pluginNamespace, '-l', `${key}=${value}`, path);
  }

  /** What `nvidia-smi -L` lists on the node. */
  async devices(): Promise<string> {
    return (await runProgram('chroot', [driverRoot, 'nvidia-smi', '-L'])).stdout;
  }

  /** Lines of docs/simulator.md. */
  async setFaults(...lines: readonly string[]): Promise<void> {
    await writeFile(faultsFile, lines.join('\n'));
  }

  /** How often instances have come and gone so far. */
  async countChanges(): Promise<number> {
    const log = await readFile(operationsFile, 'utf8').catch(() => '');
    return log.split('\n').filter((line) => line.includes('"event":"change"')).length;
  }

  /** Waits until the device has begun to change. */
  async untilChanging(since: number): Promise<void> {
    await eventually(
      () => this.countChanges(),
      (count) => count > since,
      { timeoutMs, what: 'the number of changes of the device' },
    );
  }

  async #demand<T>(path: string): Promise<T> {
    return (await this.node.controlPlane.client.demand({ path })) as T;
  }
}

function sortKeys(record: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
