// Room kubernetes: objects of Kubernetes in the API's own shape, as far as they are read, and how its scheduler compares them.
// Ask here for a Node, its taints and its labels, which are kept packed, whether labels meet a selector, and where a node does not match a pod's.
import { canonicalJson, deepEqual, SharedValues } from '../text/json.ts';
import { explainKey, explainLabelValue } from '../text/syntax.ts';
import type { ObjectMeta, PodView, SelectorRequirement, SelectorTerm } from './pod.ts';

/** The parts of a Node that are read, in the API's own shape. */
export interface NodeView {
  readonly metadata: ObjectMeta & {
    /** Picks some of its labels, where that takes less time than all. */
    pick?(keys: readonly string[]): Readonly<Record<string, string>>;
    /** Tells whether other metadata has the same labels; undefined if it cannot. */
    isLabelledAs?(other: unknown): boolean | undefined;
  };
  readonly spec?: { readonly taints?: readonly Taint[]; readonly unschedulable?: boolean };
  readonly status?: {
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly capacity?: Readonly<Record<string, string>>;
    readonly nodeInfo?: { readonly bootID?: string };
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
      readonly lastHeartbeatTime?: string | null;
    }[];
  };
}

/** Picks some of a node's labels: for questions that are asked of thousands of nodes in one turn. */
export function pickLabels({ metadata }: NodeView, keys: readonly string[]): Readonly<Record<string, string>> {
  return metadata.pick?.(keys) ?? metadata.labels ?? {};
}

export interface Taint {
  readonly key: string;
  readonly effect: string;
  readonly value?: string;
  readonly timeAdded?: string;
}

type Labels = Readonly<Record<string, string>>;

/** Few enough that a piece with a label of its own node is small, many enough that most pieces have none. */
const pieceCount = 16;
/** Pieces of labels. Most are shared by a fleet; those with a host name are not and only pass through. */
const pieces = new SharedValues(1024);
const noLabels: Labels = {};
/** A decision reads the labels of one node many times in a row. */
let lastUnpacked: { readonly of: PackedLabels; readonly labels: Labels } | undefined;

/**
 * The labels of a node. V8 stores an object with more than 128 properties as a hash table: 6 kB for the 130 labels of a GPU node, most
 * of which are the same on every node. Divided into pieces by key, of which equal ones are kept once, they take 0.5 kB.
 */
export class PackedLabels {
  readonly #pieces: readonly Labels[];

