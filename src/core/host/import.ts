// Room host: one host without Kubernetes, and the files that people bring or send: what they say, never how they are read or written.
// Ask here whether a document is a config file of mig-parted, what is wrong with it, and for its configs as policies, or as layouts of a host.
import { apiVersion, migConfigLabel } from '../../api/names.ts';
import type { GpuPartitionPolicy, GpuSelector, PolicyLayout, Strategy } from '../../api/types.ts';
import type { FieldPath, Finding } from '../text/words.ts';
import { deepEqual, fieldsOf, isFields } from '../text/json.ts';
import { type GpuModel, MODELS, writeLayout } from '../gpu/geometry.ts';
import { joinWords } from '../text/words.ts';
import { fitLayout } from '../gpu/layouts.ts';
import { checkForm } from '../policy/schema.ts';
import { checkStrategy, nameModel } from '../policy/check.ts';
import { type MigConfig, parseConfigFile } from './mig-parted.ts';

type MigSpec = MigConfig['specs'][number];

/** Models of the built-in table that filters allow, OR over the list; all if it is empty. */
function listFiltered(filters: MigSpec['filters']): readonly GpuModel[] {
  if (filters.length === 0) return MODELS;
  const ids = new Set(filters.map(({ id }) => id));
  return MODELS.filter((model) => listDeviceIds(model).some((id) => ids.has(id)));
}

function isKnownDevice({ id }: MigSpec['filters'][number]): boolean {
  return MODELS.some((model) => listDeviceIds(model).includes(id));
}

/** Whether some GPU can match a filter of each list. */
function filtersOverlap(left: MigSpec['filters'], right: MigSpec['filters']): boolean {
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
function checkMigConfig(config: MigConfig): readonly Finding[] {
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
function specsOverlap(left: MigSpec, right: MigSpec): boolean {
  if (!left.canMatch || !right.canMatch || !filtersOverlap(left.filters, right.filters)) return false;
  if (left.devices === 'all' || right.devices === 'all') return true;
  const indices = left.devices;
  return right.devices.some((index) => indices.includes(index));
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

/** The most indices, or device ids, that one entry of a policy can name. */
const MOST_NAMED = 32;
const MOST_LAYOUTS = 64;

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
      nodeSelector: { matchLabels: { [migConfigLabel]: config.name } },
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

/** Entries that are alike but for what they name of two long lists: each GPU still meets one of them at the place of the spec. */
function toLayouts(spec: MigSpec): readonly PolicyLayout[] {
  const ids = [...new Set(spec.filters.map(({ id }) => id))];
  return splitList(spec.devices === 'all' ? [] : spec.devices).flatMap((indices) =>
    splitList(ids).map((pciDeviceIds) => {
      const gpus: GpuSelector = {
        ...(indices.length === 0 ? {} : { indices }),
        ...(pciDeviceIds.length === 0 ? {} : { pciDeviceIds }),
      };
      return { ...(Object.keys(gpus).length === 0 ? {} : { gpus }), ...toContent(spec) };
    }),
  );
}

/** Parts of a list that one entry can name; one that is empty, if it is. */
function splitList<Item>(list: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.max(1, Math.ceil(list.length / MOST_NAMED)) }, (_, part) =>
    list.slice(part * MOST_NAMED, (part + 1) * MOST_NAMED),
  );
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

/** A config file of mig-parted, or what is meant to be one. */
export class ConfigFile {
  /** The names of all its configs. */
  readonly names: readonly string[];
  /** Those whose form is right. */
  readonly #configs: readonly MigConfig[];
  readonly #findings: readonly Finding[];

  constructor(value: unknown) {
    const { configs, findings } = parseConfigFile(value);
    this.names = Object.keys(fieldsOf(fieldsOf(value)?.['mig-configs']) ?? {});
    this.#configs = configs;
    this.#findings = findings;
  }

  /** Whether a document is a config file, or is meant to be one. */
  static isMeantBy(value: unknown): boolean {
    return isFields(value) && 'mig-configs' in value && !('kind' in value);
  }

  /** Checks its form, and what each config would do to every GPU model that it can match. */
  validate(): readonly Finding[] {
    return [...this.#findings, ...this.#configs.flatMap(checkMigConfig)];
  }

  /**
   * Turns the configs into equivalent policies, provided that their effect can be intended: an entry that would wipe a GPU or that
   * contradicts another is an error, and its config yields no policy.
   */
  toPolicies({ configs, strategy }: ImportOptions = {}): Imported {
    const isWanted = (name: unknown) => configs === undefined || configs.some((one) => one === name);
    const names = namePolicies(this.#configs.map(({ name }) => name));
    const findings = this.#findings.filter(({ path }) => path[1] === undefined || isWanted(path[1]));
    const policies = this.#configs.flatMap((config, at) => {
      if (!isWanted(config.name)) return [];
      const imported = importConfig(config, names[at] ?? config.name, strategy);
      findings.push(...imported.findings);
      return imported.policies;
    });
    if (this.#configs.length === 0 && findings.length === 0) {
      findings.push({ severity: 'warning', code: 'NothingToImport', path: [], message: 'the file has no configs' });
    }
    return { policies, findings };
  }

  /**
   * Reads one config for the GPUs of a host. Upstream the last entry that matches a GPU wins, here the first: the order is reversed.
   * (Where upstream would apply the other entries' layouts first, or toggle MIG mode and fail, here only the last is applied.)
   *
   * @param name of the config; undefined: the only one of the file
   * @returns errors if upstream rejects it, or it filters by subsystem; undefined if none is of this name, or it is open which is meant
   */
  layoutsOf(name: string | undefined): ConfigLayouts | { readonly errors: readonly Finding[] } | undefined {
    const wanted = name ?? this.names[0];
    if (wanted === undefined || (name === undefined && this.names.length > 1)) return undefined;
    const errors = this.#findings.filter(
      ({ severity, path }) => severity === 'error' && (path[1] === undefined || path[1] === wanted),
    );
    if (errors.length > 0) return { errors };
    const config = this.#configs.find((one) => one.name === wanted);
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
}
