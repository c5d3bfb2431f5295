// Room host: one host without Kubernetes, and the files that people bring or send: what they say, never how they are read or written.
// Ask here whether a document is a config file of mig-parted, what is wrong with it, and for its configs as policies, or as layouts of a host.
import { apiVersion } from '../../api/names.ts';
import type { GpuPartitionPolicy, GpuSelector, PolicyLayout, Strategy } from '../../api/types.ts';
import type { FieldPath, Finding } from '../text/findings.ts';
import { fieldsOf, isFields } from '../text/json.ts';
import { checkForm } from '../policy/schema.ts';
import { checkStrategy } from '../policy/check.ts';
import { checkMigConfig, specsOverlap, type MigConfig, type MigSpec, parseConfigFile } from './mig-parted.ts';

/** Whether a document is a mig-parted config file, or is meant to be one. */
export function isConfigFile(value: unknown): boolean {
  return isFields(value) && 'mig-configs' in value && !('kind' in value);
}

export function listConfigNames(value: unknown): readonly string[] {
  return Object.keys(fieldsOf(fieldsOf(value)?.['mig-configs']) ?? {});
}
/** Checks a config file of mig-parted: its form, and what each config would do to every GPU model that it can match. */
export function validateConfigFile(value: unknown): readonly Finding[] {
  const { configs, findings } = parseConfigFile(value);
  return [...findings, ...configs.flatMap(checkMigConfig)];
}

/** Policy names become label values on nodes; see the CRD's rule. */
const MOST_CHARACTERS = 63;

/**
 * Policy names for configs, in their order: the config's own name if Kubernetes allows it, else the nearest allowed one (lower case,
 * no `_`), with a number if two coincide.
 */
export function namePolicies(configs: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  // Valid names stay, even if an earlier name would be changed to the same.
  const fixed = new Set(configs.filter((config) => toObjectName(config) === config));
  return configs.map((config) => {
    const wanted = toObjectName(config);
    let name = wanted;
    for (let number = 2; taken.has(name) || (fixed.has(name) && name !== config); number += 1)
      name = appendNumber(wanted, number);
    taken.add(name);
    return name;
  });
}

function toObjectName(config: string): string {
  const name = config
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, '-')
    .slice(0, MOST_CHARACTERS)
    .split('.')
    .map((part) => part.replaceAll(/^-+|-+$/g, ''))
    .filter((part) => part !== '')
    .join('.');
  return name === '' ? 'mig-config' : name;
}

function appendNumber(name: string, number: number): string {
  const suffix = `-${number}`;
  return `${name.slice(0, MOST_CHARACTERS - suffix.length).replace(/[-.]+$/, '')}${suffix}`;
}

/** Label by which mig-manager's nodes select their config; the policies use it too, so that nodes keep their labels. */
export const MIG_CONFIG_LABEL = 'nvidia.com/mig.config';

interface ImportOptions {
  /** Import only these configs; absent: all. */
  readonly configs?: readonly string[];
  /** Strategy of the device plugin; absent: single if a config has one profile for every device, else mixed. */
  readonly strategy?: Strategy;
}

interface Imported {
  /** Policies, one for each config without an error, in the order of the file. */
  readonly policies: readonly GpuPartitionPolicy[];
  readonly findings: readonly Finding[];
}

/** The most device ids that one entry of a policy can name. */
const MOST_DEVICE_IDS = 32;
const MOST_LAYOUTS = 64;

/**
 * Turns a config file of mig-parted into equivalent policies, provided that its effect can be intended: an entry that would wipe a
 * GPU or that contradicts another is an error, and its config yields no policy.
 */
export function importConfigFile(value: unknown, options: ImportOptions = {}): Imported {
  const file = parseConfigFile(value);
  const isWanted = (name: unknown) => options.configs === undefined || options.configs.some((one) => one === name);
  const configs = file.configs.filter(({ name }) => isWanted(name));
  const names = namePolicies(file.configs.map(({ name }) => name));
  const findings = file.findings.filter(({ path }) => path[1] === undefined || isWanted(path[1]));
  const policies = configs.flatMap((config) => {
    const name = names[file.configs.indexOf(config)] ?? config.name;
    const imported = importConfig(config, name, options.strategy);
    findings.push(...imported.findings);
    return imported.policies;
  });
  if (file.configs.length === 0 && findings.length === 0) {
    findings.push({ severity: 'warning', code: 'NothingToImport', path: [], message: 'the file has no configs' });
  }
  return { policies, findings };
}

function importConfig(config: MigConfig, name: string, given: Strategy | undefined): Imported {
  const checked = checkMigConfig(config);
  if (checked.some(({ severity }) => severity === 'error')) return { policies: [], findings: checked };
  const strategy = given ?? chooseStrategy(config);
  const specs = orderSpecs(config.specs.filter(({ canMatch }) => canMatch));
  const layouts = specs.flatMap(toLayouts);
  const policy: GpuPartitionPolicy = {
    apiVersion,
    kind: 'GpuPartitionPolicy',
    metadata: { name },
    spec: {
      nodeSelector: { matchLabels: { [MIG_CONFIG_LABEL]: config.name } },
      // To be looked at first: a file has dozens of configs, and their nodes have an owner.
      mode: 'Plan',
      strategy,
      layouts,
      allow: { takeOver: ['mig-manager'] },
    },
  };
  const findings = [...checked, ...refuseSubsystems(specs), ...checkPolicy(config, policy)];
  return { policies: findings.some(({ severity }) => severity === 'error') ? [] : [policy], findings };
}

