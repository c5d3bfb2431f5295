import type { NvmlFailure } from './nvml/nvml-code.ts';
import type { World } from './state/world.ts';

/** Ends a command early with an exit code. */
export class CommandExit extends Error {
  override readonly name = 'CommandExit';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** Prints `text` unchanged and ends the command. */
export function exitWith(world: World, exitCode: number, text: string): never {
  world.print(text);
  throw new CommandExit(exitCode);
}

/** Prints two lines, the second with the same reason, and ends the command. */
export function endWith(world: World, { exitCode, message }: NvmlFailure, tried: string, summary: string): never {
  return exitWith(world, exitCode, `${tried}: ${message}\n${summary}: ${message}\n`);
}
