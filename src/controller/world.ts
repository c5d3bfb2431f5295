import { gpuPresenceLabel } from '../api/names.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import { type FleetResolution, newMemory, resolveFleet } from '../core/policy/resolve-fleet.ts';
import type { Support } from '../core/policy/support.ts';
import { isOlder } from '../kube/resource-version.ts';
import type { Store } from '../kube/store.ts';
import type { NodeObject } from './cluster-objects.ts';
import { OwnWrites } from './own-writes.ts';
import type { KnownVerdict } from './verdict.ts';

/** What the controller knows of the cluster: three watches, its own writes, and what follows from them. */
export class World {
  readonly policies: Store<GpuPartitionPolicy>;
  readonly nodes: Store<NodeObject>;
  readonly partitions: OwnWrites<GpuNodePartition>;
  /** What was last found of each node; policies' statuses are made of it. */
  readonly verdicts = new Map<string, KnownVerdict>();
  readonly #nodeWrites = new Map<string, string>();
  readonly #support: Support;
  readonly #memory = newMemory();
  #fleet: FleetResolution | undefined;

  constructor(stores: {
    readonly policies: Store<GpuPartitionPolicy>;
    readonly nodes: Store<NodeObject>;
    readonly partitions: Store<GpuNodePartition>;
    readonly support: Support;
  }) {
    this.policies = stores.policies;
    this.nodes = stores.nodes;
    this.partitions = new OwnWrites(stores.partitions);
    this.#support = stores.support;
  }

  /** Policies against nodes, worked out anew after something changed. */
  get fleet(): FleetResolution {
    this.#fleet ??= resolveFleet(
      this.policies.list(),
      this.nodes.list().map(({ metadata }) => ({
        name: metadata.name,
        labels: metadata.labels ?? {},
        partition: this.partitions.get(metadata.name),
      })),
      this.#support,
      this.#memory,
    );
    return this.#fleet;
  }

  /** Notes that we wrote the node at this version. */
  nodeWritten(name: string, resourceVersion: string | undefined): void {
    if (resourceVersion !== undefined) this.#nodeWrites.set(name, resourceVersion);
  }

  /** Whether the watch has not brought back yet what we wrote to the node: deciding on it now would write it twice. */
  awaitsNode(name: string): boolean {
    const written = this.#nodeWrites.get(name);
    const isBehind = isOlder(this.nodes.get(name)?.metadata.resourceVersion, written);
    if (!isBehind) this.#nodeWrites.delete(name);
    return isBehind;
  }

  /** To be called when the API server was restored from a backup: versions of our writes say nothing any more. */
  forgetWrites(): void {
    this.partitions.forget();
    this.#nodeWrites.clear();
  }

  /** To be called when anything in the stores changed. */
  changed(): void {
    this.#fleet = undefined;
  }

  /** A node gets a partition when a policy selects it or it says that it has GPUs. */
  isGpuNode(node: NodeObject): boolean {
    return (
      node.metadata.labels?.[gpuPresenceLabel] === 'true' ||
      this.fleet.nodes.get(node.metadata.name)?.winner !== undefined
    );
  }
}
