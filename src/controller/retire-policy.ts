import { policies } from '../api/resources.ts';
import type { GpuPartitionPolicy } from '../api/types.ts';
import type { PolicyRecord } from '../core/policy/policy-record.ts';
import { wantedFinalizers } from '../core/policy/retirement.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Cluster } from './cluster.ts';
import type { PolicyReporter } from './report-policy.ts';

type Policy = GpuPartitionPolicy & KubeObject;

interface Parts {
  readonly client: KubeClient;
  readonly cluster: Cluster;
  readonly reporter: PolicyReporter;
  readonly deleteDeadlineMs: number;
  readonly now: () => number;
}

/** Lets deleted policies go: at once, or when their GPUs are whole (`onDelete: DisableMig`). */
export class PolicyRetirement {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Keeps a policy that must make its GPUs whole until it has. @returns the time until this is given up, in ms */
  async advance({ policy, tally, isAccepted }: PolicyRecord): Promise<number | undefined> {
    const { name } = policy.metadata;
    const underWay = this.#parts.cluster.rollout.of(name).underWay.size;
    const isGoing = policy.metadata.deletionTimestamp !== undefined;
    // Past the deadline it goes even with nodes in flight: a node without a policy is still brought to its end.
    const isWhole = isAccepted && underWay === 0 && tally.inPhase('Ready') === tally.own;
    const isDone = isGoing && (this.isOverdue(policy) || isWhole);
    const known = this.#parts.cluster.policies.get(name);
    if (known && (await this.#keepFinalizer(known, isDone)) && isDone)
      this.#parts.reporter.tellLeft(known, tally, this.#parts.deleteDeadlineMs);
    return isGoing && !isDone ? Math.max(1000, this.#overdueAt(policy) - this.#parts.now() + 10) : undefined;
  }

  /** A policy that decides over nothing is not kept from going. */
  async letGo(policy: Policy): Promise<void> {
    if (policy.metadata.deletionTimestamp !== undefined) await this.#keepFinalizer(policy, true);
  }

  /** @returns whether it had to be written */
  async #keepFinalizer(policy: Policy, isDone: boolean): Promise<boolean> {
    const finalizers = wantedFinalizers(policy, isDone);
    if (!finalizers) return false;
    const { name, resourceVersion } = policy.metadata;
    const written = await this.#parts.client.merge<Policy>(
      { resource: policies, name },
      { metadata: { resourceVersion, finalizers } },
    );
    this.#parts.cluster.policies.remember(written);
    return true;
  }

  isOverdue(policy: GpuPartitionPolicy): boolean {
    return policy.metadata.deletionTimestamp !== undefined && this.#overdueAt(policy) < this.#parts.now();
  }

  /** When it goes whatever its nodes are, in ms since the epoch; undefined if it is not being deleted. */
  goesAt(policy: GpuPartitionPolicy): number | undefined {
    return policy.metadata.deletionTimestamp === undefined ? undefined : this.#overdueAt(policy);
  }

  #overdueAt({ metadata }: GpuPartitionPolicy): number {
    return Date.parse(metadata.deletionTimestamp ?? '') + this.#parts.deleteDeadlineMs;
  }
}
