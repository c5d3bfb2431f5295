import { EndQueue } from '../../../src/core/plan/simulation/trace.ts';
import type { FleetSlice } from './fleet.ts';
import { DAY, DAYS, SIZES, type TraceRequest } from './requests.ts';

/** Who decides about slices. */
export interface TracePolicy {
  /** Gives a request a slice; undefined if it is lost. */
  serve(request: TraceRequest, now: number): FleetSlice | undefined;
  /** The task has ended. */
  free(slice: FleetSlice): void;
  /** Called each minute of the trace. @returns slices whose tasks were evicted */
  tick?(now: number, wanted: ReadonlyMap<string, number>): readonly FleetSlice[];
}

/** What came of the counted part of a trace. */
export interface TraceOutcome {
  /** Memory slices x seconds. */
  readonly asked: number;
  readonly served: number;
  readonly requests: number;
  readonly accepted: number;
  readonly evictions: number;
  /** By profile: requests, and those accepted. */
  readonly byProfile: ReadonlyMap<string, { requests: number; accepted: number }>;
}

interface Running {
  readonly slice: FleetSlice;
  readonly request: TraceRequest;
  readonly end: number;
  isGone: boolean;
}

interface Wanting {
  readonly end: number;
  readonly profile: string;
}

const MINUTE = 60;

/** Plays requests against a policy; a request that finds no slice, and a task that is evicted, are lost. */
export function play(requests: readonly TraceRequest[], policy: TracePolicy): TraceOutcome {
  const from = DAYS * DAY;
  const until = 2 * from;
  const running = new EndQueue<Running>();
  const bySlice = new Map<FleetSlice, Running>();
  const wanting = new EndQueue<Wanting>();
  const wanted = new Map<string, number>();
  const outcome = { asked: 0, served: 0, requests: 0, accepted: 0, evictions: 0 };
  const byProfile = new Map<string, { requests: number; accepted: number }>();
  const overlap = (start: number, end: number): number => Math.max(0, Math.min(end, until) - Math.max(start, from));
  let nextTick = 0;

  const release = (now: number): void => {
    for (let task = running.takeUntil(now); task !== undefined; task = running.takeUntil(now)) {
      if (task.isGone) continue;
      bySlice.delete(task.slice);
      outcome.served += overlap(task.request.start, task.end) * (SIZES[task.request.profile] ?? 0);
      policy.free(task.slice);
    }
    for (let one = wanting.takeUntil(now); one !== undefined; one = wanting.takeUntil(now))
      wanted.set(one.profile, (wanted.get(one.profile) ?? 0) - 1);
  };
  const tick = (now: number): void => {
    for (const slice of policy.tick?.(now, wanted) ?? []) {
      const task = bySlice.get(slice);
      if (task === undefined) throw new Error('a slice went that nobody held');
      task.isGone = true;
      bySlice.delete(slice);
      outcome.served += overlap(task.request.start, now) * (SIZES[task.request.profile] ?? 0);
      if (now >= from) outcome.evictions += 1;
    }
  };

  for (const request of requests) {
    for (; nextTick <= request.start; nextTick += MINUTE) {
      release(nextTick);
      tick(nextTick);
    }
    release(request.start);
    const { start, end, profile } = request;
    wanting.add({ end, profile });
    wanted.set(profile, (wanted.get(profile) ?? 0) + 1);
    const slice = policy.serve(request, start);
    outcome.asked += overlap(start, end) * (SIZES[profile] ?? 0);
    const tally = byProfile.get(profile) ?? { requests: 0, accepted: 0 };
    byProfile.set(profile, tally);
    if (start >= from) {
      outcome.requests += 1;
      tally.requests += 1;
      if (slice !== undefined) {
        outcome.accepted += 1;
        tally.accepted += 1;
      }
    }
    if (slice === undefined) continue;
    const task = { slice, request, end, isGone: false };
    running.add(task);
    bySlice.set(slice, task);
  }
  release(Infinity);
  return { ...outcome, byProfile };
}
