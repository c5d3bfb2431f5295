import { waitFor, systemClock } from '../process/clock.ts';
import type { Selection } from './call-options.ts';
import type { KubeClient } from './client.ts';
import { keyOf, type KubeObject, type Resource } from './resource.ts';
import { compareVersions, isOlder } from './resource-version.ts';
import type { Store } from './store.ts';

interface Question {
  /** Sends nothing after the term of its leader. */
  readonly client: Pick<KubeClient, 'list'>;
  readonly resource: Resource;
  readonly selection: Selection;
  readonly signal: AbortSignal;
}

/** A watch whose store is compared with the API server. */
interface FollowedStore {
  readonly store: Store<KubeObject>;
  /** The newest version that the watch has seen. */
  readonly newest: string;
  /** Resolves when the watch has seen something more. */
  readonly moved: Promise<void>;
  /** Has the watch begin again with a list. */
  relist(): void;
}

/** A watch that is behind for this long begins again with a list, in ms: its connection may be dead. */
const longestLagMs = 5_000;
/** How long a server that was restored from a backup gets until its list is read again, in ms. */
const restoreMs = 500;

/**
 * Waits until a store is at least as new as the API server is when this is called. A bookmark would prove it, but may take a minute:
 * the versions of all objects are listed, without their content, and the watch must have brought each of them.
 *
 * @throws ApiError; the signal's reason when it aborts
 */
export async function catchUp(
  { client, resource, selection, signal }: Question,
  followed: FollowedStore,
): Promise<void> {
  for (;;) {
    const { newest } = followed;
    const options = { metadataOnly: true, paged: false, project: keepVersion, signal };
    const list = await client.list<KubeObject>(resource, selection, options);
    // A list is consistent: only a server that was restored answers with less than was known before. The watch finds out by itself.
    if (!isOlder(list.resourceVersion, newest)) return waitUntilSeen(followed, list, signal);
    await waitFor(systemClock, restoreMs, signal);
    signal.throwIfAborted();
  }
}

async function waitUntilSeen(
  followed: FollowedStore,
  { items, resourceVersion }: { readonly items: readonly KubeObject[]; readonly resourceVersion: string },
  signal: AbortSignal,
): Promise<void> {
  const { store } = followed;
  const listed = new Map(items.map((item) => [keyOf(item), item.metadata]));
  const isSeen = (key: string): boolean => {
    const [wanted, known] = [listed.get(key), store.get(key)?.metadata];
    // What is not listed is gone, or newer than the list.
    if (wanted === undefined) return known === undefined || isAtLeast(known.resourceVersion, resourceVersion);
    return known?.uid === wanted.uid && isAtLeast(known?.resourceVersion, wanted.resourceVersion);
  };
  let behind = [...new Set([...listed.keys(), ...store.list().map(keyOf)])];
  let relistAtMs = performance.now() + longestLagMs;
  for (;;) {
    const { moved } = followed;
    if (isAtLeast(followed.newest, resourceVersion)) return;
    behind = behind.filter((key) => !isSeen(key));
    if (behind.length === 0) return;
    const over = new AbortController();
    const leftMs = relistAtMs - performance.now();
    await Promise.race([moved, waitFor(systemClock, leftMs, AbortSignal.any([signal, over.signal]))]);
    over.abort();
    signal.throwIfAborted();
    if (performance.now() < relistAtMs) continue;
    relistAtMs = performance.now() + longestLagMs;
    followed.relist();
  }
}

/** Versions that cannot be compared prove nothing unless they are equal. */
function isAtLeast(version: string | undefined, wanted: string | undefined): boolean {
  return version !== undefined && (version === wanted || (compareVersions(version, wanted) ?? -1) >= 0);
}

function keepVersion({ metadata: { name, namespace, uid, resourceVersion } }: KubeObject): KubeObject {
  return {
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
  };
}
