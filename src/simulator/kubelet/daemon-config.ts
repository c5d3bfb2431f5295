import { parse } from 'yaml';
import { parseDevicePluginConfig, type DevicePluginConfig } from '../../core/nvidia/plugin-config.ts';
import { devicePluginConfigLabel } from '../../core/nvidia/labels.ts';
import type { KubeClient } from '../../kube/client.ts';
import { configMaps as configMapsResource, nodes as nodesResource } from '../../api/resources.ts';
import type { ConfigMapObject, KubeletNode, PodObject, Container } from './node.ts';
import { messageOf } from '../../core/text/words.ts';

/** The config file of a daemon, or who cannot continue without it: the kubelet, the config-manager, the daemon. */
export type LoadedConfig =
  /** `key` is absent for the empty config that the config-manager falls back to. */
  | { readonly kind: 'Loaded'; readonly label: string; readonly key?: string; readonly config: DevicePluginConfig }
  | { readonly kind: 'Refused'; readonly label: string; readonly key: string; readonly message: string }
  | { readonly kind: 'NoKey'; readonly label: string; readonly message: string }
  | { readonly kind: 'NoConfigMap'; readonly label: string; readonly message: string };

/** Reads Node and ConfigMap fresh, as the config-manager lists its node at its start. */
export async function loadConfig(
  client: KubeClient,
  { configMap, defaultKey, fallbacks }: ConfigManager,
  where: { readonly node: string; readonly namespace: string },
): Promise<LoadedConfig> {
  const { namespace } = where;
  const [node, files] = await Promise.all([
    client.find<KubeletNode>({ resource: nodesResource, name: where.node }),
    client.find<ConfigMapObject>({ resource: configMapsResource, namespace, name: configMap }),
  ]);
  const label = node?.metadata.labels?.[devicePluginConfigLabel] ?? '';
  if (files === undefined) {
    const message = `MountVolume.SetUp failed for volume: configmap "${configMap}" not found`;
    return { kind: 'NoConfigMap', label, message };
  }
  const data = files.data ?? {};
  const choice = chooseKey(Object.keys(data), label, { defaultKey, fallbacks });
  if ('failure' in choice) return { kind: 'NoKey', label, message: choice.failure };
  const { key } = choice;
  return key === undefined ? { kind: 'Loaded', label, config: {} } : readConfig(label, key, data[key] ?? '');
}

/**
 * The file that the config-manager chooses, with its own messages (`cmd/config-manager/main.go`, updateConfigName); no key
 * means the empty config.
 */
export function chooseKey(
  keys: readonly string[],
  label: string,
  { defaultKey, fallbacks }: { readonly defaultKey?: string | undefined; readonly fallbacks: readonly string[] },
): { readonly key?: string } | { readonly failure: string } {
  if (keys.length === 0) return { failure: 'no configuration files available' };
  const named = label === '' ? defaultKey : label;
  if (named !== undefined) {
    return keys.includes(named) ? { key: named } : { failure: `specified config ${named} does not exist` };
  }
  for (const fallback of fallbacks) {
    const [only] = keys;
    if (fallback === 'named' && keys.includes('default')) return { key: 'default' };
    if (fallback === 'single' && keys.length === 1 && only !== undefined) return { key: only };
    if (fallback === 'empty') return {};
    if (!['named', 'single'].includes(fallback)) return { failure: `unknown fallback strategy: ${fallback}` };
  }
  return { failure: 'no config was set, no default was provided, and all fallbacks failed' };
}

function readConfig(label: string, key: string, text: string): LoadedConfig {
  const refuse = (error: string): LoadedConfig => ({
    kind: 'Refused',
    label,
    key,
    message: `unable to load config: unable to parse config file: error parsing config file ${key}: unmarshal error: ${error}`,
  });
  let file: unknown;
  try {
    file = parse(text);
  } catch (error) {
    return refuse(messageOf(error));
  }
  const parsed = parseDevicePluginConfig(file);
  if (parsed.ok) return { kind: 'Loaded', label, key, config: parsed.config };
  const finding = parsed.findings.find(({ severity }) => severity === 'error');
  return refuse(finding?.upstream ?? finding?.message ?? 'invalid config');
}

