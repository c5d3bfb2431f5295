import type { GpuPartitionPolicy } from '../../api/types.ts';
import type { Layout } from '../gpu/geometry/geometry.ts';
import { judgeSchedules } from '../policy/timetable.ts';
import { specUnder } from '../policy/schedules.ts';
import { DAY } from './arrival.ts';

/** What policies want from a time on, until a schedule begins or ends. */
export interface SchedulePhase {
  /** Seconds from the start of the simulation. */
  readonly at: number;
  /** The policy that decides over each node, as it is then. */
  readonly policyOf: ReadonlyMap<string, GpuPartitionPolicy>;
  /** What policies with layouts make of GPUs, by node and UUID. */
  readonly layouts: ReadonlyMap<string, Layout>;
}

export interface SimulatedTime {
  /** Ms since the epoch. */
  readonly startMs: number;
  readonly days: number;
}

/** When a schedule of any policy begins or ends, in seconds from the start, which is the first of them. */
export function listSwitches(policies: readonly GpuPartitionPolicy[], time: SimulatedTime): readonly number[] {
  const times = new Set([0, ...policies.flatMap((policy) => switchesOf(policy, time))]);
  return [...times].toSorted((a, b) => a - b);
}

function switchesOf({ spec }: GpuPartitionPolicy, { startMs, days }: SimulatedTime): readonly number[] {
  const switches: number[] = [];
  const end = startMs + days * DAY * 1000;
  for (let at: number | undefined = startMs; at !== undefined && at < end;) {
    const times = judgeSchedules(spec, undefined, at);
    const next = times?.next === undefined ? times?.judgeAt : Date.parse(times.next.time);
    if (next !== undefined && next < end) switches.push((next - startMs) / 1000);
    at = next;
  }
  return switches;
}

/** Policies as they are at a time, in the same order; one that is the same at two times is the same object. */
export class ScheduledPolicies {
  readonly #policies: readonly GpuPartitionPolicy[];
  readonly #variants = new Map<GpuPartitionPolicy, Map<string | undefined, GpuPartitionPolicy>>();

  constructor(policies: readonly GpuPartitionPolicy[]) {
    this.#policies = policies;
  }

  /** @param now in ms since the epoch */
  at(now: number): readonly GpuPartitionPolicy[] {
    return this.#policies.map((policy) => {
      const mark = judgeSchedules(policy.spec, undefined, now)?.mark;
      if (mark === undefined) return policy;
      const variants = this.#variants.get(policy) ?? new Map<string | undefined, GpuPartitionPolicy>();
      this.#variants.set(policy, variants);
      const known = variants.get(mark.name);
      if (known) return known;
      // Its canary is that of this schedule.
      const made = { ...policy, spec: specUnder(policy.spec, mark.name), status: { ...policy.status, schedule: mark } };
      variants.set(mark.name, made);
      return made;
    });
  }
}
