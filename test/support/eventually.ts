import { setTimeout as sleep } from 'node:timers/promises';

/** How much longer than on an idle machine a wait may take: timeouts end what hangs, they do not measure. */
export const patience = 4;

export interface EventuallyOptions {
  /** On an idle machine; default 5 s. */
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
 * @throws Error that shows the last state, or the last error of `read`, when the time is up.
 */
export async function eventually<State>(
  read: () => State | Promise<State>,
  holds: (state: State) => boolean = () => true,
  options: EventuallyOptions = {},
): Promise<State> {
  const { timeoutMs = 5_000, intervalMs = 20, what = 'the state' } = options;
  const waitMs = timeoutMs * patience;
  const deadline = Date.now() + waitMs;
  for (;;) {
    const seen = await tryRead(read);
    if ('state' in seen && holds(seen.state)) return seen.state;
    if (Date.now() > deadline) {
      const last = 'state' in seen ? `was at last ${show(seen.state)}` : `could not be read: ${String(seen.error)}`;
      throw new Error(`after ${waitMs} ms ${what} ${last}`, 'error' in seen ? { cause: seen.error } : undefined);
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