/** A program of NVIDIA that runs on every GPU node and reads the devices: it offers them to pods, or labels the node. */
export type DaemonRole = 'device-plugin' | 'gpu-feature-discovery' | 'dra-driver';

type Label = readonly [key: string, value: string];

/** Labels of the device plugin's pods: gpu-operator's, the Helm chart's, the static manifest's. */
const pluginLabels: readonly Label[] = [
  ['app', 'nvidia-device-plugin-daemonset'],
  ['app.kubernetes.io/name', 'nvidia-device-plugin'],
  ['name', 'nvidia-device-plugin-ds'],
];

/** gpu-operator's, the static manifest's. The Helm chart gives these pods the plugin's labels. */
const discoveryLabels: readonly Label[] = [
  ['app', 'gpu-feature-discovery'],
  ['app.kubernetes.io/name', 'gpu-feature-discovery'],
];

/** The Helm chart's, gpu-operator's. */
const driverLabels: readonly Label[] = [
  ['dra-driver-nvidia-gpu-component', 'kubelet-plugin'],
  ['app', 'nvidia-dra-driver-kubelet-plugin'],
];

const discoveryContainer = 'gpu-feature-discovery-ctr';
const mpsContainer = 'mps-control-daemon-ctr';

/** The role of a pod, by its containers first, since the three DaemonSets of the Helm chart share their labels. */
export function roleOf({ metadata, spec }: PodObject): DaemonRole | undefined {
  const has = (container: string): boolean => (spec?.containers ?? []).some(({ name }) => name === container);
  const carries = (labels: readonly Label[]): boolean =>
    labels.some(([key, value]) => metadata.labels?.[key] === value);
  if (has(discoveryContainer)) return 'gpu-feature-discovery';
  if (has(mpsContainer)) return undefined;
  if (carries(driverLabels)) return 'dra-driver';
  if (carries(pluginLabels)) return 'device-plugin';
  return carries(discoveryLabels) ? 'gpu-feature-discovery' : undefined;
}

/** How a daemon runs, according to its pod. */
export interface DaemonSettings {
  /** Name of the daemon's own container. */
  readonly container: string;
  /** MIG strategy from the argument, else from the environment; both override the config file. */
  readonly strategy?: string;
  readonly configManager?: ConfigManager;
}

/** NVIDIA's config-manager next to a daemon: it chooses the config file by a node label. */
interface ConfigManager {
  readonly configMap: string;
  /** Container that keeps watching the label; absent if it chooses only once, before the start. */
  readonly sidecar?: string;
  /** `DEFAULT_CONFIG`: the file for a node without the label. */
  readonly defaultKey?: string;
  /** `FALLBACK_STRATEGIES`, tried in order if there is neither label nor default. */
  readonly fallbacks: readonly string[];
}

const mainContainers: Readonly<Record<DaemonRole, readonly string[]>> = {
  'device-plugin': ['nvidia-device-plugin-ctr', 'nvidia-device-plugin'],
  'gpu-feature-discovery': ['gpu-feature-discovery-ctr', 'gpu-feature-discovery'],
  'dra-driver': ['gpus'],
};

/** The strategies that the Helm chart sets, and the final fallback. */
const usualFallbacks = ['named', 'single', 'empty'];

export function readDaemonSettings(pod: PodObject, role: DaemonRole): DaemonSettings {
  const containers = pod.spec?.containers ?? [];
  const main =
    containers.find(({ name }) => mainContainers[role].includes(name)) ??
    containers.find((container) => !isConfigManager(container));
  const strategy = main && (readFlag(main, 'mig-strategy') ?? readEnvironment(main, 'MIG_STRATEGY'));
  const configManager = readConfigManager(pod);
  return {
    container: main?.name ?? '',
    ...(strategy !== undefined && { strategy }),
    ...(configManager !== undefined && { configManager }),
  };
}

