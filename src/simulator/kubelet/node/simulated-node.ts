import type { Taint } from '../../../core/metadata/node-change.ts';
import type { Labels } from '../../../core/nvidia/labels/label-value.ts';
import { isMigStrategy } from '../../../core/nvidia/labels/mig-strategy.ts';
import type { MigStrategy } from '../../../core/nvidia/labels/mig-strategy.ts';
import type { Sharing } from '../../../core/nvidia/plugin-config/sharing.ts';

/**
 * When the device plugin looks at the devices. `watching`: at every change, as no real plugin does; enough where the
 * plugin is not what is tried. `pod`: as in a real cluster: once, when its pod starts; it advertises what it saw then until
 * the pod ends, whatever happens to the devices, and nothing without its pod. GPU Feature Discovery works in this mode alone.
 */
export type PluginMode = 'watching' | 'pod';

export interface SimulatedNode {
  readonly name: string;
  /** Product names in index order, as the simulated nvidia-smi takes them: `NVIDIA A100-SXM4-40GB`. */
  readonly gpus: readonly string[];
  /** Seed of the UUIDs, the same that nvidia-smi is given. */
  readonly gpuSeed?: string;
  /** State file of the node's simulated nvidia-smi; absent on disk means MIG off everywhere. */
  readonly stateFile: string;
  /** Where the kubelet of the node serves PodResources; at most 107 bytes. Nowhere if absent. */
  readonly podResourcesSocket?: string;
  /** As the kernel tells it; a random one if absent. */
  readonly bootId?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /**
   * Strategy of the plugin, and in mode `pod` of GPU Feature Discovery, where its pod does not say one; where absent it
   * follows the label `nvidia.com/mig.strategy`, and without it is mixed.
   */
  readonly strategy?: MigStrategy;
  /** Of a plugin whose pod has no config-manager. */
  readonly sharing?: Sharing;
  /** Product name of the machine in its firmware, for `nvidia.com/gpu.machine`; unknown to GFD if absent. */
  readonly machine?: string;
  /** Default `watching`. */
  readonly plugin?: PluginMode;
  readonly cpus?: number;
  readonly memoryGiB?: number;
  readonly maxPods?: number;
}

/** The strategy where nobody has told the plugin one. */
export function usualStrategyOf({ strategy }: SimulatedNode, labels: Labels): MigStrategy {
  const label = labels['nvidia.com/mig.strategy'];
  return strategy ?? (isMigStrategy(label) ? label : 'mixed');
}
