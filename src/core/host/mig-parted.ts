import type { Layout } from '../gpu/geometry.ts';
import type { FieldPath, Finding } from '../text/words.ts';
import { isProfileNameError, parseProfile } from '../gpu/profiles.ts';
import { type Fields, isFields } from '../text/json.ts';

/** A PCI device that a `device-filter` names. */
interface DeviceFilter {
  /** Device and vendor, as mig-parted and policies write them: `0x20B010DE`. */
  readonly id: string;
  /** Subsystem, if the filter names one (mig-parted v0.15): `0x134F10DE`. */
  readonly subsystem?: string;
}

const FILTER = /^(0x[0-9a-f]+|[1-9][0-9]*)(?::(0x[0-9a-f]+|[1-9][0-9]*))?$/i;

/**
 * Reads one device filter: 32 bits of device and vendor, hexadecimal or decimal, in any case, optionally followed by those of the
 * subsystem. With a blank before or after it, mig-parted reads no number (`strconv.ParseInt`).
 *
 * @returns undefined for a text that mig-parted silently accepts and that matches no GPU
 */
function parseDeviceFilter(text: string): DeviceFilter | undefined {
  const match = FILTER.exec(text);
  const id = match?.[1] === undefined ? undefined : readId(match[1]);
  if (match === null || id === undefined) return undefined;
  if (match[2] === undefined) return { id };
  const subsystem = readId(match[2]);
  return subsystem === undefined ? undefined : { id, subsystem };
}

function readId(text: string): string | undefined {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value > 0xff_ff_ff_ff) return undefined;
  return `0x${value.toString(16).toUpperCase().padStart(8, '0')}`;
}

/** Whether a filter names an NVIDIA device; mig-parted ignores all others. */
function isNvidia({ id }: DeviceFilter): boolean {
  return id.endsWith('10DE');
}

/** The content of a file. A config with an error is left out: mig-parted refuses the whole file for it. */
interface ParsedConfigFile {
  readonly configs: readonly MigConfig[];
  readonly findings: readonly Finding[];
}

type Report = (severity: Finding['severity'], code: Finding['code'], path: FieldPath, message: string) => void;

const SPEC_FIELDS = ['device-filter', 'devices', 'mig-enabled', 'mig-devices'];
/** The most GPUs that a node can have: a policy’s `indices` are below it. */
const MOST_GPUS = 64;

/**
 * Reads a config file of mig-parted (v0.15), already parsed from YAML, by upstream's rules: what upstream refuses is an error here;
 * what it accepts and then silently ignores or never completes is a warning.
 */
export function parseConfigFile(value: unknown): ParsedConfigFile {
  const findings: Finding[] = [];
  const report: Report = (severity, code, path, message) => findings.push({ severity, code, path, message });
  const refuse = (path: FieldPath, message: string) => report('error', 'InvalidMigParted', path, message);
  if (!isFields(value)) {
    refuse([], 'must be an object with version and mig-configs');
    return { configs: [], findings };
  }
  for (const key of Object.keys(value)) {
    if (key !== 'version' && key !== 'mig-configs') refuse([key], `unknown field ${key}; mig-parted rejects the file`);
  }
  if (value['version'] !== 'v1') refuse(['version' in value ? 'version' : ''].filter(Boolean), 'version must be v1');
  const configs = value['mig-configs'];
  if (!('mig-configs' in value)) return { configs: [], findings };
  if (!isFields(configs) || Object.keys(configs).length === 0) {
    refuse(['mig-configs'], 'must hold at least one named config');
    return { configs: [], findings };
  }
  const read = Object.entries(configs).flatMap(([name, specs]) => readConfig(name, specs, report) ?? []);
  const broken = new Set(findings.filter(({ severity }) => severity === 'error').map(({ path }) => path[1]));
  return { configs: read.filter(({ name }) => !broken.has(name)), findings };
}

function readConfig(name: string, specs: unknown, report: Report): MigConfig | undefined {
  const path = ['mig-configs', name];
  if (!Array.isArray(specs) || specs.length === 0) {
    report('error', 'InvalidMigParted', path, 'a config must be a list of at least one entry');
    return undefined;
  }
  // Upstream does not check the name, but no node can carry such a label, so nothing ever selects the config.
  if (!/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name) || name.length > 63) {
    const message = `${JSON.stringify(name)} cannot be the value of the label nvidia.com/mig.config: at most 63 letters, digits, -, _ and ., first and last a letter or digit`;
    report('error', 'InvalidConfigName', path, message);
  }
  return { name, path, specs: specs.flatMap((spec: unknown, index) => readSpec(spec, [...path, index], report) ?? []) };
}

function readSpec(spec: unknown, path: FieldPath, report: Report): MigSpec | undefined {
  const refuse = (field: string, message: string) =>
    report('error', 'InvalidMigParted', field === '' ? path : [...path, field], message);
  if (!isFields(spec)) {
    refuse('', 'must be an object with devices, mig-enabled and mig-devices');
    return undefined;
  }
  for (const key of Object.keys(spec).filter((name) => !SPEC_FIELDS.includes(name))) {
    refuse(key, `unknown field ${key}; mig-parted rejects the file. It has ${SPEC_FIELDS.join(', ')}`);
  }
  const filter = readFilter(spec['device-filter'], [...path, 'device-filter'], report);
  const devices = readDevices(spec, path, report);
  const enabled = spec['mig-enabled'];
  if (typeof enabled !== 'boolean')
    refuse('mig-enabled' in spec ? 'mig-enabled' : '', 'mig-enabled must be true or false');
  const layout = readLayout(spec, enabled === true, path, report);
  if (filter === undefined || devices === undefined || typeof enabled !== 'boolean') return undefined;
  if (enabled && layout === undefined) return undefined;
  return {
    path,
    filters: filter.filters,
    devices,
    canMatch: filter.canMatch && (devices === 'all' || devices.length > 0),
    layout: enabled ? layout : undefined,
  };
}

