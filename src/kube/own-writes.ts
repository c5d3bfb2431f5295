import { type KubeObject, isOlder, type Store } from './watch.ts';

/** A version that we wrote, and when. */
interface ExpectedWrite {
  readonly version: string;
  readonly at: number;
}

/**
 * A store that knows our writes before the watch brings them back, so that nothing is written twice. Writes that came back are
 * forgotten here.
 */
export class Expectations<T extends KubeObject> {
  readonly #store: Store<T>;
  readonly #trim: (object: T) => T;
  readonly #written = new Map<string, T>();
  /** Writes, by name of the object, whose answer was not the whole object. */
  readonly #expected = new Map<string, ExpectedWrite>();
  readonly #uncertain = new Set<string>();

  /** @param trim what the store keeps of an object */
  constructor(store: Store<T>, trim: (object: T) => T) {
    this.#store = store;
    this.#trim = trim;
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

  /** Takes a change of the store. @returns whether it is our own last write, back through the watch, on which nothing needs to be done */
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
    this.#expected.clear();
    this.#uncertain.clear();
  }

  /** Call this when an object is gone. */
  drop(name: string): void {
    this.#written.delete(name);
    this.#expected.delete(name);
    this.#uncertain.delete(name);
  }

  /** Call this when a write got no answer: it may have taken effect, and the watch need not show it yet. */
  markUncertain(name: string): void {
    this.#uncertain.add(name);
  }

  /** Whether an object has to be read before anything is decided by it. */
  isUncertain(name: string): boolean {
    return this.#uncertain.has(name);
  }

  /** Takes the version of a write whose answer is not the whole object: the watch is to bring it. */
  expect(name: string, version: string | undefined, at: number): void {
    if (version !== undefined) this.#expected.set(name, { version, at });
  }

  /**
   * The time of our write of an object that the watch has not brought back; undefined if there is none. A decision now would write it
   * twice.
   */
  expectedSince(name: string): number | undefined {
    const expected = this.#expected.get(name);
    if (expected !== undefined && isOlder(versionOf(this.get(name)), expected.version)) return expected.at;
    this.#expected.delete(name);
    return undefined;
  }

  /** Takes the API server's answer to a write, or to a read of something that the watch has not brought. */
  remember(object: T): T {
    const { name, uid } = object.metadata;
    this.#uncertain.delete(name);
    const watched = this.#store.get(name);
    // The watch may be faster than the answer.
    if (watched === undefined || watched.metadata.uid !== uid || isOlder(versionOf(watched), versionOf(object))) {
      const kept = this.#trim(object);
      this.#written.set(name, kept);
      return kept;
    }
    this.#written.delete(name);
    return versionOf(watched) === versionOf(object) ? watched : this.#trim(object);
  }
}

function versionOf(object: KubeObject | undefined): string | undefined {
  return object?.metadata.resourceVersion;
}
