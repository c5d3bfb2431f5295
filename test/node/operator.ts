import { readFile, writeFile } from 'node:fs/promises';

import type { DeviceReport, GpuNodePartition, GpuPartitionPolicy, PolicySpec } from '../../src/api/types.ts';
import type { MigStrategy } from '../../src/core/nvidia/labels.ts';
import { deepEqual } from '../../src/core/text/json.ts';
import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { applyFolder } from '../../src/simulator/rig/install.ts';
import { eventually } from '../support/eventually.ts';
import { driverRoot, faultsFile, operationsFile, unhealthyFile } from './gpus.ts';
import { readKubeletOffer } from './kubelet-offer.ts';
import { nodeName } from './node-config.ts';
import { describeGpuPod, describePlugin, pluginLabel, pluginName, pluginNamespace } from './plugin-daemon-set.ts';
import { startRealNode } from './real-node.ts';
import type { RealNode } from './real-node.ts';

/** Profile to count, on each of the node's GPUs. */
export type Profiles = Readonly<Record<string, number>>;

interface NodeObject {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly taints?: readonly { readonly key: string }[] };
  readonly status: { readonly allocatable: Readonly<Record<string, string>> };
}

/** Where controllers and agents run, and what the names of their workloads begin with. */
export interface Placement {
  readonly controllers: string;
  readonly agents: string;
  readonly names: string;
}

const usual: Placement = {
  controllers: 'gpu-partition-system',
  agents: 'gpu-partition-agents',
  names: 'gpu-partition',
};
const policyPath = '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies/slices';
const partitionsPath = '/apis/gpupartition.dev/v1alpha1/gpunodepartitions';
const gpuCount = 2;
const timeoutMs = 90_000;

/** Our operator on a real node, from the shipped image and manifests. */
export class Operator {
  readonly node: RealNode;

  constructor(node: RealNode) {
    this.node = node;
  }

  /** @param statusPeriodSeconds of the kubelet */
  static async install(statusPeriodSeconds: number): Promise<Operator> {
    const operator = new Operator(await startRealNode(statusPeriodSeconds));
    await operator.applyFolder('config/default');
    await operator.runPlugin('mixed');
    await operator.rollOut();
    return operator;
  }

  /** `kubectl apply -k` of a folder of ours. */
  async applyFolder(folder: string): Promise<void> {
    await applyFolder(this.node.controlPlane, folder);
  }

  /** Has the device plugin run with this strategy, and no pod of it with another. */
  async runPlugin(strategy: MigStrategy): Promise<void> {
    await this.apply(describePlugin(strategy));
    await this.#untilRolledOut(pluginNamespace, `daemonset/${pluginName}`);
  }

  async removePlugin(): Promise<void> {
    const options = ['--ignore-not-found', '--cascade=foreground', '--timeout=30s'];
    await this.kubectl('delete', '-n', pluginNamespace, `daemonset/${pluginName}`, ...options);
  }

