import { statSync } from 'node:fs';

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
