import type { KubeObject } from '../kube/resource.ts';
import { isOlder } from '../kube/resource-version.ts';
import type { Store } from '../kube/store.ts';
import { stripManagedFields } from './project.ts';

/**
 * A store that knows what we wrote before the watch brings it back, so that nothing is written twice. What came back is
 * forgotten here.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #store: Store<T>;
  readonly #written = new Map<string, T>();

  constructor(store: Store<T>) {
    this.#store = store;
  }

  get(name: string): T | undefined {
    const watched = this.#store.get(name);
    const written = this.#written.get(name);
    if (written === undefined) return watched;
    // Deleted, or made anew, or newer than what we wrote: the watch is right.
    const isAhead = watched?.metadata.uid === written.metadata.uid && isOlder(versionOf(watched), versionOf(written));
    if (isAhead) return written;
    if (watched !== undefined) this.#written.delete(name);
    return watched;
  }

  list(): readonly T[] {
    return this.#store.list().map((object) => this.get(object.metadata.name) ?? object);
  }

  /** Whether this is what we wrote last, come back through the watch: nobody has to look at it. */
  isOwn(object: T): boolean {
    const written = this.#written.get(object.metadata.name);
    return written !== undefined && versionOf(written) === versionOf(object);
  }

  /** To be called when the API server was restored from a backup: what we wrote may be in its future. */
  forget(): void {
    this.#written.clear();
  }

  /** Takes what the API server answered to a write, or to a read of what the watch has not brought. */
  remember(object: T): T {
    const kept = stripManagedFields(object);
    this.#written.set(object.metadata.name, kept);
    return kept;
  }
}

function versionOf(object: KubeObject | undefined): string | undefined {
  return object?.metadata.resourceVersion;
}
