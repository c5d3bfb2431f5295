import { deployLabelPrefix, migConfigStateLabel } from '../../api/names.ts';
import type { Taint, NodeView } from '../kubernetes/node.ts';
import { isFields, type JsonPatchOperation } from '../text/json.ts';

/** The parts of a Node that a change starts from, as the watch or a read returned them. */
export interface NodeMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

/** What to change on a Node; all of it is one write. */
export interface NodeChange {
  /** Key to value; undefined removes the key. */
  readonly labels?: Readonly<Record<string, string | undefined>>;
  readonly annotations?: Readonly<Record<string, string | undefined>>;
  /** Labels of others to set temporarily; the previous value of each is kept on the Node. */
  readonly borrow?: Readonly<Record<string, string>>;
  /** Borrowed labels to restore; one that the same change borrows stays borrowed. */
  readonly giveBack?: ReturnChoice;
  /** Borrowed labels that are removed when they are restored, whatever they were: nobody stands by that value any more. */
  readonly forget?: readonly string[];
  readonly addTaints?: readonly Taint[];
  /** Keys of taints to remove. */
  readonly removeTaints?: readonly string[];
}

/** Joins changes into one write; if two concern one key, the later one wins. */
export function combine(...changes: readonly NodeChange[]): NodeChange {
  const giveBack = changes.flatMap((change) => (change.giveBack === undefined ? [] : [change.giveBack]));
  return {
    labels: Object.assign({}, ...changes.map(({ labels }) => labels)) as NonNullable<NodeChange['labels']>,
    annotations: Object.assign({}, ...changes.map(({ annotations }) => annotations)) as NonNullable<
      NodeChange['annotations']
    >,
    borrow: Object.assign({}, ...changes.map(({ borrow }) => borrow)) as NonNullable<NodeChange['borrow']>,
    ...(giveBack.length > 0 && {
      giveBack: (key, label) =>
        giveBack.some((choice) => (typeof choice === 'function' ? choice(key, label) : choice.includes(key))),
    }),
    forget: changes.flatMap(({ forget }) => forget ?? []),
    addTaints: changes.flatMap(({ addTaints }) => addTaints ?? []),
    removeTaints: changes.flatMap(({ removeTaints }) => removeTaints ?? []),
  };
}

/**
 * The annotation of a Node with labels of other owners that we have temporarily changed, as JSON `{"KEY": {"was": VALUE or null, "set":
 * VALUE}}`; null: the label was not there.
 */
export const borrowedAnnotation = 'gpupartition.dev/on-loan';

interface BorrowedLabel {
  /** Value before we took the label; null: it was not there. */
  readonly was: string | null;
  /** Value that we gave it. If the label has another one now, somebody else has taken it over. */
  readonly set: string;
}

type BorrowedLabels = Readonly<Record<string, BorrowedLabel>>;

/** Selects borrowed labels: by key, or by a predicate. */
export type ReturnChoice = readonly string[] | ((key: string, label: BorrowedLabel) => boolean);

/** The annotation that was read last: each decision asks many times about one node. */
let lastRead: { readonly note: string; readonly borrowed: BorrowedLabels } | undefined;

/** Labels of a node that we have borrowed. An unreadable annotation or entry counts as none. */
export function borrowedLabelsOf({ annotations }: Pick<NodeMetadata, 'annotations'>): BorrowedLabels {
  const note = annotations[borrowedAnnotation];
  if (note === undefined) return {};
  if (lastRead?.note !== note) lastRead = { note, borrowed: readNote(note) };
  return lastRead.borrowed;
}

/**
 * Whether we may change a label and restore it. Labels of `kubernetes.io` and `k8s.io` are out: a kubelet may write any annotation
 * of its own node and only few of these labels (NodeRestriction), so an annotation must not make us write them.
 */
export function isBorrowable(key: string): boolean {
  const [prefix = ''] = key.split('/');
  return key.includes('/') && !/(^|\.)(kubernetes|k8s)\.io$/.test(prefix);
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
  forgotten: readonly string[] = [],
): Pick<NodeChange, 'labels' | 'annotations'> {
  const known = borrowedLabelsOf(node);
  const before = Object.fromEntries(
    Object.entries(known).map(([key, label]) => [key, forgotten.includes(key) ? { ...label, was: null } : label]),
  );
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
  if (sameBorrowedLabels(known, after) && Object.keys(labels).length === 0) return {};
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

/** Formats the annotation; undefined, which removes it, if nothing is borrowed. */
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

/**
 * The JSON patch for the change, empty if nothing changes. Only the named keys are touched. Taints are one atomic list in
 * Kubernetes, so a `test` makes the patch fail with 422, and nothing is lost, if anyone changed the list meanwhile.
 */
export function patchNode(node: NodeMetadata, change: NodeChange): readonly JsonPatchOperation[] {
  const { labels, annotations } = changeBorrowedLabels(node, change.borrow ?? {}, change.giveBack ?? [], change.forget);
  return [
    ...patchTaints(node.taints, change),
    // A label that is borrowed or given back is somebody else's, who may write it too.
    ...patchMap(
      '/metadata/labels',
      node.labels,
      { ...change.labels, ...labels },
      (key) => key in (labels ?? {}) || isLent(key),
    ),
    // The record of borrowed labels is one value: starting from an older one would lose what another writer has recorded. Whoever
    // removes it gives up what is still borrowed.
    ...patchMap(
      '/metadata/annotations',
      node.annotations,
      { ...annotations, ...change.annotations },
      (key) => key === borrowedAnnotation,
    ),
  ];
}

function patchTaints(current: readonly Taint[], change: NodeChange): readonly JsonPatchOperation[] {
  const path = '/spec/taints';
  const removed = new Set(change.removeTaints ?? []);
  const kept = current.filter(({ key }) => !removed.has(key));
  const added = (change.addTaints ?? []).filter(({ key }) => !kept.some((taint) => taint.key === key));
  if (kept.length === current.length && added.length === 0) return [];
  const wanted = [...kept, ...added];
  const test: JsonPatchOperation = { op: 'test', path, value: current.length > 0 ? current : null };
  if (wanted.length === 0) return [test, { op: 'remove', path }];
  return [test, { op: current.length > 0 ? 'replace' : 'add', path, value: wanted }];
}

function patchMap(
  path: string,
  current: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string | undefined>>,
  isTested: (key: string) => boolean,
): readonly JsonPatchOperation[] {
  const entries = Object.entries(change).filter(([key, value]) => current[key] !== value);
  if (entries.length === 0) return [];
  // A patch cannot add to a map that does not exist, and must not replace one that somebody has made meanwhile.
  const create: readonly JsonPatchOperation[] = [
    { op: 'test', path, value: null },
    { op: 'add', path, value: {} },
  ];
  return [
    ...(Object.keys(current).length === 0 ? create : []),
    ...entries.flatMap(([key, value]): readonly JsonPatchOperation[] => {
      const target = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      // What was read a moment ago must still hold.
      const test = isTested(key) ? [{ op: 'test' as const, path: target, value: current[key] ?? null }] : [];
      return [...test, value === undefined ? { op: 'remove', path: target } : { op: 'add', path: target, value }];
    }),
  ];
}

function isLent(key: string): boolean {
  return key.startsWith(deployLabelPrefix) || key === 'nvidia.com/device-plugin.config' || key === migConfigStateLabel;
}

export function metadataOf(node: NodeView): NodeMetadata {
  return {
    labels: node.metadata.labels ?? {},
    annotations: node.metadata.annotations ?? {},
    taints: node.spec?.taints ?? [],
  };
}
