import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { selectedKeys } from '../metadata/label-selector.ts';
import { PackedLabels } from '../metadata/packed-labels.ts';
import { sameJson } from '../text/fingerprint.ts';
import { PolicyTally } from './tally.ts';
import { checkPolicy } from './check.ts';
import { describeRefusal, type NodeClaim } from './claim.ts';
import { selectsNode } from './node-selector.ts';
import { byPrecedence } from './precedence.ts';
import { listRefused, pickWinner, type PolicyRecord } from './policy-record.ts';
import type { LayoutRefusal } from './refusal.ts';
import { type NodeResolution, resolveNode } from './resolve-node.ts';
import { isRetiring, retire } from './retirement.ts';
import { SelectorIndex } from './selector-index.ts';
import type { Support } from './support.ts';

interface NodeRecord {
  readonly labels: PackedLabels;
  /** In order of precedence. */
  policies: readonly string[];
}

/** Refusals that follow from the published data of a model. */
const mistakes: readonly LayoutRefusal['reason'][] = ['UnknownProfile', 'UnknownPreset', 'DoesNotFit'];

/**
 * Matches policies and nodes incrementally: what a policy means for a node is computed for that node when the node, its report, or
 * the policy's spec changes.
 */
export class Fleet {
  readonly #support: Support;
  readonly #policies = new Map<string, PolicyRecord>();
  readonly #nodes = new Map<string, NodeRecord>();
  readonly #index = new SelectorIndex();
  /** By the object that the watch replaces when it changes. */
  readonly #wishes = new WeakMap<
    GpuNodePartition,
    { readonly of: GpuPartitionPolicy['spec']; readonly wish: NodeResolution }
  >();

  constructor(support: Support) {
    this.#support = support;
  }

  get policies(): IterableIterator<PolicyRecord> {
    return this.#policies.values();
  }

  policy(name: string): PolicyRecord | undefined {
    return this.#policies.get(name);
  }

  /** Whether the nodes of a policy are processed only once its generation is accepted; a policy that is refused by itself never will be. */
  awaitsAcceptance(name: string): boolean {
    const record = this.#policies.get(name);
    return record?.refusal === undefined && record?.acceptedGeneration !== record?.policy.metadata.generation;
  }

  /** Policies that select a node, the winner first. */
  policiesOf(node: string): readonly string[] {
    return this.#nodes.get(node)?.policies ?? [];
  }

