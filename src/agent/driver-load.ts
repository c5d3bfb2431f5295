import { statSync } from 'node:fs';
import { wait } from './wait.ts';

/**
 * Tells one load of the driver from the next: the kernel gives the folder of a module another inode each time that it is loaded.
 *
 * @param folder `/sys/module/nvidia`
 * @returns what {@link folder} is now; what it was before where there is none: a driver that is not loaded has no instances to tell of
 */
export function watchDriverLoad(folder: string): () => string | undefined {
  let known: string | undefined;
  return () => {
    const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
    known = found === undefined ? known : String(found.ino);
    return known;
  };
}

/**
 * Tells of each new load as soon as it is there, not at the next reading: the layout has to be made again before the node is opened.
 * A look costs one call of the kernel.
 */
export async function followDriverLoad(
  load: () => string | undefined,
  { onLoad, everyMs = 1_000 }: { readonly onLoad: () => void; readonly everyMs?: number },
  signal: AbortSignal,
): Promise<void> {
  let known = load();
  while (await wait(everyMs, signal)) {
    const now = load();
    if (now !== known) onLoad();
    known = now;
  }
}
