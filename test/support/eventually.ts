import { setTimeout as sleep } from 'node:timers/promises';
import { Waiting } from '../../src/simulator/control-plane/run.ts';

/** How much longer than on an idle machine a wait may take: timeouts end what hangs, they do not measure. */
export const patience = 4;

/** When mocha ends the test, a moment earlier: it would not say what was seen. */
let limitMs = (): number => Infinity;

/**
 * Bounds the waits of the test that begins by mocha's own limit: what changes all the time and is never right would wait longer.
 *
 * @param timeoutMs asked at each look, as a test may set its own; 0 is none
 */
export function boundWaits(timeoutMs: () => number): void {
  const startMs = Date.now();
  limitMs = () => (timeoutMs() > 0 ? startMs + 0.95 * timeoutMs() : Infinity);
}

export interface EventuallyOptions {
  /** For which nothing new may be seen on an idle machine; default 5 s. A wait has no end while there is progress. */
  readonly timeoutMs?: number;
  /** Default 20 ms. */
  readonly intervalMs?: number;
  /** The awaited state, for the error: `the node is ready`. */
  readonly what?: string;
}

/**
 * Reads a state until it holds, and returns it. Two ways to define that: `holds` returns true for the wanted state, or
 * without `holds`, `read` itself throws (an assertion) until the state is right.
 *
 * @throws Error that shows the last state, or the last error of `read`, when nothing new is seen for too long.
 */
export async function eventually<State>(
  read: () => State | Promise<State>,
  holds: (state: State) => boolean = () => true,
  options: EventuallyOptions = {},
): Promise<State> {
  const { timeoutMs = 5_000, intervalMs = 20, what = 'the state' } = options;
  const startMs = Date.now();
  const waiting = new Waiting(timeoutMs * patience);
  for (;;) {
    const seen = await tryRead(read);
    if ('state' in seen && holds(seen.state)) return seen.state;
    const describe = (): string => ('state' in seen ? (JSON.stringify(seen.state) ?? '') : String(seen.error));
    if (waiting.isOver(describe) || Date.now() > limitMs()) {
      const last = 'state' in seen ? `was at last ${show(seen.state)}` : `could not be read: ${String(seen.error)}`;
      const waitedMs = Date.now() - startMs;
      throw new Error(`after ${waitedMs} ms ${what} ${last}`, 'error' in seen ? { cause: seen.error } : undefined);
    }
    await sleep(intervalMs);
  }
}

/**
 * Reads a state repeatedly for a while, and throws if `holds` returns false once: for what must not happen.
 */
export async function stays<State>(
  read: () => State | Promise<State>,
  holds: (state: State) => boolean,
  { forMs, intervalMs = 20 }: { readonly forMs: number; readonly intervalMs?: number },
): Promise<void> {
  const end = Date.now() + forMs;
  while (Date.now() < end) {
    const state = await read();
    if (!holds(state)) throw new Error(`the state did not stay: ${show(state)}`);
    await sleep(intervalMs);
  }
}

async function tryRead<State>(
  read: () => State | Promise<State>,
): Promise<{ readonly state: State } | { readonly error: unknown }> {
  try {
    return { state: await read() };
  } catch (error) {
    return { error };
  }
}

function show(state: unknown): string {
  const text = JSON.stringify(state, undefined, 2) ?? String(state);
  return text.length > 4_000 ? `${text.slice(0, 4_000)} …` : text;
}
