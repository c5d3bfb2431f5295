import { Cron } from 'croner';
import type { PolicySpec } from '../../api/types.ts';
import { durationMs } from '../text/duration.ts';

export type Window = NonNullable<NonNullable<PolicySpec['rollout']>['windows']>[number];

export type WindowState =
  | { readonly isOpen: true }
  /** `opensAt` in ms since the epoch; undefined if no window ever opens. */
  | { readonly isOpen: false; readonly opensAt: number | undefined };

/** Whether nodes may start to change now. No windows means always. */
export function stateOfWindows(windows: readonly Window[] | undefined, now: number): WindowState {
  if (windows === undefined || windows.length === 0) return { isOpen: true };
  const isOpen = windows.some((window) => {
    const start = nextStart(window, now - durationMs(window.duration));
    return start !== undefined && start <= now;
  });
  if (isOpen) return { isOpen };
  const starts = windows.flatMap((window) => nextStart(window, now) ?? []);
  return { isOpen, opensAt: starts.length > 0 ? Math.min(...starts) : undefined };
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
    return cronOf(window).nextRun(new Date(after))?.getTime();
  } catch {
    return undefined;
  }
}

function cronOf({ schedule, timeZone }: Window): Cron {
  return new Cron(schedule, { timezone: timeZone ?? 'UTC', paused: true, mode: '5-part' });
}
