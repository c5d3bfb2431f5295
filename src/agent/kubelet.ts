import type { DeviceReport, NodePartitionSpec } from '../api/types.ts';
import type { Holders } from '../core/pods/slice-holders.ts';

/** What the node's kubelet reports about its GPUs. */
export interface KubeletWord {
  /** Which pods hold which device. */
  readonly holders: Holders;
  /** Absent if this kubelet does not report it (before Kubernetes 1.28). */
  readonly advertised?: NonNullable<DeviceReport['advertised']>;
  /** Resources of it that no plugin serves which has read the devices. */
  readonly unserved?: readonly string[];
}

/** What the controller says that bears on the kubelet's answer. */
export type AskedSpec = Pick<NodePartitionSpec, 'strategy' | 'monitors'>;

/** The node's kubelet, as the agent uses it. */
export interface Kubelet {
  /**
   * @param spec under some strategies a GPU in MIG mode is not advertised itself; claims of monitors hold nothing
   * @returns undefined if it need not be asked (`--ignore-pods`): then only processes show who uses a GPU
   * @throws if it does not answer: unknown is not empty
   */
  ask(device: DeviceReport, spec: AskedSpec): Promise<KubeletWord | undefined>;
}
