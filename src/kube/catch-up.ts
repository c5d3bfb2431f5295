import { whenAborted } from '../process/abort.ts';
import { systemClock, waitFor } from '../process/clock.ts';
import { describeError, type Logger } from '../process/logger.ts';
import { ApiError } from './api-error.ts';
import { backoffMs } from './backoff.ts';
import type { List, Selection } from './call-options.ts';
import type { KubeClient } from './client.ts';
import { keepVersion, keyOf, type KubeObject, type Resource } from './resource.ts';
import { compareVersions, isOlder } from './resource-version.ts';
import type { Store } from './store.ts';

interface Question {
  /** Sends nothing after the term of its leader. */
  readonly client: Pick<KubeClient, 'list' | 'listPages'>;
  readonly resource: Resource;
  readonly selection: Selection;
  readonly signal: AbortSignal;
  readonly logger: Logger;
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

/** How long an event is waited for before all versions are listed, in ms: 1,000 Nodes cost the API server half a second of CPU time. */
const patienceMs = 300;
/** A watch that is behind for this long begins again with a list, in ms: its connection may be dead. */
const longestLagMs = 5_000;
const backoff = { baseMs: 500, maxMs: 5_000 };

/**
 * Waits until a store is at least as new as the API server is when this is called. In a busy cluster an event soon proves it. If none
 * comes, the versions of all objects are listed, without their content, and the watch must have brought each of them. A bookmark would
 * prove it too, but may take a minute.
 *
 * @throws NotSentError when the term is over; the signal's reason when it aborts
 */
export async function catchUp(question: Question, followed: FollowedStore): Promise<void> {
  const { signal, logger, resource } = question;
  const { resourceVersion } = await readUntilProgress(followed, question, () => readVersion(question));
  const hasPassed = (): boolean => isAtLeast(followed.newest, resourceVersion);
  if (await waitUntil(hasPassed, followed, patienceMs, signal)) return;
  const list = await readUntilProgress(followed, question, () => listVersions(question));
  const isCurrent = compare(followed, list);
  while (!(await waitUntil(isCurrent, followed, longestLagMs, signal))) {
    const fields = { resource: resource.plural, newest: followed.newest, wanted: list.resourceVersion };
    logger.warn('a watch is behind the API server: it begins again with a list', fields);
    followed.relist();
  }
}

/**
 * Never gives up, as a watch does not. An answer is consistent: only a server that was restored has less than was known before. The
 * watch finds that out.
 */
async function readUntilProgress<Answer extends Pick<List<KubeObject>, 'resourceVersion'>>(
  followed: FollowedStore,
  { resource, signal, logger }: Question,
  read: () => Promise<Answer>,
): Promise<Answer> {
  for (let failures = 1; ; failures += 1) {
    const { newest } = followed;
    const retryInMs = Math.round(backoffMs(backoff, failures));
    try {
      const answer = await read();
      if (!isOlder(answer.resourceVersion, newest)) return answer;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const fields = { resource: resource.plural, error: describeError(error), retryInMs };
      logger.warn('cannot compare a watch with the API server; trying again', fields);
    }
    await waitFor(systemClock, retryInMs, signal);
    signal.throwIfAborted();
  }
}

async function readVersion({ client, resource, selection, signal }: Question): Promise<List<KubeObject>> {
  const pages = client.listPages<KubeObject>(resource, selection, { pageSize: 1, metadataOnly: true, signal });
  for await (const page of pages) return page;
  throw new Error(`a list of ${resource.plural} has no page`);
}

function listVersions({ client, resource, selection, signal }: Question): Promise<List<KubeObject>> {
  return client.list(resource, selection, { metadataOnly: true, paged: false, project: keepVersion, signal });
}

/** @returns what tells whether a store is at least as new as a list */
function compare(followed: FollowedStore, { items, resourceVersion }: List<KubeObject>): () => boolean {
  const { store } = followed;
  const listed = new Map(items.map((item) => [keyOf(item), item.metadata]));
  const isSeen = (key: string): boolean => {
    const [wanted, known] = [listed.get(key), store.get(key)?.metadata];
    // What is not listed is gone, or newer than the list.
    if (wanted === undefined) return known === undefined || isAtLeast(known.resourceVersion, resourceVersion);
    return known?.uid === wanted.uid && isAtLeast(known?.resourceVersion, wanted.resourceVersion);
  };
  let behind = [...new Set([...listed.keys(), ...store.list().map(keyOf)])];
  return () => {
    if (isAtLeast(followed.newest, resourceVersion)) return true;
    behind = behind.filter((key) => !isSeen(key));
    return behind.length === 0;
  };
}

/** Asks again with all news of the watch. @returns whether it came to hold in time */
async function waitUntil(
  holds: () => boolean,
  followed: FollowedStore,
  forMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const late = AbortSignal.timeout(forMs);
  for (;;) {
    const { moved } = followed;
    if (holds()) return true;
    if (late.aborted) return false;
    await Promise.race([moved, whenAborted(AbortSignal.any([signal, late]))]);
    signal.throwIfAborted();
  }
}

/** Versions that cannot be compared prove nothing unless they are equal. */
function isAtLeast(version: string | undefined, wanted: string | undefined): boolean {
  return version !== undefined && (version === wanted || (compareVersions(version, wanted) ?? -1) >= 0);
}
