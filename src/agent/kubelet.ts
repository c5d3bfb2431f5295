import type { DeviceReport, GpuReport, Strategy } from '../api/types.ts';
import { type Holders, listGpuHolders, listInstanceHolders, listUnresolved } from '../core/pods/slice-holders.ts';

/** What the node's kubelet says of its GPUs. */
export interface KubeletWord {
  /** Which pods hold which device. */
  readonly holders: Holders;
  /** Absent where this kubelet does not tell (before Kubernetes 1.28). */
  readonly advertised?: NonNullable<DeviceReport['advertised']>;
}

/** The node's kubelet, as the agent uses it. */
export interface Kubelet {
  /**
   * @param strategy of the policy: under some a GPU in MIG mode is itself not offered
   * @returns undefined where it need not be asked (`--ignore-pods`): then processes alone show who uses a GPU
   * @throws where it does not answer: unknown is not empty
   */
  ask(device: DeviceReport, strategy: Strategy | undefined): Promise<KubeletWord | undefined>;
}

/** The GPUs with the pods that hold them: a pod may hold a slice without a process on it, and holds it all the same. */
export function withHolders(gpus: readonly GpuReport[], holders: KubeletWord['holders']): readonly GpuReport[] {
  return gpus.map((gpu) => ({
    ...gpu,
    ...held(listGpuHolders(holders, gpu)),
    instances: gpu.instances.map((instance) => ({
      ...instance,
      ...held([...new Set([...listInstanceHolders(holders, instance), ...listUnresolved(holders)])]),
    })),
  }));
}

function held(pods: readonly string[]): { readonly busy?: true; readonly pods?: string[] } {
  return pods.length > 0 ? { busy: true, pods: pods.slice(0, 16) } : {};
}
