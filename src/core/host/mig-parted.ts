import { type GpuModel, MODELS, type Layout } from '../gpu/geometry.ts';
import type { FieldPath, Finding } from '../text/findings.ts';
import { isProfileNameError, parseProfile } from '../gpu/profiles.ts';
import { type Fields, isFields, deepEqual } from '../text/json.ts';
import { fitLayout } from '../gpu/layouts.ts';
import { nameModel } from '../policy/check.ts';
import { joinWords, writeLayout } from '../gpu/layout.ts';

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

/** Models of the built-in table that filters allow, OR over the list; all if it is empty. */
function listFiltered(filters: readonly DeviceFilter[]): readonly GpuModel[] {
  if (filters.length === 0) return MODELS;
  const ids = new Set(filters.map(({ id }) => id));
  return MODELS.filter((model) => listDeviceIds(model).some((id) => ids.has(id)));
}

function isKnownDevice({ id }: DeviceFilter): boolean {
  return MODELS.some((model) => listDeviceIds(model).includes(id));
}

/** Whether some GPU can match a filter of each list. */
function filtersOverlap(left: readonly DeviceFilter[], right: readonly DeviceFilter[]): boolean {
  if (left.length === 0 || right.length === 0) return true;
  return left.some((one) =>
    right.some(
      (other) =>
        one.id === other.id &&
        (one.subsystem === undefined || other.subsystem === undefined || one.subsystem === other.subsystem),
    ),
  );
}

function listDeviceIds(model: GpuModel): readonly string[] {
  return [...model.products.map(({ pciDeviceId }) => pciDeviceId), ...(model.unnamedPciDeviceIds ?? [])].flatMap((id) =>
    id === undefined ? [] : [id.toUpperCase().replace(/^0X/, '0x')],
  );
}

/** The content of a file. A config with an error is left out: mig-parted refuses the whole file for it. */
interface ParsedConfigFile {
  readonly configs: readonly MigConfig[];
  readonly findings: readonly Finding[];
}

type Report = (severity: Finding['severity'], code: Finding['code'], path: FieldPath, message: string) => void;

