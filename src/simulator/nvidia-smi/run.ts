import { runCommand } from './command.ts';
import { rebootNode } from './nvml/device.ts';
import type { FaultEffect } from './faults/fault.ts';
import type { HelpTexts } from './help/help-texts.ts';
import { strikes } from './nvml/nvml.ts';
import { damageOutput } from './faults/output-damage.ts';
import type { World } from './state/world.ts';

export interface RunOutcome {
  readonly exitCode: number;
  /** Damages the output before anybody reads it. */
  readonly damage: (output: string) => string;
}

/** One complete run: faults of the `Run` itself, then the command. */
export function runInWorld(world: World, help: HelpTexts): RunOutcome {
  const effects = world.faults.filter((rule) => strikes(world, rule, 'Run', {})).map(({ effect }) => effect);
  effects.forEach((effect) => suffer(world, effect));
  return {
    exitCode: runCommand(world, help),
    damage: (output) => effects.reduce(damageOutput, output),
  };
}

function suffer(world: World, effect: FaultEffect): void {
  switch (effect.kind) {
    case 'reboot':
      world.changeState('Reboot', (state) => rebootNode(world.gpus, state));
      return;
    case 'sleep':
      world.sleep(effect.milliseconds);
      return;
    case 'hang':
      return world.hang(effect.dies);
    case 'fail':
    case 'skip':
    case 'pending':
    case 'output':
    case 'persistenceOff':
    case 'tablesOff':
    case 'vgpuHost':
    case 'unhealthy':
    case 'hideProfile':
      return;
  }
}
