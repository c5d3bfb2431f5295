import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';

export interface DemoPod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase: string };
}

export interface DemoNode {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
}

/** What the demo reads. */
export class ClusterView {
  readonly #controlPlane: ControlPlane;

  constructor(controlPlane: ControlPlane) {
    this.#controlPlane = controlPlane;
  }

  policies(): Promise<readonly GpuPartitionPolicy[]> {
    return this.#list('/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies');
  }

  partitions(): Promise<readonly GpuNodePartition[]> {
    return this.#list('/apis/gpupartition.dev/v1alpha1/gpunodepartitions');
  }

  pods(): Promise<readonly DemoPod[]> {
    return this.#list('/api/v1/namespaces/default/pods');
  }

  nodes(): Promise<readonly DemoNode[]> {
    return this.#list('/api/v1/nodes');
  }

  async #list<T>(path: string): Promise<readonly T[]> {
    const answer = await this.#controlPlane.client.demand({ path });
    return (answer as { readonly items: readonly T[] }).items;
  }
}

/** Whether the newest generation of the policy is Ready. */
export function isReady({ metadata, status }: GpuPartitionPolicy): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === metadata.generation;
}
