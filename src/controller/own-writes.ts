import type { KubeObject } from '../kube/resource.ts';
import { isOlder } from '../kube/resource-version.ts';
import type { Store } from '../kube/store.ts';

/**
 * A store that knows our writes before the watch brings them back, so that nothing is written twice. Writes that came back are
 * forgotten here.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #store: Store<T>;
  readonly #project: (object: T) => T;
  readonly #written = new Map<string, T>();

  /** @param project what the store keeps of an object */
  constructor(store: Store<T>, project: (object: T) => T) {
    this.#store = store;
    this.#project = project;
  }

  get(name: string): T | undefined {
    const watched = this.#store.get(name);
    const written = this.#written.get(name);
    if (written === undefined) return watched;
    // Deleted, recreated, or newer than our write: the watch is right.
    const isAhead = watched?.metadata.uid === written.metadata.uid && isOlder(versionOf(watched), versionOf(written));
    if (isAhead) return written;
    if (watched !== undefined) this.#written.delete(name);
    return watched;
  }

  get size(): number {
    return this.#store.size;
  }

  list(): readonly T[] {
    return this.#store.list().map((object) => this.get(object.metadata.name) ?? object);
  }

  /** Takes a change of the store. @returns whether it is our own last write, back through the watch: nobody has to act on it */
  isOwn(object: T): boolean {
    const { name } = object.metadata;
    const written = this.#written.get(name);
    const isOwn = written !== undefined && versionOf(written) === versionOf(object);
    // The store has it now. Keeping it here too would hold a fleet in memory twice.
    if (isOwn) this.#written.delete(name);
    return isOwn;
  }

  /** Call this after the API server was restored from a backup: our writes may be in its future. */
  forget(): void {
    this.#written.clear();
  }

  /** Takes the API server's answer to a write, or to a read of something that the watch has not brought. */
  remember(object: T): T {
    const kept = this.#project(object);
    const { name } = kept.metadata;
    const watched = this.#store.get(name);
    // The watch may be faster than the answer.
    const isKnown = watched?.metadata.uid === kept.metadata.uid && !isOlder(versionOf(watched), versionOf(kept));
    if (isKnown) this.#written.delete(name);
    else this.#written.set(name, kept);
    return kept;
  }
}

function versionOf(object: KubeObject | undefined): string | undefined {
  return object?.metadata.resourceVersion;
}
