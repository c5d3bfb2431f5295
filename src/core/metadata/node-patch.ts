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
    ...patchMap('/metadata/labels', node.labels, { ...change.labels, ...labels }),
    ...patchMap('/metadata/annotations', node.annotations, { ...change.annotations, ...annotations }),
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
): readonly JsonPatchOperation[] {
  const entries = Object.entries(change).filter(([key, value]) => current[key] !== value);
  if (entries.length === 0) return [];
  // A patch cannot add to a map that does not exist.
  const create: JsonPatchOperation[] = Object.keys(current).length === 0 ? [{ op: 'add', path, value: {} }] : [];
  return [
    ...create,
    ...entries.flatMap(([key, value]): readonly JsonPatchOperation[] => {
      const target = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const before = current[key];
      // Others write these too: what was read a moment ago must still hold. The record of borrowed labels is one value: starting from an
      // older one would lose what another writer has recorded.
      const isTested = key === borrowedAnnotation || (before !== undefined && isLent(key));
      const test = isTested ? [{ op: 'test' as const, path: target, value: before ?? null }] : [];
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
