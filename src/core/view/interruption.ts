import { timeText } from '../text/time.ts';
import { wrapHanging } from '../text/wrap.ts';
import { type Line, span } from './line.ts';

/** Updates from the API server have stopped: what is shown is from then. */
export interface Interruption {
  /** The last time when everything was known to be current, in ms since 1970. */
  readonly since: number;
  readonly why: string;
}

/** The lines above a picture that is no longer current; none if it is. */
export function drawInterruption(interruption: Interruption | undefined, columns: number): readonly Line[] {
  if (interruption === undefined) return [];
  const { since, why } = interruption;
  const text = `No updates since ${timeText(since).slice(11, 19)} UTC: ${why}. What follows is from then.`;
  return [...wrapHanging(text, columns).map((line): Line => [span(line, 'bad')]), []];
}
