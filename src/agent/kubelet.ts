import type { DeviceReport, Strategy } from '../api/types.ts';
import type { Holders } from '../core/pods/slice-holders.ts';

/** What the node's kubelet reports about its GPUs. */
export interface KubeletWord {
  /** Which pods hold which device. */
  readonly holders: Holders;
  /** Absent if this kubelet does not report it (before Kubernetes 1.28). */
  readonly advertised?: NonNullable<DeviceReport['advertised']>;
}

/** The node's kubelet, as the agent uses it. */
export interface Kubelet {
  /**
   * @param strategy of the policy: under some, a GPU in MIG mode is not advertised itself
   * @returns undefined if it need not be asked (`--ignore-pods`): then only processes show who uses a GPU
   * @throws if it does not answer: unknown is not empty
   */
  ask(device: DeviceReport, strategy: Strategy | undefined): Promise<KubeletWord | undefined>;
}
