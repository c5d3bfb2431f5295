import { type FaultRule, parseFaults } from './faults.ts';
import { type DriverBranch, recordedBranch } from './board.ts';
import type { SimulatedGpu } from './device.ts';
import { type NodeState, parseState, renderState } from './state.ts';
import { runInWorld } from './command.ts';
import { type World, HungUp } from './world.ts';

interface SimulatedRun {
  readonly gpus: readonly SimulatedGpu[];
  /** The recorded one if absent. */
  readonly driver?: DriverBranch;
  /** How slow calls are, as a multiple of real ones; 0 if absent. */
  readonly pace?: number;
  /** State file text; empty for MIG off. */
  readonly state: string;
  readonly argv: readonly string[];
  /** 0 (root) if absent. */
  readonly uid?: number;
  /** Fault file text. */
  readonly faults?: string;
  /** The time that the reports print; the epoch if absent. */
  readonly now?: Date;
  /** Matches so far of fault lines with `nth`. */
  readonly counts?: ReadonlyMap<string, number>;
}

export interface SimulatedRunResult {
  readonly rc: number;
  readonly stdout: string;
  /** The given text if nothing tried to change the state, else the canonical text. */
  readonly state: string;
  readonly counts: ReadonlyMap<string, number>;
  /** How long the command would have taken: no time passes. */
  readonly tookMs: number;
}

/**
 * Runs nvidia-smi as a function: no file, no clock, no process. What would take time is added up.
 * @throws HungUp for a `hang` fault
 * @throws StateSyntaxError, FaultSyntaxError
 */
export function runNvidiaSmi(run: SimulatedRun): SimulatedRunResult {
  const output: string[] = [];
  const counts = new Map(run.counts);
  let state: NodeState = parseState(run.state, run.gpus.length);
  let changed = false;
  let tookMs = 0;
  const world: World = {
    gpus: run.gpus,
    driver: run.driver ?? recordedBranch,
    pace: run.pace ?? 0,
    argv: run.argv,
    uid: run.uid ?? 0,
    now: run.now ?? new Date(0),
    faults: parseFaults(run.faults ?? ''),
    print: (text) => output.push(text),
    readState: () => state,
    changeState: (_call, change) => {
      state = change(state);
      changed = true;
    },
    countMatch: (rule: FaultRule) => {
      const count = (counts.get(rule.line) ?? 0) + 1;
      counts.set(rule.line, count);
      return count;
    },
    sleep: (milliseconds) => {
      tookMs += milliseconds;
    },
    hang: () => {
      throw new HungUp('a hang fault struck');
    },
  };
  const { exitCode, damage } = runInWorld(world);
  const stdout = damage(output.join(''));
  return { rc: exitCode, stdout, state: changed ? renderState(state) : run.state, counts, tookMs };
}
