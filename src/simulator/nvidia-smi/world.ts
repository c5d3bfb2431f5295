import { appendFileSync, readFileSync, writeSync } from 'node:fs';
import {
  type NodeState,
  stateLines,
  hasCode,
  pause,
  countFaultMatch,
  readStateFile,
  updateStateFile,
} from './state.ts';
import { omitUndefined } from '../../core/text/json.ts';
import { parseFaults, type FaultRule } from './faults.ts';
import { type DriverBranch, parseBranch, recordedBranch } from './board.ts';
import { type SimulatedGpu, assembleGpus, RECORDED_SEED } from './device.ts';
import { NVML } from './nvml-code.ts';
import { runInWorld } from './command.ts';

/**
 * A line of the operation log (JSON). `start` and `end` frame every run; a run without `end` was killed or hangs. `change` is
 * written under the state's lock, so that the order of the `change` lines is the order in which the device changed.
 */
type LogEntry =
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
function appendToLog(path: string, argv: readonly string[], entry: LogEntry): void {
  const time = new Date().toISOString();
  appendFileSync(path, `${JSON.stringify({ time, pid: process.pid, argv, ...entry })}\n`);
}

/** Describes a change for the log; undefined if nothing has changed. */
function describeChange(call: string, before: NodeState, after: NodeState): LogEntry | undefined {
  const old = stateLines(before);
  const now = stateLines(after);
  const removed = old.filter((line) => !now.includes(line));
  const added = now.filter((line) => !old.includes(line));
  return removed.length + added.length === 0 ? undefined : { event: 'change', call, removed, added };
}

/** Settings of the program, from its environment. */
export interface Settings {
  readonly gpus: readonly SimulatedGpu[];
  readonly driver: DriverBranch;
  readonly pace: number;
  readonly stateFile: string;
  readonly logFile?: string;
  readonly faultsFile?: string;
  readonly uid: number;
}

/** A setting that is missing or unreadable. */
class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** @throws SettingsError, UnknownGpuError, RangeError */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const text = (name: string): string | undefined => environment[`NVIDIA_SMI_SIM_${name}`];
  const stateFile = text('STATE');
  if (stateFile === undefined || stateFile === '') {
    throw new SettingsError('NVIDIA_SMI_SIM_STATE is not set: give the path of the state file (it need not exist yet)');
  }
  const names = (text('GPUS') ?? '').split(',').filter((name) => name.trim() !== '');
  const uid = text('UID');
  if (uid !== undefined && !/^\d+$/.test(uid)) {
    throw new SettingsError(`NVIDIA_SMI_SIM_UID is ${JSON.stringify(uid)}, which is not a user ID; 0 is root`);
  }
  const pace = Number(text('PACE') ?? '0');
  if (!(pace >= 0 && pace <= 100)) {
    throw new SettingsError(
      `NVIDIA_SMI_SIM_PACE is ${JSON.stringify(text('PACE'))}; give a number from 0 (no time) to 100, 1 is as real GPUs`,
    );
  }
  // An empty variable is as good as none.
  const files = omitUndefined({ logFile: text('LOG') || undefined, faultsFile: text('FAULTS') || undefined });
  return {
    gpus: assembleGpus(names, text('SEED') ?? RECORDED_SEED),
    driver: parseBranch(text('DRIVER') ?? recordedBranch),
    pace,
    stateFile,
    ...files,
    uid: Number(uid ?? 0),
  };
}

/**
 * Runs one command line against the files of `settings` and returns the exit code. A fault may block the thread forever.
 *
 * @param write takes the output, in place of standard output
 */
export function runOnFiles(
  settings: Settings,
  argv: readonly string[],
  write: (text: string) => void = writeAll,
): number {
  const { gpus, driver, pace, stateFile, logFile, faultsFile, uid } = settings;
  const log = (entry: LogEntry): void => {
    if (logFile !== undefined) appendToLog(logFile, argv, entry);
  };
  let buffer = '';
  const flush = (text: string): void => {
    write(text);
    buffer = '';
  };
  const world: World = {
    gpus,
    driver,
    pace,
    argv,
    uid,
    now: new Date(),
    faults: faultsFile === undefined ? [] : parseFaults(readFileSync(faultsFile, 'utf8')),
    print: (text) => {
      buffer += text;
    },
    readState: () => readStateFile(stateFile, gpus.length),
    changeState: (call, change) => {
      updateStateFile(stateFile, gpus.length, change, (before, after) => {
        const entry = describeChange(call, before, after);
        if (entry !== undefined) log(entry);
      });
    },
    countMatch: (rule) => countFaultMatch(stateFile, rule.line),
    sleep: pause,
    hang: (dies) => {
      flush(buffer);
      return hang(dies);
    },
  };
  log({ event: 'start' });
  const { exitCode, damage } = runInWorld(world);
  flush(damage(buffer));
  const processes = exitCode === NVML.inUse && world.readState().processes.map(({ name }) => name);
  log({ event: 'end', rc: exitCode, ...(processes !== false && { processes }) });
  return exitCode;
}

/** Blocks the only thread: with a handler set, SIGTERM is recorded but never handled. */
function hang(dies: boolean): never {
  const ignored = dies ? [] : ['SIGTERM', 'SIGINT', 'SIGHUP'];
  for (const signal of ignored) process.on(signal, () => undefined);
  for (;;) pause(60_000);
}

function writeAll(text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      // The reader has closed the pipe, for example at its output limit: nvidia-smi would die of SIGPIPE.
      if (hasCode(error, 'EPIPE')) return;
      if (!hasCode(error, 'EAGAIN')) throw error;
      pause(2);
    }
  }
}

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
