import { keyOf, type KubeObject } from './resource.ts';
import { isOlder } from './resource-version.ts';

/** A change of an object. An object that was deleted and recreated is a `delete` and then an `apply`. */
export type Change<T> =
  | { readonly type: 'apply'; readonly key: string; readonly object: T; readonly previous: T | undefined }
  | { readonly type: 'delete'; readonly key: string; readonly object: T };

/** The objects as last seen, by key (`namespace/name`, or `name`). */
export interface Store<T> {
  readonly size: number;
  get(key: string): T | undefined;
  list(): readonly T[];
}

/**
 * The store behind a reflector. It returns the changes that it made, and accepts nothing older than what it has:
 * repeated or late events change nothing.
 */
export class ObjectStore<T extends KubeObject> implements Store<T> {
  #items: Map<string, T> = new Map();

  get size(): number {
    return this.#items.size;
  }

  get(key: string): T | undefined {
    return this.#items.get(key);
  }

  list(): readonly T[] {
    return [...this.#items.values()];
  }

  /** Takes an object's current state. */
  upsert(object: T): readonly Change<T>[] {
    const key = keyOf(object);
    const before = this.#items.get(key);
    if (before !== undefined && (isSame(before, object) || isOlder(versionOf(object), versionOf(before)))) return [];
    this.#items.set(key, object);
    return describeChange(key, before, object);
  }

  /** Takes the last state of an object that is gone. */
  remove(object: T): readonly Change<T>[] {
    const key = keyOf(object);
    const before = this.#items.get(key);
    if (before === undefined || isOlder(versionOf(object), versionOf(before))) return [];
    this.#items.delete(key);
    return [{ type: 'delete', key, object: before.metadata.uid === object.metadata.uid ? object : before }];
  }

  /**
   * Takes a complete list: what is not in it is gone. The list decides, even if it is older.
   * @param trustsVersions false: an object with the version that we know may still be a different state of it
   */
  replace(next: ReadonlyMap<string, T>, trustsVersions = true): readonly Change<T>[] {
    const before = this.#items;
    this.#items = new Map();
    const changes: Change<T>[] = [];
    for (const [key, object] of before) if (!next.has(key)) changes.push({ type: 'delete', key, object });
    for (const [key, object] of next) {
      const known = before.get(key);
      const same = trustsVersions && known !== undefined && isSame(known, object);
      this.#items.set(key, same ? known : object);
      if (!same) changes.push(...describeChange(key, known, object));
    }
    return changes;
  }
}

function describeChange<T extends KubeObject>(key: string, before: T | undefined, object: T): readonly Change<T>[] {
  if (before === undefined || before.metadata.uid === object.metadata.uid) {
    return [{ type: 'apply', key, object, previous: before }];
  }
  return [
    { type: 'delete', key, object: before },
    { type: 'apply', key, object, previous: undefined },
  ];
}

/** Whether both are the same state of the same object. */
function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.uid === b.metadata.uid && versionOf(a) === versionOf(b);
}

function versionOf(object: KubeObject): string | undefined {
  return object.metadata.resourceVersion;
}