function readConfigManager({ spec }: PodObject): ConfigManager | undefined {
  const sidecar = (spec?.containers ?? []).find(isConfigManager);
  const container = sidecar ?? (spec?.initContainers ?? []).find(isConfigManager);
  if (container === undefined) return undefined;
  const mounted = (container.volumeMounts ?? []).map(({ name }) => name);
  const volumes = (spec?.volumes ?? []).filter(({ configMap }) => configMap?.name !== undefined);
  const volume = volumes.find(({ name }) => mounted.includes(name)) ?? volumes[0];
  const configMap = volume?.configMap?.name;
  if (configMap === undefined) return undefined;
  const defaultKey = readEnvironment(container, 'DEFAULT_CONFIG') ?? '';
  const fallbacks = readEnvironment(container, 'FALLBACK_STRATEGIES')?.split(',');
  return {
    configMap,
    ...(sidecar !== undefined && { sidecar: sidecar.name }),
    ...(defaultKey !== '' && { defaultKey }),
    fallbacks: fallbacks ?? usualFallbacks,
  };
}

/** `nvidia-device-plugin-sidecar` and `-init` are recognized by their command, gpu-operator's by their name. */
function isConfigManager({ name, command = [], args = [] }: Container): boolean {
  return name.includes('config-manager') || [...command, ...args].some((word) => /(^|\/)config-manager$/.test(word));
}

/** `--mig-strategy=X` or `--mig-strategy X`; the last one wins. */
function readFlag({ command = [], args = [] }: Container, flag: string): string | undefined {
  const words = [...command, ...args];
  const values = words.flatMap((word, index) => {
    if (word === `--${flag}`) return [words[index + 1] ?? ''];
    return word.startsWith(`--${flag}=`) ? [word.slice(flag.length + 3)] : [];
  });
  return values.at(-1);
}

function readEnvironment({ env = [] }: Container, variable: string): string | undefined {
  return env.findLast(({ name }) => name === variable)?.value;
}

/** Why one container of a pod is not ready. */
export type ContainerProblem =
  /** The container runs and is not ready. */
  | { readonly kind: 'NotReady'; readonly container: string }
  /** The kubelet waits for something that the container needs. */
  | { readonly kind: 'NotCreated'; readonly container: string; readonly message: string }
  /** The container exited with exit code 0, and is restarted after a while. */
  | { readonly kind: 'Ended'; readonly container: string; readonly restarts: number }
  /** The container exited, and is restarted after a while. `message` is its output. */
  | { readonly kind: 'Crashed'; readonly container: string; readonly message: string; readonly restarts: number };

/** Whether the pod's status would be the same for both; the number of restarts is not worth a write. */
export function isSameProblem(a: ContainerProblem | undefined, b: ContainerProblem | undefined): boolean {
  return a?.kind === b?.kind && a?.container === b?.container && problemMessage(a) === problemMessage(b);
}

function problemMessage(problem: ContainerProblem | undefined): string | undefined {
  return problem !== undefined && 'message' in problem ? problem.message : undefined;
}

/** The fields of a container's status that the problem changes. */
export function describeProblem(problem: ContainerProblem, runningSince: string): object {
  switch (problem.kind) {
    case 'NotReady':
      return { ready: false, started: true, state: { running: { startedAt: runningSince } } };
    case 'NotCreated':
      return {
        ready: false,
        started: false,
        state: { waiting: { reason: 'ContainerCreating', message: problem.message } },
      };
    case 'Ended':
      return {
        ready: false,
        started: false,
        restartCount: problem.restarts,
        state: { terminated: { exitCode: 0, reason: 'Completed' } },
      };
    case 'Crashed':
      return {
        ready: false,
        started: false,
        restartCount: problem.restarts,
        state: { waiting: { reason: 'CrashLoopBackOff', message: problem.message } },
        lastState: { terminated: { exitCode: 1, reason: 'Error' } },
      };
  }
}
