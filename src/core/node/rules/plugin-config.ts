import type { DevicePluginConfig } from '../../nvidia/plugin-config/sharing.ts';
import { parseDevicePluginConfig } from '../../nvidia/plugin-config/device-plugin-config.ts';
import { managedConfig } from '../../nvidia/plugin-config/managed-config.ts';
import { devicePluginConfigLabel } from '../../nvidia/labels/label-key.ts';
import { readPluginSettings } from '../../nvidia/plugin-config/plugin-settings.ts';
import { sameJson } from '../../text/fingerprint.ts';
import { type Backend, backendOf, nameBackend } from '../backend.ts';
import { leaveOpen, lookAgainMs, type Outcome, passing, refuse, type Ruling, type Situation } from '../outcome.ts';
import { pluginPods } from './cluster-pods.ts';
import { explainPluginPod, isFailing } from '../../nvidia/plugin-config/plugin-reason.ts';
import type { NodeView } from '../node-view.ts';
import { isReady, type PodView } from '../../pods/pod-view.ts';

/** Whether the files can be read among which that of the node's plugin is to be. */
export function checkConfig(situation: Situation): Outcome | undefined {
  const { settings, claim, configFiles } = situation;
  if (!settings.pluginConfigMap || !claim.winner || backendOf(situation) === 'DRA') return undefined;
  if (configFiles === undefined) return { needs: 'Pods' };
  if (configFiles.state === 'Read') return undefined;
  const { namespace, name } = settings.pluginConfigMap;
  const message = `the device plugin’s ConfigMap ${namespace}/${name} cannot be read: ${configFiles.why}. Nothing is touched until then`;
  return leaveOpen('Failed', 'ConfigUnavailable', message, lookAgainMs);
}

/** Makes sure that the file that the node's plugin is going to use exists before anything is touched. */
export function publishConfig(situation: Situation): Ruling | undefined {
  const { settings, claim, configFiles } = situation;
  if (!settings.pluginConfigMap || !claim.winner || backendOf(situation) === 'DRA') return undefined;
  if (configFiles?.state !== 'Read') return undefined;
  const { namespace, name } = settings.pluginConfigMap;
  const { key, file } = managedConfig(claim.winner.spec);
  if (sameJson(configFiles.files[key], file)) return undefined;
  const message = `config file ${key} of the device plugin is being written to ConfigMap ${namespace}/${name}`;
  return {
    ...passing('Pending', 'AwaitingGrant', message, 250),
    commands: [{ name: 'PublishConfig', key, file }],
  };
}

/** What the node's plugin runs with: the file that its label names, else its default. Undefined if there is none that can be read. */
export function configInUse(situation: Situation): DevicePluginConfig | undefined {
  const { node, configFiles } = situation;
  const key = configOf(node) ?? defaultConfig(situation);
  if (key === undefined || configFiles?.state !== 'Read') return undefined;
  const parsed = parseDevicePluginConfig(configFiles.files[key]);
  return parsed.ok ? parsed.config : undefined;
}

/** What a plugin's config manager takes where no label names a file (facts: labels.md). A plugin that is not known may have one. */
function defaultConfig(situation: Situation): string | undefined {
  const { pods } = situation;
  if (pods === undefined) return undefined;
  const found = pluginPods(situation, pods).map((pod) => readPluginSettings(pod).configMap);
  if (found.length === 0) return 'default';
  const managed = found.find((one) => one?.hasConfigManager === true);
  return managed && (managed.defaultKey ?? 'default');
}

/** Leaves a node alone on which what hands its GPUs out does not run. What is about to start is waited for. */
export function refuseUnready(node: NodeView, backend: Backend, pods: readonly PodView[]): Ruling | undefined {
  const unready = pods.filter((pod) => !isReady(pod));
  if (unready.length === 0) return undefined;
  const failing = unready.filter(isFailing);
  const why = describeTrouble(node, failing.length > 0 ? failing : unready).join('. ');
  const refusal = refuse('PluginNotReady', `the ${nameBackend(backend)} is not ready: ${why}`);
  if (failing.length > 0) return refusal;
  return { ...refusal, verdict: { ...refusal.verdict, phase: 'Pending', transient: true, requeueAfterMs: 1000 } };
}

/** What keeps the plugin's pods from being ready, in the kubelet's words, and the config file that they may be missing. */
export function describeTrouble(node: NodeView, pods: readonly PodView[]): readonly string[] {
  const trouble = pods.flatMap((pod) => explainPluginPod(pod) ?? []);
  const config = configOf(node);
  const label = `the node's label ${devicePluginConfigLabel} names ${config}: does its ConfigMap have that key?`;
  return trouble.length > 0 && config !== undefined ? [...trouble, label] : trouble;
}

/** The config file that the node's plugin is told to use. */
export function configOf({ metadata }: NodeView): string | undefined {
  return metadata.labels?.[devicePluginConfigLabel];
}