  constructor(labels: Labels) {
    const divided = new Map<number, { text: string; readonly keys: string[] }>();
    for (const key of Object.keys(labels)) {
      const at = pieceOf(key);
      const piece = divided.get(at) ?? { text: '', keys: [] };
      const value = labels[key] ?? '';
      // Most pieces are known: a text is made faster than an object. With the lengths, no two pieces have the same.
      piece.text += `${key.length} ${value.length} ${key}${value}`;
      piece.keys.push(key);
      divided.set(at, piece);
    }
    this.#pieces = Array.from({ length: pieceCount }, (_, at) => {
      const piece = divided.get(at);
      return piece ? pieces.shareAs(piece.text, () => pickAll(labels, piece.keys)) : noLabels;
    });
  }

  /** Packs labels, of which those that were last unpacked are packed already. */
  static of(labels: Labels): PackedLabels {
    return lastUnpacked?.labels === labels ? lastUnpacked.of : new PackedLabels(labels);
  }

  /** Whether they are the same labels: of nearly all pieces it is enough that they are kept once. */
  equals(other: PackedLabels): boolean {
    return this.#pieces.every((piece, at) => deepEqual(piece, other.#pieces[at]));
  }

  /** Restores all labels, in another order. */
  unpack(): Labels {
    if (lastUnpacked?.of !== this) {
      lastUnpacked = { of: this, labels: Object.assign({}, ...this.#pieces) as Labels };
    }
    return lastUnpacked.labels;
  }

  /** Picks the given labels that are there: for a few keys this takes a hundredth of the time of {@link unpack}. */
  pick(keys: readonly string[]): Labels {
    const found = keys.flatMap((key) => {
      const piece = this.#pieces[pieceOf(key)] ?? {};
      const value = Object.hasOwn(piece, key) ? piece[key] : undefined;
      return value === undefined ? [] : [[key, value] as const];
    });
    return Object.fromEntries(found);
  }
}

function pickAll(labels: Labels, keys: readonly string[]): Labels {
  return Object.fromEntries(keys.map((key) => [key, labels[key] ?? '']));
}

/** A label is always in the same piece, whatever other labels there are: one that is added moves no other. */
function pieceOf(key: string): number {
  // Names of features differ in their ends; reading all of each key would take longer than all else.
  const end = key.charCodeAt(key.length - 1) + 7 * key.charCodeAt(key.length - 2);
  return (31 * key.length + (Number.isNaN(end) ? 0 : end)) % pieceCount;
}

/** metav1.LabelSelector. */
export interface LabelSelection {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelRequirement[];
}

interface LabelRequirement {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`; an operator of another API version never matches. */
  readonly operator: string;
  readonly values?: readonly string[];
}

/**
 * Whether labels meet every requirement; by metav1.LabelSelector's rules, one invalid requirement makes the selector match nothing,
 * and an empty selector matches everything.
 */
export function meetsSelection(selection: LabelSelection, labels: Labels): boolean {
  const requirements = requirementsOf(selection);
  return requirements.every((one) => isMet(one, labels)) && requirements.every(isUnderstood);
}

/** The requirements of a selector, all in one form. */
function requirementsOf({ matchLabels = {}, matchExpressions = [] }: LabelSelection): readonly LabelRequirement[] {
  return [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    ...matchExpressions,
  ];
}

/** Equal for selectors that require the same. */
export function selectionKey(selection: LabelSelection): string {
  const requirements = requirementsOf(selection).map(({ key, operator, values = [] }) =>
    canonicalJson({ key, operator, values: [...new Set(values)].sort() }),
  );
  return [...new Set(requirements)].sort().join(' ');
}

/** The labels that it depends on. */
export function selectedKeys({ matchLabels = {}, matchExpressions = [] }: LabelSelection): readonly string[] {
  return [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)];
}

function isUnderstood({ key, operator, values = [] }: LabelRequirement): boolean {
  const wantsValues = operator === 'In' || operator === 'NotIn';
  return (
    explainKey(key) === undefined &&
    values.every((value) => explainLabelValue(value) === undefined) &&
    wantsValues === values.length > 0
  );
}

function isMet({ key, operator, values = [] }: LabelRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** What a pod requires of a node's labels, and what the node has. */
interface LabelMismatch {
  /** False for the node's name, and for a term that nothing matches. */
  readonly isLabel: boolean;
  readonly key: string;
  /** `inference`, `one of a, b`, `more than 4`, `any value`, `no value`. */
  readonly wanted: string;
  /** The node's value; undefined if the node has no such label. */
  readonly found: string | undefined;
  /** The only value that would do; undefined if several would. */
  readonly value?: string | undefined;
}

/** Lists where a node does not match a pod's selector and affinity; of several terms those of the nearest. */
export function listMismatches(spec: PodView['spec'], node: string, labels: Labels): readonly LabelMismatch[] {
  const wanted = Object.entries(spec?.nodeSelector ?? {}).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [value],
  }));
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const nearest = terms
    ?.filter(({ matchExpressions = [], matchFields = [] }) => matchExpressions.length + matchFields.length > 0)
    .map((term) => compareTerm(term, node, labels))
    .toSorted((a, b) => a.length - b.length)
    .at(0);
  const inTerms = nearest ?? (terms === undefined ? [] : [nothingMatches]);
  return [...compareTerm({ matchExpressions: wanted }, node, labels), ...inTerms];
}

/** A term without requirements matches no node. */
const nothingMatches: LabelMismatch = {
  isLabel: false,
  key: 'nodeSelectorTerms',
  wanted: 'no node at all (an empty term matches none)',
  found: '',
};

function compareTerm({ matchExpressions = [], matchFields = [] }: SelectorTerm, node: string, labels: Labels) {
  const differ = matchExpressions.flatMap((one) => compare(one, labels[one.key]));
  const fields = matchFields.flatMap((one) => compare(one, node));
  return [...differ.map((one) => ({ ...one, isLabel: true })), ...fields.map((one) => ({ ...one, isLabel: false }))];
}

function compare(
  { key, operator, values = [] }: SelectorRequirement,
  found: string | undefined,
): readonly Omit<LabelMismatch, 'isLabel'>[] {
  const [first = ''] = values;
  const number = readInteger(found);
  switch (operator) {
    case 'In': {
      const wanted = values.length > 1 ? `one of ${values.join(', ')}` : first;
      const value = values.length === 1 ? first : undefined;
      return found !== undefined && values.includes(found) ? [] : [{ key, wanted, found, value }];
    }
    case 'NotIn':
      return found !== undefined && values.includes(found) ? [{ key, wanted: `not ${values.join(', ')}`, found }] : [];
    case 'Exists':
      return found === undefined ? [{ key, wanted: 'any value', found }] : [];
    case 'DoesNotExist':
      return found === undefined ? [] : [{ key, wanted: 'no value', found }];
    case 'Gt':
      return number > Number(first) ? [] : [{ key, wanted: `more than ${first}`, found }];
    case 'Lt':
      return number < Number(first) ? [] : [{ key, wanted: `less than ${first}`, found }];
    default:
      return [{ key, wanted: `${operator} ${values.join(', ')}`, found }];
  }
}

/** Reads a label as the scheduler does: text is neither more nor less than any number. */
function readInteger(label = ''): number {
  return /^[+-]?\d+$/.test(label) ? Number(label) : NaN;
}
