import { changeBorrowedLabels, borrowedAnnotation } from './borrowed-labels.ts';
import type { NodeChange, NodeMetadata, Taint } from './node-change.ts';

/** One operation of RFC 6902. */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  readonly path: string;
  readonly value?: unknown;
}

/**
 * The JSON patch for the change, empty if nothing changes. Only the named keys are touched. Taints are one atomic list in
 * Kubernetes, so a `test` makes the patch fail with 422, and nothing is lost, if anyone changed the list meanwhile.
 */
export function patchNode(node: NodeMetadata, change: NodeChange): readonly JsonPatchOperation[] {
  const { labels, annotations } = changeBorrowedLabels(node, change.borrow ?? {}, change.giveBack ?? []);
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
  return (
    key.startsWith('nvidia.com/gpu.deploy.') ||
    key === 'nvidia.com/device-plugin.config' ||
    key === 'nvidia.com/mig.config.state'
  );
}
