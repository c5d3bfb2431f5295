import { isMigStrategy, MIG_STRATEGIES } from '../labels/mig-strategy.ts';
import { definedOnly } from '../../text/defined-fields.ts';
import type { MigStrategy } from '../labels/mig-strategy.ts';
import type { ContainerView, PodView, VolumeView } from '../../pods/pod-view.ts';

/** Where a setting comes from, in words for people; its value is undefined if the API does not reveal it (`valueFrom`). */
export interface PluginSetting {
  readonly value: string | undefined;
  readonly from: string;
}

export interface PluginSettings {
  /** MIG strategy by argument or environment, which override the config file; absent: the file decides, else the default. */
  readonly strategy?: PluginSetting;
  /** Path of the config file, if there is one. */
  readonly configFile?: PluginSetting;
  /** ConfigMap that the config file comes from. */
  readonly configMap?: {
    readonly name: string;
    /** Whether the label `nvidia.com/device-plugin.config` selects the file, and changing it restarts the plugin. */
    readonly hasConfigManager: boolean;
    /** Its file on a node without that label, as the config manager was told (`DEFAULT_CONFIG`); absent: the one named `default`. */
    readonly defaultKey?: string;
  };
}

const pluginContainers: readonly string[] = ['nvidia-device-plugin-ctr', 'nvidia-device-plugin'];

/**
 * How a device plugin is configured. Precedence is upstream's: argument, then environment, then config file, then the default
 * `none`. The names are those of gpu-operator's DaemonSet, the Helm chart, and the static manifests.
 */
export function readPluginSettings(pod: PodView): PluginSettings {
  const { containers = [], initContainers = [], volumes = [] } = pod.spec ?? {};
  const plugin = findPlugin(containers);
  const configMap = findConfigMap(plugin, [...containers, ...initContainers], volumes);
  if (plugin === undefined) return definedOnly({ configMap });
  const operator =
    pod.metadata.labels?.['app'] === 'nvidia-device-plugin-daemonset'
      ? ' (gpu-operator sets it from spec.mig.strategy of the ClusterPolicy, or from spec.devicePlugin.env)'
      : '';
  const strategy = readSetting(plugin, 'mig-strategy', 'MIG_STRATEGY', operator);
  const configFile = readSetting(plugin, 'config-file', 'CONFIG_FILE', '');
  return definedOnly({ strategy, configFile: configFile?.value === '' ? undefined : configFile, configMap });
}

/**
 * Why the plugin advertises the devices differently from what the policy wants, and what to do; undefined if it does not, or if that
 * is unknown.
 */
export function strategyMismatch(
  { strategy, configFile, configMap }: PluginSettings,
  wanted: MigStrategy,
): string | undefined {
  if (strategy !== undefined) {
    if (strategy.value === undefined) return undefined;
    return describeMismatch(strategy.value, strategy.from, wanted);
  }
  // Nobody here has read its file; one of ours gets the policy's strategy as soon as the layout is there.
  if (configFile !== undefined || configMap !== undefined) return undefined;
  return describeMismatch('none', 'the default: neither --mig-strategy nor MIG_STRATEGY is set', wanted);
}

/** Why the label `nvidia.com/device-plugin.config` would have no effect on this plugin; undefined if it has one. */
export function findConfigManagerGap({ configMap }: PluginSettings, wanted: string): string | undefined {
  if (configMap?.hasConfigManager !== true) {
    return (
      `the device plugin's pod has no config manager, so the label nvidia.com/device-plugin.config has no effect: ` +
      `give it the ConfigMap ${wanted} (Helm chart: config.name; gpu-operator: spec.devicePlugin.config.name of the ClusterPolicy)`
    );
  }
  if (configMap.name === wanted) return undefined;
  return `the device plugin takes its config files from ConfigMap ${configMap.name}, not from ${wanted}: use the same one in both`;
}

