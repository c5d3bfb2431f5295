// Room nvidia: what NVIDIA's own programs on a node read, label and advertise.
// Ask here what the device plugin's config file says, what is wrong with it, and for the one that a policy makes.
import { isFields, type Fields, canonicalJson, fingerprint } from '../text/json.ts';
import { NVIDIA_PREFIX, isMigStrategy, type MigStrategy, GPU_RESOURCE } from './labels.ts';
import type { PolicySpec } from '../../api/types.ts';
import type { Finding } from '../text/words.ts';

/** Upstream's sentence on MPS and slices, for our refusals. */
export const MPS_ON_MIG_REASON = 'sharing using MPS is not supported for MIG devices';

/** A finding about a device plugin config file: upstream refuses something (error) or ignores it (warning). */
interface ConfigFinding {
  readonly severity: 'error' | 'warning';
  /** Path in the file: `sharing.timeSlicing.resources[0].replicas`. Empty for the file as a whole. */
  readonly path: string;
  /** A sentence for people: what is wrong and what to write instead. */
  readonly message: string;
  /** Upstream's own text if it has one; it stops at its first error, we continue. */
  readonly upstream?: string;
}

/** Collects findings while a config is read. */
class FindingList {
  readonly #findings: ConfigFinding[] = [];

  get all(): readonly ConfigFinding[] {
    return this.#findings;
  }

  /** An error that the plugin raises while it decodes the file. */
  refuse(path: string, upstream: string, message: string): void {
    this.refuseDecoded(path, `error unmarshaling JSON: while decoding JSON: ${upstream}`, message);
  }

  /** Refuses a value of another type than the Go type that the plugin decodes it into. @param into what of Go has that type */
  refuseType(path: string, value: unknown, goType: string, message: string, into = 'value'): void {
    this.refuse(path, `json: cannot unmarshal ${nameKind(value, goType)} into Go ${into} of type ${goType}`, message);
  }

  /** An error that the plugin raises after decoding. */
  refuseDecoded(path: string, upstream: string, message: string): void {
    this.#findings.push({ severity: 'error', path, message, upstream });
  }

  warn(path: string, message: string, upstream?: string): void {
    this.#findings.push({ severity: 'warning', path, message, ...(upstream === undefined ? {} : { upstream }) });
  }

  /** Upstream decodes leniently, so a misspelt field is silently dropped. */
  warnUnknown(body: Fields, known: readonly string[], path: string): void {
    for (const key of Object.keys(body).filter((name) => !known.includes(name))) {
      const at = path === '' ? key : `${path}.${key}`;
      this.warn(at, `is silently ignored by upstream; known fields: ${known.join(', ')}`);
    }
  }

  /** The fields of an object; undefined if it is absent, which null is too, or refused. Parameters as in {@link refuseType}. */
  readObject(path: string, value: unknown, goType: string, message: string, into?: string): Fields | undefined {
    if (value === undefined || value === null) return undefined;
    if (isFields(value)) return value;
    this.refuseType(path, value, goType, message, into);
    return undefined;
  }
}

/** Names a value's kind as Go's `encoding/json` does. */
function nameKind(value: unknown, goType: string): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return 'object';
  if (typeof value === 'boolean') return 'bool';
  // Go includes the number only if the type fits and the value does not.
  if (typeof value === 'number') return goType === 'int' ? `number ${value}` : 'number';
  return 'string';
}

/** Upstream's limits on a resource name in its config file (`api/config/v1/resources.go`). */
const MAX_LENGTH = 63;
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`);
const MAX_SUBDOMAIN_LENGTH = 253;

/** Upstream completes a name that lacks the prefix: `gpu` means `nvidia.com/gpu`. */
function completeResourceName(name: string): string {
  return name.startsWith(NVIDIA_PREFIX) ? name : NVIDIA_PREFIX + name;
}

/** Upstream's error for a full resource name, or undefined if it is accepted. */
function findResourceNameError(fullName: string): string | undefined {
  if (fullName.length > MAX_LENGTH) {
    return `fully-qualified resource name must be ${MAX_LENGTH} characters or less: ${fullName}`;
  }
  const name = fullName.slice(fullName.indexOf('/') + 1);
  if (name.length <= MAX_SUBDOMAIN_LENGTH && SUBDOMAIN_PATTERN.test(name)) return undefined;
  return (
    `incorrect format for resource name '${fullName}': [a lowercase RFC 1123 subdomain must consist of lower case ` +
    "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
    `(e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')]`
  );
}

