import type { Taint } from '../../core/metadata/node-change.ts';
import type { MigStrategy } from '../../core/nvidia/labels/mig-strategy.ts';
import type { PluginMode, SimulatedNode } from '../kubelet/node/simulated-node.ts';
import type { DriverBranch } from '../nvidia-smi/nvml/driver-version.ts';
import { driverNodeLabel } from './dra-driver.ts';
import type { NodeFiles } from './node-files.ts';

/** A simulated GPU node. */
export interface RigNode {
  readonly name: string;
  /** Model names in the simulated nvidia-smi's form: `A100-SXM4-40GB`. */
  readonly gpus: readonly string[];
  /** As in docs/simulator.md; default 550. */
  readonly driver?: DriverBranch;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Strategy of the node's device plugin and GFD if their pods do not set one. */
  readonly strategy: MigStrategy;
  /**
   * When its device plugin reads the devices; `pod` needs a DaemonSet of the plugin in the cluster. `dra`: it has none, and the rig
   * installs the DRA driver for it. Default `watching`.
   */
  readonly plugin?: PluginMode | 'dra';
  /** As for {@link SimulatedNode}. */
  readonly deviceIds?: NonNullable<SimulatedNode['deviceIds']>;
  /** Taints with which it joins. */
  readonly taints?: readonly Taint[];
  /** Whether its kubelet reports to its agent who holds which device; default true. */
  readonly podResources?: boolean;
}

/** Name of the machine in every node's firmware. */
export const machineProduct = 'Simulated GPU Node';

/** The node as the fleet of kubelets boots it. */
export function describeRigNode(node: RigNode, files: NodeFiles): SimulatedNode {
  const { plugin, podResources = true, ...own } = node;
  return {
    ...own,
    gpuSeed: own.name,
    stateFile: files.state,
    faultsFile: files.faults,
    machine: machineProduct,
    labels: { 'nvidia.com/gpu.present': 'true', ...(plugin === 'dra' && { [driverNodeLabel]: 'true' }), ...own.labels },
    ...(plugin !== undefined && { plugin: plugin === 'dra' ? 'pod' : plugin }),
    ...(podResources && { podResourcesSocket: files.podResourcesSocket }),
  };
}
