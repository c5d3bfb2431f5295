/** For how long a node takes no new GPU pods because its GPUs change. */
export interface ClosedTime {
  /** Since when it is closed, in ms since the epoch; undefined: it is not. */
  readonly since?: number;
  /** For how long it was closed the last time, in seconds. */
  readonly lastSeconds?: number;
}

/** @param isClosed after what was decided has been done */
export function keepClosedTime(before: ClosedTime | undefined, isClosed: boolean, now: number): ClosedTime | undefined {
  const { since } = before ?? {};
  if (isClosed) return since === undefined ? { ...before, since: now } : before;
  return since === undefined ? before : { lastSeconds: Math.round((now - since) / 1000) };
}
