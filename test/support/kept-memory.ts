import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What the process still uses when all garbage is gone, in bytes. */
export function readKeptMemory(): NodeJS.MemoryUsage {
  collectGarbage();
  return process.memoryUsage();
}