  /** Waits until agent and controllers are Ready, and no pod of an earlier template is there. */
  async rollOut({ agents, controllers, names }: Placement = usual): Promise<void> {
    await this.#untilRolledOut(agents, `daemonset/${names}-agent`);
    await this.#untilRolledOut(controllers, `deployment/${names}-controller`);
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

  /** Has the plugin refreshed by a signal, or by a new pod. */
  async setPluginRefresh(way: 'Signal' | 'Evict'): Promise<void> {
    const args = ['--health-port=8081', `--plugin-refresh=${way}`];
    const patch = [{ op: 'replace', path: '/spec/template/spec/containers/0/args', value: args }];
    const target = ['-n', 'gpu-partition-system', 'deployment/gpu-partition-controller'];
    await this.kubectl('patch', ...target, '--type=json', '-p', JSON.stringify(patch));
    await this.rollOut();
  }

  /** Asks for a layout of all GPUs. */
  async ask(profiles: Profiles, more: Partial<PolicySpec> = {}): Promise<void> {
    await this.apply(describePolicy(profiles, more));
  }

  /** Waits until the policy says that it is done, and the node offers the layout and is open. */
  async untilDone(profiles: Profiles): Promise<void> {
    await this.untilOffered(resourcesOf(profiles));
  }

  /** The same for any resources. */
  async untilOffered(expected: Readonly<Record<string, number>>): Promise<void> {
    await this.untilReady();
    const offered = await this.offered();
    if (!deepEqual(offered, expected))
      throw new Error(`Ready, and the node offers ${JSON.stringify(offered)} instead of ${JSON.stringify(expected)}`);
    const taints = await this.taints();
    if (taints.length > 0) throw new Error(`Ready, and the node has ${taints.join(', ')}`);
  }

  /**
   * Waits until the kubelet gives the layout, and then until the policy is Ready and the node offers it and is open: after a
   * fault that nobody but the kubelet knows of at first, while policy and node still tell what was before it.
   */
  async untilDoneAgain(profiles: Profiles): Promise<void> {
    const expected = resourcesOf(profiles);
    await eventually(readKubeletOffer, (given) => deepEqual(given, expected), {
      timeoutMs,
      what: 'what the kubelet gives',
    });
    await eventually(() => this.untilDone(profiles), undefined, { timeoutMs, what: 'the node after a fault' });
  }

  /** Waits until the policy says that it is done. */
  async untilReady(): Promise<void> {
    const read = async (): Promise<object> => {
      const { metadata, status } = await this.#demand<GpuPartitionPolicy>(policyPath);
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      return { isReady: ready?.status === 'True' && ready.observedGeneration === metadata.generation, ready };
    };
    await eventually(read, (seen) => 'isReady' in seen && seen.isReady === true, { timeoutMs, what: 'the policy' });
  }

  /** Deletes the policies, and then what `config/default` installs. */
  async remove(): Promise<void> {
    await this.kubectl('delete', 'gpp', '--all', '--timeout=60s');
    await this.kubectl('delete', '-k', 'config/default', '--timeout=60s');
  }

  /** Waits until the node's status has the resources of this layout, open or not. */
  async untilAdvertised(profiles: Profiles): Promise<void> {
    const expected = resourcesOf(profiles);
    await eventually(
      () => this.offered(),
      (offered) => deepEqual(offered, expected),
      { timeoutMs, what: 'what the node advertises' },
    );
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

  /** Waits until a reading is as it should be. */
  async until(read: () => Promise<string>, isRight: (found: string) => boolean, what: string): Promise<void> {
    await eventually(read, isRight, { timeoutMs, what });
  }

  /** Waits until the node has this taint. */
  async untilTainted(taint: string): Promise<void> {
    await eventually(
      () => this.taints(),
      (taints) => taints.includes(taint),
      { timeoutMs, what: 'the taints of the node' },
    );
  }

  /** Starts a pod on a device of this resource. @returns the UUID of the device that it has */
  async runGpuPod(name: string, resource: string): Promise<string> {
    await this.apply(describeGpuPod(name, resource));
    await this.kubectl('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=60s');
    return (await this.kubectl('logs', name)).trim();
  }

  /** Uid and restarts of the plugin's pod. */
  async pluginPod(): Promise<string> {
    const [[key, value] = []] = Object.entries(pluginLabel);
    const path = '-o=jsonpath={.items[*].metadata.uid} {.items[*].status.containerStatuses[*].restartCount}';
    return this.kubectl('get', 'pods', '-n', pluginNamespace, '-l', `${key}=${value}`, path);
  }

  /** Waits until the plugin's pod is another one, or has been restarted. */
  async untilPluginRestarted(before: string): Promise<void> {
    await eventually(
      () => this.pluginPod(),
      (pod) => pod !== before,
      { timeoutMs, what: 'the restarts of the plugin' },
    );
  }

  /** What `nvidia-smi -L` lists on the node. */
  async devices(): Promise<string> {
    return (await runProgram('chroot', [driverRoot, 'nvidia-smi', '-L'])).stdout;
  }

  /** Lines of docs/internal/simulator.md. */
  async setFaults(...lines: readonly string[]): Promise<void> {
    await writeFile(faultsFile, lines.join('\n'));
  }

  /** Has the device plugin find that this device is unhealthy, until it starts again. */
  async setUnhealthy(uuid: string): Promise<void> {
    await writeFile(unhealthyFile, `${uuid}\n`);
  }

  /** How often instances have come and gone so far. */
  async countChanges(): Promise<number> {
    return countEvents('change');
  }

  /** How often `nvidia-smi` was started so far. */
  async countProcesses(): Promise<number> {
    return countEvents('start');
  }

  /** Waits until the device has begun to change. */
  async untilChanging(since: number): Promise<void> {
    await eventually(
      () => this.countChanges(),
      (count) => count > since,
      { timeoutMs, what: 'the number of changes of the device' },
    );
  }

  /** Has the controllers run as this user, as a platform may demand. */
  async setControllerUser(runAsUser: number): Promise<void> {
    const patch = { spec: { template: { spec: { securityContext: { runAsUser } } } } };
    const target = ['-n', usual.controllers, 'deployment/gpu-partition-controller'];
    await this.kubectl('patch', ...target, '-p', JSON.stringify(patch));
  }

  /** Waits until the node's agent reports GPUs of these products, without an error. */
  async untilRead(products: readonly string[]): Promise<void> {
    const wanted = JSON.stringify(products);
    await eventually(
      () => this.#readDevice(),
      (device) => device?.error === undefined && JSON.stringify(device?.gpus?.map(({ product }) => product)) === wanted,
      { timeoutMs, what: `the report of ${wanted}` },
    );
  }

  /** Waits until the node's agent reports that it cannot read the GPUs, for this reason. */
  async untilUnreadable(code: string): Promise<void> {
    await eventually(
      () => this.#readDevice(),
      (device) => device?.error?.code === code,
      { timeoutMs, what: 'the report of the agent' },
    );
  }

  async #readDevice(): Promise<DeviceReport | undefined> {
    return (await this.#demand<GpuNodePartition>(`${partitionsPath}/${nodeName}`)).status?.device;
  }

  async #untilRolledOut(namespace: string, what: string): Promise<void> {
    await this.kubectl('rollout', 'status', '--timeout=150s', '-n', namespace, what);
  }

  async #demand<T>(path: string): Promise<T> {
    return (await this.node.controlPlane.client.demand({ path })) as T;
  }
}

/** A policy with one layout for all GPUs of the node. */
export function describePolicy(profiles: Profiles, more: Partial<PolicySpec> = {}): object {
  return {
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
    metadata: { name: 'slices' },
    spec: {
      nodeSelector: { matchLabels: { 'nvidia.com/gpu.present': 'true' } },
      strategy: 'mixed',
      layouts: [{ profiles }],
      ...more,
    },
  };
}

async function countEvents(event: 'start' | 'change'): Promise<number> {
  const log = await readFile(operationsFile, 'utf8').catch(() => '');
  return log.split('\n').filter((line) => line.includes(`"event":"${event}"`)).length;
}

function resourcesOf(profiles: Profiles): Readonly<Record<string, number>> {
  const counts = Object.entries(profiles).map(([profile, count]) => [`nvidia.com/mig-${profile}`, count * gpuCount]);
  return Object.fromEntries(counts) as Record<string, number>;
}