/** Go's type of an object whose fields are decoded later, one by one. */
const RAW_MAP = 'map[string]json.RawMessage';
const SHARING_FIELDS: readonly string[] = ['renameByDefault', 'failRequestsGreaterThanOne', 'resources'];
const RESOURCE_FIELDS: readonly string[] = ['name', 'rename', 'devices', 'replicas'];
const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
/** GPU index, MIG index `0:3`, or UUID; upstream checks the form and then ignores it. */
const DEVICE_REFERENCE = new RegExp(`^(?:\\d+|\\d+:\\d+|GPU-${UUID}|MIG-${UUID}|MIG-GPU-${UUID}/\\d+/\\d+)$`);

/**
 * Reads `sharing.timeSlicing` or `sharing.mps` by upstream's rules, in upstream's order, so that the first finding is the error that
 * the plugin prints (`api/config/v1/replicas.go`).
 */
function parseSharing(value: unknown, strategy: SharingStrategy, path: string, findings: FindingList): Sharing {
  const body = findings.readObject(path, value, RAW_MAP, 'must be an object with a list "resources"') ?? {};
  findings.warnUnknown(body, SHARING_FIELDS, path);
  const renameByDefault = readFlag(body, 'renameByDefault', path, findings);
  const asked = readFlag(body, 'failRequestsGreaterThanOne', path, findings);
  if (strategy === 'mps' && body['failRequestsGreaterThanOne'] === false) {
    findings.warn(`${path}.failRequestsGreaterThanOne`, 'has no effect: with MPS a request above 1 always fails');
  }
  const resources = readResources(body['resources'], renameByDefault, `${path}.resources`, findings);
  warnDuplicates(resources, `${path}.resources`, findings);
  return { strategy, renameByDefault, failRequestsGreaterThanOne: strategy === 'mps' || asked, resources };
}

function readFlag(body: Fields, name: string, path: string, findings: FindingList): boolean {
  const value = body[name];
  if (value === undefined || value === null || typeof value === 'boolean') return value ?? false;
  findings.refuseType(`${path}.${name}`, value, 'bool', 'must be true or false');
  return false;
}

function readResources(
  value: unknown,
  renameByDefault: boolean,
  path: string,
  findings: FindingList,
): readonly SharedResource[] {
  if (value !== undefined && value !== null && !Array.isArray(value)) {
    findings.refuseType(path, value, '[]v1.ReplicatedResource', 'must be a list of resources');
    return [];
  }
  const list: readonly unknown[] = value ?? [];
  if (list.length === 0) findings.refuse(path, 'no resources specified', 'name at least one resource to share');
  return list.flatMap((item, index) => readResource(item, renameByDefault, `${path}[${index}]`, findings) ?? []);
}

function warnDuplicates(resources: readonly SharedResource[], path: string, findings: FindingList): void {
  const seen = new Set<string>();
  for (const { name } of resources) {
    if (seen.has(name)) {
      findings.warn(path, `${name} is listed twice: labels follow the first entry, capacity the greatest`);
    }
    seen.add(name);
  }
}

/** Reads one entry of `resources`, in the order of upstream's decoder; undefined if it is refused. */
function readResource(
  value: unknown,
  renameByDefault: boolean,
  path: string,
  findings: FindingList,
): SharedResource | undefined {
  const body = value === null ? {} : findings.readObject(path, value, RAW_MAP, 'must be an object {name, replicas}');
  if (body === undefined) return undefined;
  findings.warnUnknown(body, RESOURCE_FIELDS, path);
  const name = readName(body, path, findings);
  checkDevices(body, path, findings);
  const replicas = readReplicas(body, path, findings);
  if (name !== undefined) checkRename(body, name, renameByDefault, path, findings);
  return name === undefined || replicas === undefined ? undefined : { name, replicas };
}

