// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here for all policies and the nodes that they select: who decides where, and what follows from an edit.
import type { GpuNodePartition, GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import { Candidates, type Hold } from './decide-policy.ts';
import { PolicyRecord } from './record.ts';
import { type NodeOutcome, NodeCounts } from './tally.ts';
import { continuedWish, type DemandWishes, isCleaningUp, scheduleOf, variantsOf } from './spec.ts';
import { checkPolicy } from './check.ts';
import { type Mistake, resolveNode, migProductsOf, refusalForAll } from './resolve-node.ts';
import { SharedValues, deepEqual } from '../text/json.ts';

type NodeResolution = ReturnType<typeof resolveNode>;
type PolicyConflict = ReturnType<Candidates['conflictOf']>;

/** Whether nodes can take generations that are not accepted yet. */
class Acceptance {
  readonly #wishes: WishCache;
  readonly #candidates: Candidates;

  constructor(wishes: WishCache, candidates: Candidates) {
    this.#wishes = wishes;
    this.#candidates = candidates;
  }

  /** @param nodes that the newest version selects */
  begin(record: PolicyRecord, nodes: readonly string[]): void {
    record.unchecked = new Set(record.awaitsAcceptance ? nodes : []);
  }

  /** Takes in that the newest version of a policy selects a node now, or no longer. */
  place(record: PolicyRecord, node: string, isSelected: boolean): void {
    record.refused.delete(node);
    if (isSelected && record.awaitsAcceptance) record.unchecked.add(node);
    else record.unchecked.delete(node);
  }

  /** Asks a node over which the policy would decide. */
  check(record: PolicyRecord, node: string, partition: GpuNodePartition | undefined): void {
    record.unchecked.delete(node);
    // A policy that is being deleted asks for whole GPUs, which no node may keep it from.
    const isAsked = !isCleaningUp(record.newest) && this.#candidates.wouldDecide(record, node);
    const refusal = isAsked ? this.#judge(record, partition) : undefined;
    // One that says so again keeps its place: all nodes are told the list again when it reads differently.
    if (refusal) record.refused.set(node, refusal);
    else record.refused.delete(node);
  }

  /** A node has to take all that a policy ever makes of it: a mistake shows when it is applied, not at night. */
  #judge({ newest, versions }: PolicyRecord, partition: GpuNodePartition | undefined): Mistake | undefined {
    const now = this.#wishes.wishOf(newest, partition);
    const isScheduled = versions.newest.spec.schedules !== undefined;
    if (!isScheduled) return now && 'refusal' in now ? refusalForAll(newest.spec, partition) : undefined;
    for (const { spec } of variantsOf(versions.newest.spec)) {
      const refusal = refusalForAll(spec, partition);
      if (refusal) return refusal;
    }
    return undefined;
  }

  /** Asks a node again. @returns whether it says something else than before */
  review(record: PolicyRecord, node: string, partition: GpuNodePartition | undefined): boolean {
    if (!record.awaitsAcceptance || record.unchecked.has(node)) return false;
    const before = record.refused.get(node)?.message;
    this.check(record, node, partition);
    return record.refused.get(node)?.message !== before;
  }
}

/** Counts the GPU products that the nodes of a fleet have reported. */
export class ReportedModels {
  readonly #ofNode = new Map<string, readonly string[]>();
  readonly #counts = new Map<string, number>();
  readonly #shared = new SharedValues();

