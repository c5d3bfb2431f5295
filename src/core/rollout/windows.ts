import { Cron } from 'croner';
import type { PolicySpec } from '../../api/types.ts';
import { durationMs } from '../text/duration.ts';

export type Window = NonNullable<NonNullable<PolicySpec['rollout']>['windows']>[number];

export type WindowState =
  | { readonly isOpen: true }
  /** `opensAt` in ms since the epoch; undefined where no window ever opens. */
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

/** What is wrong with a window, in words; undefined where nothing is. */
export function explainWindow(window: Window): string | undefined {
  try {
    cronOf(window);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Cron(Pattern|Date)?: /, '') : String(error);
    return `${JSON.stringify(window.schedule)}${window.timeZone === undefined ? '' : ` in ${window.timeZone}`}: ${why}`;
  }
  return durationMs(window.duration) > 0 ? undefined : `duration ${window.duration} is no time at all`;
}

/** The first start after a moment. */
function nextStart(window: Window, after: number): number | undefined {
  return cronOf(window).nextRun(new Date(after))?.getTime();
}

function cronOf({ schedule, timeZone }: Window): Cron {
  const cron = new Cron(schedule, { timezone: timeZone ?? 'UTC', paused: true, mode: '5-part' });
  // A time zone is looked at only when it is used.
  cron.nextRun(new Date(0));
  return cron;
}