function readName({ name }: Fields, path: string, findings: FindingList): string | undefined {
  const at = `${path}.name`;
  if (name === undefined) {
    findings.refuse(at, 'no resource name specified', 'name the resource, such as nvidia.com/mig-1g.5gb');
    return undefined;
  }
  return readResourceName(name, at, findings, (full) =>
    full.includes('+') ? `write "." for "+": ${full.replaceAll('+', '.')}` : 'is not a resource name',
  );
}

/** The full name of a resource; undefined if it is refused. @param adviseOn what to do about a full name that upstream refuses */
function readResourceName(
  name: unknown,
  path: string,
  findings: FindingList,
  adviseOn: (full: string) => string,
): string | undefined {
  if (name !== null && typeof name !== 'string') {
    findings.refuseType(path, name, 'string', 'must be a string');
    return undefined;
  }
  const full = completeResourceName(name ?? '');
  const error = findResourceNameError(full);
  if (error === undefined) return full;
  findings.refuse(path, error, adviseOn(full));
  return undefined;
}

function readReplicas({ replicas }: Fields, path: string, findings: FindingList): number | undefined {
  const at = `${path}.replicas`;
  if (replicas === undefined) {
    findings.refuse(at, 'no replicas specified', 'say how many containers may share one device, 2 or more');
  } else if (replicas !== null && (typeof replicas !== 'number' || !Number.isInteger(replicas))) {
    findings.refuseType(at, replicas, 'int', 'must be a whole number');
  } else if (replicas === null || replicas < 2) {
    findings.refuse(at, 'number of replicas must be >= 2', 'use 2 or more, or take the resource off the list');
  } else return replicas;
  return undefined;
}

function checkDevices({ devices }: Fields, path: string, findings: FindingList): void {
  if (devices === undefined || devices === 'all') return;
  const at = `${path}.devices`;
  const error = findDevicesError(devices);
  if (error !== undefined) findings.refuse(at, error, 'leave it out: sharing always covers all devices of a resource');
  else findings.warn(at, 'is ignored: sharing covers all devices of a resource', ignoredText('devices', at));
}

function findDevicesError(devices: unknown): string | undefined {
  // Go decodes null into an empty string before it tries anything else.
  const text = devices ?? '';
  if (typeof text === 'string') return `devices set as '${text}' but the only valid string input is 'all'`;
  if (typeof devices === 'number' && Number.isInteger(devices)) {
    return devices > 0 ? undefined : `devices set as '${devices}' but a count of devices must be > 0`;
  }
  if (!Array.isArray(devices)) return `unrecognized type for devices spec: ${JSON.stringify(devices)}`;
  const bad = devices.find((item: unknown) => !isDeviceReference(item)) as unknown;
  if (bad === undefined) return undefined;
  return `unsupported type for device in devices list: ${typeof bad === 'string' ? bad : ''}, string`;
}

function isDeviceReference(item: unknown): boolean {
  return typeof item === 'number' ? Number.isInteger(item) && item >= 0 : DEVICE_REFERENCE.test(String(item));
}

function checkRename(
  { rename }: Fields,
  name: string,
  renameByDefault: boolean,
  path: string,
  findings: FindingList,
): void {
  if (rename === undefined) return;
  const at = `${path}.rename`;
  const full = readResourceName(rename, at, findings, () => 'leave it out: only renameByDefault has an effect');
  if (full === undefined || (renameByDefault && full === `${name}.shared`)) return;
  findings.warn(at, 'is ignored: only renameByDefault has an effect', ignoredText('rename', at));
}

function ignoredText(field: 'devices' | 'rename', path: string): string {
  const list = path.slice(0, path.indexOf('['));
  const verb = field === 'rename' ? 'Setting' : 'Customizing';
  return `${verb} the '${field}' field in ${list} is not yet supported in the config. Ignoring...`;
}

