import type { DevicePluginConfig } from '../../nvidia/plugin-config/sharing.ts';
import { parseDevicePluginConfig } from '../../nvidia/plugin-config/device-plugin-config.ts';
import { managedConfig } from '../../nvidia/plugin-config/managed-config.ts';
import { devicePluginConfigLabel } from '../../nvidia/labels/label-key.ts';
import { sameJson } from '../../text/fingerprint.ts';
import { closeNode } from '../node-marks.ts';
import { isClosed } from '../node-view.ts';
import type { Outcome, Ruling } from '../outcome.ts';
import type { Situation } from '../snapshot.ts';

/** Makes sure that the file that the node's plugin is going to use exists before anything is touched. */
export function publishConfig({ settings, claim, configFiles }: Situation): Outcome | undefined {
  if (!settings.pluginConfigMap || !claim.winner) return undefined;
  if (configFiles === undefined) return { look: 'Pods' };
  const { namespace, name } = settings.pluginConfigMap;
  if (configFiles.state === 'Unreadable') {
    const message = `the device plugin’s ConfigMap ${namespace}/${name} cannot be read: ${configFiles.why}. Nothing is touched until then`;
    return { verdict: { phase: 'Failed', reason: 'ConfigUnavailable', message, requeueAfterMs: 15_000 } };
  }
  const { key, file } = managedConfig(claim.winner.spec);
  if (sameJson(configFiles.files[key], file)) return undefined;
  const message = `config file ${key} of the device plugin is being written to ConfigMap ${namespace}/${name}`;
  return {
    verdict: { phase: 'Pending', reason: 'AwaitingGrant', message, transient: true, requeueAfterMs: 250 },
    commands: [{ name: 'PublishConfig', key, file }],
    keepsClosed: true,
  };
}

/**
 * Makes the plugin use the policy's strategy and sharing. It reads its settings and the devices together, so a node must be closed,
 * and its layout done, before the plugin gets new settings.
 */
export function configurePlugin(situation: Situation): Outcome | undefined {
  const { settings, claim, node, waits, configFiles } = situation;
  if (!settings.pluginConfigMap || !claim.winner) return undefined;
  const { key } = managedConfig(claim.winner.spec);
  if (node.metadata.labels?.[devicePluginConfigLabel] === key) {
    // Not checked as long as all is well: a plugin that does not come back may be missing it.
    return configFiles?.state === 'Read' ? publishConfig(situation) : undefined;
  }
  const published = publishConfig(situation);
  if (published) return published;
  if (!isClosed(node)) return configuring(settings.settleMs, [{ name: 'PatchNode', change: closeNode() }]);
  const left = settings.settleMs - waits.lasts('Closed');
  if (left > 0) return configuring(left, []);
  return configuring(250, [{ name: 'PatchNode', change: { borrow: { [devicePluginConfigLabel]: key } } }]);
}

/** What the node's plugin runs with: the file that its label names. Undefined if it names none, or none that can be read. */
export function configInUse({ node, configFiles }: Situation): DevicePluginConfig | undefined {
  const key = node.metadata.labels?.[devicePluginConfigLabel];
  if (key === undefined || configFiles?.state !== 'Read') return undefined;
  const parsed = parseDevicePluginConfig(configFiles.files[key]);
  return parsed.ok ? parsed.config : undefined;
}

function configuring(requeueAfterMs: number, commands: Ruling['commands'] = []): Ruling {
  const message = 'the device plugin’s settings are changing';
  return {
    verdict: { phase: 'Updating', reason: 'AdvertisePending', message, transient: true, requeueAfterMs },
    commands,
    keepsClosed: true,
  };
}