interface ReadFilter {
  readonly filters: readonly DeviceFilter[];
  readonly canMatch: boolean;
}

function readFilter(value: unknown, path: FieldPath, report: Report): ReadFilter | undefined {
  if (value === undefined || value === null || value === '') return { filters: [], canMatch: true };
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (texts.length === 0) return { filters: [], canMatch: true };
  if (!texts.every((text) => typeof text === 'string')) {
    const hint = texts.some((text) => typeof text === 'number') ? '; put the id in quotes, it is read as a number' : '';
    report('error', 'InvalidMigParted', path, `must be a string or a list of strings${hint}`);
    return undefined;
  }
  const filters: DeviceFilter[] = [];
  for (const [index, text] of texts.entries()) {
    const filter = parseDeviceFilter(text);
    if (filter !== undefined && isNvidia(filter)) filters.push(filter);
    else {
      const message = `${JSON.stringify(text)} matches no GPU, which mig-parted does not report; write device and vendor as lspci -n shows them, such as "0x20B010DE"`;
      report('error', 'MatchesNoGpu', Array.isArray(value) ? [...path, index] : path, message);
    }
  }
  return { filters, canMatch: filters.length > 0 };
}

function readDevices(spec: Fields, path: FieldPath, report: Report): MigSpec['devices'] | undefined {
  const value = spec['devices'];
  const at = 'devices' in spec ? [...path, 'devices'] : path;
  if (value === 'all') return 'all';
  if (!Array.isArray(value) || !value.every((index) => typeof index === 'number' && Number.isInteger(index))) {
    report('error', 'InvalidMigParted', at, 'devices must be all, or a list of indices such as [0, 1]');
    return undefined;
  }
  const indices: readonly number[] = value;
  const known = [...new Set(indices)].filter((index) => index >= 0 && index < MOST_GPUS);
  const lost = indices.filter((index) => index < 0 || index >= MOST_GPUS);
  if (lost.length > 0)
    report('warning', 'MatchesNoGpu', at, `no GPU has index ${lost.join(', ')}; mig-parted ignores it silently`);
  if (indices.length === 0)
    report(
      'warning',
      'MatchesNoGpu',
      at,
      'the list is empty, so the entry does nothing; mig-parted does not report it',
    );
  return known;
}

/** The layout of an entry; undefined if there is none or it is unreadable. Checks what upstream checks: the form. */
function readLayout(spec: Fields, isEnabled: boolean, path: FieldPath, report: Report): Layout | undefined {
  const value = spec['mig-devices'];
  const at = [...path, 'mig-devices'];
  const refuse = (where: FieldPath, message: string) => report('error', 'InvalidMigParted', where, message);
  if (value === undefined || value === null) {
    if (isEnabled)
      refuse(
        'mig-devices' in spec ? at : path,
        'mig-devices is required when mig-enabled is true; {} for no instances',
      );
    return undefined;
  }
  if (!isFields(value)) {
    refuse(at, 'mig-devices must be an object of profile and count, such as {"1g.5gb": 2}');
    return undefined;
  }
  const entries = Object.entries(value);
  if (!isEnabled) {
    if (entries.length > 0 && spec['mig-enabled'] === false)
      refuse(at, 'mig-devices must be empty when mig-enabled is false');
    return undefined;
  }
  const layout: Record<string, number> = {};
  for (const [name, count] of entries) {
    const profile = parseProfile(name);
    if (isProfileNameError(profile)) refuse([...at, name], profile.message);
    else if (typeof count !== 'number' || !Number.isInteger(count) || count < 0) {
      refuse(
        [...at, name],
        `${JSON.stringify(count)} is not a number of instances; write a whole number without quotes`,
      );
    } else if (count > 0) layout[profile.name] = (layout[profile.name] ?? 0) + count;
    else warnZero([...at, name], report);
  }
  if (entries.length > 0 && entries.every(([, count]) => count === 0)) refuse(at, 'at least one count must be above 0');
  return layout;
}

function warnZero(path: FieldPath, report: Report): void {
  const message =
    'a count of 0 never counts as applied: mig-parted clears and rebuilds the GPU every time; omit the profile';
  report('warning', 'ZeroCount', path, message);
}

/** An entry of a config, and the MIG devices of the GPUs that it matches. */
interface MigSpec {
  readonly path: FieldPath;
  /** OR over the list; empty for no filter. */
  readonly filters: readonly DeviceFilter[];
  readonly devices: 'all' | readonly number[];
  /** False if nothing in the file can match a GPU: unreadable filters, no indices. The spec does nothing. */
  readonly canMatch: boolean;
  /** Slices of each GPU, empty for MIG mode without instances; undefined for MIG mode off. */
  readonly layout: Layout | undefined;
}

/** A named config: the value of the label `nvidia.com/mig.config`. */
export interface MigConfig {
  readonly name: string;
  readonly path: FieldPath;
  readonly specs: readonly MigSpec[];
}
