import type { DeviceReport, GpuReport, Strategy } from '../api/types.ts';
import { type Holders, listGpuHolders, listInstanceHolders } from '../core/pods/slice-holders.ts';

/** Pods of one device, as many as the API takes. */
const mostNamed = 16;

/** What the node's kubelet says of its GPUs. */
export interface KubeletWord {
  /** Which pods hold which device. */
  readonly holders: Holders;
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
    ...held(listGpuHolders(holders, gpu)),
    instances: gpu.instances.map((instance) => ({
      ...instance,
      ...held(listInstanceHolders(holders, instance)),
    })),
  }));
}

/** As many names as a report takes; plans are made on all of them. */
export function cutHolders(gpus: readonly GpuReport[]): GpuReport[] {
  return gpus.map((gpu) => ({ ...cut(gpu), instances: gpu.instances.map(cut) }));
}

function held(pods: readonly string[]): { readonly busy?: true; readonly pods?: readonly string[] } {
  return pods.length > 0 ? { busy: true, pods } : {};
}

function cut<Held extends Pick<GpuReport, 'pods'>>(one: Held): Held {
  return one.pods ? { ...one, pods: one.pods.slice(0, mostNamed) } : one;
}
