import type { FaultRule } from '../faults/fault.ts';
import type { DriverBranch } from '../nvml/driver-version.ts';
import type { SimulatedGpu } from '../nvml/gpu.ts';
import type { NodeState } from './node-state.ts';

/** Everything outside one command: its node and its process. */
export interface World {
  readonly gpus: readonly SimulatedGpu[];
  readonly driver: DriverBranch;
  /** Calls take this times as long as on real GPUs; 0: no time. */
  readonly pace: number;
  readonly argv: readonly string[];
  /** 0 is root; others may read but not list or change instances. */
  readonly uid: number;
  /** Local time, as nvidia-smi prints it. */
  readonly now: Date;
  readonly faults: readonly FaultRule[];
  /** Appends to standard output. */
  print(text: string): void;
  /** The current state: another process may have changed it. */
  readState(): NodeState;
  /**
   * Changes the state atomically for other processes. If `change` throws, nothing has happened.
   * `call` names the NVML call for the log.
   */
  changeState(call: string, change: (state: NodeState) => NodeState): void;
  /** Counts a match of a rule with `nth` and returns the count so far, this match included. */
  countMatch(rule: FaultRule): number;
  sleep(milliseconds: number): void;
  /** Does not return. */
  hang(dies: boolean): never;
}

/** Thrown by worlds that cannot wait forever, so that a test in the same process survives a `hang` fault. */
export class HungUp extends Error {
  override readonly name = 'HungUp';
}