const SECTIONS: readonly string[] = ['version', 'flags', 'resources', 'sharing', 'imex', 'health'];

type ParsedDevicePluginConfig =
  | { readonly ok: true; readonly config: DevicePluginConfig; readonly findings: readonly ConfigFinding[] }
  /** A config that is refused: at least one finding is an error; the plugin and GFD exit with the first one's `upstream` text. */
  | { readonly ok: false; readonly findings: readonly ConfigFinding[] };

/**
 * Reads a config file of the device plugin and GFD (`version: v1`), already parsed from YAML, by upstream's rules. Upstream decodes
 * leniently, so what it ignores is a warning here, never an error.
 */
export function parseDevicePluginConfig(value: unknown): ParsedDevicePluginConfig {
  const findings = new FindingList();
  const config = readConfig(value, findings);
  const ok = findings.all.every((finding) => finding.severity !== 'error');
  return ok ? { ok, config, findings: findings.all } : { ok, findings: findings.all };
}

/** Errors and warnings for a config file, in upstream's order: the first error is the one that the plugin prints. */
export function lintDevicePluginConfig(value: unknown): readonly ConfigFinding[] {
  return parseDevicePluginConfig(value).findings;
}

/** Which replica a container gets, in the plugin's words and in ours (`api/config/v1/consts.go`, since v0.20). */
export const allocationPolicies = { Distributed: 'distributed', Packed: 'packed' } as const;
type Allocation = NonNullable<NonNullable<PolicySpec['sharing']>['allocation']>;

/**
 * A config file (to be written as YAML) that shares resources by time-slicing. A plugin that does not know the allocation ignores it, as it
 * does any field that it does not know.
 */
export function composeDevicePluginConfig(
  strategy: MigStrategy,
  resources: readonly SharedResource[],
  allocation?: Allocation,
): Readonly<Record<string, unknown>> {
  const plugin = allocation && { sharedDevicesAllocationPolicy: allocationPolicies[allocation] };
  return {
    version: 'v1',
    flags: { migStrategy: strategy, ...(plugin && { plugin }) },
    ...(resources.length === 0 ? {} : { sharing: { timeSlicing: { resources } } }),
  };
}

function readConfig(value: unknown, findings: FindingList): DevicePluginConfig {
  const body = findings.readObject('', value, 'v1.Config', 'must be an object with version, flags and sharing') ?? {};
  findings.warnUnknown(body, SECTIONS, '');
  const migStrategy = readMigStrategy(body['flags'], findings);
  warnResources(body['resources'], findings);
  const sharing = readSharing(body['sharing'], findings);
  checkVersion(body['version'], findings);
  return { ...(migStrategy === undefined ? {} : { migStrategy }), ...(sharing === undefined ? {} : { sharing }) };
}

function readMigStrategy(value: unknown, findings: FindingList): string | undefined {
  const flags = findings.readObject('flags', value, 'v1.Flags', 'must be an object', 'struct field Config.flags');
  const strategy = flags?.['migStrategy'];
  if (strategy === undefined || strategy === null) return undefined;
  if (!isMigStrategy(strategy)) {
    findings.warn('flags.migStrategy', 'must be none, single or mixed; GFD fails on any other');
  }
  return typeof strategy === 'string' ? strategy : undefined;
}

function warnResources(resources: unknown, findings: FindingList): void {
  const isUsed = isFields(resources) && ['gpus', 'mig'].some((key) => isNotEmptyList(resources[key]));
  if (!isUsed) return;
  findings.warn(
    'resources',
    'is ignored: resources cannot be renamed',
    "Customizing the 'resources' field is not yet supported in the config. Ignoring...",
  );
}

function isNotEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function readSharing(value: unknown, findings: FindingList): Sharing | undefined {
  const into = 'struct field Config.sharing';
  const sharing = findings.readObject('sharing', value, 'v1.Sharing', 'must be an object with timeSlicing', into);
  if (sharing === undefined) return undefined;
  findings.warnUnknown(sharing, ['timeSlicing', 'mps'], 'sharing');
  const { mps, timeSlicing } = sharing;
  // Upstream decodes mps first, and treats a null there as absent but a null in timeSlicing as an empty object.
  const byMps = mps === undefined || mps === null ? undefined : parseSharing(mps, 'mps', 'sharing.mps', findings);
  const byTime =
    timeSlicing === undefined ? undefined : parseSharing(timeSlicing, 'time-slicing', 'sharing.timeSlicing', findings);
  if (byMps !== undefined && byTime !== undefined) {
    findings.warn('sharing.timeSlicing', 'has no effect: with timeSlicing and mps in one file, mps wins silently');
  }
  return byMps ?? byTime;
}

function checkVersion(version: unknown, findings: FindingList): void {
  if (version === undefined || version === null || version === '' || version === 'v1') return;
  const text = typeof version === 'string' ? version : JSON.stringify(version);
  findings.refuseDecoded('version', `unknown version: ${text}`, 'must be v1');
}

/** How replicas of one device are separated: in time (no memory limit), or by an MPS daemon. */
export type SharingStrategy = 'time-slicing' | 'mps';

/** What the device plugin and GFD take from their config file, after applying their own rules to it. */
export interface DevicePluginConfig {
  /** `flags.migStrategy` of the file; environment and arguments override it. */
  readonly migStrategy?: string;
  /** The one kind of sharing in force; absent if nothing is shared. */
  readonly sharing?: Sharing;
}

export interface Sharing {
  readonly strategy: SharingStrategy;
  /** Appends `.shared` to the names of shared resources, and then omits `-SHARED` from the product label. */
  readonly renameByDefault: boolean;
  /** Whether the kubelet refuses, at admission, a container that requests two replicas. */
  readonly failRequestsGreaterThanOne: boolean;
  readonly resources: readonly SharedResource[];
}

interface SharedResource {
  /** Full name: `nvidia.com/mig-1g.5gb`. */
  readonly name: string;
  /** 2 or more. */
  readonly replicas: number;
}

/** The parts of a policy's spec that determine the config file of its nodes' device plugin. */
export type SharingSpec = Pick<PolicySpec, 'strategy' | 'sharing'> & Partial<Pick<PolicySpec, 'layouts'>>;

interface ManagedConfig {
  /** Key of the ConfigMap, and value of the label `nvidia.com/device-plugin.config`. */
  readonly key: string;
  /** The config file, to be written as YAML. */
  readonly file: Readonly<Record<string, unknown>>;
  /** The config file as the plugin and GFD read it: input for `computeLabels` and `computeResources`. */
  readonly config: DevicePluginConfig;
}

/**
 * The device plugin's config file for the nodes of a policy. Its name depends on its content: the plugin's config manager reads the
 * file again only when the label's value changes, so the content under a name never changes.
 */
export function managedConfig(spec: SharingSpec): ManagedConfig {
  const resources = sharedResources(spec).toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const file = composeDevicePluginConfig(spec.strategy, resources, spec.sharing?.allocation);
  const key = `gpu-partition-${spec.strategy}-${fingerprint(canonicalJson(file)).slice(0, 8)}`;
  const parsed = parseDevicePluginConfig(file);
  return { key, file, config: parsed.ok ? parsed.config : { migStrategy: spec.strategy } };
}

/**
 * The first problem of `spec.sharing`. The plugin silently ignores resources that it does not have, so an entry that no layout
 * provides for is refused here.
 *
 * @param offered names of the resources that the nodes of the policy advertise before sharing; undefined if not known yet
 */
