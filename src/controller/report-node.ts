import { nodePartitions } from '../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import { setConditions } from '../core/status/conditions.ts';
import { nodeStatus } from '../core/status/node-status.ts';
import type { KubeClient } from '../kube/client.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { NodeObject } from './cluster-objects.ts';
import type { Verdict } from './verdict.ts';
import type { World } from './world.ts';
import { writerModeFor } from './writer-mode.ts';

/** A state that normally passes is written to status when it lasts longer than this, in ms. */
const passingMs = 2000;

/** Tells what was found of a node: in its partition's status, as an Event, and to the policies. */
export class NodeReporter {
  readonly #client: KubeClient;
  readonly #world: World;
  readonly #events: EventRecorder;
  readonly #onVerdict: (node: string) => void;
  readonly #since = new Map<string, { readonly reason: string; readonly at: number }>();

  constructor(client: KubeClient, world: World, events: EventRecorder, onVerdict: (node: string) => void) {
    this.#client = client;
    this.#world = world;
    this.#events = events;
    this.#onVerdict = onVerdict;
  }

  /** @returns milliseconds after which to look at the node again, if nothing happens before */
  async report(
    node: NodeObject,
    partition: GpuNodePartition,
    policy: GpuPartitionPolicy | undefined,
    verdict: Verdict,
  ): Promise<number | undefined> {
    const name = node.metadata.name;
    const { phase, reason, message } = verdict;
    const { name: policyName, generation } = policy?.metadata ?? {};
    const known = { phase, reason, message, nodeUID: node.metadata.uid, policy: policyName, generation };
    const before = this.#world.verdicts.get(name);
    this.#world.verdicts.set(name, known);
    if (!sameJson(before, known)) this.#onVerdict(name);
    const lasts = this.#lastsMs(name, verdict.reason);
    if (verdict.passing && lasts < passingMs) return Math.min(verdict.again ?? Infinity, passingMs - lasts + 10);
    await this.#writeStatus(partition, policy, verdict, node);
    return verdict.again;
  }

  forget(name: string): void {
    this.#since.delete(name);
  }

  #lastsMs(name: string, reason: string): number {
    const now = performance.now();
    const since = this.#since.get(name);
    if (since?.reason === reason) return now - since.at;
    this.#since.set(name, { reason, at: now });
    return 0;
  }

  async #writeStatus(
    partition: GpuNodePartition,
    policy: GpuPartitionPolicy | undefined,
    verdict: Verdict,
    node: NodeObject,
  ): Promise<void> {
    const draft = nodeStatus(partition, verdict, writerModeFor(node, partition));
    const current = partition.status;
    const conditions = setConditions(current?.conditions ?? [], draft.conditions, new Date().toISOString());
    const { phase, layout, writerMode } = draft;
    const isSame =
      conditions === current?.conditions &&
      current.phase === phase &&
      current.layout === layout &&
      current.writerMode === writerMode;
    if (isSame) return;
    const ref = { resource: nodePartitions, name: partition.metadata.name };
    const written = await this.#client.applyStatus<GpuNodePartition & KubeObject>(ref, {
      phase,
      layout,
      writerMode,
      conditions,
    });
    this.#world.partitions.remember(written);
    // That no policy selects a node is news only where one did.
    const isNews = phase === 'Unmanaged' ? current?.phase !== undefined : phase !== 'Pending' && phase !== 'Updating';
    if (current?.phase !== phase && isNews) {
      this.#events.record({
        object: written,
        resource: nodePartitions,
        type: phase === 'Ready' || phase === 'Unmanaged' ? 'Normal' : 'Warning',
        reason: verdict.reason,
        action: 'Partition',
        message: policy ? `policy ${policy.metadata.name}: ${verdict.message}; ${layout}` : verdict.message,
      });
    }
  }
}
