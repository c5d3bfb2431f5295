// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here which policy decides over a node, and why a policy is refused there.
import type { PolicyRecord } from './record.ts';
import type { NodeOutcome } from './tally.ts';
import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import { deepEqual, omitUndefined, SharedValues } from '../text/json.ts';
import { PackedLabels, selectedKeys } from '../kubernetes/node.ts';
import { byPrecedence, isCleaningUp, isPlanned, selectsNode } from './spec.ts';

type Labels = Readonly<Record<string, string>>;
type Selector = PolicySpec['nodeSelector'];

/** Finds the policies that may select a node without checking all of them: each is filed under one label that it requires. */
export class SelectorIndex {
  readonly #drawers = new Map<string, Set<string>>();

  add(policy: string, selector: Selector): void {
    const key = drawerOf(selector);
    const drawer = this.#drawers.get(key) ?? new Set();
    this.#drawers.set(key, drawer.add(policy));
  }

  remove(policy: string, selector: Selector): void {
    const key = drawerOf(selector);
    const drawer = this.#drawers.get(key);
    drawer?.delete(policy);
    if (drawer?.size === 0) this.#drawers.delete(key);
  }

  /** Names of candidate policies; each must still be checked against the node. */
  list(labels: Labels): readonly string[] {
    const found = [...(this.#drawers.get(anyNode) ?? [])];
    for (const [key, value] of Object.entries(labels)) {
      found.push(...(this.#drawers.get(`${key}=${value}`) ?? []), ...(this.#drawers.get(key) ?? []));
    }
    return found;
  }
}

/** The drawer of selectors that only exclude labels: any node may match them. */
const anyNode = '';

function drawerOf({ matchLabels = {}, matchExpressions = [] }: Selector): string {
  const [first] = Object.entries(matchLabels);
  if (first !== undefined) return first.join('=');
  const needed = matchExpressions.find(({ operator }) => operator === 'In' || operator === 'Exists');
  if (needed === undefined) return anyNode;
  const [value, ...others] = needed.values ?? [];
  return value !== undefined && others.length === 0 ? `${needed.key}=${value}` : needed.key;
}

/** What of a policy's versions decides where it is among the policies of a node. */
interface PolicyScope {
  readonly policy: string;
  /** Selector of its newest version. */
  readonly newest: Selector;
  /** Selector of the version in force; of the newest if none has ever been. */
  readonly inForce: Selector;
  /** The version by which it is ordered. */
  readonly rank: GpuPartitionPolicy;
}

/** A policy that selects a node, by the selector of either version. */
interface NodeSelection {
  readonly policy: string;
  readonly byNewest: boolean;
  readonly byForce: boolean;
}

/** Policies that select a node, in order of precedence. Nodes of which this is the same mostly share one list. */
type NodeSelections = readonly NodeSelection[];

interface NodeRecord {
  readonly labels: PackedLabels;
  selections: NodeSelections;
}

const none: NodeSelections = [];
/** How many lists are known at a time: pools of nodes differ, their nodes do not. */
const mostLists = 64;

/**
 * Tracks which policies select which nodes, change by change: a node's event asks only the policies that may select it, and a policy's edit
 * asks all nodes only if it changes its scope.
 */
export class Selections {
  readonly #scopes = new Map<string, PolicyScope>();
  readonly #nodes = new Map<string, NodeRecord>();
  readonly #nodesOf = new Map<string, Set<string>>();
  readonly #index = new SelectorIndex();
  readonly #shared = new SharedValues();
  readonly #lists = new SharedValues(mostLists);
  /** Labels by which any policy selects; undefined after a policy has changed, until a node asks. */
  #keys: readonly string[] | undefined;

  /** The policies that select a node, in order of precedence. */
  of(node: string): NodeSelections {
    return this.#nodes.get(node)?.selections ?? none;
  }

  /** The nodes that a policy selects: a set that changes with them. */
  nodesOf(policy: string): ReadonlySet<string> {
    const known = this.#nodesOf.get(policy) ?? new Set();
    this.#nodesOf.set(policy, known);
    return known;
  }

  setPolicy(scope: PolicyScope): void {
    const { policy, newest, inForce } = scope;
    const before = this.#scopes.get(policy);
    this.#scopes.set(policy, scope);
    this.#keys = undefined;
    if (before && isSamePlace(before, scope)) return;
    if (before) this.#unfile(before);
    for (const selector of [newest, inForce]) this.#index.add(policy, selector);
    const keys = keysOf(scope);
    const nodes = this.nodesOf(policy);
    const lists: ReplacedLists = new Map();
    for (const [name, { labels }] of this.#nodes) {
      const selection = this.#select(scope, labels.pick(keys));
      if (selection || nodes.has(name)) this.#put(name, policy, selection, lists);
    }
  }

  removePolicy(policy: string): void {
    const before = this.#scopes.get(policy);
    if (!before) return;
    this.#keys = undefined;
    this.#unfile(before);
    const lists: ReplacedLists = new Map();
    for (const node of this.nodesOf(policy)) this.#put(node, policy, undefined, lists);
    this.#scopes.delete(policy);
    this.#nodesOf.delete(policy);
  }

  /** Takes in the labels of a node. @returns policies that select it differently than before */
  setNode(name: string, labels: Labels): readonly string[] {
    const known = this.#nodes.get(name);
    const packed = PackedLabels.of(labels);
    // Most changes are of labels by which nobody selects: then no policy is asked, however many select the node.
    if (known && this.#areSelectedAlike(known.labels, packed)) {
      this.#nodes.set(name, { labels: packed, selections: known.selections });
      return [];
    }
    const before = this.of(name);
    const selections = [...new Set(this.#index.list(labels))]
      .flatMap((policy) => this.#scopes.get(policy) ?? [])
      .toSorted((a, b) => byPrecedence(a.rank, b.rank))
      .flatMap((scope) => this.#select(scope, labels) ?? []);
    this.#nodes.set(name, { labels: packed, selections: this.#shareList(before, selections) });
    for (const { policy } of before) this.#nodesOf.get(policy)?.delete(name);
    for (const { policy } of selections) this.#nodesOf.get(policy)?.add(name);
    return listChanged(before, selections);
  }

  /** @returns policies that selected it */
  removeNode(name: string): readonly string[] {
    const before = this.of(name).map(({ policy }) => policy);
    for (const policy of before) this.#nodesOf.get(policy)?.delete(name);
    this.#nodes.delete(name);
    return before;
  }

  #areSelectedAlike(before: PackedLabels, after: PackedLabels): boolean {
    this.#keys ??= [...new Set([...this.#scopes.values()].flatMap(keysOf))];
    return deepEqual(before.pick(this.#keys), after.pick(this.#keys));
  }

  #select({ policy, newest, inForce }: PolicyScope, labels: Labels): NodeSelection | undefined {
    const byNewest = selectsNode(newest, labels);
    const byForce = inForce === newest ? byNewest : selectsNode(inForce, labels);
    return byNewest || byForce ? this.#shared.share({ policy, byNewest, byForce }) : undefined;
  }

  /** @param lists that were replaced by the same change of the policy */
  #put(node: string, policy: string, selection: NodeSelection | undefined, lists: ReplacedLists): void {
    const record = this.#nodes.get(node);
    if (!record) return;
    const known = lists.get(selection) ?? new Map<NodeSelections, NodeSelections>();
    lists.set(selection, known);
    const replaced = known.get(record.selections) ?? this.#replace(record.selections, policy, selection);
    known.set(record.selections, replaced);
    record.selections = replaced;
    const nodes = this.#nodesOf.get(policy);
    if (selection) nodes?.add(node);
    else nodes?.delete(node);
  }

  #replace(selections: NodeSelections, policy: string, selection: NodeSelection | undefined): NodeSelections {
    const others = selections.filter((one) => one.policy !== policy);
    return selection ? this.#sort([...others, selection]) : others;
  }

  #shareList(before: NodeSelections, selections: NodeSelections): NodeSelections {
    const isSame = before.length === selections.length && before.every((one, at) => one === selections[at]);
    if (isSame) return before;
    const text = selections.map(({ policy, byNewest, byForce }) => `${policy} ${byNewest} ${byForce}`).join(',');
    return this.#lists.shareAs(text, () => selections);
  }

  #sort(selections: NodeSelections): NodeSelections {
    const ranked = selections.flatMap((selection) => {
      const scope = this.#scopes.get(selection.policy);
      return scope ? [{ selection, rank: scope.rank }] : [];
    });
    return ranked.toSorted((a, b) => byPrecedence(a.rank, b.rank)).map(({ selection }) => selection);
  }

  #unfile({ policy, newest, inForce }: PolicyScope): void {
    for (const selector of [newest, inForce]) this.#index.remove(policy, selector);
  }
}

/** The lists that follow those of before, by the selection that a policy has there now. */
type ReplacedLists = Map<NodeSelection | undefined, Map<NodeSelections, NodeSelections>>;

/** Labels on which it depends whether the policy selects a node. */
function keysOf({ newest, inForce }: PolicyScope): readonly string[] {
  return [...new Set([...selectedKeys(newest), ...selectedKeys(inForce)])];
}

function listChanged(before: NodeSelections, after: NodeSelections): readonly string[] {
  const [known, now] = [before, after].map((all) => new Map(all.map((one) => [one.policy, one])));
  const names = new Set([...before, ...after].map(({ policy }) => policy));
  return [...names].filter((policy) => !deepEqual(known?.get(policy), now?.get(policy)));
}

function isSamePlace(a: PolicyScope, b: PolicyScope): boolean {
  return deepEqual([a.newest, a.inForce], [b.newest, b.inForce]) && byPrecedence(a.rank, b.rank) === 0;
}

/**
 * Knows which policies compete for which nodes. Nodes that the same policies select are judged once, until one of these policies is
 * another.
 */
export class Candidates {
  readonly #policies: ReadonlyMap<string, PolicyRecord>;
  readonly #selections = new Selections();
  #candidates = new WeakMap<NodeSelections, readonly Candidate[]>();
  #conflicts = new WeakMap<NodeSelections, PolicyConflict>();
  readonly #outranked = new WeakMap<NodeSelections, readonly Outranked[]>();

  /** Whom a node was last counted for as lost. */
  readonly #told = new Map<string, PolicyConflict['outranked']>();

  constructor(policies: ReadonlyMap<string, PolicyRecord>) {
    this.#policies = policies;
  }

  /** Names of the policies of which any version selects a node, in order of precedence. */
  of(node: string): readonly string[] {
    return this.#selections.of(node).map(({ policy }) => policy);
  }

  /** The nodes that any version of a policy selects: a set that changes with them. */
  nodesOf(policy: string): ReadonlySet<string> {
    return this.#selections.nodesOf(policy);
  }

  /** Takes in the versions of a policy. @param isNew whether it has another record */
  setPolicy({ name, newest, rank }: PolicyRecord, isNew: boolean): void {
    if (isNew) this.#forget();
    const [own, inForce] = [newest.spec.nodeSelector, rank.spec.nodeSelector];
    this.#selections.setPolicy({ policy: name, newest: own, inForce, rank });
  }

  removePolicy(name: string): void {
    this.#forget();
    this.#selections.removePolicy(name);
  }

  /** Takes in the labels of a node. @returns policies that have gained or lost it */
  setNode(name: string, labels: Labels): readonly string[] {
    return this.#selections.setNode(name, labels);
  }

  /** @returns policies that selected it */
  removeNode(name: string): readonly string[] {
    this.#told.delete(name);
    return this.#selections.removeNode(name);
  }

  /** The policy that decides over a node, and those that do not. */
  conflictOf(node: string): PolicyConflict {
    const selections = this.#selections.of(node);
    const known = this.#conflicts.get(selections);
    if (known) return known;
    const conflict = keepOutranked(decideConflict(this.#listOf(selections)), this.#outranked.get(selections));
    this.#conflicts.set(selections, conflict);
    this.#outranked.set(selections, conflict.outranked);
    return conflict;
  }

  /** Who decides now over the nodes of a policy. */
  conflictsOf(record: PolicyRecord | undefined): ReadonlyMap<string, PolicyConflict> {
    return new Map([...(record?.nodes ?? [])].map((node) => [node, this.conflictOf(node)]));
  }

  /** Nodes for which a change of a policy changes what they are told. @param before who decided over those that it had */
  listAffected({ nodes }: PolicyRecord, before: ReadonlyMap<string, PolicyConflict>): readonly string[] {
    const all = new Set([...before.keys(), ...nodes]);
    return [...all].filter((node) => {
      const known = before.get(node);
      return known === undefined || !isToldTheSame(known, this.conflictOf(node));
    });
  }

  /** Call this when a policy's record has changed: its versions, or what keeps one from being accepted. */
  reconsider(): void {
    this.#conflicts = new WeakMap();
  }

  /** The nodes that count as a policy's, of which the fleet may have another record by now. */
  ownOf(record: PolicyRecord): readonly string[] {
    return this.#nodesWhere(record, isOwn);
  }

  /** The nodes that its newest version selects. */
  newestOf(record: PolicyRecord): readonly string[] {
    return this.#nodesWhere(record, ({ byNewest }) => byNewest);
  }

  /** How a policy has one node now: whether it counts as its own, and whether its newest version selects it. */
  standingOf(record: PolicyRecord, node: string): { readonly isOwn: boolean; readonly byNewest: boolean } {
    const selection = this.#selections.of(node).find(({ policy }) => policy === record.name);
    return selection ? { isOwn: isOwn({ ...selection, record }), byNewest: selection.byNewest } : noStanding;
  }

  /** Whether a policy would decide over a node, or plan for it, with its newest version. */
  wouldDecide({ newest, name }: PolicyRecord, node: string): boolean {
    const candidates = this.#listOf(this.#selections.of(node));
    if (!candidates.some(({ record, byNewest }) => record.name === name && byNewest)) return false;
    if (isPlanned(newest)) return true;
    return !candidates.some(({ record, byForce }) => {
      const competes = record.name !== name && byForce && record.inForce !== undefined && !isCleaningUp(record.newest);
      return competes && byPrecedence(record.rank, newest) < 0;
    });
  }

  /** How a node counts for those that lose it to a policy; for none if they were told so before, and of nothing else. */
  tellLosers(
    node: string,
    wonBy: string,
    outranked: PolicyConflict['outranked'],
  ): readonly { readonly policy: GpuPartitionPolicy; readonly outcome: NodeOutcome }[] {
    if (this.#told.get(node) === outranked) return [];
    this.#told.set(node, outranked);
    return outranked.map((one) => ({ policy: one.policy, outcome: outcomeForOutranked(node, wonBy, one) }));
  }

  /** How the nodes count that a policy has lost, which takes no look at them. */
  listLost({ name, nodes, tally }: PolicyRecord): readonly NodeOutcome[] {
    const known = new Map<PolicyConflict, Outranked | undefined>();
    return [...nodes].flatMap((node) => {
      const conflict = this.conflictOf(node);
      const { winner, outranked } = conflict;
      const lost = known.has(conflict)
        ? known.get(conflict)
        : outranked.find(({ policy }) => policy.metadata.name === name);
      known.set(conflict, lost);
      return winner && lost && tally.has(node) ? [outcomeForOutranked(node, winner.record.name, lost)] : [];
    });
  }

  #forget(): void {
    this.#candidates = new WeakMap();
    this.reconsider();
  }

  #nodesWhere(record: PolicyRecord, holds: (contender: Candidate) => boolean): readonly string[] {
    const judge = (selections: NodeSelections): boolean => {
      const selection = selections.find(({ policy }) => policy === record.name);
      return selection !== undefined && holds({ ...selection, record });
    };
    const known = new Map<NodeSelections, boolean>();
    return [...record.nodes].filter((node) => {
      const selections = this.#selections.of(node);
      const isOne = known.get(selections) ?? judge(selections);
      known.set(selections, isOne);
      return isOne;
    });
  }

  #listOf(selections: NodeSelections): readonly Candidate[] {
    const known = this.#candidates.get(selections);
    if (known) return known;
    const candidates = selections.flatMap((selection) => {
      const record = this.#policies.get(selection.policy);
      return record ? [{ ...selection, record }] : [];
    });
    this.#candidates.set(selections, candidates);
    return candidates;
  }
}

/** How a policy has a node that it does not select. */
const noStanding = { isOwn: false, byNewest: false } as const;

/** A policy that selects a node. */
interface Candidate extends NodeSelection {
  readonly record: PolicyRecord;
}

/** A policy that selects a node over which another one decides. */
interface Outranked {
  readonly policy: GpuPartitionPolicy;
  /** Whether that is as somebody meant it: by a higher priority, or because this one is being deleted. Otherwise age or name have decided. */
  readonly isOutranked: boolean;
  /** The reason why a policy that would come first does not decide yet. */
  readonly hold?: Hold;
}

/** The policies of one node: which one decides, and which do not. */
interface PolicyConflict {
  readonly winner?: {
    readonly record: PolicyRecord;
    /** The version that the node is told. */
    readonly policy: GpuPartitionPolicy;
    /** Whether that version counts. If not, no other policy wants the node, and this one is only named on it. */
    readonly isInForce: boolean;
  };
  readonly outranked: readonly Outranked[];
  /** Policies that plan for the node and compete for none. */
  readonly planning: readonly GpuPartitionPolicy[];
}

/**
 * Judges who decides over a node. Policies compete with the selector and priority of the version in force: one of which no generation
 * was ever accepted, or that has only ever planned, takes no node from another, and one whose newest generation is not accepted, or
 * plans, keeps its nodes. One that is being deleted yields to any other.
 *
 * @param candidates in order of precedence
 */
export function decideConflict(candidates: readonly Candidate[]): PolicyConflict {
  const staked = candidates.filter(({ record, byForce }) => byForce && record.inForce !== undefined);
  const planning = candidates.filter(({ record, byNewest }) => byNewest && isPlanning(record));
  // Of neither kind are only those of which no generation was ever accepted.
  const named = candidates.find(({ byNewest }) => byNewest);
  const winner = staked.find(({ record }) => !isCleaningUp(record.newest)) ?? staked[0] ?? planning[0] ?? named;
  if (!winner) return { outranked: [], planning: [] };
  const { record } = winner;
  const others = candidates.filter((one) => one !== winner);
  const outranked = others.filter((one) => !planning.includes(one) && isOwn(one));
  return {
    winner: { record, ...toldTo(winner, staked.includes(winner)) },
    outranked: outranked.map(({ record: other }) => ({
      policy: other.policy,
      isOutranked: priorityOf(record) > priorityOf(other) || isCleaningUp(other.newest),
      ...omitUndefined({ hold: holdBefore(record, other) }),
    })),
    planning: planning.filter((one) => one !== winner).map((one) => one.record.newest),
  };
}

/** A conflict in which those that lose remain one list as long as the same is to be counted for them. */
function keepOutranked(conflict: PolicyConflict, before: readonly Outranked[] = []): PolicyConflict {
  const { outranked } = conflict;
  const isSame = outranked.every(
    ({ policy, isOutranked, hold }, at) =>
      policy.spec === before[at]?.policy.spec &&
      policy.metadata.name === before[at].policy.metadata.name &&
      isOutranked === before[at].isOutranked &&
      deepEqual(hold, before[at].hold),
  );
  return isSame && outranked.length === before.length ? { ...conflict, outranked: before } : conflict;
}

/** Whether a node is told the same. Policies that have lost it tell it nothing. */
function isToldTheSame(before: PolicyConflict, after: PolicyConflict): boolean {
  return (
    before.winner?.policy === after.winner?.policy &&
    before.winner?.isInForce === after.winner?.isInForce &&
    before.planning.length === after.planning.length &&
    before.planning.every((one, at) => one === after.planning[at])
  );
}

/** What keeps a policy from a node that it would win if one of its generations were accepted. */
function holdBefore(winner: PolicyRecord, other: PolicyRecord): Hold | undefined {
  const comesFirst = other.inForce === undefined && byPrecedence(other.rank, winner.rank) < 0;
  return comesFirst && !isCleaningUp(other.newest) ? other.holdFor(other.policy) : undefined;
}

/** Whether a node counts as one of the policy's. A generation that is not accepted adds none, and takes none away. */
function isOwn({ record, byNewest, byForce }: Candidate): boolean {
  // What the newest generation does not select, the one in force does.
  return record.isAccepted ? byNewest || isPlanning(record) : byForce;
}

/** How a node that another policy has counts for a policy: what becomes of it there is no news for this one. */
function outcomeForOutranked(
  node: string,
  wonBy: string,
  { isOutranked, hold }: Omit<Outranked, 'policy'>,
): NodeOutcome {
  if (hold === undefined) return { node, wonBy, isOutranked, phase: 'Unmanaged', reason: 'Outranked', message: '' };
  const { message } = hold;
  if (hold.kind === 'Checking') return { node, phase: 'Pending', reason: 'AwaitingPlan', message };
  return { node, phase: 'Invalid', reason: 'PolicyInvalid', message };
}

function toldTo(
  { record, byNewest }: Candidate,
  isStaked: boolean,
): { readonly policy: GpuPartitionPolicy; readonly isInForce: boolean } {
  const { newest, inForce, isAccepted } = record;
  if (isAccepted && byNewest) return { policy: newest, isInForce: true };
  return isStaked && inForce ? { policy: inForce, isInForce: true } : { policy: newest, isInForce: false };
}

function isPlanning({ newest, isAccepted }: PolicyRecord): boolean {
  return isAccepted && isPlanned(newest);
}

function priorityOf({ rank }: PolicyRecord): number {
  return rank.spec.priority ?? 0;
}

/**
 * Why nothing new starts under a policy although one of its generations is in force: its newest is being checked against its nodes,
 * is refused, or only plans.
 */
export interface Hold {
  readonly kind: 'Checking' | 'Refused' | 'Plan';
  readonly message: string;
}
