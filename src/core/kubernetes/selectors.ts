// Room kubernetes: objects of Kubernetes in the API's own shape, as far as they are read, and how its scheduler compares them.
// Ask here whether labels meet a selector, and where a node does not match a pod's.
import { canonicalJson } from '../text/json.ts';
import { explainKey, explainLabelValue } from '../text/syntax.ts';
import type { PodView, SelectorRequirement, SelectorTerm } from './pod.ts';

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

type Labels = Readonly<Record<string, string>>;

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
  key: 'nodeSelectorTerms',
  wanted: 'no node at all (an empty term matches none)',
  found: '',
};

function compareTerm({ matchExpressions = [], matchFields = [] }: SelectorTerm, node: string, labels: Labels) {
  const fields = matchFields.flatMap((one) => compare(one, node));
  return [...matchExpressions.flatMap((one) => compare(one, labels[one.key])), ...fields];
}

function compare(
  { key, operator, values = [] }: SelectorRequirement,
  found: string | undefined,
): readonly LabelMismatch[] {
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

/** Whether a label of the node is what does not match. */
export function isLabel({ key }: LabelMismatch): boolean {
  return key !== 'metadata.name' && key !== nothingMatches.key;
}
