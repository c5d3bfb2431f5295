import { type Backoff, doubledMs } from '../core/text/duration.ts';

/**
 * How long to wait after this many consecutive failures (1 is the first): full jitter, that is anything between zero and
 * a limit that doubles, so that a thousand clients do not come back at the same moment.
 */
export function backoffMs(backoff: Backoff, failures: number, random: () => number = Math.random): number {
  return random() * doubledMs(backoff, failures);
}
