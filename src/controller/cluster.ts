import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import { type NodeMemory, recallMemory } from '../core/node/memory.ts';
import { isUrgentNode } from '../core/node/urgency.ts';
import { managedConfig } from '../core/nvidia/plugin-config/managed-config.ts';
import { devicePluginConfigLabel } from '../core/nvidia/labels/label-key.ts';
import type { Fleet } from '../core/policy/fleet.ts';
import { FleetRollout } from '../core/rollout/fleet-rollout.ts';
import { type NodeStanding, type Slot, slotOf } from '../core/rollout/slot.ts';
import type { KubeObject } from '../kube/resource.ts';
import { isOlder } from '../kube/resource-version.ts';
import type { Store } from '../kube/store.ts';
import type { AgentPods } from './agents.ts';
import { OwnWrites } from './own-writes.ts';
import { projectNode } from '../core/projection/project-node.ts';
import { stripManagedFields } from '../core/projection/managed-fields.ts';
import type { NodeObject } from './node-object.ts';
import { projectPartition } from '../core/projection/project-partition.ts';

/** A write of ours to a Node that the watch has not brought back yet. */
interface NodeWrite {
  readonly version: string;
  readonly at: number;
}

/** Identifies a node's slot in a ledger. */
export function nameSlot(
  { metadata }: NodeObject,
  partition: GpuNodePartition | undefined,
): Parameters<typeof slotOf>[1] {
  return {
    node: metadata.name,
    nodeUID: metadata.uid ?? '',
    wishGeneration: partition?.spec.policy?.generation ?? 0,
  };
}

/** The controller's view of the cluster: its watches, its own writes, and what follows from them. */
export class Cluster {
  readonly policies: OwnWrites<GpuPartitionPolicy & KubeObject>;
  readonly nodes: OwnWrites<NodeObject>;
  readonly partitions: OwnWrites<GpuNodePartition & KubeObject>;
  readonly fleet: Fleet;
  readonly agents: AgentPods;
  readonly rollout = new FleetRollout();
  readonly #memories = new Map<string, NodeMemory>();
  readonly #nodeWrites = new Map<string, NodeWrite>();
  /** Nodes that are gone and whose partition the garbage collector has not deleted yet. */
  readonly #orphans = new Set<string>();
  /** Number of nodes in each ledger that is being written. */
  readonly #admitting = new Map<string, number>();

  constructor(parts: {
    readonly policies: Store<GpuPartitionPolicy & KubeObject>;
    readonly nodes: Store<NodeObject>;
    readonly partitions: Store<GpuNodePartition & KubeObject>;
    readonly fleet: Fleet;
    readonly agents: AgentPods;
  }) {
    this.policies = new OwnWrites(parts.policies, stripManagedFields);
    this.nodes = new OwnWrites(parts.nodes, projectNode);
    this.partitions = new OwnWrites(parts.partitions, projectPartition);
    this.fleet = parts.fleet;
    this.agents = parts.agents;
  }

  /** The memory of a node. On the first look, it starts with what an earlier leader left. */
  memoryOf(name: string): NodeMemory {
    return this.#memories.get(name) ?? recallMemory(this.partitions.get(name)?.status);
  }

  remember(name: string, memory: NodeMemory): void {
    this.#memories.set(name, memory);
  }

  /** The node's slot in a policy's ledger, if it was given for the node's current wish. */
  slotOf(
    { metadata }: GpuPartitionPolicy,
    node: NodeObject,
    partition: GpuNodePartition | undefined,
  ): Slot | undefined {
    const policy = this.policies.get(metadata.name);
    if (policy?.metadata.uid !== metadata.uid) return undefined;
    return slotOf(policy?.status?.inFlight, nameSlot(node, partition));
  }

  /** `startTime` of all slots of a node, in any ledger. */
  slotsOf({ metadata }: NodeObject): readonly string[] {
    return [...this.fleet.policies].flatMap(({ policy }) =>
      this.ledgerOf(policy.metadata.name)
        .filter(({ node, nodeUID }) => node === metadata.name && nodeUID === metadata.uid)
        .map(({ startTime = '' }) => startTime),
    );
  }

