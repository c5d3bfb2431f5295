import { defaultSystemNamespaces } from '../../src/core/kubernetes/pod.ts';
import { defaultClients } from '../../src/core/node/plugin-pods.ts';
import type { NodeSettings } from '../../src/core/node/snapshot.ts';
import type { Random } from './random.ts';

/** The kind of node: fixed for a story. */
export interface Setup {
  readonly backend: 'DevicePlugin' | 'DRA';
  readonly product: string;
  readonly gpus: number;
  readonly strategy: 'mixed' | 'single';
  /**
   * Stock: NVIDIA's, in a DaemonSet that does not tolerate our taints. Following: it re-reads the devices by itself. Hidden: the
   * same, in pods that are not recognized. Operator: stock, deployed by gpu-operator's label. With backend DRA the same is said of
   * its driver, which never follows, and whose pods are always recognized.
   */
  readonly plugin: 'Stock' | 'Tolerant' | 'Following' | 'Hidden' | 'Operator';
  /** Whether what gpu-operator deploys tolerates our taint, as its values may say for all of it. */
  readonly operandsTolerate?: boolean;
  /** Whether GPU Feature Discovery labels the node; otherwise the controller does. */
  readonly hasDiscovery: boolean;
  readonly exporter: 'None' | 'ByLabel' | 'ByEviction';
  /** A holder that is removed by label only. */
  readonly hasClient: boolean;
  /** Whether the kubelet reports who holds what. */
  readonly kubeletTells: boolean;
  readonly hasStartupTaint: boolean;
  readonly modeSurvivesReboot: boolean;
  /** Whether a change of MIG mode takes effect with a boot only, as in a virtual machine. */
  readonly modeNeedsBoot?: boolean;
  /** The label that mig-manager's tools read existed before us. */
  readonly hasConfigState: boolean;
  /** Whether the controller writes the device plugin's config files, and a sidecar of the plugin follows the node's label. */
  readonly hasConfigMap: boolean;
  /** Whether an instance that is made again at the same place has the same UUID, on a node with the DRA driver. */
  readonly repeatsUuids: boolean;
  /** Whether users have pods of all kinds, and policies with grace periods and force. */
  readonly hasAllPods: boolean;
  /** Whether policies may have it found out what hands out the GPUs (`spec.backend: Auto`). */
  readonly findsBackend?: boolean;
  /** Whether the device plugin reads the devices again on SIGHUP, and the agent can send it. */
  readonly obeysSignals?: boolean;
  /** Whether gpu-operator deploys mig-manager, which dies in the middle of changes and leaves them. */
  readonly hasMigManager?: boolean;
  /** Whether nodes have the condition GpuPartitionReady. */
  readonly hasCondition?: boolean;
  /** Whether the controllers' clock may be an hour ahead of the API server's, or behind it. */
  readonly hasClocks?: boolean;
}

export function drawSetup(random: Random): Setup {
  const setup = drawAny(random);
  // Only the kubelet can reveal a plugin that is not recognized.
  return setup.plugin === 'Hidden' ? { ...setup, kubeletTells: true } : setup;
}

function drawAny(random: Random): Setup {
  const plugins = ['Stock', 'Stock', 'Tolerant', 'Following', 'Hidden', 'Operator', 'Operator'] as const;
  return {
    backend: 'DevicePlugin',
    product: random.chance(0.8) ? 'NVIDIA A100-SXM4-40GB' : 'NVIDIA A30',
    gpus: 2 + (random.chance(0.2) ? random.integer(3) : 0),
    strategy: random.chance(0.85) ? 'mixed' : 'single',
    plugin: random.pick(plugins) ?? 'Stock',
    hasDiscovery: random.chance(0.4),
    exporter: random.pick(['None', 'None', 'ByLabel', 'ByEviction'] as const) ?? 'None',
    hasClient: random.chance(0.2),
    kubeletTells: random.chance(0.8),
    hasStartupTaint: random.chance(0.25),
    modeSurvivesReboot: random.chance(0.7),
    hasConfigState: random.chance(0.3),
    hasConfigMap: false,
    repeatsUuids: false,
    hasAllPods: false,
  };
}

/** The controller's defaults, except for the deadlines, which would only lengthen stories. */
const settings: NodeSettings = {
  settleMs: 300,
  deadlineMs: 60_000,
  waitingPollMs: 5000,
  refreshAfterMs: 1000,
  pluginRefresh: 'Signal',
  nodeStatus: 'Write',
  tidyNodeStatus: false,
  nodeCondition: false,
  advertiseDeadlineMs: 60_000,
  clientsDeadlineMs: 30_000,
  gpuClients: defaultClients,
  systemNamespaces: defaultSystemNamespaces,
};

export function settingsOf({
  hasConfigMap,
  hasCondition = false,
}: Pick<Setup, 'hasConfigMap' | 'hasCondition'>): NodeSettings {
  return { ...settings, nodeCondition: hasCondition, ...(hasConfigMap && { pluginConfigMap }) };
}

export const pluginConfigMap = { namespace: 'gpu-operator', name: 'plugin-config' } as const;

/** How long a deleted policy may take to go away, in ms. */
export const deleteDeadlineMs = 1_800_000;
