import { FieldReader } from './field-reader.ts';
import type { FieldProblem } from './field-reader.ts';
import { MIG_ATTRIBUTE_NAMES } from './node-description.ts';
import type { GpuDescription, MigAttributes, MigDeviceDescription, NodeDescription } from './node-description.ts';

export type ParsedNodeDescription =
  | { readonly ok: true; readonly node: NodeDescription }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

const NODE_FIELDS = ['driverVersion', 'cudaDriverVersion', 'machine', 'gpus', 'clique'];
const GPU_FIELDS = ['name', 'memoryMiB', 'computeCapability', 'migCapable', 'migEnabled', 'pciClass', 'migDevices'];
const PROFILE = /^(?:\d+c\.)?\d+g\.\d+gb(?:[+.-][a-z]+)*$/;
const PCI_CLASS = /^0x[0-9a-fA-F]{4}(?:[0-9a-fA-F]{2})?$/;
const DRIVER_VERSION = /^\d+\.\d+(?:\.\d+)?$/;

/** Checks a node description that a user wrote or exported. Reports all problems, each with its field. */
export function parseNodeDescription(value: unknown): ParsedNodeDescription {
  const reader = new FieldReader();
  const node = readNode(value, reader);
  return reader.problems.length === 0 ? { ok: true, node } : { ok: false, problems: reader.problems };
}

function readNode(value: unknown, reader: FieldReader): NodeDescription {
  const body = reader.object(value, '', NODE_FIELDS);
  const driverVersion = reader.string(body, 'driverVersion', '');
  if (driverVersion !== '' && !DRIVER_VERSION.test(driverVersion)) {
    reader.report('driverVersion', `must look like 550.54.15, but is ${JSON.stringify(driverVersion)}`);
  }
  return {
    driverVersion,
    cudaDriverVersion: reader.pair(body, 'cudaDriverVersion', ''),
    ...(body['machine'] === undefined ? {} : { machine: reader.string(body, 'machine', '') }),
    ...(body['clique'] === undefined ? {} : { clique: reader.string(body, 'clique', '') }),
    gpus: reader.list(body, 'gpus', '').map((gpu, index) => readGpu(gpu, `gpus[${index}]`, reader)),
  };
}

function readGpu(value: unknown, path: string, reader: FieldReader): GpuDescription {
  const body = reader.object(value, path, GPU_FIELDS);
  const migCapable = reader.boolean(body, 'migCapable', path);
  const migEnabled = reader.boolean(body, 'migEnabled', path);
  const devices = body['migDevices'] === undefined && !migEnabled ? [] : reader.list(body, 'migDevices', path);
  if (migEnabled && !migCapable) {
    reader.report(`${path}.migEnabled`, 'must be false where migCapable is false');
  }
  if (!migEnabled && devices.length > 0) {
    reader.report(`${path}.migDevices`, `must be empty where migEnabled is false, but has ${devices.length}`);
  }
  const name = reader.string(body, 'name', path);
  if (body['name'] === '') reader.report(`${path}.name`, 'must not be empty');
  const pciClass = body['pciClass'] === undefined ? undefined : reader.string(body, 'pciClass', path);
  if (pciClass !== undefined && pciClass !== '' && !PCI_CLASS.test(pciClass)) {
    reader.report(`${path}.pciClass`, `must look like 0x030200, but is ${JSON.stringify(pciClass)}`);
  }
  return {
    name,
    memoryMiB: reader.count(body, 'memoryMiB', path),
    computeCapability: reader.pair(body, 'computeCapability', path),
    migCapable,
    migEnabled,
    ...(pciClass === undefined ? {} : { pciClass }),
    migDevices: devices.map((device, index) => readMigDevice(device, `${path}.migDevices[${index}]`, reader)),
  };
}

function readMigDevice(value: unknown, path: string, reader: FieldReader): MigDeviceDescription {
  const body = reader.object(value, path, ['profile', 'attributes']);
  const profile = reader.string(body, 'profile', path);
  if (profile !== '' && !PROFILE.test(profile)) {
    reader.report(`${path}.profile`, `must look like 1g.5gb or 1g.10gb+me, but is ${JSON.stringify(profile)}`);
  }
  return { profile, attributes: readAttributes(body['attributes'], `${path}.attributes`, reader) };
}

function readAttributes(value: unknown, path: string, reader: FieldReader): MigAttributes {
  const body = reader.object(value, path, MIG_ATTRIBUTE_NAMES);
  const read = (name: keyof MigAttributes) => reader.count(body, name, path);
  return {
    memory: read('memory'),
    multiprocessors: read('multiprocessors'),
    'slices.gi': read('slices.gi'),
    'slices.ci': read('slices.ci'),
    'engines.copy': read('engines.copy'),
    'engines.decoder': read('engines.decoder'),
    'engines.encoder': read('engines.encoder'),
    'engines.jpeg': read('engines.jpeg'),
    'engines.ofa': read('engines.ofa'),
  };
}
