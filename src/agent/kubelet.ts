import type { DeviceReport, GpuReport, Strategy } from '../api/types.ts';

/** What the node's kubelet says of its GPUs. */
export interface KubeletWord {
  /** By UUID of a GPU or MIG device: `NAMESPACE/NAME` of the pods that hold it. */
  readonly holders: ReadonlyMap<string, readonly string[]>;
  readonly advertised: NonNullable<DeviceReport['advertised']>;
}

/** The node's kubelet, as the agent uses it. */
export interface Kubelet {
  /**
   * @param strategy of the policy: under some a GPU in MIG mode is itself not offered
   * @returns undefined where this kubelet does not tell: then processes alone show who uses a GPU
   * @throws where it should tell and does not answer: unknown is not empty
   */
  ask(device: DeviceReport, strategy: Strategy | undefined): Promise<KubeletWord | undefined>;
}

/** The GPUs with the pods that hold them: a pod may hold a slice without a process on it, and holds it all the same. */
export function withHolders(gpus: readonly GpuReport[], holders: KubeletWord['holders']): readonly GpuReport[] {
  return gpus.map((gpu) => ({
    ...gpu,
    ...held(holders.get(gpu.uuid) ?? []),
    instances: gpu.instances.map((instance) => ({
      ...instance,
      ...held(instance.computeInstances.flatMap(({ uuid }) => (uuid === undefined ? [] : (holders.get(uuid) ?? [])))),
    })),
  }));
}

function held(pods: readonly string[]): { readonly busy?: true; readonly pods?: string[] } {
  const names = [...new Set(pods)].sort().slice(0, 16);
  return names.length > 0 ? { busy: true, pods: names } : {};
}
