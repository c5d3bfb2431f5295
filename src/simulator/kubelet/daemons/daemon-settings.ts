import type { DaemonRole } from './daemon-role.ts';
import type { Container, PodObject } from '../node/kube-objects.ts';

/** How a daemon runs, according to its pod. */
export interface DaemonSettings {
  /** Name of the daemon's own container. */
  readonly container: string;
  /** MIG strategy from the argument, else from the environment; both override the config file. */
  readonly strategy?: string;
  readonly configManager?: ConfigManager;
}

/** NVIDIA's config-manager next to a daemon: it chooses the config file by a node label. */
export interface ConfigManager {
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
