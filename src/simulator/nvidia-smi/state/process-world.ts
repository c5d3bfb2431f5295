import { readFileSync, writeSync } from 'node:fs';
import { definedOnly } from '../../../core/text/defined-fields.ts';
import { parseFaults } from '../faults/fault-text.ts';
import { hasCode, pause } from './file-lock.ts';
import { type DriverBranch, parseBranch, recordedBranch } from '../nvml/driver-version.ts';
import type { SimulatedGpu } from '../nvml/gpu.ts';
import { NVML } from '../nvml/nvml-code.ts';
import { assembleGpus, RECORDED_SEED } from '../nvml/gpu.ts';
import { appendToLog, describeChange, type LogEntry } from './operation-log.ts';
import { runInWorld } from '../run.ts';
import { countFaultMatch, readStateFile, updateStateFile } from './state-file.ts';
import type { World } from './world.ts';

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
export class SettingsError extends Error {
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
  const files = definedOnly({ logFile: text('LOG') || undefined, faultsFile: text('FAULTS') || undefined });
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
