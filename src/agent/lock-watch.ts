import { wait } from './wait.ts';

/**
 * Aborts when the lock of this node is lost (somebody emptied or restored its folder), with the reason as an Error: the process must
 * end, so that the one that is started in its place takes the lock again. A check costs one system call.
 *
 * @param explainLoss why the lock is lost; undefined as long as it is not
 * @param signal ends the watch
 */
export function watchLock(explainLoss: () => string | undefined, signal: AbortSignal, everyMs = 1_000): AbortSignal {
  const lost = new AbortController();
  const follow = async (): Promise<void> => {
    while (await wait(everyMs, signal)) {
      const loss = explainLoss();
      if (loss !== undefined)
        return lost.abort(new Error(`${loss}. The agent ends, to take the lock again when it is restarted`));
    }
  };
  void follow();
  return lost.signal;
}
