import { GFD_TIMESTAMP_KEY } from '../../../core/nvidia/labels/label-key.ts';
import { computeLabels } from '../../../core/nvidia/labels/node-labels.ts';
import type { KubeClient } from '../../../kube/client.ts';
import type { DaemonWork, DaemonRunResult, WorkSettings } from './daemon-work.ts';
import { patchFeatureLabels } from './feature-labels.ts';
import { describeNode } from '../node/gpu-devices.ts';
import { nodesResource } from '../node/kube-objects.ts';
import type { KubeletNode } from '../node/kube-objects.ts';
import type { Machine } from '../node/machine.ts';
import type { KubeletTiming } from '../timing.ts';

/** GPU Feature Discovery, and NFD's master that writes for it: labels the node at the start and at every interval. */
export class DiscoveryWork implements DaemonWork {
  readonly #machine: Machine;
  /** Client with the field manager `nfd-master`. */
  readonly #client: KubeClient;
  readonly #intervalMs: number;
  readonly #startMs: number;
  #settings: WorkSettings | undefined;
  #timestamp = 0;
  #dueMs = 0;

  constructor(machine: Machine, client: KubeClient, { gfdIntervalMs, gfdStartMs }: KubeletTiming) {
    this.#machine = machine;
    this.#client = client;
    this.#intervalMs = gfdIntervalMs;
    this.#startMs = gfdStartMs;
  }

  start(settings: WorkSettings): DaemonRunResult {
    this.#settings = settings;
    this.#timestamp = Math.floor(Date.now() / 1000);
    this.#dueMs = performance.now() + this.#startMs;
    return {};
  }

  async continue(): Promise<DaemonRunResult> {
    const waitMs = this.#dueMs - performance.now();
    if (this.#settings === undefined) return {};
    if (waitMs > 0) return { againAfterMs: waitMs };
    const failure = await this.#label(this.#settings);
    if (failure !== undefined) return { failure };
    this.#dueMs = performance.now() + this.#intervalMs;
    return { againAfterMs: this.#intervalMs };
  }

  /** The labels stay, as in a cluster whose GFD is paused. */
  stop(): void {
    this.#settings = undefined;
  }

  async #label({ strategy, sharing }: WorkSettings): Promise<string | undefined> {
    const { gpus, node } = this.#machine;
    const state = this.#machine.readState();
    if (state === undefined) return 'error creating labeler: ERROR_UNKNOWN';
    const description = describeNode(gpus, state, node);
    const { labels, errors } = computeLabels(description, strategy, sharing && { sharing });
    const [error] = errors;
    if (error !== undefined) return error.message;
    const ref = { resource: nodesResource, name: node.name };
    const object = await this.#client.find<KubeletNode>(ref);
    if (object === undefined) return undefined;
    const patch = patchFeatureLabels(object, { ...labels, [GFD_TIMESTAMP_KEY]: `${this.#timestamp}` });
    if (patch.length > 0) await this.#client.patch(ref, patch, { metadataOnly: true });
    return undefined;
  }
}