/** A node can be advertised with strategy single only if each of its GPUs has the same one profile. */
function chooseStrategy({ specs }: MigConfig): Strategy {
  const profiles = new Set(specs.flatMap(({ layout = {} }) => Object.keys(layout)));
  const isUniform = specs.every(
    ({ devices, layout }) => devices === 'all' && layout !== undefined && Object.keys(layout).length === 1,
  );
  return isUniform && profiles.size === 1 ? 'single' : 'mixed';
}

/** Upstream the last entry that matches a GPU wins, in a policy the first. */
function orderSpecs(specs: readonly MigSpec[]): readonly MigSpec[] {
  const overlaps = specs.some((later, index) => specs.slice(0, index).some((earlier) => specsOverlap(earlier, later)));
  return overlaps ? specs.toReversed() : specs;
}

function toLayouts(spec: MigSpec): readonly PolicyLayout[] {
  const ids = [...new Set(spec.filters.map(({ id }) => id))];
  const groups = Array.from({ length: Math.max(1, Math.ceil(ids.length / MOST_DEVICE_IDS)) }, (_, group) =>
    ids.slice(group * MOST_DEVICE_IDS, (group + 1) * MOST_DEVICE_IDS),
  );
  return groups.map((pciDeviceIds) => {
    const gpus: GpuSelector = {
      ...(spec.devices === 'all' ? {} : { indices: spec.devices }),
      ...(pciDeviceIds.length === 0 ? {} : { pciDeviceIds }),
    };
    return { ...(Object.keys(gpus).length === 0 ? {} : { gpus }), ...toContent(spec) };
  });
}

function toContent({ layout }: MigSpec): PolicyLayout {
  if (layout === undefined) return { mig: 'Disabled' };
  return Object.keys(layout).length === 0 ? { preset: 'all-enabled' } : { profiles: layout };
}

/** Policies have no subsystem ids: without it an entry would repartition boards that mig-parted leaves alone. */
function refuseSubsystems(specs: readonly MigSpec[]): readonly Finding[] {
  return findNarrowed(
    specs,
    (ids) =>
      `a policy cannot tell boards apart by their subsystem (${ids}): write the device id alone if every board with it is meant, or select by gpus.models in a policy of your own`,
  );
}

function findNarrowed(specs: readonly MigSpec[], explain: (ids: string) => string): readonly Finding[] {
  return specs.flatMap((spec): readonly Finding[] => {
    const narrowed = spec.filters.filter(({ subsystem }) => subsystem !== undefined);
    if (narrowed.length === 0) return [];
    const message = explain(narrowed.map(({ id, subsystem }) => `${id}:${subsystem ?? ''}`).join(', '));
    return [{ severity: 'error', code: 'NarrowerFilter', path: [...spec.path, 'device-filter'], message }];
  });
}

function checkPolicy(config: MigConfig, { spec, ...policy }: GpuPartitionPolicy): readonly Finding[] {
  const { layouts = [] } = spec;
  const refuse = (code: Finding['code'], message: string): Finding => ({
    severity: 'error',
    code,
    path: config.path,
    message,
  });
  if (layouts.length === 0)
    return [refuse('NothingToImport', 'no entry of the config matches a GPU, so there is nothing to import')];
  if (layouts.length > MOST_LAYOUTS) {
    return [
      refuse('NothingToImport', `the config needs ${layouts.length} entries; a policy has at most ${MOST_LAYOUTS}`),
    ];
  }
  const messages = checkForm({ ...policy, spec }).rules.map(({ message }) => message);
  const [unoffered] = checkStrategy(spec, []);
  return [
    ...[...new Set(messages)].map((message) =>
      refuse('StrategyMismatch', `with strategy ${spec.strategy}: ${message}`),
    ),
    ...(unoffered ? [{ ...unoffered, path: config.path }] : []),
  ];
}

/** A config as the layouts of one host. */
interface ConfigLayouts {
  readonly layouts: readonly PolicyLayout[];
  /** The place of an entry, or of the config, in the file. */
  readonly pathOf: (entry?: number) => FieldPath;
}

/**
 * Reads one config for the GPUs of a host. Upstream the last entry that matches a GPU wins, here the first: the order is reversed.
 * (Where upstream would apply the other entries' layouts first, or toggle MIG mode and fail, here only the last is applied.)
 *
 * @returns undefined if the file has no such config; errors if upstream rejects it, or it filters by subsystem
 */
export function layoutsOfConfig(
  value: unknown,
  wanted: string,
): ConfigLayouts | { readonly errors: readonly Finding[] } | undefined {
  const { configs, findings } = parseConfigFile(value);
  const errors = findings.filter(
    ({ severity, path }) => severity === 'error' && (path[1] === undefined || path[1] === wanted),
  );
  if (errors.length > 0) return { errors };
  const config = configs.find(({ name }) => name === wanted);
  if (config === undefined) return undefined;
  // nvidia-smi reports a GPU's device id; an entry for only one subsystem would match the others too.
  const narrow = findNarrowed(
    config.specs,
    (ids) => `filters by subsystem (${ids}) are not supported here; write the device id alone`,
  );
  if (narrow.length > 0) return { errors: narrow };
  const specs = config.specs.filter(({ canMatch }) => canMatch).toReversed();
  const layouts = specs.map((spec): PolicyLayout => {
    const { devices, filters } = spec;
    const gpus = {
      ...(devices === 'all' ? {} : { indices: devices }),
      ...(filters.length === 0 ? {} : { pciDeviceIds: filters.map(({ id }) => id) }),
    };
    return { gpus, ...toContent(spec) };
  });
  return { layouts, pathOf: (entry) => (entry === undefined ? undefined : specs[entry]?.path) ?? config.path };
}
