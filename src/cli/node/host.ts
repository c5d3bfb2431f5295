import { resolve } from 'node:path';

import { DeviceError } from '../../core/gpu/state/device-error.ts';
import { type NvidiaSmi, openNvidiaSmi } from '../../device/command/nvidia-smi.ts';
import { findTool, type Tool, type ToolOptions } from '../../device/command/tool.ts';
import { readTimeouts, type TimeoutOptions } from '../../device/command/timeout-options.ts';
import type { DeviceState } from '../../core/gpu/state/device-state.ts';
import { CliError, type ExitCode } from '../exit.ts';
import type { Terminal } from '../terminal.ts';
import { explainFault } from '../../core/host/host-fault.ts';

/** Options of every command that reads the GPUs of this machine. */
export interface HostOptions extends TimeoutOptions {
  readonly nvidiaSmi?: string;
  readonly driverRoot?: string;
}

/** Opens nvidia-smi. @throws CliError with code 3 if there is none */
export function openHost(options: HostOptions, terminal: Terminal): NvidiaSmi {
  return report(3, () => openNvidiaSmi({ ...readTimeouts(options), ...toolOf(options, terminal) }));
}

/** Finds nvidia-smi. @throws CliError with code 3 if there is none */
export function findHostTool(options: HostOptions, terminal: Terminal): Tool {
  return report(3, () => findTool(toolOf(options, terminal)));
}

function toolOf({ nvidiaSmi, driverRoot }: HostOptions, { cwd }: Terminal): ToolOptions {
  // Inside a driver root the path belongs to another file system; a bare name is looked up on the path.
  const isFile = nvidiaSmi?.includes('/') === true && driverRoot === undefined;
  return {
    path: isFile ? resolve(cwd, nvidiaSmi) : nvidiaSmi,
    driverRoots: driverRoot === undefined ? undefined : [resolve(cwd, driverRoot)],
  };
}

/** Reads all GPUs. @throws CliError with code 3 if the node cannot be read */
export async function readHost(driver: NvidiaSmi): Promise<DeviceState> {
  return reportAsync(3, () => driver.readDevice());
}

/** Runs something and turns a device error into a command error with the given exit code. */
export async function reportAsync<Result>(exitCode: ExitCode, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw translate(error, exitCode);
  }
}

function report<Result>(exitCode: ExitCode, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw translate(error, exitCode);
  }
}

function translate(error: unknown, exitCode: ExitCode): unknown {
  if (!(error instanceof DeviceError)) return error;
  return new CliError(explainFault(error).message, exitCode, { cause: error });
}
