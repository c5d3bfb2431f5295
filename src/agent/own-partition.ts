import { nodePartitions } from '../api/resources.ts';
import type { DeviceReport } from '../api/types.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import { printable } from '../core/text/visible-text.ts';
import type { KubeClient } from '../kube/client.ts';
import type { ObjectRef } from '../kube/resource.ts';
import { isOlder } from '../kube/resource-version.ts';
import type { Partition } from './partition.ts';

/** The node's own object: its newest state, and what is told in it. */
export class OwnPartition {
  readonly #client: KubeClient;
  readonly #ref: ObjectRef;
  /** The newest state that is known. */
  #known: Partition | undefined;

  constructor(client: KubeClient, nodeName: string) {
    this.#client = client;
    this.#ref = { resource: nodePartitions, name: nodeName };
  }

  /**
   * The watch may lag behind our own writes, and the list that it begins with may be an old one: what is not known to be the
   * newest is asked of the server. A server that does not know field selectors sends other nodes' objects too.
   *
   * @returns undefined where there is none, or it is not ours
   * @throws the API server's errors: without an answer nothing is done, and nothing is told
   */
  async newest(watched: Partition | undefined): Promise<Partition | undefined> {
    if (watched?.metadata.name !== this.#ref.name) return undefined;
    const { uid, resourceVersion } = this.#known?.metadata ?? {};
    const isBehind = uid !== watched.metadata.uid || isOlder(watched.metadata.resourceVersion, resourceVersion);
    this.#known = isBehind ? await this.#client.find<Partition>(this.#ref) : watched;
    return this.#known;
  }

  /** Writes `status.device` if it differs. */
  async report({ status }: Partition, found: DeviceReport): Promise<void> {
    // Names of processes are their users', and what nvidia-smi prints goes to people's terminals.
    const device = printable(found);
    if (sameJson(device, status?.device)) return;
    this.#known = await this.#client.applyStatus<Partition>(this.#ref, { device });
  }
}
