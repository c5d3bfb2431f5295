import { parse } from 'yaml';
import { parseDevicePluginConfig } from '../../../core/nvidia/plugin-config/device-plugin-config.ts';
import { devicePluginConfigLabel } from '../../../core/nvidia/labels/label-key.ts';
import type { DevicePluginConfig } from '../../../core/nvidia/plugin-config/sharing.ts';
import type { KubeClient } from '../../../kube/client.ts';
import type { ConfigManager } from './daemon-settings.ts';
import { configMapsResource, nodesResource } from '../node/kube-objects.ts';
import type { ConfigMapObject, KubeletNode } from '../node/kube-objects.ts';
import { messageOf } from '../../../core/text/message-of.ts';

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
