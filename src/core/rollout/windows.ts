// Room rollout: which nodes of a policy may change now, by its budget, canary, windows and pauses, and by the cap over all policies.
// Ask here whether a window is open, until when, in ms since the epoch, and what is wrong with it.
import { Cron } from 'croner';
import type { PolicySpec } from '../../api/types.ts';
import { durationMs } from '../text/syntax.ts';

const hourMs = 3_600_000;
/** No zone is further from UTC than 14 hours, and none has left out more than a day at once (Samoa, 2011). */
const farMs = 48 * hourMs;
const formats = new Map<string, Intl.DateTimeFormat>();

/** The clocks of a time zone. A reading is in ms, as if the clock showed UTC. */
class WallClock {
  readonly #format: Intl.DateTimeFormat;

  /** @throws RangeError if there is no such time zone */
  constructor(timeZone: string) {
    this.#format = formatOf(timeZone);
  }

  /** What the clocks show at a time, to the second. */
  reading(time: number): number {
    const parts = new Map(this.#format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const of = (part: Intl.DateTimeFormatPartTypes): number => parts.get(part) ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  }

  /** The time at which the clocks first show this reading or, where it is left out, a later one. */
  firstShowing(reading: number): number {
    const before = this.#offset(reading - farMs);
    const after = this.#offset(reading + farMs);
    if (before === after) return reading - before;
    const change = this.#change(reading - farMs, reading + farMs, before);
    return reading - before < change ? reading - before : Math.max(change, reading - after);
  }

  /** Milliseconds by which the clocks are ahead of UTC. */
  #offset(time: number): number {
    return this.reading(time) - Math.floor(time / 1000) * 1000;
  }

  /** The time at which clocks are changed between two times, to the second; `before` is the offset at the first. */
  #change(from: number, to: number, before: number): number {
    let [last, first] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
    while (first - last > 1) {
      const middle = Math.floor((last + first) / 2);
      if (this.#offset(middle * 1000) === before) last = middle;
      else first = middle;
    }
    return first * 1000;
  }
}

/** The format of a time zone. It is kept, because one is costly to make. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}

export type Window = NonNullable<NonNullable<PolicySpec['rollout']>['windows']>[number];

/** Times in ms since the epoch; undefined: never. */
type WindowState =
  /** The first that is open closes at `closesAt`; another may still be open then. */
  | { readonly isOpen: true; readonly closesAt: number | undefined }
  | { readonly isOpen: false; readonly opensAt: number | undefined };

/** Whether nodes may start to change now. No windows means always. */
export function stateOfWindows(windows: readonly Window[] | undefined, now: number): WindowState {
  if (windows === undefined || windows.length === 0) return { isOpen: true, closesAt: undefined };
  const states = windows.map((window) => stateOfWindow(window, now));
  const isOpen = states.some((state) => state.isOpen);
  const times = states.flatMap((state) => (state.isOpen === isOpen ? (state.until ?? []) : []));
  const first = times.length > 0 ? Math.min(...times) : undefined;
  return isOpen ? { isOpen, closesAt: first } : { isOpen, opensAt: first };
}

/** Whether a window is open, and until when that holds at least; undefined: forever. */
export function stateOfWindow(
  window: Window,
  time: number,
): { readonly isOpen: boolean; readonly until: number | undefined } {
  const lastsMs = durationMs(window.duration);
  const start = nextStart(window, time - lastsMs);
  if (start === undefined) return { isOpen: false, until: undefined };
  return start <= time ? { isOpen: true, until: start + lastsMs } : { isOpen: false, until: start };
}

/** What is wrong with a window, in words; undefined if nothing is. */
export function explainWindow(window: Window): string | undefined {
  const { schedule, duration, timeZone } = window;
  const name = `${JSON.stringify(schedule)}${timeZone === undefined ? '' : ` in ${timeZone}`}`;
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    return `${name}: unknown time zone; use an IANA name such as Europe/Berlin`;
  }
  try {
    if (cronOf(window).nextRun(new Date(0)) === null) return `${name}: this time never occurs`;
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Cron(Pattern|Date)?: /, '') : String(error);
    return `${name}: ${why}`;
  }
  return durationMs(duration) > 0 ? undefined : `duration ${duration} must be longer than zero`;
}

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The first start after a given time; none if the window is unreadable: its policy is refused. */
function nextStart(window: Window, after: number): number | undefined {
  try {
    return isHourly(window) ? cronOf(window).nextRun(new Date(after))?.getTime() : nextTimeOfDay(window, after);
  } catch {
    return undefined;
  }
}

/**
 * Whether a window is hourly. With `*` as the hour no hour is left out and none counts twice: it opens whenever the clock shows a time of
 * the schedule.
 */
function isHourly({ schedule }: Window): boolean {
  return /^[*?]$/.test(schedule.split(' ')[1] ?? '');
}

/** A time of day is one start a day: when the clock first shows it or, on the day that leaves it out, the time after it. */
function nextTimeOfDay(window: Window, after: number): number | undefined {
  const clock = new WallClock(window.timeZone ?? 'UTC');
  const readings = cronOf({ ...window, timeZone: 'UTC' });
  for (let next = readings.nextRun(new Date(clock.reading(after))); next !== null; next = readings.nextRun(next)) {
    const start = clock.firstShowing(next.getTime());
    if (start > after) return start;
  }
  return undefined;
}

function cronOf({ schedule, timeZone = 'UTC' }: Window): Cron {
  return new Cron(schedule, { timezone: timeZone, mode: '5-part' });
}
