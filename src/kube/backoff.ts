export interface BackoffOptions {
  /** Longest wait after the first failure, in ms. */
  readonly baseMs: number;
  /** Longest wait ever, in ms. */
  readonly maxMs: number;
}

/**
 * How long to wait after this many consecutive failures (1 is the first): full jitter, that is anything between zero and
 * a limit that doubles, so that a thousand clients do not come back at the same moment.
 */
export function backoffMs(options: BackoffOptions, failures: number, random: () => number = Math.random): number {
  return random() * Math.min(options.maxMs, options.baseMs * 2 ** Math.max(0, failures - 1));
}
