import { statusBounds } from '../api/generated/gpu-node-partition.bounds.ts';
import { nodePartitions } from '../api/resources.ts';
import type { DeviceReport } from '../api/types.ts';
import { stampReading } from '../core/report/read-time.ts';
import { fitWithin } from '../core/text/cut-text.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import { mergePatchOf, overwriteOf } from '../core/text/merge-patch.ts';
import { printable } from '../core/text/visible-text.ts';
import type { KubeClient } from '../kube/client.ts';
import type { ObjectRef } from '../kube/resource.ts';
import { isOlder } from '../kube/resource-version.ts';
import type { Partition } from './partition.ts';

/** The node's own object: its newest state, and the report in it. */
export class OwnPartition {
  readonly #client: KubeClient;
  readonly #ref: ObjectRef;
  /** The newest known state. */
  #known: Partition | undefined;

  constructor(client: KubeClient, nodeName: string) {
    this.#client = client;
    this.#ref = { resource: nodePartitions, name: nodeName };
  }

  /**
   * The watch may lag behind our own writes, and the list that it begins with may be stale: a state that is not known to be the
   * newest is read from the server. A server without support for field selectors also sends other nodes' objects.
   *
   * @returns undefined if there is none, or it is not ours
   * @throws the API server's errors: without an answer nothing is done, and nothing is reported
   */
  async newest(watched: Partition | undefined): Promise<Partition | undefined> {
    if (watched?.metadata.name !== this.#ref.name) return undefined;
    const { uid, resourceVersion } = this.#known?.metadata ?? {};
    const isBehind = uid !== watched.metadata.uid || isOlder(watched.metadata.resourceVersion, resourceVersion);
    this.#known = isBehind ? await this.#client.find<Partition>(this.#ref) : watched;
    return this.#known;
  }

  /**
   * Writes `status.device` if it differs from what the API has: all of it, since its parts belong together, and another agent of this node
   * may have written since we looked.
   *
   * @param readMs see {@link stampReading}
   */
  async report(found: DeviceReport, readMs: number | undefined): Promise<void> {
    const { status, spec } = this.#known ?? {};
    const readAfter = spec?.drain?.readAfter;
    // Users choose the names of their processes, and the output of nvidia-smi reaches people's terminals.
    const told = fitWithin(printable(found), statusBounds.properties.device);
    const device = stampReading(told, status?.device, { readMs, readAfter });
    if (sameJson(device, status?.device)) return;
    this.#known = await this.#write(overwriteOf(status?.device ?? {}, device));
    const stored = this.#known.status?.device ?? {};
    if (!sameJson(device, stored)) this.#known = await this.#write(mergePatchOf(stored, device), this.#known);
  }

  /** @param of the state that a difference is from; without it, since the controller writes to the object at the same time, of any */
  #write(device: object, of?: Partition): Promise<Partition> {
    const metadata = { resourceVersion: of?.metadata.resourceVersion };
    return this.#client.merge<Partition>({ ...this.#ref, subresource: 'status' }, { metadata, status: { device } });
  }
}
