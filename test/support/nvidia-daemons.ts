/** DaemonSets and ConfigMaps of NVIDIA's Kubernetes stack, as its charts install them, reduced to what the simulator reads. */

export interface DaemonWish {
  /** Name of the DaemonSet. */
  readonly name: string;
  readonly namespace: string;
  /** Labels of its pods; by default those of the Helm chart `nvidia-device-plugin`, which plugin and GFD share. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Default: the charts' toleration, only `nvidia.com/gpu`. */
  readonly tolerations?: readonly object[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** ConfigMap from which config-manager, as init container and sidecar, chooses; none of the three if absent. */
  readonly configMap?: string;
  /** Environment of config-manager, such as `DEFAULT_CONFIG`. */
  readonly configEnv?: Readonly<Record<string, string>>;
}

const helmLabels = { 'app.kubernetes.io/name': 'nvidia-device-plugin', 'app.kubernetes.io/instance': 'nvdp' };
const usualTolerations = [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }];
const image = 'example.com/k8s-device-plugin:v0.20.0';

/** The device plugin of the Helm chart. */
export function pluginDaemonSet(wish: DaemonWish): object {
  return nvidiaDaemonSet('nvidia-device-plugin', wish);
}

/** GPU Feature Discovery of the same chart. */
export function discoveryDaemonSet(wish: DaemonWish): object {
  return nvidiaDaemonSet('gpu-feature-discovery', wish);
}

/**
 * A DaemonSet as gpu-operator creates them, on nodes with `nvidia.com/gpu.deploy.NAME=true`: `device-plugin`,
 * `gpu-feature-discovery`, `dcgm`, `dcgm-exporter`, `mig-manager` or one of a third party.
 */
export function operatorDaemonSet(operand: string, wish: DaemonWish): object {
  const app = operatorApps[operand] ?? operand;
  const deploy = { [`nvidia.com/gpu.deploy.${operand}`]: 'true', ...wish.nodeSelector };
  const labels = { app, ...wish.labels };
  const program = { 'device-plugin': 'nvidia-device-plugin' }[operand] ?? operand;
  return nvidiaDaemonSet(program, { ...wish, labels, nodeSelector: deploy }, '');
}

/** `app` of gpu-operator's pods if it is not the name of the operand. */
const operatorApps: Readonly<Record<string, string>> = {
  'device-plugin': 'nvidia-device-plugin-daemonset',
  dcgm: 'nvidia-dcgm',
  'dcgm-exporter': 'nvidia-dcgm-exporter',
  'mig-manager': 'nvidia-mig-manager',
};

/** A ConfigMap of config files, by key. */
export function pluginConfigMap(name: string, namespace: string, data: Readonly<Record<string, string>>): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}

function nvidiaDaemonSet(program: string, wish: DaemonWish, suffix = '-ctr'): object {
  const { name, namespace, labels = helmLabels, annotations, nodeSelector, args, configMap } = wish;
  const container = {
    name: `${program}${suffix}`,
    image,
    ...(args !== undefined && { command: [program], args }),
    env: listEnv(wish.env ?? {}),
  };
  const manager = (part: string): object => ({
    name: `${program}-${part}`,
    image,
    command: ['config-manager'],
    env: listEnv({ ONESHOT: `${part === 'init'}`, CONFIG_FILE_SRCDIR: '/available-configs', ...wish.configEnv }),
    volumeMounts: [{ name: 'available-configs', mountPath: '/available-configs' }],
  });
  const spec = {
    ...(nodeSelector !== undefined && { nodeSelector }),
    tolerations: wish.tolerations ?? usualTolerations,
    ...(configMap !== undefined && {
      initContainers: [manager('init')],
      volumes: [{ name: 'available-configs', configMap: { name: configMap } }],
    }),
    containers: configMap === undefined ? [container] : [manager('sidecar'), container],
  };
  // The charts' selectors overlap too; a DaemonSet recognizes its pods by their owner.
  const own = { ...labels, 'test/daemon-set': name };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: own },
      template: { metadata: { labels: own, ...(annotations !== undefined && { annotations }) }, spec },
    },
  };
}

function listEnv(env: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(env).map(([name, value]) => ({ name, value }));
}
