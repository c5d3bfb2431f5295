import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Rig } from '../../src/simulator/rig/rig.ts';

/** One run of a node's nvidia-smi. */
export interface DeviceRun {
  readonly argv: readonly string[];
  /** Milliseconds since 1970; the start of node itself lies before it. */
  readonly startMs: number;
  /** NaN for a run that was killed. */
  readonly endMs: number;
  /** State lines that went and came: `gi 0 13 profile 19 place 6:1`. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

interface Entry {
  readonly time: string;
  readonly pid: number;
  readonly argv: readonly string[];
  readonly event: 'start' | 'change' | 'end';
  readonly removed?: readonly string[];
  readonly added?: readonly string[];
}

/** Runs of a node's nvidia-smi that began at `sinceMs` or later, oldest first. */
export async function listDeviceRuns(rig: Rig, node: string, sinceMs = 0): Promise<readonly DeviceRun[]> {
  const file = join(dirname(rig.stateFile(node)), 'operations.jsonl');
  const text = await readFile(file, 'utf8').catch(() => '');
  const entries = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Entry);
  // Process ids may come again: what belongs to a run lies between its start and the next start of the same id.
  const starts = entries.flatMap((entry, at) => (entry.event === 'start' ? [{ entry, at }] : []));
  return starts
    .map(({ entry, at }) => {
      const next = entries.findIndex(({ event, pid }, other) => other > at && event === 'start' && pid === entry.pid);
      const own = entries.slice(at, next === -1 ? undefined : next).filter(({ pid }) => pid === entry.pid);
      return {
        argv: entry.argv,
        startMs: Date.parse(entry.time),
        endMs: Date.parse(own.find(({ event }) => event === 'end')?.time ?? ''),
        removed: own.flatMap(({ removed = [] }) => removed),
        added: own.flatMap(({ added = [] }) => added),
      };
    })
    .filter(({ startMs }) => startMs >= sinceMs);
}

/** Whether the command asks for a change, whatever came of it. */
export function isOperation({ argv }: Pick<DeviceRun, 'argv'>): boolean {
  return argv.some((word) => /^-(mig|cgi|cci|dgi|dci|-gpu-reset|r)$/.test(word));
}

/** GPU instances in state lines. */
export function countInstances(lines: readonly string[]): number {
  return lines.filter((line) => line.startsWith('gi ')).length;
}

/** GPUs, by index, that these runs changed. */
export function listChangedGpus(runs: readonly DeviceRun[]): readonly string[] {
  const lines = runs.flatMap(({ removed, added }) => [...removed, ...added]);
  return [...new Set(lines.flatMap((line) => /^(?:gpu|gi|ci) (\d+) /.exec(line)?.[1] ?? []))];
}
