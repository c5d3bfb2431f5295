/** A time of leadership. */
export interface Term {
  /** Aborts when leadership is lost or the candidate is to stop. */
  readonly signal: AbortSignal;
  /**
   * Throws when the lease was not renewed in time. Timers of a process that was stalled fire late: call this right
   * before what must not be done by two.
   */
  requireLeadership(): void;
}
