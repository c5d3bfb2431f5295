import type { Command } from 'commander';
import type { ControllerSetup } from '../../core/plan/cluster-state.ts';
import { defaultHolders } from '../../core/pods/gpu-holders.ts';
import type { LabelSelector } from '../../core/pods/plugin-pods.ts';
import { limit } from '../../process/option.ts';
import { configMapName, equalitySelector } from '../../process/plugin-option.ts';

/** Options of the controller that a plan must know: the API has them nowhere, or only once there are policies. */
export interface SetupOptions {
  readonly maxConcurrentNodes?: string;
  readonly devicePluginSelector?: LabelSelector;
  readonly devicePluginConfigMap?: ReturnType<typeof configMapName>;
}

export function addSetupOptions(command: Command): Command {
  return command
    .option(
      '--max-concurrent-nodes <n>',
      'instead of the controller’s own, which it writes to the status of policies, else 10%',
      limit,
    )
    .option('--device-plugin-selector <labels>', 'value of the controller: key=value,…', equalitySelector)
    .option('--device-plugin-config-map <namespace/name>', 'value of the controller', configMapName);
}

export function setupOf(options: SetupOptions): ControllerSetup {
  const { maxConcurrentNodes, devicePluginSelector, devicePluginConfigMap } = options;
  return {
    maxConcurrentNodes,
    gpuHolders: defaultHolders,
    pluginSelector: devicePluginSelector,
    pluginConfigMap: devicePluginConfigMap,
  };
}