function describeMismatch(value: string, from: string, wanted: MigStrategy): string | undefined {
  if (value === wanted) return undefined;
  const found = value === '' ? 'an empty text' : value;
  const invalid = isMigStrategy(value) ? '' : `, which is not one of ${MIG_STRATEGIES.join(', ')}`;
  return (
    `the device plugin's MIG strategy is ${found}${invalid} by ${from}, and the policy wants ${wanted}: ` +
    `set it to ${wanted} there, or set the policy’s spec.strategy to the plugin’s`
  );
}

function findPlugin(containers: readonly ContainerView[]): ContainerView | undefined {
  return (
    containers.find(({ name }) => name !== undefined && pluginContainers.includes(name)) ??
    containers.find((container) => words(container).some((word) => word.endsWith('nvidia-device-plugin'))) ??
    containers.find((container) => !isConfigManager(container))
  );
}

function isConfigManager(container: ContainerView): boolean {
  return words(container).some((word) => word === 'config-manager' || word.endsWith('/config-manager'));
}

/** The ConfigMap that the config manager selects from, else the one that contains the plugin's config file. */
function findConfigMap(
  plugin: ContainerView | undefined,
  containers: readonly ContainerView[],
  volumes: readonly VolumeView[],
): PluginSettings['configMap'] {
  const configManager = containers.find(isConfigManager);
  const folder = configManager?.env?.find(({ name }) => name === 'CONFIG_FILE_SRCDIR')?.value;
  const chosen = folder === undefined ? undefined : configMapAt(configManager, folder, volumes);
  if (chosen !== undefined) {
    const defaultKey = configManager?.env?.find(({ name }) => name === 'DEFAULT_CONFIG')?.value;
    return { name: chosen, hasConfigManager: true, ...(defaultKey && { defaultKey }) };
  }
  const file = plugin === undefined ? undefined : readSetting(plugin, 'config-file', 'CONFIG_FILE', '')?.value;
  const fixed = file === undefined || file === '' ? undefined : configMapAt(plugin, file, volumes);
  return fixed === undefined ? undefined : { name: fixed, hasConfigManager: false };
}

/** Name of the ConfigMap that is mounted at a path or in a folder above it. */
function configMapAt(
  container: ContainerView | undefined,
  path: string,
  volumes: readonly VolumeView[],
): string | undefined {
  const mount = (container?.volumeMounts ?? [])
    .filter(({ mountPath }) => path === mountPath || path.startsWith(`${mountPath.replace(/\/$/, '')}/`))
    .toSorted((a, b) => b.mountPath.length - a.mountPath.length)[0];
  return volumes.find(({ name }) => name === mount?.name)?.configMap?.name;
}

function readSetting(
  container: ContainerView,
  flag: string,
  variable: string,
  remark: string,
): PluginSetting | undefined {
  const name = container.name ?? 'without a name';
  const argument = readFlag(words(container), flag);
  if (argument !== undefined) return { value: argument, from: `argument --${flag} of container ${name}` };
  // Of several entries with one name the kubelet takes the last.
  const entry = (container.env ?? []).findLast((one) => one.name === variable);
  if (entry === undefined) return undefined;
  const from = `environment ${variable} of container ${name}${remark}`;
  const isKnown = entry.valueFrom === undefined && !(entry.value ?? '').includes('$(');
  return { value: isKnown ? (entry.value ?? '') : undefined, from };
}

/** Value of the last such flag; Go flags may have one dash or two. */
function readFlag(list: readonly string[], flag: string): string | undefined {
  const found = list.flatMap((word, index) => {
    const [, name, value] = /^--?([\w-]+)(?:=(.*))?$/.exec(word) ?? [];
    return name === flag ? [value ?? list[index + 1] ?? ''] : [];
  });
  return found.at(-1)?.replaceAll(/^["']|["']$/g, '');
}

/** Command and arguments, with a shell's line split at its spaces. */
function words({ command = [], args = [] }: ContainerView): readonly string[] {
  return [...command, ...args].flatMap((text) => text.split(/\s+/)).filter((word) => word !== '');
}
