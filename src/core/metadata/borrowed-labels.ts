import type { NodeChange, NodeMetadata } from './node-change.ts';
import { isFields } from '../text/fields.ts';

/**
 * On a Node: labels of other owners that we have temporarily changed, as JSON `{"KEY": {"was": VALUE or null, "set": VALUE}}`; null:
 * the label was not there.
 */
export const borrowedAnnotation = 'gpupartition.dev/on-loan';

export interface BorrowedLabel {
  /** Value before we took the label; null: it was not there. */
  readonly was: string | null;
  /** Value that we gave it. If the label has another one now, somebody else has taken it over. */
  readonly set: string;
}

export type BorrowedLabels = Readonly<Record<string, BorrowedLabel>>;

/** Selects borrowed labels: by key, or by a predicate. */
export type ReturnChoice = readonly string[] | ((key: string, label: BorrowedLabel) => boolean);

/**
 * Whether we may change a label and restore it. Labels of `kubernetes.io` and `k8s.io` are out: a kubelet may write any annotation
 * of its own node and only few of these labels (NodeRestriction), so an annotation must not make us write them.
 */
export function isBorrowable(key: string): boolean {
  const [prefix = ''] = key.split('/');
  return key.includes('/') && !/(^|\.)(kubernetes|k8s)\.io$/.test(prefix);
}

/** Each decision asks many times about one node. */
let lastRead: { readonly note: string; readonly borrowed: BorrowedLabels } | undefined;

/** Labels of a node that we have borrowed. An unreadable annotation or entry counts as none. */
export function borrowedLabelsOf({ annotations }: Pick<NodeMetadata, 'annotations'>): BorrowedLabels {
  const note = annotations[borrowedAnnotation];
  if (note === undefined) return {};
  if (lastRead?.note !== note) lastRead = { note, borrowed: readNote(note) };
  return lastRead.borrowed;
}

function readNote(note: string): BorrowedLabels {
  const entries = Object.entries(parseObject(note));
  return Object.fromEntries(
    entries.flatMap(([key, value]) => {
      const label = readBorrowedLabel(value);
      return label !== undefined && isBorrowable(key) ? [[key, label] as const] : [];
    }),
  );
}

/**
 * Borrows some labels and restores others: sets labels and records the value that each had before we first touched it, or restores
 * that value. If somebody else has changed a label meanwhile, their value stays and only the record goes. A label that is in both
 * stays borrowed.
 */
export function changeBorrowedLabels(
  node: NodeMetadata,
  borrowed: Readonly<Record<string, string>>,
  returned: ReturnChoice,
): Pick<NodeChange, 'labels' | 'annotations'> {
  const before = borrowedLabelsOf(node);
  const after: Record<string, BorrowedLabel> = { ...before };
  const labels: Record<string, string | undefined> = {};
  for (const [key, label] of Object.entries(before)) {
    if (!isChosen(returned, key, label) || Object.hasOwn(borrowed, key)) continue;
    delete after[key];
    if (node.labels[key] === label.set) labels[key] = label.was ?? undefined;
  }
  for (const [key, set] of Object.entries(borrowed).filter(([name]) => isBorrowable(name))) {
    const was = valueBefore(node, key, before[key]);
    labels[key] = set;
    // A label that already has the value is not ours, and must not become so.
    if (was === set) delete after[key];
    else after[key] = { was, set };
  }
  if (sameBorrowedLabels(before, after) && Object.keys(labels).length === 0) return {};
  return { labels, annotations: { [borrowedAnnotation]: formatBorrowedLabels(after) } };
}

function isChosen(choice: ReturnChoice, key: string, label: BorrowedLabel): boolean {
  return typeof choice === 'function' ? choice(key, label) : choice.includes(key);
}

/** The first value is kept as long as the label is ours; a value that somebody else set meanwhile replaces it. */
function valueBefore(node: NodeMetadata, key: string, label: BorrowedLabel | undefined): string | null {
  const present = node.labels[key];
  return label !== undefined && label.set === present ? label.was : (present ?? null);
}

/** Undefined, which removes the annotation, if nothing is borrowed. */
function formatBorrowedLabels(borrowed: BorrowedLabels): string | undefined {
  const entries = Object.entries(borrowed).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? undefined : JSON.stringify(Object.fromEntries(entries));
}

function sameBorrowedLabels(a: BorrowedLabels, b: BorrowedLabels): boolean {
  return formatBorrowedLabels(a) === formatBorrowedLabels(b);
}

function readBorrowedLabel(value: unknown): BorrowedLabel | undefined {
  if (!isFields(value)) return undefined;
  const { was, set } = value;
  if ((was !== null && typeof was !== 'string') || typeof set !== 'string') return undefined;
  return { was, set };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}
