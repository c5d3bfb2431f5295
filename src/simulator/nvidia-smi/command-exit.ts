import type { NvmlFailure } from './nvml/nvml-code.ts';

/** Ends a command early, with an exit code and the last that it prints. */
export class CommandExit extends Error {
  override readonly name = 'CommandExit';
  readonly exitCode: number;
  readonly output: string;

  constructor(exitCode: number, output: string) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
    this.output = output;
  }
}

/** Prints `output` unchanged and ends the command. */
export function exitWith(exitCode: number, output: string): never {
  throw new CommandExit(exitCode, output);
}

/** Prints two lines, the second with the same reason, and ends the command. */
export function endWith({ exitCode, message }: NvmlFailure, tried: string, summary: string): never {
  exitWith(exitCode, `${tried}: ${message}\n${summary}: ${message}\n`);
}