const SPEC_FIELDS = ['device-filter', 'devices', 'mig-enabled', 'mig-devices'];
/** The most GPUs that a node can have, and that a policy's `indices` can name. */
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
export interface MigSpec {
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

/**
 * What mig-parted makes of an entry on a GPU model. `Applies`: as written. `WipesSilently`: a profile is unknown, so it destroys all
 * instances and reports success. `WipesAndFails`: all orders of creation fail, and the GPU is left empty.
 */
type EntryOutcome = 'Applies' | 'WipesSilently' | 'WipesAndFails';

/** An entry on one model that its filter allows. */
interface SpecVerdict {
  readonly model: GpuModel;
  /** Common name of the model. */
  readonly name: string;
  readonly outcome: EntryOutcome;
  /** Why it does not apply, with the numbers; empty if it does. */
  readonly reason: string;
}

/** Verdicts on every model of the built-in table that an entry can match; tables of older drivers are left out. */
export function judgeSpec(spec: MigSpec): readonly SpecVerdict[] {
  if (!spec.canMatch) return [];
  return listFiltered(spec.filters)
    .filter((model) => model.superseded !== true)
    .map((model) => judgeModel(spec, model));
}

function judgeModel({ layout }: MigSpec, model: GpuModel): SpecVerdict {
  const name = nameModel(model);
  const fit = layout === undefined ? undefined : fitLayout(model, layout, name);
  if (fit === undefined || fit.fits) return { model, name, outcome: 'Applies', reason: '' };
  const outcome = fit.refusal.code === 'UnknownProfile' ? 'WipesSilently' : 'WipesAndFails';
  return { model, name, outcome, reason: fit.refusal.message };
}

/** Everything about a config that mig-parted does not report: GPUs that it would wipe, entries that conflict. */
export function checkMigConfig(config: MigConfig): readonly Finding[] {
  return [...config.specs.flatMap((spec) => checkSpec(spec)), ...checkOverlaps(config.specs)];
}

function checkSpec(spec: MigSpec): readonly Finding[] {
  const verdicts = judgeSpec(spec);
  const refused = verdicts.filter(({ outcome }) => outcome !== 'Applies');
  const filters = spec.filters.filter((filter) => !isKnownDevice(filter)).map(({ id }) => id);
  const unknown: readonly Finding[] =
    filters.length === 0 || spec.layout === undefined
      ? []
      : [
          {
            severity: 'warning',
            code: 'UnknownGpu',
            path: [...spec.path, 'device-filter'],
            message: `no known MIG GPU has the PCI id ${joinWords(filters)}, so the layout could not be checked for it`,
          },
        ];
  return [...unknown, ...describeRefused(spec, verdicts, refused), ...warnEmpty(spec)];
}

/** An entry that no model can take is an error; one that only some models can take is a warning that names the others. */
function describeRefused(
  spec: MigSpec,
  verdicts: readonly SpecVerdict[],
  refused: readonly SpecVerdict[],
): readonly Finding[] {
  const first = refused[0];
  if (first === undefined) return [];
  const path = [...spec.path, 'mig-devices'];
  const models = refused.map(({ model }) => model.id);
  if (refused.length === verdicts.length) {
    const reason =
      spec.filters.length === 0 ? `no GPU model supports it; for example ${first.reason}` : listReasons(refused);
    return [{ severity: 'error', code: 'WipesGpu', path, message: `${describeOutcome(refused)}: ${reason}`, models }];
  }
  const detail = spec.filters.length === 0 ? describeUnfiltered(spec, verdicts, refused) : listReasons(refused);
  const message = `${describeOutcome(refused)}: ${detail}. A policy rejects such a GPU and touches nothing`;
  return [{ severity: 'warning', code: 'WipesGpu', path, message, models }];
}

/** Maximum number of model names in a sentence. */
const MOST_NAMES = 8;

function describeUnfiltered(spec: MigSpec, verdicts: readonly SpecVerdict[], refused: readonly SpecVerdict[]): string {
  const layout = writeLayout(spec.layout ?? {});
  const able = verdicts.filter(({ outcome }) => outcome === 'Applies');
  if (refused.length <= MOST_NAMES)
    return `it has no device-filter, and ${joinWords(listNames(refused))} cannot hold ${layout}`;
  return `it has no device-filter, and only ${joinWords(listNames(able))} can hold ${layout}`;
}

function listNames(verdicts: readonly SpecVerdict[]): readonly string[] {
  return verdicts.map(({ name }) => name);
}

function describeOutcome(refused: readonly SpecVerdict[]): string {
  if (refused.every(({ outcome }) => outcome === 'WipesSilently')) {
    return 'where it does not fit, mig-parted would destroy every instance and report success';
  }
  return refused.some(({ outcome }) => outcome === 'WipesSilently')
    ? 'where it does not fit, mig-parted would destroy every instance, and on some models report success'
    : 'where it does not fit, mig-parted would destroy every instance and then fail';
}

function listReasons(refused: readonly SpecVerdict[]): string {
  return [...new Set(refused.map(({ reason }) => reason))].join('; ');
}

function warnEmpty(spec: MigSpec): readonly Finding[] {
  if (spec.layout === undefined || Object.keys(spec.layout).length > 0) return [];
  const message =
    'MIG mode on and no instances: no GPU is left for pods, and with strategy single the device plugin does not start';
  return [{ severity: 'warning', code: 'NoInstances', path: [...spec.path, 'mig-devices'], message }];
}

/** mig-parted applies all entries that match a GPU, one after the other. */
function checkOverlaps(specs: readonly MigSpec[]): readonly Finding[] {
  return specs.flatMap((later, index) =>
    specs.slice(0, index).flatMap((earlier, position) => {
      if (!specsOverlap(earlier, later) || deepEqual(earlier.layout ?? null, later.layout ?? null)) return [];
      return [describeOverlap(earlier, later, position)];
    }),
  );
}

function describeOverlap(earlier: MigSpec, later: MigSpec, position: number): Finding {
  if ((earlier.layout === undefined) !== (later.layout === undefined)) {
    const message = `entry [${position}] wants MIG mode ${earlier.layout === undefined ? 'off' : 'on'} and this entry ${later.layout === undefined ? 'off' : 'on'} on the same GPU: mig-parted toggles the mode and then fails; let each GPU match one entry`;
    return { severity: 'error', code: 'Contradiction', path: later.path, message };
  }
  const message = `entry [${position}] matches the same GPU: mig-parted makes ${writeLayout(earlier.layout ?? {})} there, destroys it, and makes this entry's layout; let each GPU match one entry`;
  return { severity: 'warning', code: 'Overlap', path: later.path, message };
}

/** Whether one GPU can match both entries. */
export function specsOverlap(left: MigSpec, right: MigSpec): boolean {
  if (!left.canMatch || !right.canMatch || !filtersOverlap(left.filters, right.filters)) return false;
  if (left.devices === 'all' || right.devices === 'all') return true;
  const indices = left.devices;
  return right.devices.some((index) => indices.includes(index));
}
