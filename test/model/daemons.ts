import { pluginConfigMap, type Setup } from './setup.ts';

/** `second`: what hands the GPUs out, too, and is not to. */
export type Role = 'plugin' | 'second' | 'discovery' | 'exporter' | 'client' | 'manager';

/** A DaemonSet with a pod on GPU nodes. */
export interface ModelDaemon {
  readonly role: Role;
  readonly labels: Readonly<Record<string, string>>;
  readonly container: string;
  readonly args?: readonly string[];
  /** Follows the node's label in the ConfigMap of the plugin's files. */
  readonly sidecar?: typeof configManager;
  /** Node label that deploys it. */
  readonly deployLabel?: string;
  readonly toleratesOurs: boolean;
  /** It keeps GPUs open while it runs. */
  readonly opensGpus: boolean;
}

const deploy = 'nvidia.com/gpu.deploy.';

const configManager = {
  container: {
    name: 'config-manager',
    command: ['config-manager'],
    env: [{ name: 'CONFIG_FILE_SRCDIR', value: '/available-configs' }],
    volumeMounts: [{ name: 'configs', mountPath: '/available-configs' }],
  },
  volume: { name: 'configs', configMap: { name: pluginConfigMap.name } },
} as const;

/** What the DaemonSets of a node depend on. */
export type DaemonSetup = Pick<
  Setup,
  | 'backend'
  | 'plugin'
  | 'strategy'
  | 'hasDiscovery'
  | 'exporter'
  | 'hasClient'
  | 'hasStartupTaint'
  | 'hasConfigMap'
  | 'findsBackend'
  | 'hasMigManager'
  | 'operandsTolerate'
>;

/** The DRA driver beside a device plugin, or a device plugin beside the DRA driver: somebody has installed it on all nodes. */
export function secondStackOf(setup: Setup): ModelDaemon {
  const backend = setup.backend === 'DRA' ? 'DevicePlugin' : 'DRA';
  const [other] = daemonsOf({ ...setup, backend, plugin: setup.plugin === 'Operator' ? 'Stock' : setup.plugin });
  return { ...other, role: 'second' };
}

export function daemonsOf({
  backend,
  plugin,
  strategy,
  hasDiscovery,
  exporter,
  hasClient,
  hasStartupTaint,
  hasConfigMap,
  findsBackend = false,
  hasMigManager = false,
  operandsTolerate = false,
}: DaemonSetup): readonly [ModelDaemon, ...ModelDaemon[]] {
  const isOperator = plugin === 'Operator';
  const isDra = backend === 'DRA';
  const pluginLabels: Readonly<Record<string, string>> = {
    Stock: { name: 'nvidia-device-plugin-ds' },
    Tolerant: { name: 'nvidia-device-plugin-ds' },
    Following: { name: 'nvidia-device-plugin-ds' },
    Hidden: { app: 'somebody-elses-plugin' },
    Operator: { app: 'nvidia-device-plugin-daemonset' },
  }[plugin];
  const driver: ModelDaemon = {
    role: 'plugin',
    labels: isOperator
      ? { app: 'nvidia-dra-driver-kubelet-plugin' }
      : { 'dra-driver-nvidia-gpu-component': 'kubelet-plugin' },
    container: 'gpus',
    ...(isOperator && { deployLabel: `${deploy}dra-driver` }),
    // As docs/dra.md requires where its pod is to tell the backend: nothing else would.
    toleratesOurs: (plugin !== 'Stock' && plugin !== 'Operator') || (findsBackend && hasStartupTaint),
    // It opens NVML only for a moment.
    opensGpus: false,
  };
  const all: readonly [ModelDaemon, ...ModelDaemon[]] = [
    isDra
      ? driver
      : {
          role: 'plugin',
          labels: pluginLabels,
          container: 'nvidia-device-plugin-ctr',
          ...(hasConfigMap ? { sidecar: configManager } : { args: [`--mig-strategy=${strategy}`] }),
          ...(isOperator && { deployLabel: `${deploy}device-plugin` }),
          toleratesOurs: plugin === 'Tolerant' || plugin === 'Hidden',
          // With a plugin that keeps NVML open and tolerates our taint, MIG mode could never be changed.
          opensGpus: plugin === 'Stock' || plugin === 'Following' || plugin === 'Operator',
        },
    ...(hasDiscovery
      ? [
          {
            role: 'discovery' as const,
            labels: { app: 'gpu-feature-discovery' },
            container: 'gpu-feature-discovery-ctr',
            ...(isOperator && { deployLabel: `${deploy}gpu-feature-discovery` }),
            // As docs/start-up-gate.md requires: otherwise the node waits for its labels, and it waits for the taint to be removed.
            toleratesOurs: hasStartupTaint || (plugin === 'Tolerant' && !hasClient),
            opensGpus: false,
          },
        ]
      : []),
    ...(exporter === 'None'
      ? []
      : [
          {
            role: 'exporter' as const,
            labels: { 'app.kubernetes.io/name': 'dcgm-exporter' },
            container: 'exporter',
            ...(exporter === 'ByLabel' && { deployLabel: `${deploy}dcgm-exporter` }),
            toleratesOurs: false,
            opensGpus: true,
          },
        ]),
    ...(hasClient
      ? [
          {
            role: 'client' as const,
            labels: { app: 'client' },
            container: 'client',
            deployLabel: `${deploy}client`,
            toleratesOurs: false,
            opensGpus: true,
          },
        ]
      : []),
    ...(hasMigManager
      ? [
          {
            role: 'manager' as const,
            labels: { app: 'nvidia-mig-manager' },
            container: 'nvidia-mig-manager',
            deployLabel: `${deploy}mig-manager`,
            toleratesOurs: false,
            opensGpus: false,
          },
        ]
      : []),
  ];
  const [first, ...others] = all.map((daemon) =>
    operandsTolerate && daemon.deployLabel !== undefined ? { ...daemon, toleratesOurs: true } : daemon,
  ) as [ModelDaemon, ...ModelDaemon[]];
  return [first, ...others];
}