  /** Whether a node goes before others: it has a slot of the policy that decides over it, or is urgent by itself. */
  isUrgent(name: string): boolean {
    const policy = this.fleet.winnerOf(name);
    if (policy !== undefined && this.ledgerOf(policy).some(({ node }) => node === name)) return true;
    const node = this.nodes.get(name);
    return node !== undefined && isUrgentNode(node, this.partitions.get(name));
  }

  /** Nodes with a slot, in any ledger. */
  nodesInFlight(): readonly string[] {
    return [...this.fleet.policies].flatMap(({ policy }) =>
      this.ledgerOf(policy.metadata.name).map(({ node }) => node),
    );
  }

  ledgerOf(policy: string): readonly Slot[] {
    return this.policies.get(policy)?.status?.inFlight ?? [];
  }

  /**
   * Node standings for a policy's current ledger. A standing from before the node's slot was known, or before another policy won
   * the node, says nothing about the slot: an old leader would take it from a node that the new leader lets proceed.
   */
  standingsFor(policy: string): (node: string) => NodeStanding | undefined {
    const slots = new Map(this.ledgerOf(policy).map((slot) => [slot.node, slot]));
    return (node) => {
      const standing = this.rollout.standingOf(node);
      const slot = slots.get(node);
      const isOutdated = standing?.policy !== this.fleet.winnerOf(node) || (slot !== undefined && this.#isNew(slot));
      return standing && { ...standing, isUnderWay: standing.isUnderWay || isOutdated };
    };
  }

  /** Nodes with a slot in a policy's ledger that have not been checked since the slot appeared: another leader gave it. */
  nodesWithNewSlots(policy: string): readonly string[] {
    return this.ledgerOf(policy).flatMap((slot) => (this.#isNew(slot) ? [slot.node] : []));
  }

  #isNew({ node, startTime = '' }: Slot): boolean {
    const standing = this.rollout.standingOf(node);
    return standing !== undefined && standing.seen?.includes(startTime) !== true;
  }

  /** Nodes in flight of all policies but one, including nodes that are being admitted right now. */
  inFlightBeside(policy: string): number {
    return [...this.fleet.policies]
      .map((record) => record.policy.metadata.name)
      .filter((name) => name !== policy)
      .reduce((sum, name) => sum + Math.max(this.ledgerOf(name).length, this.#admitting.get(name) ?? 0), 0);
  }

  /** Counts a ledger of this size from before it is written until the write has ended. */
  async admitting<T>(policy: string, inFlight: number, write: () => Promise<T>): Promise<T> {
    this.#admitting.set(policy, inFlight);
    try {
      return await write();
    } finally {
      this.#admitting.delete(policy);
    }
  }

  /** Records that we wrote the node at this version. */
  nodeWritten(name: string, version: string | undefined, at: number): void {
    if (version !== undefined) this.#nodeWrites.set(name, { version, at });
  }

  /** When we wrote the node, if the watch has not brought the write back: a decision now would write it twice. */
  awaitsNodeSince(name: string): number | undefined {
    const written = this.#nodeWrites.get(name);
    if (written !== undefined && isOlder(this.nodes.get(name)?.metadata.resourceVersion, written.version))
      return written.at;
    this.#nodeWrites.delete(name);
    return undefined;
  }

  /** Call this after the API server was restored from a backup: the versions of our writes are then meaningless. */
  forgetWrites(): void {
    this.policies.forget();
    this.nodes.forget();
    this.partitions.forget();
    this.#nodeWrites.clear();
  }

  /** GPU nodes: those with a partition. */
  get size(): number {
    for (const name of this.#orphans) {
      if (this.nodes.get(name) !== undefined || this.partitions.get(name) === undefined) this.#orphans.delete(name);
    }
    return this.partitions.size - this.#orphans.size;
  }

  forget(name: string): void {
    if (this.partitions.get(name) !== undefined) this.#orphans.add(name);
    this.#memories.delete(name);
    this.#nodeWrites.delete(name);
  }

  /** Whether a policy asks for, or a node names, this config file of the device plugin. */
  usesConfig(key: string): boolean {
    return (
      this.policies.list().some(({ spec }) => managedConfig(spec).key === key) ||
      this.nodes.list().some(({ metadata }) => metadata.labels?.[devicePluginConfigLabel] === key)
    );
  }
}
