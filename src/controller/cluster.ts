import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import { FleetMemory } from '../core/node/fleet-memory.ts';
import type { NodeMemory } from '../core/node/memory.ts';
import { isUrgentNode } from '../core/node/node-view.ts';
import { managedConfig } from '../core/nvidia/plugin-config/managed-config.ts';
import { devicePluginConfigLabel } from '../core/nvidia/labels/label-key.ts';
import { keepWriter } from '../core/policy/as-written.ts';
import type { Fleet } from '../core/policy/fleet.ts';
import { hasAskedSince } from '../core/policy/history.ts';
import { admitsOf, type PolicyRecord } from '../core/policy/policy-record.ts';
import { currentOf } from '../core/policy/versions.ts';
import { capBeside } from '../core/rollout/cap.ts';
import { FleetRollout } from '../core/rollout/fleet-rollout.ts';
import type { LedgerSnapshot } from '../core/rollout/ledger.ts';
import { countLimit, type Limit } from '../core/rollout/limit.ts';
import { isNewSlot, rolloutStateWith, type NodeRolloutState, type Slot, slotOf } from '../core/rollout/slot.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Store } from '../kube/store.ts';
import type { AgentPods } from './agents.ts';
import { OwnWrites } from '../kube/own-writes.ts';
import { projectNode } from '../core/projection/project-node.ts';
import type { NodeObject } from './node-object.ts';
import { projectPartition } from '../core/projection/project-partition.ts';

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

interface RolloutQuestion {
  readonly now: number;
  /** How many nodes of all policies may be in flight: a number, or a share of the nodes with GPUs. */
  readonly most: Limit;
  /** Why the whole cluster is frozen; undefined if it is not. */
  readonly frozen: string | undefined;
  readonly isOverdue: boolean;
}

/** The controller's view of the cluster: its watches, its own writes, and what follows from them. */
export class Cluster {
  readonly policies: OwnWrites<GpuPartitionPolicy & KubeObject>;
  readonly nodes: OwnWrites<NodeObject>;
  readonly partitions: OwnWrites<GpuNodePartition & KubeObject>;
  readonly fleet: Fleet;
  readonly agents: AgentPods;
  readonly rollout = new FleetRollout();
  readonly memory = new FleetMemory();
  /** Nodes whose slots are being released, by policy. */
  readonly #releasing = new Map<string, ReadonlySet<string>>();

  constructor(parts: {
    readonly policies: Store<GpuPartitionPolicy & KubeObject>;
    readonly nodes: Store<NodeObject>;
    readonly partitions: Store<GpuNodePartition & KubeObject>;
    readonly fleet: Fleet;
    readonly agents: AgentPods;
  }) {
    this.policies = new OwnWrites(parts.policies, keepWriter);
    this.nodes = new OwnWrites(parts.nodes, projectNode);
    this.partitions = new OwnWrites(parts.partitions, projectPartition);
    this.fleet = parts.fleet;
    this.agents = parts.agents;
  }

  /** The memory of a node. The object of an earlier node of its name says nothing of this one. */
  memoryOf({ metadata }: NodeObject): NodeMemory {
    const partition = this.partitions.get(metadata.name);
    return this.memory.of(metadata, partition?.spec.nodeUID === metadata.uid ? partition?.status : undefined);
  }

  /** The node's slot in a policy's ledger, if it was given for the node's current wish. */
  slotOf(
    { metadata }: GpuPartitionPolicy,
    node: NodeObject,
    partition: GpuNodePartition | undefined,
  ): Slot | undefined {
    const policy = this.policies.get(metadata.name);
    if (policy?.metadata.uid !== metadata.uid) return undefined;
    if (this.#releasing.get(metadata.name)?.has(node.metadata.name) === true) return undefined;
    return slotOf(policy?.status?.inFlight, nameSlot(node, partition));
  }

  /** Slots count as gone while their release is being written: no node begins with one of them. @returns to call when it is written */
  release(policy: string, nodes: readonly string[]): () => void {
    this.#releasing.set(policy, new Set(nodes));
    return () => this.#releasing.delete(policy);
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

  /**
   * Whether nodes with a slot have the API server's time before others: if there are any, and every node has been looked at. Until then
   * no other node may start, so that these would wait for the others.
   */
  get favorsSlots(): boolean {
    if (this.rollout.known < this.nodes.size) return false;
    for (const { policy } of this.fleet.policies) if (this.ledgerOf(policy.metadata.name).length > 0) return true;
    return false;
  }

  ledgerOf(policy: string): readonly Slot[] {
    return this.policies.get(policy)?.status?.inFlight ?? [];
  }

  /** How nodes stand for a policy's current ledger. */
  rolloutStatesFor(policy: string): (node: string) => NodeRolloutState | undefined {
    const slots = new Map(this.ledgerOf(policy).map((slot) => [slot.node, slot]));
    return (node) => {
      const rolloutState = this.rollout.rolloutStateOf(node);
      return rolloutState && rolloutStateWith(rolloutState, slots.get(node), this.fleet.winnerOf(node));
    };
  }

  /** Nodes with a slot in a policy's ledger that have not been looked at since the slot appeared. */
  nodesWithNewSlots(policy: string): readonly string[] {
    return this.ledgerOf(policy).flatMap((slot) =>
      isNewSlot(slot, this.rollout.rolloutStateOf(slot.node)) ? [slot.node] : [],
    );
  }

  /** What a policy's ledger is stepped with. @param isOverdue the policy is being deleted, and its deadline is over */
  rolloutOf(record: PolicyRecord, { now, most, frozen, isOverdue }: RolloutQuestion): LedgerSnapshot {
    const { policy } = record;
    const { name } = policy.metadata;
    const rolloutStates = this.rollout.of(name);
    const ledgers = [...this.fleet.policies].map(({ policy: { metadata: one } }) => one.name);
    const status = this.policies.get(name)?.status ?? {};
    return {
      now,
      policy: { ...policy, status },
      // With all its schedules: the history has them as they were written.
      hasAskedSince: (generation) => hasAskedSince(currentOf(record.versions), status.history ?? [], generation),
      rolloutStates,
      size: rolloutStates.countGpuNodes((node) => record.tally.has(node)),
      rolloutStateOf: this.rolloutStatesFor(name),
      uidOf: (node) => this.nodes.get(node)?.metadata.uid,
      admits: admitsOf(record, rolloutStates, isOverdue),
      cap: capBeside(
        name,
        countLimit(most, this.rollout.size),
        ledgers.map((one) => [one, this.ledgerOf(one)] as const),
      ),
      frozen,
    };
  }

  /** Call this after the API server was restored from a backup: the versions of our writes are then meaningless. */
  forgetWrites(): void {
    this.policies.forget();
    this.nodes.forget();
    this.partitions.forget();
  }

  /** Call this when the node is gone: its partition goes with it. */
  forget(name: string): void {
    this.memory.forget(name);
    this.nodes.drop(name);
    this.partitions.drop(name);
  }

  /** Whether a policy asks for, or a node names, this config file of the device plugin. */
  usesConfig(key: string): boolean {
    const asks = (policy: GpuPartitionPolicy | undefined): boolean =>
      policy !== undefined && managedConfig(policy.spec).key === key;
    return (
      [...this.fleet.policies].some(({ newest, inForce }) => asks(newest) || asks(inForce)) ||
      this.nodes.list().some(({ metadata }) => metadata.labels?.[devicePluginConfigLabel] === key)
    );
  }
}
