import type { PodObject } from '../kubelet/node.ts';
import type { PodProgram } from '../kubelet/pods.ts';
import type { RigProcess } from './process.ts';
import type { ControlPlane } from '../control-plane/start.ts';
import { driverName } from '../dra-driver/devices.ts';
import { waitFor, applyObject } from './install.ts';
import { readdirSync, readFileSync } from 'node:fs';

const agentNamespace = 'gpu-partition-agents';
const agentName = 'gpu-partition-agent';
const notStarted: PodProgram = { isRunning: false, ends: 0, crashedAtMs: undefined, start: () => undefined };

/** The agent process that a pod of the agents' DaemonSet stands for; undefined for other pods. */
export function agentOf(pod: PodObject, agents: ReadonlyMap<string, RigProcess>): PodProgram | undefined {
  const { namespace, labels } = pod.metadata;
  if (namespace !== agentNamespace || labels?.['app.kubernetes.io/name'] !== agentName) return undefined;
  return agents.get(pod.spec?.nodeName ?? '') ?? notStarted;
}

/** A deployment whose pods use one slice each, and the nodes that it fills first. */
interface GpuWorkload {
  readonly name: string;
  /** `nvidia.com/mig-1g.5gb` */
  readonly resource: string;
  readonly replicas: number;
  /** A node label that its pods prefer: if they were spread evenly, none would ever have to move. */
  readonly prefers: { readonly key: string; readonly value: string };
  /** Name of a PriorityClass. */
  readonly priorityClassName?: string;
}

export function describeDeployment({ name, resource, replicas, prefers, priorityClassName }: GpuWorkload): object {
  const labels = { app: name };
  const preferred = {
    weight: 100,
    preference: { matchExpressions: [{ key: prefers.key, operator: 'In', values: [prefers.value] }] },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preferred] } },
          terminationGracePeriodSeconds: 1,
          ...(priorityClassName !== undefined && { priorityClassName }),
          containers: [{ name: 'main', image: 'tritonserver', resources: { limits: { [resource]: 1 } } }],
        },
      },
    },
  };
}

/** The budget by which a workload's owner limits pods that are unavailable at the same time. */
export function describeBudget({ name }: Pick<GpuWorkload, 'name'>, maxUnavailable: number): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    spec: { maxUnavailable, selector: { matchLabels: { app: name } } },
  };
}

/** How NVIDIA's DRA driver is deployed. */
interface DriverWish {
  readonly name: string;
  readonly namespace: string;
  /** Labels of its pods; by default the Helm chart's. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Default: only `nvidia.com/gpu`. */
  readonly tolerations?: readonly object[];
  readonly env?: Readonly<Record<string, string>>;
}

/** gpu-operator's label for the nodes that get the driver; any other value keeps it away. */
export const driverNodeLabel = 'nvidia.com/gpu.deploy.dra-driver';

const usualTolerations = [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }];

/** The DeviceClasses of the driver's chart: pods that ask for whole GPUs by the device plugin's name get them, too. */
export const driverDeviceClasses: readonly object[] = [
  describeClass('gpu.nvidia.com', 'gpu', { extendedResourceName: 'nvidia.com/gpu' }),
  describeClass('mig.nvidia.com', 'mig'),
];

/** The driver's DaemonSet, reduced to what the simulator reads. */
export function driverDaemonSet(wish: DriverWish) {
  const { name, namespace, labels, nodeSelector, tolerations, env = {} } = wish;
  // A DaemonSet recognizes its pods by their owner; the name keeps the selectors of several apart.
  const own = { 'dra-driver-nvidia-gpu-component': 'kubelet-plugin', ...labels, 'test/daemon-set': name };
  const container = {
    name: 'gpus',
    image: 'example.com/dra-driver-nvidia-gpu:v0.5.0',
    command: ['gpu-kubelet-plugin'],
    env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: own },
      template: {
        metadata: { labels: own },
        spec: {
          ...(nodeSelector !== undefined && { nodeSelector }),
          tolerations: tolerations ?? usualTolerations,
          containers: [container] as const,
        },
      },
    },
  };
}

/** The driver as gpu-operator deploys it, on the nodes with its label; it tolerates everything, so that it comes back to a closed node. */
export async function installDriver(controlPlane: ControlPlane): Promise<void> {
  const daemonSet = driverDaemonSet({
    name: 'nvidia-dra-driver-kubelet-plugin',
    namespace: 'kube-system',
    labels: { app: 'nvidia-dra-driver-kubelet-plugin' },
    nodeSelector: { [driverNodeLabel]: 'true' },
    tolerations: [{ operator: 'Exists' }],
  });
  for (const object of [...driverDeviceClasses, daemonSet]) await applyObject(controlPlane, object);
  const path = '/apis/resource.k8s.io/v1/deviceclasses/mig.nvidia.com';
  await waitFor(async () => (await controlPlane.client.send({ path })).status === 200);
}

function describeClass(name: string, type: string, more: object = {}): object {
  const expression = `device.driver == '${driverName}' && device.attributes['${driverName}'].type == '${type}'`;
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name },
    spec: { selectors: [{ cel: { expression } }], ...more },
  };
}

/** Pids of the `nvidia-smi` processes that work on a node's simulated device, by the state file that they were given. */
export function listDeviceCommands(stateFile: string): readonly number[] {
  const given = `\0NVIDIA_SMI_SIM_STATE=${stateFile}\0`;
  return readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) && `\0${readEnvironment(name)}`.includes(given) ? [Number(name)] : [],
  );
}

/** What hangs in the driver does not survive a reboot, with or without the agent that started it. */
export function endDeviceCommands(stateFile: string): void {
  for (const pid of listDeviceCommands(stateFile)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Empty for a process that has ended, and for those of others. */
function readEnvironment(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
