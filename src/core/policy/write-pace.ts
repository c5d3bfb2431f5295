/** Writes of one policy's status in a row that wait for nothing: an edit and what becomes of it take two or three. */
const most = 5;
/** After those, one write is due in each interval, in ms. */
const intervalMs = 1000;

/** How often a policy's status was written lately. Times in ms since the epoch. */
export interface WritePace {
  readonly lastMs: number;
  /** When all writes so far are paid for, one an interval. */
  readonly paidMs: number;
}

export const noWrites: WritePace = { lastMs: -Infinity, paidMs: -Infinity };

/**
 * In how many ms a status may be written; 0: now. News waits only if there was much of it, the node counts, which change with every
 * node of a large fleet, for an interval in any case.
 */
export function writeDueInMs({ lastMs, paidMs }: WritePace, isNews: boolean, now: number): number {
  const news = paidMs - (most - 1) * intervalMs;
  return Math.max(0, (isNews ? news : Math.max(news, lastMs + intervalMs)) - now);
}

export function noteWrite({ paidMs }: WritePace, now: number): WritePace {
  return { lastMs: now, paidMs: Math.max(paidMs, now) + intervalMs };
}
