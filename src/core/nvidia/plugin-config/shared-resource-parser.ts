import type { FindingList } from '../labels/config-finding.ts';
import { describeTypeMismatch, RAW_MAP } from '../labels/go-json.ts';
import { isFields } from '../../text/fields.ts';
import { completeResourceName, findResourceNameError } from '../resources/resource-name.ts';
import type { SharedResource } from './sharing.ts';

const FIELDS: readonly string[] = ['name', 'rename', 'devices', 'replicas'];
const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
/** GPU index, MIG index `0:3`, or UUID; upstream checks the form and then ignores it. */
const DEVICE_REFERENCE = new RegExp(`^(?:\\d+|\\d+:\\d+|GPU-${UUID}|MIG-${UUID}|MIG-GPU-${UUID}/\\d+/\\d+)$`);

/** Reads one entry of `resources`, in the order of upstream's decoder; undefined if it is refused. */
export function parseSharedResource(
  value: unknown,
  renameByDefault: boolean,
  path: string,
  findings: FindingList,
): SharedResource | undefined {
  if (value !== null && !isFields(value)) {
    findings.refuse(path, describeTypeMismatch(value, RAW_MAP), 'must be an object {name, replicas}');
    return undefined;
  }
  const body = value ?? {};
  findings.warnUnknown(body, FIELDS, path);
  const name = readName(body, path, findings);
  checkDevices(body, path, findings);
  const replicas = readReplicas(body, path, findings);
  if (name !== undefined) checkRename(body, name, renameByDefault, path, findings);
  return name === undefined || replicas === undefined ? undefined : { name, replicas };
}

function readName(body: Readonly<Record<string, unknown>>, path: string, findings: FindingList): string | undefined {
  const at = `${path}.name`;
  const name = body['name'];
  if (name === undefined) {
    findings.refuse(at, 'no resource name specified', 'name the resource, such as nvidia.com/mig-1g.5gb');
    return undefined;
  }
  if (name !== null && typeof name !== 'string') {
    findings.refuse(at, describeTypeMismatch(name, 'string'), 'must be a string');
    return undefined;
  }
  const full = completeResourceName(name ?? '');
  const error = findResourceNameError(full);
  if (error === undefined) return full;
  const hint = full.includes('+') ? `write "." for "+": ${full.replaceAll('+', '.')}` : 'is not a resource name';
  findings.refuse(at, error, hint);
  return undefined;
}

function readReplicas(
  body: Readonly<Record<string, unknown>>,
  path: string,
  findings: FindingList,
): number | undefined {
  const at = `${path}.replicas`;
  const replicas = body['replicas'];
  if (replicas === undefined) {
    findings.refuse(at, 'no replicas specified', 'say how many containers may share one device, 2 or more');
    return undefined;
  }
  if (replicas !== null && (typeof replicas !== 'number' || !Number.isInteger(replicas))) {
    findings.refuse(at, describeTypeMismatch(replicas, 'int'), 'must be a whole number');
    return undefined;
  }
  if (replicas === null || replicas < 2) {
    findings.refuse(at, 'number of replicas must be >= 2', 'use 2 or more, or take the resource off the list');
    return undefined;
  }
  return replicas;
}

function checkDevices(body: Readonly<Record<string, unknown>>, path: string, findings: FindingList): void {
  const devices = body['devices'];
  if (devices === undefined || devices === 'all') return;
  const at = `${path}.devices`;
  const error = findDevicesError(devices);
  if (error !== undefined) findings.refuse(at, error, 'leave it out: sharing always covers all devices of a resource');
  else findings.warn(at, 'is ignored: sharing covers all devices of a resource', ignoredText('devices', at));
}

function findDevicesError(devices: unknown): string | undefined {
  if (typeof devices === 'string') return `devices set as '${devices}' but the only valid string input is 'all'`;
  // Go decodes null into an empty string before it tries anything else.
  if (devices === null) return "devices set as '' but the only valid string input is 'all'";
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
  body: Readonly<Record<string, unknown>>,
  name: string,
  renameByDefault: boolean,
  path: string,
  findings: FindingList,
): void {
  const rename = body['rename'];
  if (rename === undefined) return;
  const at = `${path}.rename`;
  if (rename !== null && typeof rename !== 'string') {
    findings.refuse(at, describeTypeMismatch(rename, 'string'), 'must be a string');
    return;
  }
  const full = completeResourceName(rename ?? '');
  const error = findResourceNameError(full);
  if (error !== undefined) findings.refuse(at, error, 'leave it out: only renameByDefault has an effect');
  else if (!renameByDefault || full !== `${name}.shared`) {
    findings.warn(at, 'is ignored: only renameByDefault has an effect', ignoredText('rename', at));
  }
}

function ignoredText(field: 'devices' | 'rename', path: string): string {
  const list = path.slice(0, path.indexOf('['));
  const verb = field === 'rename' ? 'Setting' : 'Customizing';
  return `${verb} the '${field}' field in ${list} is not yet supported in the config. Ignoring...`;
}
