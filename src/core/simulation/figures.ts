/** What came of one profile on one day, or in a span of days. */
export interface SliceFigures {
  /** Pods that came. */
  readonly pods: number;
  /** Slice-seconds in which pods would run if each started as it comes, until the end of the simulation at most. */
  readonly askedSeconds: number;
  /** Those in which they ran: the work that was done. Of a backlog, a day may serve more than it was asked for. */
  readonly servedSeconds: number;
  /** Those in which pods ran that were evicted: they start over. */
  readonly lostSeconds: number;
  /** Those in which pods waited. */
  readonly waitSeconds: number;
  /** Pods that got their slice. */
  readonly started: number;
  /** Of one that has its slice, or still waits at the end. */
  readonly longestWaitSeconds: number;
  readonly evictions: number;
}

export interface DayFigures extends SliceFigures {
  /** From 1. */
  readonly day: number;
  readonly profile: string;
}

export interface ProfileFigures extends SliceFigures {
  readonly profile: string;
  /** Memory slices that it takes. */
  readonly size: number;
  /** The wait that half of the pods did not exceed, and 95 %; one that still waits at the end counts by its wait until then. */
  readonly medianWaitSeconds: number;
  readonly p95WaitSeconds: number;
  /** At the end. */
  readonly stillWaiting: number;
}

/** Figures that are still counted. */
export type Counted = { -readonly [Key in keyof SliceFigures]: SliceFigures[Key] };

export const nothing: SliceFigures = {
  pods: 0,
  askedSeconds: 0,
  servedSeconds: 0,
  lostSeconds: 0,
  waitSeconds: 0,
  started: 0,
  longestWaitSeconds: 0,
  evictions: 0,
};

export function sumFigures(all: readonly SliceFigures[]): SliceFigures {
  const sum: Counted = { ...nothing };
  for (const one of all) {
    sum.pods += one.pods;
    sum.askedSeconds += one.askedSeconds;
    sum.servedSeconds += one.servedSeconds;
    sum.lostSeconds += one.lostSeconds;
    sum.waitSeconds += one.waitSeconds;
    sum.started += one.started;
    sum.longestWaitSeconds = Math.max(sum.longestWaitSeconds, one.longestWaitSeconds);
    sum.evictions += one.evictions;
  }
  return sum;
}

/** @param sorted ascending */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