  /**
   * Takes in the current policy.
   * @returns nodes for which its decision may have changed; undefined if only its status has changed
   */
  setPolicy(given: GpuPartitionPolicy): readonly string[] | undefined {
    const policy = isRetiring(given) ? retire(given) : given;
    const { name, uid, generation, deletionTimestamp } = policy.metadata;
    const known = this.#policies.get(name);
    const before = known?.policy;
    const isSame =
      before?.metadata.uid === uid &&
      before?.metadata.generation === generation &&
      before?.metadata.deletionTimestamp === deletionTimestamp;
    if (known && isSame) {
      // The status may be gone, or another's: the spec in use remains the same object.
      known.policy = { ...policy, spec: known.policy.spec };
      return undefined;
    }
    // A policy that is being deleted decides over nothing, unless it has work left to do.
    if (deletionTimestamp !== undefined && !isRetiring(policy)) return this.removePolicy(name);
    const isSameObject = before?.metadata.uid === uid;
    const refusal = checkPolicy(policy.spec, this.#support);
    const hasMoved =
      !known ||
      !isSameObject ||
      known.policy.spec.priority !== policy.spec.priority ||
      (known.refusal === undefined) !== (refusal === undefined) ||
      !sameJson(known.policy.spec.nodeSelector, policy.spec.nodeSelector);
    const record: PolicyRecord = {
      policy,
      refusal,
      nodes: known?.nodes ?? new Set(),
      unchecked: new Set(),
      refused: new Map(),
      acceptedGeneration: policy.status?.acceptedGeneration,
      isForeseen: false,
      toldRefusal: undefined,
      toldAtMs: -Infinity,
      tally: new PolicyTally([]),
    };
    if (known) this.#index.remove(name, known.policy.spec.nodeSelector);
    this.#index.add(name, policy.spec.nodeSelector);
    this.#policies.set(name, record);
    const affected = hasMoved ? this.#match(record) : [...record.nodes];
    record.tally = new PolicyTally(record.nodes);
    if (record.acceptedGeneration !== generation) record.unchecked = new Set(record.nodes);
    return affected;
  }

  /** @returns nodes that it decided over */
  removePolicy(name: string): readonly string[] {
    const record = this.#policies.get(name);
    if (!record) return [];
    this.#policies.delete(name);
    this.#index.remove(name, record.policy.spec.nodeSelector);
    for (const node of record.nodes) this.#sort(node, record.policy, false);
    return [...record.nodes];
  }

  /** Takes in the labels of a node. @returns policies that have gained or lost it */
  setNode(name: string, labels: Readonly<Record<string, string>>): readonly string[] {
    const known = this.#nodes.get(name);
    const before = known?.policies ?? [];
    const policies = this.#index
      .list(labels)
      .flatMap((policy) => this.#policies.get(policy) ?? [])
      .filter(({ policy }) => selectsNode(policy.spec.nodeSelector, labels))
      .toSorted((a, b) => byPrecedence(a.policy, b.policy));
    const names = policies.map(({ policy }) => policy.metadata.name);
    this.#nodes.set(name, { labels: new PackedLabels(labels), policies: names });
    for (const policy of before) if (!names.includes(policy)) this.#leave(policy, name);
    for (const record of policies) {
      if (record.nodes.has(name)) continue;
      record.nodes.add(name);
      record.tally.expect(name);
      if (record.acceptedGeneration !== record.policy.metadata.generation) record.unchecked.add(name);
    }
    return [
      ...before.filter((policy) => !names.includes(policy)),
      ...names.filter((policy) => !before.includes(policy)),
    ];
  }

  /** @returns policies that selected it */
  removeNode(name: string): readonly string[] {
    const policies = this.policiesOf(name);
    for (const policy of policies) this.#leave(policy, name);
    this.#nodes.delete(name);
    return policies;
  }

  /** The policy that decides over a node now. */
  winnerOf(node: string): string | undefined {
    return pickWinner(this.#recordsOf(node))?.policy.metadata.name;
  }

  /** What the policies currently say of a node. */
  claimOf(name: string, partition: GpuNodePartition | undefined): NodeClaim {
    const records = this.#recordsOf(name);
    const winner = pickWinner(records);
    for (const record of records) record.unchecked.delete(name);
    if (!winner) return { winner: undefined, losers: [], isAccepted: false, wish: undefined };
    const wish = winner.refusal ? undefined : this.#wishOf(winner.policy, partition);
    for (const record of records) record.refused.delete(name);
    const refusal = wish && 'refusal' in wish ? this.#refusalForAll(winner.policy, partition) : undefined;
    if (refusal) winner.refused.set(name, refusal);
    const isAccepted = winner.acceptedGeneration === winner.policy.metadata.generation;
    return {
      winner: winner.policy,
      losers: records.filter((record) => record !== winner).map(({ policy }) => policy),
      refusal: winner.refusal,
      isAccepted,
      refusedBy: isAccepted || winner.unchecked.size > 0 ? undefined : listRefused(winner),
      wish,
    };
  }

  #recordsOf(node: string): readonly PolicyRecord[] {
    return this.policiesOf(node).flatMap((policy) => this.#policies.get(policy) ?? []);
  }

  #wishOf({ spec }: GpuPartitionPolicy, partition: GpuNodePartition | undefined): NodeResolution | undefined {
    const device = partition?.status?.device;
    if (!partition || !device?.gpus) return undefined;
    const known = this.#wishes.get(partition);
    if (known?.of === spec) return known.wish;
    const wish = resolveNode(spec, device, partition.spec.wish);
    this.#wishes.set(partition, { of: spec, wish });
    return wish;
  }

  /**
   * Why a generation is a mistake, judged on one node. What rests only on the agent's own report, such as its tables and GPU count,
   * blocks that node alone: otherwise one lying agent would freeze a policy everywhere.
   */
  #refusalForAll({ spec }: GpuPartitionPolicy, partition: GpuNodePartition | undefined): LayoutRefusal | undefined {
    const { models: _ofAgent, ...device } = partition?.status?.device ?? {};
    const judged = resolveNode(spec, device, partition?.spec.wish);
    if (!('refusal' in judged) || !mistakes.includes(judged.refusal.reason)) return undefined;
    return describeRefusal(judged);
  }

  /** Determines again which nodes a policy selects. @returns those that it selects or has selected */
  #match(record: PolicyRecord): readonly string[] {
    const { policy, nodes } = record;
    const { nodeSelector } = policy.spec;
    const keys = selectedKeys(nodeSelector);
    const affected = new Set(nodes);
    for (const [name, node] of this.#nodes) {
      const isSelected = selectsNode(nodeSelector, node.labels.pick(keys));
      if (!isSelected && !nodes.has(name)) continue;
      affected.add(name);
      if (isSelected) nodes.add(name);
      else nodes.delete(name);
      this.#sort(name, policy, isSelected);
    }
    return [...affected];
  }

  #sort(node: string, policy: GpuPartitionPolicy, isSelected: boolean): void {
    const record = this.#nodes.get(node);
    if (!record) return;
    const others = record.policies.flatMap((name) => this.#policies.get(name)?.policy ?? []);
    const rest = others.filter(({ metadata }) => metadata.name !== policy.metadata.name);
    record.policies = (isSelected ? [...rest, policy].toSorted(byPrecedence) : rest).map(
      ({ metadata }) => metadata.name,
    );
  }

  #leave(policy: string, node: string): void {
    const record = this.#policies.get(policy);
    record?.nodes.delete(node);
    record?.unchecked.delete(node);
    record?.refused.delete(node);
    record?.tally.remove(node);
  }
}
