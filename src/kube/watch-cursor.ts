import { ApiError } from './api-error.ts';
import { isOlder } from './resource-version.ts';

/** The server is behind what we have seen: it lags, or was restored from a backup. */
export class TimeTravelError extends Error {
  override readonly name = 'TimeTravelError';

  constructor(found: string, known: string) {
    super(`the server is at version ${found}, but ${known} was seen before: it lags, or was restored from a backup`);
  }
}

/** After this many consecutive answers older than what we know, it was a restore: accept them. */
const doubtsUntilBelieved = 3;

/** A reflector's position in the history of its resource, and what the next connection must request. */
export class WatchCursor {
  /** The newest version seen. */
  #newest = '';
  /** Where the next watch starts; empty when a list is due. */
  #resumeAt = '';
  #doubts = 0;
  /** False once the server has rejected streamed lists. */
  #hasWatchList = true;
  /** The last streamed list failed halfway; the next one is read in pages. */
  #streamFailed = false;

  get newest(): string {
    return this.#newest;
  }

  /** The version to watch from; empty when a list is due. */
  get resumeAt(): string {
    return this.#resumeAt;
  }

  /** Whether a due list must be read in pages, because the server cannot stream it. */
  get needsPages(): boolean {
    return this.#resumeAt === '' && (!this.#hasWatchList || this.#streamFailed);
  }

  /** How many times in a row the server was older than what we know: it lags, or was restored from a backup. */
  get doubts(): number {
    return this.#doubts;
  }

  /** Makes the next connection begin with a list. */
  demandList(): void {
    this.#resumeAt = '';
  }

  /**
   * Takes the server's own version before a watch resumes. A list is due if the last change is not as we know it.
   * @throws TimeTravelError when its version is older than what we know: it would accept the watch and stay silent until it catches up.
   */
  takeStock(version: string, isAsKnown: boolean): void {
    this.#requireProgress(version);
    if (!isAsKnown) this.demandList();
  }

  /** Takes the version of a complete list. @throws TimeTravelError when it is older than what we know. */
  takeList(version: string): void {
    this.#requireProgress(version);
    this.#doubts = 0;
    this.#streamFailed = false;
    this.#newest = version;
    this.#resumeAt = version;
  }

  /**
   * Takes the version of an event. @returns false for an event to be ignored: versions within a watch only grow; an older
   * event was sent before, and could bring back what has been deleted since.
   */
  takeEvent(version: string): boolean {
    if (isOlder(version, this.#newest)) return false;
    this.#advance(version);
    return true;
  }

  /**
   * Takes the version of a bookmark.
   * @throws TimeTravelError when it is older than what we know: such a server would stay silent until it catches up.
   */
  takeBookmark(version: string): void {
    if (isOlder(version, this.#newest)) throw new TimeTravelError(version, this.#newest);
    this.#advance(version);
  }

  /** Learns from a failure. @returns true if the failure is expected and an immediate list repairs it. */
  learn(error: unknown): boolean {
    const wasListing = this.#resumeAt === '';
    if (!(error instanceof ApiError)) {
      // Time travel, or inconsistent events.
      this.#resumeAt = '';
      this.#streamFailed = wasListing && !(error instanceof TimeTravelError);
      return false;
    }
    if (error.code === 410) {
      this.#resumeAt = '';
      return true;
    }
    if (error.code === 422 && wasListing && this.#hasWatchList) {
      // "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"
      this.#hasWatchList = false;
      return true;
    }
    if (error.reason === 'InvalidAnswer' || error.hasCause('ResourceVersionTooLarge')) this.#resumeAt = '';
    // An old server ignores sendInitialEvents and goes silent after the last object; some fail midway (500).
    this.#streamFailed = wasListing && (error.code >= 500 || error.reason === 'Timeout');
    return false;
  }

  #requireProgress(version: string): void {
    if (!isOlder(version, this.#newest) || this.#doubts >= doubtsUntilBelieved) return;
    this.#doubts += 1;
    throw new TimeTravelError(version, this.#newest);
  }

  #advance(version: string): void {
    if (version === '') return;
    this.#newest = version;
    this.#resumeAt = version;
  }
}
