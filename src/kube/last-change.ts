import type { ObjectMeta } from '../core/metadata/object-meta.ts';
import type { Selection } from './call-options.ts';
import type { KubeObject } from './resource.ts';
import { isOlder } from './resource-version.ts';

/** The newest known state of a resource, as a witness: a server that has lost it was restored from a backup. */
export interface LastChange {
  readonly object: ObjectMeta;
  readonly isGone: boolean;
}

/** The object of a list that changed last. */
export function lastOf<T extends KubeObject>(list: ReadonlyMap<string, T>): LastChange | undefined {
  let last: ObjectMeta | undefined;
  for (const { metadata } of list.values()) {
    if (last === undefined || isOlder(last.resourceVersion, metadata.resourceVersion)) last = metadata;
  }
  return last && { object: last, isGone: false };
}

/** Narrows a selection to the object that changed last; the whole selection if nothing is known. */
export function selectLast(last: LastChange | undefined, selection: Selection): Selection {
  if (last === undefined) return selection;
  const { name, namespace = selection.namespace } = last.object;
  const terms = [selection.fieldSelector, `metadata.name=${name}`].filter((term) => term !== undefined);
  return { ...selection, namespace, fieldSelector: terms.join(',') };
}

/** Whether the server knows the same last state as we do. */
export function isAsKnown(last: LastChange | undefined, found: KubeObject | undefined): boolean {
  if (last === undefined || last.isGone) return found === undefined;
  const { uid, resourceVersion } = last.object;
  return found?.metadata.uid === uid && found?.metadata.resourceVersion === resourceVersion;
}
