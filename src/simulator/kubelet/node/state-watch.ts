import { mkdirSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';

interface Watched {
  readonly watcher: FSWatcher;
  readonly listeners: Map<string, () => void>;
}

/**
 * Notifies about changes to files that other programs replace by rename. A watch on a file does not survive a rename, a watch
 * on its folder does; one watch serves all files of a folder.
 */
export class StateWatch {
  readonly #folders = new Map<string, Watched>();

  /** Calls `onChange` after each change, possibly more than once. Creates the folder if it does not exist. */
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
    // The folder was removed under us: the reader finds the file absent.
    watcher.on('error', () => undefined);
    const watched = { watcher, listeners };
    this.#folders.set(folder, watched);
    return watched;
  }
}
