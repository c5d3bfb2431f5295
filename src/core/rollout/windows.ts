import { Cron } from 'croner';
import type { PolicySpec } from '../../api/types.ts';
import { durationMs } from '../text/duration.ts';
import { WallClock } from './wall-clock.ts';

export type Window = NonNullable<NonNullable<PolicySpec['rollout']>['windows']>[number];

export type WindowState =
  | { readonly isOpen: true }
  /** `opensAt` in ms since the epoch; undefined if no window ever opens. */
  | { readonly isOpen: false; readonly opensAt: number | undefined };

/** Whether nodes may start to change now. No windows means always. */
export function stateOfWindows(windows: readonly Window[] | undefined, now: number): WindowState {
  if (windows === undefined || windows.length === 0) return { isOpen: true };
  const states = windows.map((window) => stateOfWindow(window, now));
  if (states.some(({ isOpen }) => isOpen)) return { isOpen: true };
  const starts = states.flatMap(({ until }) => until ?? []);
  return { isOpen: false, opensAt: starts.length > 0 ? Math.min(...starts) : undefined };
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

/** With `*` as the hour no hour is left out and none counts twice: a window opens whenever the clock shows a time of the schedule. */
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
