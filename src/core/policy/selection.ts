import type { PolicySpec, GpuPartitionPolicy } from '../../api/types.ts';
import { selectedKeys } from '../kubernetes/selectors.ts';
import { PackedLabels } from '../kubernetes/node.ts';
import { SharedValues, deepEqual } from '../text/json.ts';
import { selectsNode, byPrecedence } from './versions.ts';

type Labels = Readonly<Record<string, string>>;

/** Finds the policies that may select a node without checking all of them: each is filed under one label that it requires. */
export class SelectorIndex {
  readonly #drawers = new Map<string, Set<string>>();

  add(policy: string, selector: PolicySpec['nodeSelector']): void {
    const key = drawerOf(selector);
    const drawer = this.#drawers.get(key) ?? new Set();
    this.#drawers.set(key, drawer.add(policy));
  }

  remove(policy: string, selector: PolicySpec['nodeSelector']): void {
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

function drawerOf({ matchLabels = {}, matchExpressions = [] }: PolicySpec['nodeSelector']): string {
  const [first] = Object.entries(matchLabels);
  if (first !== undefined) return first.join('=');
  const needed = matchExpressions.find(({ operator }) => operator === 'In' || operator === 'Exists');
  if (needed === undefined) return anyNode;
  const [value, ...others] = needed.values ?? [];
  return value !== undefined && others.length === 0 ? `${needed.key}=${value}` : needed.key;
}

type Selector = PolicySpec['nodeSelector'];

/** What of a policy's versions decides where it is among the policies of a node. */
export interface PolicyScope {
  readonly policy: string;
  /** Selector of its newest version. */
  readonly newest: Selector;
  /** Selector of the version in force; of the newest if none has ever been. */
  readonly inForce: Selector;
  /** The version by which it is ordered. */
  readonly rank: GpuPartitionPolicy;
}

/** A policy that selects a node, by the selector of either version. */
export interface NodeSelection {
  readonly policy: string;
  readonly byNewest: boolean;
  readonly byForce: boolean;
}

/** Policies that select a node, in order of precedence. Nodes of which this is the same mostly share one list. */
export type NodeSelections = readonly NodeSelection[];

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
