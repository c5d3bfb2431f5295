import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { eventually } from '../support/eventually.ts';
import type { RigNodeView } from '../support/rig.ts';
import type { SoakPool } from './cast.ts';

const group = '/apis/gpupartition.dev/v1alpha1';

export interface SoakPod {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly status?: { readonly phase?: string; readonly reason?: string; readonly message?: string };
}

/** What people and the test do at the API server, which may be away: then nothing happens. */
export class ClusterActs {
  readonly #controlPlane: ControlPlane;

  constructor(controlPlane: ControlPlane) {
    this.#controlPlane = controlPlane;
  }

  /** Server-side apply, with force. @returns the status code; 0 if there was no answer */
  async apply(path: string, object: object): Promise<number> {
    const contentType = 'application/apply-patch+yaml';
    return this.#send({ method: 'PATCH', path: `${path}?fieldManager=user&force=true`, body: object, contentType });
  }

  applyPolicy(pool: SoakPool, policy: object): Promise<number> {
    return this.apply(`${group}/gpupartitionpolicies/${pool}`, policy);
  }

  deletePolicy(pool: SoakPool): Promise<number> {
    return this.#send({ method: 'DELETE', path: `${group}/gpupartitionpolicies/${pool}` });
  }

  patchNode(name: string, patch: object): Promise<number> {
    const contentType = 'application/merge-patch+json';
    return this.#send({ method: 'PATCH', path: `/api/v1/nodes/${name}`, body: patch, contentType });
  }

  delete(path: string): Promise<number> {
    return this.#send({ method: 'DELETE', path });
  }

  async policies(): Promise<readonly GpuPartitionPolicy[]> {
    return this.#list(`${group}/gpupartitionpolicies`);
  }

  async partitions(): Promise<readonly GpuNodePartition[]> {
    return this.#list(`${group}/gpunodepartitions`);
  }

  async nodes(): Promise<readonly RigNodeView[]> {
    return this.#list('/api/v1/nodes');
  }

  async pods(namespace: string): Promise<readonly SoakPod[]> {
    return this.#list(`/api/v1/namespaces/${namespace}/pods`);
  }

  /** Waits until the API server can answer for everything that is read and written here: after a start it is ready before its storage is. */
  async untilServed(): Promise<void> {
    await Promise.all([this.policies(), this.partitions(), this.nodes(), this.pods('default')]);
  }

  async #list<Item>(path: string): Promise<readonly Item[]> {
    const read = async (): Promise<unknown> => this.#controlPlane.client.demand({ path });
    const body = await eventually(read, () => true, { timeoutMs: 60_000, intervalMs: 500, what: path });
    return (body as { readonly items: readonly Item[] }).items;
  }

  async #send(call: Parameters<ControlPlane['client']['send']>[0]): Promise<number> {
    try {
      return (await this.#controlPlane.client.send(call)).status;
    } catch {
      return 0;
    }
  }
}
