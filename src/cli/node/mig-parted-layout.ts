import type { PolicyLayout } from '../../api/types.ts';
import type { Finding } from '../../core/text/finding.ts';
import { listConfigNames, type MigConfig, type MigSpec, parseConfigFile } from '../../core/migparted/config-file.ts';
import { findNearestWords } from '../../core/text/nearest-word.ts';
import { CliError } from '../exit.ts';
import { locatePath, type Manifest, refuseFile } from '../input/manifest.ts';
import type { NodeLayout } from '../../core/host/host-layout.ts';

/**
 * One config of a mig-parted file. Upstream the last entry that matches a GPU wins, here the first: the order is reversed. (Where
 * upstream would apply the other entries' layouts first, or toggle MIG mode and fail, here only the last is applied.)
 * @throws CliError for a config that does not exist, that upstream rejects, or that filters by subsystem
 */
export function readMigParted(manifest: Manifest, name: string | undefined): NodeLayout {
  const { configs, findings } = parseConfigFile(manifest.value);
  const wanted = name ?? chooseOnly(manifest);
  const errors = findings.filter(
    ({ severity, path }) => severity === 'error' && (path[1] === undefined || path[1] === wanted),
  );
  if (errors.length > 0) throw refuseFile(manifest, errors);
  const config = configs.find((one) => one.name === wanted);
  if (config === undefined) throw refuseUnknownConfig(manifest.file, wanted, listConfigNames(manifest.value));
  const narrow = config.specs.flatMap(refuseSubsystem);
  if (narrow.length > 0) throw refuseFile(manifest, narrow);
  return toLayout(manifest, config);
}

function toLayout(manifest: Manifest, config: MigConfig): NodeLayout {
  const specs = config.specs.filter(({ canMatch }) => canMatch).toReversed();
  return {
    layouts: specs.map(toEntry),
    strategy: undefined,
    locate: (place) => {
      const path = (place === 'strategy' ? undefined : specs[place.entry]?.path) ?? config.path;
      return locatePath(manifest, path);
    },
  };
}

function toEntry({ filters, devices, layout }: MigSpec): PolicyLayout {
  const gpus = {
    ...(devices === 'all' ? {} : { indices: devices }),
    ...(filters.length === 0 ? {} : { pciDeviceIds: filters.map(({ id }) => id) }),
  };
  if (layout === undefined) return { gpus, mig: 'Disabled' };
  return Object.keys(layout).length === 0 ? { gpus, preset: 'all-enabled' } : { gpus, profiles: layout };
}

/** nvidia-smi reports a GPU's device id; an entry for only one subsystem would match the others too. */
function refuseSubsystem({ path, filters }: MigSpec): readonly Finding[] {
  const narrow = filters.filter(({ subsystem }) => subsystem !== undefined);
  if (narrow.length === 0) return [];
  const message = `filters by subsystem (${narrow.map(({ id, subsystem }) => `${id}:${subsystem ?? ''}`).join(', ')}) are not supported here; write the device id alone`;
  return [{ severity: 'error', code: 'NarrowerFilter', path: [...path, 'device-filter'], message }];
}

function chooseOnly({ file, value }: Manifest): string {
  const names = listConfigNames(value);
  const [only, second] = names;
  if (only !== undefined && second === undefined) return only;
  throw new CliError(`${file}: it has ${names.length} configs; choose one with --config: ${names.join(', ')}`);
}

/** @param names of the configs that the file has */
export function refuseUnknownConfig(file: string, wanted: string, names: readonly string[]): CliError {
  const near = findNearestWords(wanted, names);
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : `it has ${names.join(', ')}`;
  return new CliError(`${file}: mig-configs has no config ${JSON.stringify(wanted)}; ${hint}`);
}