  get products(): readonly string[] {
    return [...this.#counts.keys()];
  }

  /** @param products of a node's GPUs; none if the node is gone. @returns whether the fleet has gained or lost one */
  put(node: string, products: readonly string[]): boolean {
    const before = this.#ofNode.get(node) ?? [];
    const after = this.#shared.share([...new Set(products)].sort());
    if (before === after) return false;
    if (after.length === 0) this.#ofNode.delete(node);
    else this.#ofNode.set(node, after);
    const gained = after.filter((product) => this.#count(product, 1) === 1);
    const lost = before.filter((product) => this.#count(product, -1) === 0);
    return gained.length + lost.length > 0;
  }

  #count(product: string, more: number): number {
    const count = (this.#counts.get(product) ?? 0) + more;
    if (count > 0) this.#counts.set(product, count);
    else this.#counts.delete(product);
    return count;
  }
}

/** Caches what policies make of nodes, worked out once for each report. */
class WishCache {
  /** Wishes by partition: the watch replaces the object when it changes. */
  readonly #wishes = new WeakMap<
    GpuNodePartition,
    {
      readonly of: GpuPartitionPolicy['spec'];
      readonly chosen: DemandWishes | undefined;
      readonly wish: NodeResolution | undefined;
    }
  >();

  /**
   * @param chosen for a policy with a demand: what its last plan makes of the node
   * @returns undefined until the agent has reported and, for a demand, a plan was made
   */
  wishOf(
    policy: GpuPartitionPolicy,
    partition: GpuNodePartition | undefined,
    chosen?: DemandWishes,
  ): NodeResolution | undefined {
    const { spec } = policy;
    if (!partition?.status?.device?.gpus) return undefined;
    const known = this.#wishes.get(partition);
    if (known?.of === spec && known.chosen === chosen) return known.wish;
    const wish = resolve(policy, partition, chosen);
    this.#wishes.set(partition, { of: spec, chosen, wish });
    return wish;
  }
}

function resolve(
  policy: GpuPartitionPolicy,
  partition: GpuNodePartition,
  chosen: DemandWishes | undefined,
): NodeResolution | undefined {
  const { spec } = policy;
  const device = partition.status?.device ?? {};
  if (spec.demand === undefined) return resolveNode(spec, device, partition.spec.wish);
  const continued = continuedWish(policy, partition, chosen);
  return continued && resolveNode(spec, device, continued.current, chosen);
}

/** What the last plans for the demands of policies make of their nodes. What was planned for another spec is forgotten. */
class DemandChoices {
  readonly #choices = new Map<
    string,
    { readonly spec: PolicySpec; readonly wishes: ReadonlyMap<string, DemandWishes> }
  >();

  of({ metadata, spec }: GpuPartitionPolicy, node: string): DemandWishes | undefined {
    const known = this.#choices.get(metadata.name);
    return known?.spec === spec ? known.wishes.get(node) : undefined;
  }

  /** @returns nodes for which it is not what it was */
  put(policy: GpuPartitionPolicy, wishes: ReadonlyMap<string, DemandWishes>): readonly string[] {
    const kept = new Map<string, DemandWishes>();
    const changed: string[] = [];
    for (const [node, wish] of wishes) {
      const before = this.of(policy, node);
      // The same object stays: what was worked out for it is kept.
      const isSame = before !== undefined && deepEqual([...before], [...wish]);
      kept.set(node, isSame ? before : wish);
      if (!isSame) changed.push(node);
    }
    this.#choices.set(policy.metadata.name, { spec: policy.spec, wishes: kept });
    return changed;
  }

  forget(policy: string): void {
    this.#choices.delete(policy);
  }
}

/**
 * Matches policies and nodes incrementally: what a policy means for a node is computed for that node when the node, its report, or
 * the policy's spec changes.
 */
export class Fleet {
  readonly #support: { readonly sharing: boolean };
  readonly #policies = new Map<string, PolicyRecord>();
  readonly #candidates = new Candidates(this.#policies);
  readonly #census = new ReportedModels();
  readonly #wishes = new WishCache();
  readonly #acceptance = new Acceptance(this.#wishes, this.#candidates);
  readonly #choices = new DemandChoices();

  /** @param support see {@link checkPolicy} */
  constructor(support: { readonly sharing: boolean }) {
    this.#support = support;
  }

  get policies(): IterableIterator<PolicyRecord> {
    return this.#policies.values();
  }

  policy(name: string): PolicyRecord | undefined {
    return this.#policies.get(name);
  }

  /** Policies of which any version selects a node, in order of precedence. */
  policiesOf(node: string): readonly string[] {
    return this.#candidates.of(node);
  }

  /**
   * Takes in the current policy. A new generation decides over nothing before it is accepted.
   * @returns nodes for which what the policies say may have changed; undefined if only its status has changed
   */
  setPolicy(given: GpuPartitionPolicy): readonly string[] | undefined {
    const { name } = given.metadata;
    const known = this.#policies.get(name);
    const { versions, isSameEdit, isGone } = PolicyRecord.read(given, known);
    if (known && isSameEdit) return this.#update(known, versions);
    if (isGone) return this.removePolicy(name);
    const before = this.#candidates.conflictsOf(known);
    const refusal = checkPolicy(versions.newest.spec, this.#support, this.#census.products);
    const record = new PolicyRecord(versions, refusal, this.#candidates.nodesOf(name));
    if (known) record.writes = known.writes;
    this.#policies.set(name, record);
    this.#candidates.setPolicy(record, true);
    const isSame = known?.policy.spec === record.policy.spec;
    record.tally = isSame ? known.tally : new NodeCounts(this.#candidates.ownOf(record));
    // It stands as before while the edit is checked, and for good if that is refused.
    if (isSame) record.demand = known.demand;
    record.quota = known?.quota;
    this.#beginAcceptance(record);
    this.#countLost(record);
    // While it is being checked nothing changes for the nodes that it keeps.
    const isChecked = record.awaitsAcceptance && !isCleaningUp(versions.newest);
    return isChecked
      ? [...before.keys()].filter((node) => !record.nodes.has(node))
      : this.#candidates.listAffected(record, before);
  }

  /**
   * Puts the newest generation of a policy in force. @param schedule that is in force with it
   * @returns nodes for which what the policies say may have changed
   */
  accept(record: PolicyRecord, schedule?: PolicyRecord['versions']['schedule']): readonly string[] {
    // Of a record that an edit has replaced, the watch brings the acceptance.
    if (record.isAccepted || this.#policies.get(record.name) !== record) return [];
    return this.#update(record, record.versionsIf(true, schedule)) ?? [];
  }

  /** Puts another schedule of a policy in force. @returns as {@link accept} */
  switch(record: PolicyRecord, schedule: PolicyRecord['versions']['schedule']): readonly string[] {
    if (this.#policies.get(record.name) !== record) return [];
    return this.#update(record, { ...record.versions, schedule }) ?? [];
  }

  /** The tally that a policy begins with when its newest generation is accepted, or another schedule is in force. */
  tallyAfter(record: PolicyRecord, accepts: boolean): NodeCounts {
    const { refusal, nodes, isAccepted } = record;
    const after = record.versionsIf(accepts && !isAccepted);
    return new NodeCounts(this.#candidates.ownOf(new PolicyRecord(after, refusal, nodes)));
  }

  /** @returns nodes that it selected */
  removePolicy(name: string): readonly string[] {
    const nodes = [...(this.#policies.get(name)?.nodes ?? [])];
    this.#policies.delete(name);
    this.#candidates.removePolicy(name);
    this.#choices.forget(name);
    return nodes;
  }

  /** Takes in the labels of a node. @returns policies that have gained or lost it */
  setNode(name: string, labels: Readonly<Record<string, string>>): readonly string[] {
    const changed = this.#candidates.setNode(name, labels);
    for (const policy of changed) this.#place(policy, name);
    return changed;
  }

  /** @returns policies that selected it */
  removeNode(name: string): readonly string[] {
    const policies = this.#candidates.removeNode(name);
    this.#takeProducts(name, []);
    for (const policy of policies) this.#place(policy, name);
    return policies;
  }

  /** The policy that decides over a node, and those that do not. */
  conflictOf(node: string): PolicyConflict {
    return this.#candidates.conflictOf(node);
  }

  /** The policy that decides over a node now. */
  winnerOf(node: string): string | undefined {
    return this.conflictOf(node).winner?.record.name;
  }

  /** The policies of a node, with what they currently want there. */
  claimOf(name: string, partition: GpuNodePartition | undefined): NodePolicy {
    const { winner, outranked, planning } = this.conflictOf(name);
    if (!winner) return { winner: undefined, isInForce: false, outranked, planning, wish: undefined };
    const { record, policy, isInForce } = winner;
    return {
      winner: policy,
      schedule: policy.spec.demand && scheduleOf(policy.spec),
      newestGeneration: record.newest.metadata.generation,
      isInForce,
      hold: record.holdFor(policy),
      outranked,
      planning,
      wish: isInForce ? this.#wishes.wishOf(policy, partition, this.#choices.of(policy, name)) : undefined,
    };
  }

  /**
   * Takes in what a plan for the demand of a policy makes of nodes.
   * @returns nodes of which it makes something else than the plan before
   */
  choose(policy: GpuPartitionPolicy, wishes: ReadonlyMap<string, DemandWishes>): readonly string[] {
    return this.#choices.put(policy, wishes);
  }

  /** What the last plan for the demand of a policy makes of a node, which may not have been told yet. */
  chosenFor(policy: GpuPartitionPolicy, node: string): DemandWishes | undefined {
    return this.#choices.of(policy, node);
  }

  /** What a policy that is shown beside others says of a node, as if it decided. */
  previewClaim(policy: GpuPartitionPolicy, partition: GpuNodePartition | undefined): NodePolicy {
    const { device } = partition?.status ?? {};
    const chosen = partition && this.#choices.of(policy, partition.metadata.name);
    const isKnown = policy.spec.demand === undefined || chosen !== undefined;
    const wish = isKnown && device?.gpus ? resolveNode(policy.spec, device, undefined, chosen) : undefined;
    const { generation } = policy.metadata;
    return { winner: policy, newestGeneration: generation, isInForce: true, outranked: [], planning: [], wish };
  }

  /** Asks whether a node can take the newest generation of a policy, which is not accepted yet. */
  check(record: PolicyRecord, node: string, partition: GpuNodePartition | undefined): void {
    this.#acceptance.check(record, node, partition);
    this.#candidates.reconsider();
  }

  /**
   * Takes in what a node reports for the acceptance of generations.
   * @returns policies that are judged differently because of it
   */
  review(node: string, partition: GpuNodePartition | undefined): readonly string[] {
    const products = migProductsOf(partition?.status?.device?.gpus ?? []);
    const told = [
      ...this.#takeProducts(node, products),
      ...this.#candidates.of(node).filter((name) => {
        const record = this.#policies.get(name);
        return record !== undefined && this.#acceptance.review(record, node, partition);
      }),
    ];
    if (told.length > 0) this.#candidates.reconsider();
    return told;
  }

  /** What is wrong with a layout is said of the models that there are. */
  #takeProducts(node: string, products: readonly string[]): readonly string[] {
    if (!this.#census.put(node, products)) return [];
    return [...this.#policies.values()].flatMap((record) => {
      const { refusal: before, newest, name } = record;
      if (before === undefined) return [];
      record.refusal = checkPolicy(newest.spec, this.#support, this.#census.products);
      this.#beginAcceptance(record);
      return record.refusal?.message === before.message ? [] : [name];
    });
  }

  /** Asks all nodes that the newest version of a policy selects whether they can take it. */
  #beginAcceptance(record: PolicyRecord): void {
    this.#acceptance.begin(record, this.#candidates.newestOf(record));
    this.#candidates.reconsider();
  }

  /** Counts what was found on a node for its policies. @returns those whose status this changes */
  note({ winner, outranked }: Pick<NodePolicy, 'winner' | 'outranked'>, outcome: NodeOutcome): readonly string[] {
    if (!winner) return [];
    const own = this.count(winner, outcome);
    const lost = this.#candidates.tellLosers(outcome.node, winner.metadata.name, outranked);
    return [...own, ...lost.flatMap((one) => this.count(one.policy, one.outcome))];
  }

  /** Counts the nodes that a policy has lost. */
  #countLost(record: PolicyRecord): void {
    for (const outcome of this.#candidates.listLost(record)) record.tally.put(outcome);
  }

  /** @param policy the version for which it was found: what was found for another says nothing about this one */
  count({ metadata, spec }: GpuPartitionPolicy, outcome: NodeOutcome): readonly string[] {
    const record = this.#policies.get(metadata.name);
    const isCurrent = record?.policy.spec === spec || record?.inForce?.spec === spec;
    return isCurrent && record.tally.has(outcome.node) && record.tally.put(outcome) ? [metadata.name] : [];
  }

  /** Takes in a version of the same edit: another status, its acceptance, or another schedule. */
  #update(record: PolicyRecord, versions: PolicyRecord['versions']): readonly string[] | undefined {
    const news = record.compare(versions);
    const before = this.#candidates.conflictsOf(news ? record : undefined);
    record.versions = versions;
    this.#candidates.reconsider();
    if (news === undefined) return undefined;
    // They are about what was in force.
    if (news === 'Switch') {
      record.demand = undefined;
      this.#choices.forget(record.name);
    }
    this.#candidates.setPolicy(record, false);
    record.tally = new NodeCounts(this.#candidates.ownOf(record));
    this.#countLost(record);
    return this.#candidates.listAffected(record, before);
  }

  /** Takes in that a node's labels have changed how a policy selects it. */
  #place(policy: string, node: string): void {
    const record = this.#policies.get(policy);
    if (!record) return;
    const { isOwn, byNewest } = this.#candidates.standingOf(record, node);
    if (isOwn) record.tally.expect(node);
    else record.tally.remove(node);
    this.#acceptance.place(record, node, byNewest);
    this.#candidates.reconsider();
  }
}

/** The policy that decides over one node, and the others that want it. */
export interface NodePolicy {
  /** The policy that decides, in the version that decides; undefined if none selects the node. */
  readonly winner: GpuPartitionPolicy | undefined;
  /** The schedule whose demand that version has; absent for its own demand, and for layouts. */
  readonly schedule?: string | undefined;
  /** Generation of that policy as its author last wrote it. */
  readonly newestGeneration?: number | undefined;
  /** Whether that version counts. If not, nothing of it concerns the node: it only explains why. */
  readonly isInForce: boolean;
  /** Why nothing new starts. */
  readonly hold?: Hold | undefined;
  /** Other policies that would decide over the node, in order of precedence. */
  readonly outranked: PolicyConflict['outranked'];
  /** Policies of mode Plan that are shown beside the one that decides. */
  readonly planning: readonly GpuPartitionPolicy[];
  /** What the winner makes of this node's GPUs, or why it cannot; undefined until the agent has reported, and of a version that does not count. */
  readonly wish: NodeResolution | undefined;
}
