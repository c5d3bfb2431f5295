import type { World } from './world.ts';

/** Ends a command early with an exit code. */
export class CommandExit extends Error {
  override readonly name = 'CommandExit';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** Prints `text` as it is and ends the command. */
export function exitWith(world: World, exitCode: number, text: string): never {
  world.print(text);
  throw new CommandExit(exitCode);
}
