import { pods } from '../api/resources.ts';
import type { WorkloadPod } from '../core/explain/workload.ts';
import { projectWaitingPod } from '../core/projection/project-waiting-pod.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/resource.ts';
import { steadyMs } from '../process/clock.ts';

/** Pods that no node runs yet: their number is small, and the server knows them by these fields. */
const fieldSelector = 'spec.nodeName=,status.phase=Pending';

/** The pods of the cluster that wait for a node, read when they are asked for, but not again within a while. */
export class PendingPods {
  readonly #client: KubeClient;
  #read: { readonly atMs: number; readonly pods: readonly WorkloadPod[] } | undefined;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** @param longestMs how old the list may be */
  async list(longestMs: number): Promise<readonly WorkloadPod[]> {
    const atMs = steadyMs();
    if (this.#read && atMs - this.#read.atMs < longestMs) return this.#read.pods;
    const options = { paged: false, project: projectWaitingPod };
    const { items } = await this.#client.list<WorkloadPod & KubeObject>(pods, { fieldSelector }, options);
    this.#read = { atMs, pods: items };
    return items;
  }
}
