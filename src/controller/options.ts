import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parse } from 'yaml';
import type { GpuHolder } from '../core/pods/gpu-holders.ts';
import { checkHolders } from '../core/pods/holder-check.ts';
import type { LabelSelector } from '../core/pods/plugin-pods.ts';
import { defaultSystemNamespaces } from '../core/pods/system-pods.ts';
import { integer, limit, oneOf, reason } from '../process/option.ts';
import { configMapName, equalitySelector } from '../process/plugin-option.ts';
import { addServiceOptions, type ServiceOptions } from '../process/service-option.ts';
import { programVersion } from '../process/version.ts';

export interface ProgramOptions extends ServiceOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  readonly agentNamespace: string;
  readonly identity: string;
  readonly leaderElect: boolean;
  readonly leaseSeconds: number;
  readonly grantDeadlineSeconds: number;
  readonly settleMs: number;
  readonly waitingPollMs: number;
  readonly refreshAfterMs: number;
  readonly pluginRefresh: 'Signal' | 'Evict';
  readonly nodeStatus: 'Write' | 'Wait';
  readonly tidyNodeStatus: boolean;
  readonly unknownDevicePlugin: 'Refuse' | 'Await';
  readonly devicePluginSelector?: LabelSelector;
  readonly systemNamespaces: readonly string[];
  readonly devicePluginConfigMap?: ReturnType<typeof configMapName>;
  readonly advertiseDeadlineSeconds: number;
  readonly gpuClients?: readonly GpuHolder[];
  readonly clientsDeadlineSeconds: number;
  readonly maxConcurrentNodes: string;
  readonly freeze?: string;
  readonly deleteDeadlineSeconds: number;
}

/** The options of the program, without what it does. */
export function describeController(): Command {
  return addServiceOptions(
    new Command('controller')
      .description('Reconciles GpuPartitionPolicies. One replica leads, the others stand by.')
      .version(programVersion)
      .option(
        '--kubeconfig <file>',
        'kubeconfig file; otherwise $KUBECONFIG, the pod’s service account, or ~/.kube/config',
      )
      .option('--context <name>', 'context in the kubeconfig')
      .addOption(
        new Option('--namespace <name>', 'namespace of the leader’s Lease').default(
          process.env['POD_NAMESPACE'] ?? 'gpu-partition-system',
          '$POD_NAMESPACE, else gpu-partition-system',
        ),
      )
      .option(
        '--agent-namespace <name>',
        'namespace of the agents’ pods, whose readiness the controller watches',
        'gpu-partition-agents',
      )
      .addOption(
        new Option('--identity <name>', 'name of this process in the Lease').default(
          process.env['POD_NAME'] ?? `${hostname()}-${process.pid}`,
          '$POD_NAME, else HOST-PID',
        ),
      )
      .option('--no-leader-elect', 'lead without a Lease; only if no other controller runs')
      .option('--lease-seconds <n>', 'how long a dead leader blocks its successor', integer(3, 120), 15),
  )
    .option('--grant-deadline-seconds <n>', 'time limit of an agent for one change', integer(10, 86_400), 600)
    .option('--settle-ms <n>', 'delay between closing a node and listing its pods again', integer(0, 60_000), 100)
    .option(
      '--waiting-poll-ms <n>',
      'interval at which the pods of a waiting node are listed',
      integer(100, 600_000),
      5000,
    )
    .option(
      '--refresh-after-ms <n>',
      'time that an unknown device plugin has to follow a change on its own',
      integer(0, 600_000),
      1000,
    )
    .option(
      '--plugin-refresh <way>',
      'how a device plugin is made to read the devices again after a change: Signal (SIGHUP; its pod is evicted if it does not ' +
        'follow) or Evict',
      oneOf(['Signal', 'Evict'] as const),
      'Signal',
    )
    .option(
      '--node-status <way>',
      'who writes the new devices of a changed node into its status: Write (the controller, as soon as the kubelet offers them) or ' +
        'Wait (the kubelet, within its status period of 10 s)',
      oneOf(['Write', 'Wait'] as const),
      'Write',
    )
    .option(
      '--tidy-node-status',
      'remove resources of earlier layouts from the status of a node that has been Ready for 10 minutes; the kubelet leaves them at 0',
      false,
    )
    .option(
      '--device-plugin-selector <labels>',
      'labels of the pods of a device plugin that is not NVIDIA’s: key=value,…',
      equalitySelector,
    )
    .option(
      '--unknown-device-plugin <way>',
      'what becomes of a change where the device plugin runs without a pod that the controller knows, such as a systemd unit: Refuse, or Await ' +
        '(the node stays closed until it offers the new layout: somebody else restarts the plugin)',
      oneOf(['Refuse', 'Await'] as const),
      'Refuse',
    )
    .option(
      '--system-namespaces <names>',
      'namespaces of the device plugin, GPU clients and other owners of GPUs; labels of pods elsewhere are not trusted',
      nameList,
      defaultSystemNamespaces,
    )
    .option(
      '--device-plugin-config-map <namespace/name>',
      'ConfigMap of the device plugin in which the controller keeps strategy and time-slicing per node',
      configMapName,
    )
    .option(
      '--advertise-deadline-seconds <n>',
      'time limit for a node to advertise its new layout, before it counts as Failed',
      integer(1, 86_400),
      300,
    )
    .option(
      '--gpu-clients <file>',
      'YAML file of GPU clients: programs that keep GPUs open, and when to evict their pods',
      readHolders,
    )
    .option(
      '--max-concurrent-nodes <n>',
      'maximum number of nodes that change at a time, across all policies: a number, or a percentage of the GPU nodes, at least 1',
      limit,
      '10%',
    )
    .option(
      '--delete-deadline-seconds <n>',
      'time limit for a deleted policy with onDelete: DisableMig to make its GPUs whole, before it is removed regardless',
      integer(1, 86_400),
      1800,
    )
    .option('--freeze <reason>', 'start no change on any node; every policy shows the reason in its status', reason)
    .option(
      '--clients-deadline-seconds <n>',
      'how long to wait for the pods of GPU clients to terminate',
      integer(1, 86_400),
      300,
    );
}

function nameList(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name))) return names;
  throw new InvalidArgumentError('must be names of namespaces as in gpu-operator,kube-system.');
}

function readHolders(path: string): readonly GpuHolder[] {
  let value: unknown;
  try {
    value = parse(readFileSync(path, 'utf8'), { logLevel: 'error' });
  } catch (error) {
    throw new InvalidArgumentError(`cannot be read: ${String(error)}`);
  }
  const holders = checkHolders(value);
  if (typeof holders === 'string') throw new InvalidArgumentError(`${path}: ${holders}`);
  return holders;
}
