import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { Acceptance } from './acceptance.ts';
import { Census } from './census.ts';
import { checkPolicy } from './check.ts';
import type { NodeClaim } from './claim.ts';
import { Contenders } from './contenders.ts';
import { type Contest, isOwn, judgeContest, outcomeForLoser } from './contest.ts';
import { migProductsOf } from './match-gpu.ts';
import { PolicyRecord } from './policy-record.ts';
import { DemandChoices } from './demand-choices.ts';
import type { DemandWishes } from './demand-wish.ts';
import { resolveNode } from './resolve-node.ts';
import { isRetiring } from './retirement.ts';
import { Selections } from './selections.ts';
import type { Support } from './sharing.ts';
import { type NodeOutcome, PolicyTally } from './tally.ts';
import { accept, hasWorkLeft, isSameEdit, type PolicyVersions, readVersions } from './versions.ts';
import type { ScheduleMark } from './timetable.ts';
import { WishCache } from './wish-cache.ts';

/**
 * Matches policies and nodes incrementally: what a policy means for a node is computed for that node when the node, its report, or
 * the policy's spec changes.
 */
export class Fleet {
  readonly #support: Support;
  readonly #policies = new Map<string, PolicyRecord>();
  readonly #selections = new Selections();
  readonly #contenders = new Contenders(this.#policies, this.#selections);
  readonly #census = new Census();
  readonly #wishes = new WishCache();
  readonly #acceptance = new Acceptance(this.#wishes);
  readonly #choices = new DemandChoices();

  constructor(support: Support) {
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
    return this.#selections.of(node).map(({ policy }) => policy);
  }

