import { runCommand } from './command.ts';
import { rebootNode } from './nvml/device.ts';
import type { FaultEffect } from './faults/fault.ts';
import { NVML } from './nvml/nvml-code.ts';
import { strike } from './faults/strike.ts';
import { damageOutput } from './faults/output-damage.ts';
import type { World } from './state/world.ts';

/** One complete run: faults of the `Run` itself, then the command. */
export function runInWorld(world: World) {
  const effects = strike(world, 'Run', {});
  effects.forEach((effect) => suffer(world, effect));
  const exitCode = runCommand(world);
  const corrupted = world.gpus.filter(({ index }) =>
    effects.some((effect) => effect.kind === 'infoRom' && effect.gpu === index),
  );
  for (const { busId } of corrupted) world.print(`WARNING: infoROM is corrupted at gpu ${busId.slice(4)}\n`);
  return {
    exitCode: exitCode === 0 && corrupted.length > 0 ? NVML.corruptedInfoRom : exitCode,
    /** Damages the output before anybody reads it. */
    damage: (output: string) => effects.reduce(damageOutput, output),
  };
}

function suffer(world: World, effect: FaultEffect): void {
  if (effect.kind === 'reboot') world.changeState('Reboot', (state) => rebootNode(world.gpus, state));
  if (effect.kind === 'sleep') world.sleep(effect.milliseconds);
  if (effect.kind === 'hang') world.hang(effect.dies);
}
