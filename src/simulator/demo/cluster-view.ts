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

/** Why policies are not Ready: `notebooks: Progressing: 1 of 1 nodes …`; empty if all are. */
export function describeUnready(policies: readonly GpuPartitionPolicy[]): string {
  const unready = policies.filter((policy) => !isReady(policy));
  const lines = unready.map(({ metadata, status }) => {
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    return `policy ${metadata.name} is not Ready: ${ready ? `${ready.reason}: ${ready.message}` : 'it has no status yet'}`;
  });
  return lines.join('; ');
}

/** `2 of 18 pods wait: train-1, train-2` */
export function describeWaiting(pods: readonly DemoPod[]): string {
  const waiting = pods.filter(({ status }) => status.phase !== 'Running').map(({ metadata }) => metadata.name);
  return `${waiting.length} of ${pods.length} pods wait: ${waiting.slice(0, 3).join(', ')}`;
}