  /**
   * Takes in the current policy. A new generation decides over nothing before it is accepted.
   * @returns nodes for which what the policies say may have changed; undefined if only its status has changed
   */
  setPolicy(given: GpuPartitionPolicy): readonly string[] | undefined {
    const { name, deletionTimestamp } = given.metadata;
    const known = this.#policies.get(name);
    const versions = readVersions(given, known?.versions);
    if (known && isSameEdit(known.newest, versions.newest)) return this.#update(known, versions);
    // A policy that is being deleted decides over nothing, unless it has work left to do.
    if (deletionTimestamp !== undefined && !hasWorkLeft(versions)) return this.removePolicy(name);
    const before = [...(known?.nodes ?? [])];
    const refusal = checkPolicy(versions.newest.spec, this.#support, this.#census.products);
    const record = new PolicyRecord(versions, refusal, this.#selections.nodesOf(name));
    if (known) record.writes = known.writes;
    this.#policies.set(name, record);
    this.#selections.setPolicy(record.scope);
    const isSame = known?.policy.spec === record.policy.spec;
    record.tally = isSame ? known.tally : new PolicyTally(this.#contenders.nodesWhere(record, isOwn));
    // It stands as before while the edit is checked, and for good if that is refused.
    if (isSame) record.demand = known.demand;
    this.#beginAcceptance(record);
    const left = before.filter((node) => !record.nodes.has(node));
    // While it is being checked nothing changes for the nodes that it keeps.
    return record.awaitsAcceptance && !isRetiring(versions.newest) ? left : [...left, ...record.nodes];
  }

  /**
   * Puts the newest generation of a policy in force. @param schedule that is in force with it
   * @returns nodes for which what the policies say may have changed
   */
  accept(record: PolicyRecord, schedule?: ScheduleMark): readonly string[] {
    // Of a record that an edit has replaced, the watch brings the acceptance.
    if (record.isAccepted || this.#policies.get(record.name) !== record) return [];
    return this.#update(record, accept(record.versions, schedule)) ?? [];
  }

  /** Puts another schedule of a policy in force. @returns as {@link accept} */
  switch(record: PolicyRecord, schedule: ScheduleMark): readonly string[] {
    if (this.#policies.get(record.name) !== record) return [];
    return this.#update(record, { ...record.versions, schedule }) ?? [];
  }

  /** The tally that a policy begins with when its newest generation is accepted, or another schedule is in force. */
  tallyAfter({ versions, refusal, nodes, isAccepted }: PolicyRecord, accepts: boolean): PolicyTally {
    const after = accepts && !isAccepted ? accept(versions) : versions;
    return new PolicyTally(this.#contenders.nodesWhere(new PolicyRecord(after, refusal, nodes), isOwn));
  }

  /** @returns nodes that it selected */
  removePolicy(name: string): readonly string[] {
    const nodes = [...(this.#policies.get(name)?.nodes ?? [])];
    this.#policies.delete(name);
    this.#choices.forget(name);
    this.#selections.removePolicy(name);
    return nodes;
  }

  /** Takes in the labels of a node. @returns policies that have gained or lost it */
  setNode(name: string, labels: Readonly<Record<string, string>>): readonly string[] {
    const changed = this.#selections.setNode(name, labels);
    for (const policy of changed) this.#place(policy, name);
    return changed;
  }

  /** @returns policies that selected it */
  removeNode(name: string): readonly string[] {
    const policies = this.#selections.removeNode(name);
    this.#takeProducts(name, []);
    for (const policy of policies) this.#place(policy, name);
    return policies;
  }

  /** Who decides over a node, and who does not. */
  contestOf(node: string): Contest {
    return judgeContest(this.#contenders.of(node));
  }

  /** The policy that decides over a node now. */
  winnerOf(node: string): string | undefined {
    return this.contestOf(node).winner?.record.name;
  }

  /** What the policies currently say of a node. */
  claimOf(name: string, partition: GpuNodePartition | undefined): NodeClaim {
    const { winner, losers, beside } = this.contestOf(name);
    if (!winner) return { winner: undefined, isInForce: false, losers, beside, wish: undefined };
    const { record, policy, isInForce } = winner;
    return {
      winner: policy,
      newestGeneration: record.newest.metadata.generation,
      isInForce,
      hold: record.holdFor(policy),
      losers,
      beside,
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
  claimBeside(policy: GpuPartitionPolicy, partition: GpuNodePartition | undefined): NodeClaim {
    const { device } = partition?.status ?? {};
    const chosen = partition && this.#choices.of(policy, partition.metadata.name);
    const isKnown = policy.spec.demand === undefined || chosen !== undefined;
    const wish = isKnown && device?.gpus ? resolveNode(policy.spec, device, undefined, chosen) : undefined;
    const { generation } = policy.metadata;
    return { winner: policy, newestGeneration: generation, isInForce: true, losers: [], beside: [], wish };
  }

  /** Asks whether a node can take the newest generation of a policy, which is not accepted yet. */
  check(record: PolicyRecord, node: string, partition: GpuNodePartition | undefined): void {
    this.#acceptance.check(record, node, this.#contenders.of(node), partition);
  }

  /**
   * Takes in what a node reports for the acceptance of generations.
   * @returns policies that are judged differently because of it
   */
  review(node: string, partition: GpuNodePartition | undefined): readonly string[] {
    const contenders = this.#contenders.of(node);
    const products = migProductsOf(partition?.status?.device?.gpus ?? []);
    return [
      ...this.#takeProducts(node, products),
      ...contenders.flatMap(({ record }) =>
        this.#acceptance.review(record, node, contenders, partition) ? [record.name] : [],
      ),
    ];
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
    const nodes = this.#contenders.nodesWhere(record, ({ byNewest }) => byNewest);
    this.#acceptance.begin(record, nodes);
  }

  /** Counts what was found on a node for its policies. @returns those whose status this changes */
  note({ winner, losers }: Pick<NodeClaim, 'winner' | 'losers'>, outcome: NodeOutcome): readonly string[] {
    if (!winner) return [];
    const wonBy = winner.metadata.name;
    return [
      ...this.count(winner, outcome),
      ...losers.flatMap(({ policy, ...lost }) => this.count(policy, outcomeForLoser(outcome, wonBy, lost))),
    ];
  }

  /** @param policy the version for which it was found: what was found for another says nothing about this one */
  count({ metadata, spec }: GpuPartitionPolicy, outcome: NodeOutcome): readonly string[] {
    const record = this.#policies.get(metadata.name);
    const isCurrent = record?.policy.spec === spec || record?.inForce?.spec === spec;
    return isCurrent && record.tally.has(outcome.node) && record.tally.put(outcome) ? [metadata.name] : [];
  }

  /** Takes in a version of the same edit: another status, its acceptance, or another schedule. */
  #update(record: PolicyRecord, versions: PolicyVersions): readonly string[] | undefined {
    const { acceptedGeneration, policy, inForce } = record;
    record.versions = versions;
    const isSwitch = record.policy.spec !== policy.spec || record.inForce?.spec !== inForce?.spec;
    if (acceptedGeneration === versions.acceptedGeneration && !isSwitch) return undefined;
    // They are about what was in force.
    if (isSwitch) {
      record.demand = undefined;
      this.#choices.forget(record.name);
    }
    const before = [...record.nodes];
    this.#selections.setPolicy(record.scope);
    record.tally = new PolicyTally(this.#contenders.nodesWhere(record, isOwn));
    return [...before.filter((node) => !record.nodes.has(node)), ...record.nodes];
  }

  /** Takes in that a node's labels have changed how a policy selects it. */
  #place(policy: string, node: string): void {
    const record = this.#policies.get(policy);
    if (!record) return;
    const selection = this.#selections.of(node).find((one) => one.policy === policy);
    if (selection && isOwn({ ...selection, record })) record.tally.expect(node);
    else record.tally.remove(node);
    this.#acceptance.place(record, node, selection?.byNewest === true);
  }
}
