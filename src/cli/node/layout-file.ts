import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import { ConfigFile } from '../../core/host/import.ts';
import { findNearestWords, type Finding, type FieldPath } from '../../core/text/words.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { locatePath, type Manifest, refuseFile, readManifestFile } from '../input/files.ts';
import type { NodeLayout } from '../../core/host/plan.ts';
import { apiVersion } from '../../api/names.ts';
import { checkForm } from '../../core/policy/schema.ts';
import type { LayoutOptions } from './host.ts';
import { type Fields, isFields } from '../../core/text/json.ts';
import { stringify } from 'yaml';

/** @throws CliError for a config that does not exist, that upstream rejects, or that filters by subsystem */
function readMigParted(manifest: Manifest, name: string | undefined): NodeLayout {
  const file = new ConfigFile(manifest.value);
  const config = file.layoutsOf(name);
  if (config === undefined)
    throw name === undefined
      ? refuseSeveral(manifest.file, file.names)
      : refuseUnknownConfig(manifest.file, name, file.names);
  if ('errors' in config) throw refuseFile(manifest, config.errors);
  return {
    layouts: config.layouts,
    strategy: undefined,
    locate: (place) => locatePath(manifest, config.pathOf(place === 'strategy' ? undefined : place.entry)),
  };
}

function refuseSeveral(file: string, names: readonly string[]): CliError {
  return new CliError(`${file}: it has ${names.length} configs; choose one with --config: ${names.join(', ')}`);
}

/** @param names of the configs that the file has */
export function refuseUnknownConfig(file: string, wanted: string, names: readonly string[]): CliError {
  const near = findNearestWords(wanted, names);
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : `it has ${names.join(', ')}`;
  return new CliError(`${file}: mig-configs has no config ${JSON.stringify(wanted)}; ${hint}`);
}

/** `export -o json` adds `device` for people and programs; it records the past state, not the wish. */
const KNOWN_FIELDS = ['layouts', 'strategy', 'device'];

/**
 * Reads the `-f` file: `layouts:` and optionally `strategy:`, a whole policy, or a config of a mig-parted file. Only its
 * form is checked; whether a layout fits is decided by the GPUs themselves, whose own tables override the built-in ones.
 *
 * @throws CliError with code 2 that names file, line, column and field of everything that is wrong
 */
export async function readLayoutFile({ filename, config }: LayoutOptions, terminal: Terminal): Promise<NodeLayout> {
  const manifest = await readManifest(filename, terminal);
  if (ConfigFile.isMeantBy(manifest.value)) return readMigParted(manifest, config);
  if (config !== undefined)
    throw new CliError(`${manifest.file}: --config chooses a config of a mig-parted file, and this is none`);
  return readLayouts(manifest);
}

async function readManifest(path: string, terminal: Terminal): Promise<Manifest> {
  const { name, manifests } = await readManifestFile(path, terminal);
  const [manifest, second] = manifests;
  if (manifest === undefined)
    throw new CliError(`${name}: it is empty; write layouts:, or leave the GPUs alone by not applying it`);
  if (second === undefined) return manifest;
  const { line } = second.locate([]);
  throw new CliError(`${name}:${line}: a second document; a node takes one layout`);
}

function readLayouts(manifest: Manifest): NodeLayout {
  const value = isFields(manifest.value) ? manifest.value : {};
  const isPolicy = 'kind' in value;
  const outer: FieldPath = isPolicy ? ['spec'] : [];
  // The rules of a policy apply here: missing parts around the layouts are filled in.
  const policy = isPolicy ? value : wrap(value);
  const { policy: checked, shape, rules } = checkForm(policy);
  const findings = [
    ...(isPolicy ? [] : checkFields(manifest.value)),
    ...shape,
    ...rules,
    ...manifest.duplicates.map((at): Finding => {
      const message = `the key ${String(at.at(-1))} is given twice`;
      return { severity: 'error', code: 'DuplicateKey', path: isPolicy ? at : ['spec', ...at], message };
    }),
  ].map((finding) => ({ ...finding, path: isPolicy ? finding.path : stripSpec(finding.path) }));
  if (findings.length > 0 || checked === undefined) throw refuseFile(manifest, findings);
  const { layouts, strategy, schedules }: PolicySpec = checked.spec;
  if (schedules !== undefined) {
    const message =
      'a host follows no schedules, the controller does: leave them out, and apply the layouts of the night at night';
    throw refuseFile(manifest, [{ severity: 'error', code: 'InvalidField', path: [...outer, 'schedules'], message }]);
  }
  if (layouts === undefined) {
    const message =
      'a demand is for the nodes of a cluster together, and says nothing of one host: write layouts (gpu-partition recommend finds them)';
    throw refuseFile(manifest, [{ severity: 'error', code: 'InvalidField', path: [...outer, 'demand'], message }]);
  }
  return {
    layouts,
    strategy: isPolicy || 'strategy' in value ? strategy : undefined,
    locate: (place) => {
      return locatePath(manifest, [...outer, ...(place === 'strategy' ? ['strategy'] : ['layouts', place.entry])]);
    },
  };
}

/** Strategy none permits what only the device plugin's strategies forbid. */
function wrap(value: Fields): unknown {
  const { strategy = 'none' } = value;
  // `layouts:` with nothing after it; without the field, {@link checkFields} has said so.
  const layouts = 'layouts' in value ? (value['layouts'] ?? []) : [{ mig: 'Disabled' }];
  const policy: Omit<GpuPartitionPolicy, 'spec'> = {
    apiVersion,
    kind: 'GpuPartitionPolicy',
    metadata: { name: 'node' },
  };
  return { ...policy, spec: { nodeSelector: { matchLabels: { host: 'this' } }, strategy, layouts } };
}

/** What the fields themselves are: all known, and layouts among them. */
function checkFields(value: unknown): readonly Finding[] {
  const refuseField = (path: FieldPath, message: string): Finding => ({
    severity: 'error',
    code: 'InvalidField',
    path: ['spec', ...path],
    message,
  });
  if (!isFields(value)) return [refuseField([], 'must be an object with layouts and perhaps strategy')];
  const unknown = Object.keys(value)
    .filter((key) => !KNOWN_FIELDS.includes(key))
    .map((key) => refuseField([key], `unknown field ${key}; a layout file has layouts and strategy`));
  return 'layouts' in value ? unknown : [...unknown, refuseField([], 'layouts is missing')];
}

function stripSpec(path: FieldPath): FieldPath {
  return path[0] === 'spec' ? path.slice(1) : path;
}

/** Strings that YAML 1.1 would read as another type are quoted: kubectl and mig-parted read YAML 1.1. */
export function writeYaml(value: unknown): string {
  return stringify(value, { compat: 'yaml-1.1', aliasDuplicateObjects: false });
}
