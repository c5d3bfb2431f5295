import { mkdirSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';

interface Watched {
  readonly watcher: FSWatcher;
  readonly listeners: Map<string, () => void>;
}

/**
 * Tells of changes to files that other programs replace by rename. A file cannot be watched over a rename, its folder can;
 * one watch serves all files of a folder.
 */
export class StateWatch {
  readonly #folders = new Map<string, Watched>();

  /** Calls `onChange` after each change, possibly more than once for one. The folder is made if it is not there. */
  add(file: string, onChange: () => void): void {
    const folder = dirname(file);
    const watched = this.#folders.get(folder) ?? this.#open(folder);
    watched.listeners.set(basename(file), onChange);
  }

  remove(file: string): void {
    const folder = dirname(file);
    const watched = this.#folders.get(folder);
    watched?.listeners.delete(basename(file));
    if (watched?.listeners.size !== 0) return;
    watched.watcher.close();
    this.#folders.delete(folder);
  }

  #open(folder: string): Watched {
    mkdirSync(folder, { recursive: true });
    const listeners = new Map<string, () => void>();
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name === null) for (const listener of listeners.values()) listener();
      else listeners.get(name)?.();
    });
    // A folder that is removed under us: the reader finds the file absent.
    watcher.on('error', () => undefined);
    const watched = { watcher, listeners };
    this.#folders.set(folder, watched);
    return watched;
  }
}
