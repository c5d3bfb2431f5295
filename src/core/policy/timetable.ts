import type { PolicySpec, PolicyStatus } from '../../api/types.ts';
import { stateOfWindow } from '../rollout/windows.ts';
import { timeText } from '../text/duration.ts';
import type { Schedule } from './schedules.ts';

/** Which schedule is in force, and since when: kept in the policy's status, so that a new leader continues with it. */
export type ScheduleMark = Pick<NonNullable<PolicyStatus['schedule']>, 'name' | 'since'>;

export interface ScheduleTimes {
  readonly mark: ScheduleMark;
  readonly next: NonNullable<PolicyStatus['schedule']>['next'];
  /** When to judge again, in ms since the epoch; undefined if nothing ever changes. */
  readonly judgeAt: number | undefined;
}

/** A clock that is set back, or that of the next leader, may be this far behind the last switch: it stays. */
const believedMs = 3_600_000;
/** Windows that follow each other without a gap make no switch: so many are looked through for the next one. */
const mostBounds = 100;

/**
 * Which schedule is in force, and which one follows. Undefined for a policy without schedules.
 *
 * @param known what the status says
 */
export function judgeSchedules(
  { schedules }: PolicySpec,
  known: ScheduleMark | undefined,
  now: number,
): ScheduleTimes | undefined {
  if (schedules === undefined) return undefined;
  const since = Date.parse(known?.since ?? '');
  const time = since - now <= believedMs ? Math.max(since, now) : now;
  const sweep = new Sweep(schedules, time);
  const { name } = sweep;
  const mark = known && known.name === name ? known : { ...(name !== undefined && { name }), since: timeText(now) };
  for (let left = mostBounds; left > 0 && sweep.advance(); left -= 1) {
    if (sweep.name === name) continue;
    const next = { ...(sweep.name !== undefined && { name: sweep.name }), time: timeText(sweep.time) };
    return { mark: cut(mark), next, judgeAt: sweep.time };
  }
  return { mark: cut(mark), next: undefined, judgeAt: sweep.time > time ? sweep.time : undefined };
}

/** Goes through the times at which schedules begin and end. */
class Sweep {
  time: number;
  readonly #states: { readonly schedule: Schedule; isOpen: boolean; until: number | undefined }[];

  constructor(schedules: readonly Schedule[], time: number) {
    this.time = time;
    this.#states = schedules.map((schedule) => ({ schedule, ...stateOfWindow(schedule, time) }));
  }

  /** Of the first schedule that is open. */
  get name(): string | undefined {
    return this.#states.find(({ isOpen }) => isOpen)?.schedule.name;
  }

  /** @returns false if nothing ever changes */
  advance(): boolean {
    const bounds = this.#states.flatMap(({ until }) => until ?? []);
    if (bounds.length === 0) return false;
    const time = Math.min(...bounds);
    for (const state of this.#states)
      if (state.until === time) Object.assign(state, stateOfWindow(state.schedule, time));
    this.time = time;
    return true;
  }
}

/** Of two marks the one of the later switch: the watch may bring what was before our own write. */
export function laterMark(known: ScheduleMark | undefined, given: ScheduleMark | undefined): ScheduleMark | undefined {
  if (known === undefined || given === undefined) return given ?? known;
  return Date.parse(known.since) >= Date.parse(given.since) ? known : cut(given);
}

function cut({ name, since }: ScheduleMark): ScheduleMark {
  return { ...(name !== undefined && { name }), since };
}
