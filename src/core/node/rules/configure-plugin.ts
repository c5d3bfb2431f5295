import { devicePluginConfigLabel } from '../../nvidia/labels/label-key.ts';
import { managedConfig } from '../../nvidia/plugin-config/managed-config.ts';
import { backendOf } from '../backend.ts';
import { waitFor } from '../memory.ts';
import { closeNode } from '../node-marks.ts';
import { isClosed, isUnfinished } from '../node-view.ts';
import { type Outcome, passing, type Ruling, type Situation } from '../outcome.ts';
import { checkPlugin } from './check-plugin.ts';
import { nodeUnavailable } from './plan.ts';
import { publishConfig } from './plugin-config.ts';
import { awaitTurn } from './slot.ts';
import { noteUntouched } from './untouched.ts';

/** Makes the plugin use the policy's strategy and sharing. It reads its settings and the devices together: the layout must be done. */
export function configurePlugin(situation: Situation): Outcome | undefined {
  const { settings, claim, node } = situation;
  if (!settings.pluginConfigMap || !claim.winner || backendOf(situation) === 'DRA') return undefined;
  const { key } = managedConfig(claim.winner.spec);
  if (node.metadata.labels?.[devicePluginConfigLabel] === key) {
    // Not checked as long as all is well: a plugin that does not come back may be missing it.
    return publishConfig(situation);
  }
  return awaitTurn(situation, 'Settings', [nodeUnavailable, checkPlugin]) ?? closeAndConfigure(situation, key);
}

/** The plugin restarts with its new settings on a closed node: no pod gets a device that is gone. */
function closeAndConfigure(situation: Situation, key: string): Ruling {
  const { settings, node } = situation;
  if (!isClosed(node)) {
    const waits = isUnfinished(node) ? undefined : noteUntouched(situation, situation.pods ?? []);
    return { ...configuring(settings.settleMs, [{ name: 'PatchNode', change: closeNode() }]), waits };
  }
  const { lastsMs, waits } = waitFor(situation, 'Closed');
  const left = settings.settleMs - lastsMs;
  if (left > 0) return { ...configuring(left), waits };
  return configuring(250, [{ name: 'PatchNode', change: { borrow: { [devicePluginConfigLabel]: key } } }]);
}

function configuring(requeueAfterMs: number, commands: Ruling['commands'] = []): Ruling {
  const message = 'the device plugin’s settings are changing';
  return { ...passing('Updating', 'AdvertisePending', message, requeueAfterMs), commands };
}
