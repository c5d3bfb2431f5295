import { InvalidArgumentError, type Command } from 'commander';
import { list } from '../../process/option.ts';
import { isUnitName } from './host-units.ts';

/** Option of every program that may change MIG mode. */
export function addHostUnitOption(command: Command): Command {
  return command.option(
    '--host-units <units>',
    'services of the host to stop and start again if they block a MIG mode change or a reset, for example nvsm.service,nvidia-dcgm.service (default: none)',
    unitNames,
  );
}

/** They go to systemctl unchanged. */
function unitNames(text: string): readonly string[] {
  const units = list(text);
  const wrong = units.find((unit) => !isUnitName(unit));
  if (wrong === undefined) return units;
  throw new InvalidArgumentError(
    `${wrong} is not the name of a unit: write it with its type, as in nvidia-dcgm.service.`,
  );
}
