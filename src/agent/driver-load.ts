import { statSync } from 'node:fs';
import { wait } from './wait.ts';

/**
 * Distinguishes one load of the driver from the next: the kernel gives a module's folder a new inode on each load.
 *
 * @param folder `/sys/module/nvidia`
 * @returns the current inode of {@link folder}; the previous one if it is missing: without a loaded driver there are no instances to report
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
 * Reports each new load immediately, not at the next reading: the layout must be recreated before the node is opened.
 * A check costs one system call.
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
