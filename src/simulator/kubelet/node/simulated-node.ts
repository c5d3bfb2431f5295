import type { Taint } from '../../../core/metadata/node-change.ts';
import type { Labels } from '../../../core/nvidia/labels/label-value.ts';
import { isMigStrategy } from '../../../core/nvidia/labels/mig-strategy.ts';
import type { MigStrategy } from '../../../core/nvidia/labels/mig-strategy.ts';
import type { Sharing } from '../../../core/nvidia/plugin-config/sharing.ts';
import type { DriverBranch } from '../../nvidia-smi/nvml/driver-version.ts';

/**
 * When the device plugin reads the devices. `watching`: at every change, as no real plugin does; enough if the
 * plugin is not under test. `pod`, as in a real cluster: once, when its pod starts; it advertises what it saw then until
 * the pod ends, whatever happens to the devices, and nothing without its pod. GPU Feature Discovery and the DRA driver work only in this
 * mode.
 */
export type PluginMode = 'watching' | 'pod';

export interface SimulatedNode {
  readonly name: string;
  /** Product names in index order, in the simulated nvidia-smi's form: `NVIDIA A100-SXM4-40GB`. */
  readonly gpus: readonly string[];
  /** Seed of the UUIDs, the same as nvidia-smi's. */
  readonly gpuSeed?: string;
  /** The same as nvidia-smi's. */
  readonly driver?: DriverBranch;
  /** State file of the node's simulated nvidia-smi; if the file does not exist, MIG is off everywhere. */
  readonly stateFile: string;
  /** Faults of its simulated nvidia-smi: with a GPU that is lost, its device plugin does not start. */
  readonly faultsFile?: string;
  /** Where the kubelet of the node serves PodResources; at most 107 bytes. Not served if absent. */
  readonly podResourcesSocket?: string;
  /** As the kernel reports it; random if absent. */
  readonly bootId?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /**
   * Strategy of the plugin, and in mode `pod` of GPU Feature Discovery, if its pod does not set one. If absent, the
   * label `nvidia.com/mig.strategy` applies, and without it mixed.
   */
  readonly strategy?: MigStrategy;
  /** For a plugin whose pod has no config-manager. */
  readonly sharing?: Sharing;
  /** Product name of the machine in its firmware, for `nvidia.com/gpu.machine`; if absent, unknown to GFD. */
  readonly machine?: string;
  /** Default `watching`. */
  readonly plugin?: PluginMode;
  /** `Files`: the plugin names devices as GKE's does, `nvidia0` and `nvidia0/gi2`. Default: by UUID. */
  readonly deviceIds?: 'Files';
}

/** The strategy of a plugin that does not set one. */
export function usualStrategyOf({ strategy }: SimulatedNode, labels: Labels): MigStrategy {
  const label = labels['nvidia.com/mig.strategy'];
  return strategy ?? (isMigStrategy(label) ? label : 'mixed');
}
