import { appendFileSync } from 'node:fs';
import type { NodeState } from './node-state.ts';
import { stateLines } from './state-text.ts';

/**
 * A line of the operation log (JSON). `start` and `end` frame every run; a run without `end` was killed or hangs. `change` is
 * written under the state's lock, so that the order of the `change` lines is the order in which the device changed.
 */
export type LogEntry =
  | { readonly event: 'start' }
  | {
      readonly event: 'change';
      /** NVML call. */
      readonly call: string;
      /** State lines that were removed and added. */
      readonly removed: readonly string[];
      readonly added: readonly string[];
    }
  | {
      readonly event: 'end';
      readonly rc: number;
      /** The processes on the node's GPUs, where something was refused as in use. */
      readonly processes?: readonly string[];
    };

/** Appends one line; appends of this size are atomic, so that lines of different processes do not mix. */
export function appendToLog(path: string, argv: readonly string[], entry: LogEntry): void {
  const time = new Date().toISOString();
  appendFileSync(path, `${JSON.stringify({ time, pid: process.pid, argv, ...entry })}\n`);
}

/** Undefined if nothing has changed. */
export function describeChange(call: string, before: NodeState, after: NodeState): LogEntry | undefined {
  const old = stateLines(before);
  const now = stateLines(after);
  const removed = old.filter((line) => !now.includes(line));
  const added = now.filter((line) => !old.includes(line));
  return removed.length + added.length === 0 ? undefined : { event: 'change', call, removed, added };
}
