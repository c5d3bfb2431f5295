/** A time of leadership. */
export interface Term {
  /** Aborts when leadership is lost or the candidate must stop. */
  readonly signal: AbortSignal;
  /**
   * Throws when the lease was not renewed in time. Timers of a stalled process fire late: call this right
   * before anything that two must not do.
   */
  requireLeadership(): void;
}
