const firstMs = 60_000;
const longestMs = 3600_000;

/**
 * How long what has failed rests before the next attempt, in ms: a minute, twice as long each further time, at most an hour. There is
 * no last attempt. Nodes need no jitter: each waits for its slot after its rest.
 *
 * @param count how often it has failed, from 1
 */
export function growingRestMs(count: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(count - 1, 10));
}
