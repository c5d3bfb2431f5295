import { KubeletError, mayBeRestarting } from '../core/pods/kubelet-error.ts';
import { type Clock, waitFor } from '../process/clock.ts';

const againMs = 500;

/** How long to wait for a kubelet that may be restarting. */
export interface Patience {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether there is still time. */
  readonly mayWait: () => boolean;
}

/** Asks the kubelet until it answers, or there is no more time. @throws what the last question threw; any other error at once */
export async function askPatiently<T>(ask: () => Promise<T>, { clock, signal, mayWait }: Patience): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isPassing = error instanceof KubeletError && mayBeRestarting(error);
      if (!isPassing || !mayWait() || signal.aborted) throw error;
    }
    await waitFor(clock, againMs, signal);
  }
}
