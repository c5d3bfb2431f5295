import { describeDuration, timeText } from '../text/duration.ts';
import { wrapHanging } from '../text/wrap.ts';
import { type Line, span } from './line.ts';

/** Updates have stopped: what is shown is from then. */
export interface Interruption {
  /**
   * Disconnected: the API server does not answer. Stale: it answers, and does not send what changes. No controller: it sends what
   * there is, which nobody writes any more.
   */
  readonly kind: 'Disconnected' | 'Stale' | 'No controller';
  /** The last time when everything was known to be current, in ms since 1970; undefined if it never was. */
  readonly since: number | undefined;
  readonly why: string;
}

/** Where a picture comes from. */
export type Source =
  | { readonly context: string; readonly server: string }
  /** A saved cluster does not age on the screen: it never was current there. */
  | { readonly files: readonly string[] };

/** How old a picture is. */
export interface Freshness {
  readonly source: Source;
  /** When everything was last known to be current, in ms since 1970. */
  readonly seenAt: number;
  readonly interruption: Interruption | undefined;
}

/** `context prod (https://10.0.0.1:6443)` */
export function describeSource(source: Source): string {
  return 'files' in source
    ? `saved cluster ${source.files.join(', ')}`
    : `context ${source.context} (${source.server})`;
}

/** The line above a picture that follows a cluster: whose it is and how old; several lines if it is no longer current. */
export function drawFreshness(
  { source, seenAt, interruption }: Freshness,
  now: number,
  columns: number,
): readonly Line[] {
  if (interruption !== undefined) return [...drawInterruption(interruption, now, columns), []];
  const age = describeDuration(Math.max(0, now - seenAt) / 1000);
  return [[span(describeSource(source), 'title'), span(`  ${age} ago`, 'dim')], []];
}

/** In words for everybody, also those who read them later in a file. */
export function drawInterruption(interruption: Interruption, now: number, columns: number): readonly Line[] {
  const text = describeInterruption(interruption, now);
  return wrapHanging(text, columns).map((line): Line => [span(line, 'bad')]);
}

function describeInterruption({ kind, since, why }: Interruption, now: number): string {
  const loud = kind.toUpperCase();
  if (since === undefined) return `${loud}: ${why}. What follows is the last state that a controller wrote.`;
  const age = describeDuration(Math.max(0, now - since) / 1000);
  const at = `${timeText(since).slice(11, 19)} UTC`;
  return kind === 'No controller'
    ? `${loud} for ${age}: since ${at} ${why}. What follows is the last state that a controller wrote.`
    : `${loud} for ${age}. No updates since ${at}: ${why}. What follows is from then.`;
}

/** A picture that is no longer current: nothing in it may look well. */
export function fade(lines: readonly Line[]): readonly Line[] {
  return lines.map((line) => line.map(({ text }) => span(text, 'dim')));
}
