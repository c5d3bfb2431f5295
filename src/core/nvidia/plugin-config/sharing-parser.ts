import type { Fields } from '../../text/fields.ts';
import { completeResourceName, findResourceNameError } from '../resources/resource-name.ts';
import type { FindingList } from './config-finding.ts';
import type { SharedResource, Sharing, SharingStrategy } from './sharing.ts';

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
export function parseSharing(value: unknown, strategy: SharingStrategy, path: string, findings: FindingList): Sharing {
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

/** One entry of `resources`, in the order of upstream's decoder; undefined if it is refused. */
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