export function checkSharing(spec: SharingSpec, offered: ReadonlySet<string> | undefined): Finding | undefined {
  const { sharing, strategy } = spec;
  if (sharing === undefined) return undefined;
  if (sharing.mps !== undefined) {
    return refuse(
      ['mps'],
      `is rejected: ${MPS_ON_MIG_REASON} (NVIDIA's device plugin); share slices with timeSlicing, or use smaller slices`,
    );
  }
  if (sharing.allocation !== undefined && sharing.timeSlicing === undefined) {
    return refuse(
      ['allocation'],
      `has no effect without timeSlicing: NVIDIA's device plugin counts the pods on each slice, and one that is not shared has none or one. ` +
        'Leave it out, or share slices',
    );
  }
  return (
    lintTimeSlicing(spec) ??
    findDuplicate(spec) ??
    sharedResources(spec)
      .map(({ name }, index) => checkResource(name, index, strategy, offered))
      .find((finding) => finding !== undefined) ??
    checkWholeGpus(spec)
  );
}

/** The plugin's own rules for the file, in its own words. */
function lintTimeSlicing(spec: SharingSpec): Finding | undefined {
  const findings = lintDevicePluginConfig(composeDevicePluginConfig(spec.strategy, sharedResources(spec)));
  const error = findings.find(({ severity }) => severity === 'error');
  if (error === undefined) return undefined;
  const [, index, field] = /^sharing\.timeSlicing\.resources\[(\d+)\]\.(\w+)$/.exec(error.path) ?? [];
  const path = index === undefined ? [] : [Number(index), field === 'name' ? 'resource' : (field ?? '')];
  const upstream = error.upstream === undefined ? '' : ` (the device plugin: "${error.upstream}")`;
  return refuse(['timeSlicing', ...path], `${error.message}${upstream}`);
}

function findDuplicate(spec: SharingSpec): Finding | undefined {
  const names = sharedResources(spec).map(({ name }) => name);
  const index = names.findIndex((name, at) => names.indexOf(name) < at);
  const name = names[index];
  if (name === undefined) return undefined;
  return refuse(
    ['timeSlicing', index, 'resource'],
    `${name} is listed twice: its labels would follow the first entry and its capacity the greatest; keep one`,
  );
}

function checkResource(
  name: string,
  index: number,
  strategy: SharingSpec['strategy'],
  offered: ReadonlySet<string> | undefined,
): Finding | undefined {
  const path = ['timeSlicing', index, 'resource'];
  if (strategy !== 'mixed' && name !== GPU_RESOURCE) {
    const what = strategy === 'single' ? 'slices' : 'GPUs';
    return refuse(path, `${name} is not offered under strategy ${strategy}, which offers ${what} as ${GPU_RESOURCE}`);
  }
  if (offered === undefined || offered.has(name)) return undefined;
  const known = [...offered].toSorted();
  const instead = known.length === 0 ? 'nothing' : known.join(', ');
  const hint =
    name === GPU_RESOURCE && strategy === 'mixed' ? `; under strategy mixed ${GPU_RESOURCE} means whole GPUs only` : '';
  return refuse(path, `${name} is not offered by any layout of this policy, which offer ${instead}${hint}`);
}

/** Strategy none hands out a whole GPU in MIG mode, and shares it; GFD labels it as unavailable (`gpu.replicas` 0). */
function checkWholeGpus({ strategy, layouts = [], sharing }: SharingSpec): Finding | undefined {
  const isMig = layouts.some(
    ({ profiles, preset }) => profiles !== undefined || (preset !== undefined && preset !== 'all-disabled'),
  );
  if (strategy !== 'none' || !isMig || (sharing?.timeSlicing ?? []).length === 0) return undefined;
  return refuse(
    ['timeSlicing'],
    'strategy none does not share slices: it offers a GPU in MIG mode as a whole, with the label gpu.replicas 0; ' +
      'use strategy mixed or single',
  );
}

function sharedResources({ sharing }: SharingSpec): readonly SharedResource[] {
  return (sharing?.timeSlicing ?? []).map(({ resource, replicas }) => ({ name: resource, replicas }));
}

function refuse(path: readonly (string | number)[], message: string): Finding {
  return { severity: 'error', code: 'SharingRefused', path: ['spec', 'sharing', ...path], message };
}
