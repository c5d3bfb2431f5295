import type { DeviceReport, GpuReport, Strategy } from '../api/types.ts';
import { type Holders, listGpuHolders, listInstanceHolders, listUnresolved } from '../core/pods/slice-holders.ts';

/** Pods of one device, as many as the API takes; of all devices together no more than leave room for the rest of the report. */
const mostNamed = 16;
const mostNameBytes = 8_000;

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

/** As many names as a report takes, of each device one at the least: in use by nobody would be a process. Plans are made on all. */
export function cutHolders(gpus: readonly GpuReport[]): GpuReport[] {
  const lists = gpus.flatMap((gpu) => [gpu, ...gpu.instances]).flatMap(({ pods }) => (pods ? [pods] : []));
  const bytesOf = (most: number): number =>
    lists.reduce((sum, pods) => sum + pods.slice(0, most).reduce((length, pod) => length + pod.length, 0), 0);
  let most = mostNamed;
  while (most > 1 && bytesOf(most) > mostNameBytes) most -= 1;
  return gpus.map((gpu) => ({ ...cut(gpu, most), instances: gpu.instances.map((one) => cut(one, most)) }));
}

function held(pods: readonly string[]): { readonly busy?: true; readonly pods?: readonly string[] } {
  return pods.length > 0 ? { busy: true, pods } : {};
}

function cut<Held extends Pick<GpuReport, 'pods'>>(one: Held, most: number): Held {
  return one.pods ? { ...one, pods: one.pods.slice(0, most) } : one;
}
