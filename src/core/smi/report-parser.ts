import type { Engines } from '../gpu/geometry/geometry.ts';
import {
  classifyOutput,
  dropNotices,
  explainFailure,
  isCompleted,
  refuseOutput,
  type Execution,
  contradict,
} from './output.ts';
import { isBusId, normalizeBusId } from './smi-command.ts';
import { findReportContradiction, readMigReport, readMib } from './report-mig.ts';
import { readHealth } from './report-health.ts';
import { isDriverVersion, isGpuUuid, isNotAvailable, isProduct, readCount } from './spelling.ts';
import type { GpuFault, GpuState, ProcessState } from '../gpu/state/device-state.ts';
import { countNames, elementsAt, readXml, textAt, type XmlElement } from './xml.ts';

/** The content of `nvidia-smi -q -x`; the requested GPUs, in index order. */
export interface Report {
  readonly driverVersion: string;
  readonly cudaVersion: string | undefined;
  /** Number of GPUs of the node, even if fewer were requested. */
  readonly attached: number;
  readonly gpus: readonly ReportedGpu[];
}

export interface ReportedGpu extends Pick<
  GpuState,
  | 'uuid'
  | 'pciBusId'
  | 'pciDeviceId'
  | 'pciClass'
  | 'product'
  | 'memoryMiB'
  | 'migCapable'
  | 'mig'
  | 'health'
  | 'vgpuHost'
> {
  /** Persistence mode: it keeps the GPU open and prevents a reset. Undefined if the report does not show it. */
  readonly isPersistent: boolean | undefined;
  /** N of `/dev/nvidiaN`; undefined if the report does not show it. */
  readonly minor: number | undefined;
  readonly fault: GpuFault | undefined;
  readonly migDevices: readonly ReportedMigDevice[];
  readonly processes: readonly ReportedProcess[];
}

/** A MIG device, which is a compute instance; the report has neither its UUID nor its profile. */
export interface ReportedMigDevice {
  /** Position among the MIG devices of the GPU, the same as in `-L`; shifts when an instance goes. */
  readonly index: number;
  readonly instance: number;
  readonly computeInstance: number;
  readonly memoryMiB: number;
  /** Undefined if the report does not show it. */
  readonly usedMiB: number | undefined;
  readonly multiprocessors: number;
  readonly engines: Engines;
}

export interface ReportedProcess extends ProcessState {
  /** GPU instance id; undefined for a process of the whole GPU. */
  readonly instance?: number;
}

/**
 * Reads the report.
 * @throws DeviceError unless it is whole and every GPU in it is understood; Unstable if it cannot all be true at one moment
 */
export function parseReport(tried: string, execution: Execution): Report {
  const { stdout } = execution;
  if (!isCompleted(execution)) throw explainFailure(tried, execution);
  const root = readXml(dropNotices(stdout));
  const driverVersion = root && textAt(root, 'driver_version');
  const attached = root && readCount(textAt(root, 'attached_gpus'));
  if (root?.name !== 'nvidia_smi_log' || driverVersion === undefined || attached === undefined)
    throw refuseOutput(tried, 'an incomplete report', stdout);
  if (!isDriverVersion(driverVersion)) throw refuseOutput(tried, 'a report without a driver version', stdout);
  const gpus = elementsAt(root, 'gpu').map((element) => {
    const gpu = readGpu(element, driverVersion) ?? readSickGpu(element);
    if (gpu === undefined) throw refuseOutput(tried, 'a GPU entry that cannot be parsed', stdout);
    return gpu;
  });
  if (gpus.length === 0) throw refuseOutput(tried, 'a report without GPUs', stdout);
  const names = gpus.flatMap(({ uuid, pciBusId }) => [uuid, pciBusId]);
  if (new Set(names).size !== names.length || countNames(root).get('gpu') !== gpus.length)
    throw refuseOutput(tried, 'a GPU twice or within another', stdout);
  for (const gpu of gpus) {
    const found = findReportContradiction(gpu);
    if (found !== undefined) throw contradict(tried, found, gpu.pciBusId);
  }
  return { driverVersion, cudaVersion: readCuda(textAt(root, 'cuda_version')), attached, gpus };
}

function readGpu(element: XmlElement, driverVersion: string): ReportedGpu | undefined {
  const identity = readIdentity(element);
  const memory = textAt(element, 'fb_memory_usage', 'total');
  const memoryMiB = isNotAvailable(memory) ? 0 : readMib(memory);
  const mig = readMigReport(element, driverVersion);
  if (identity === undefined || noAnswer.test(identity.product)) return undefined;
  const isSame = textAt(element, 'pci', 'pci_bus_id') === element.attributes['id'];
  if (!isSame || memoryMiB === undefined || mig === undefined) return undefined;
  return {
    ...identity,
    memoryMiB,
    pciDeviceId: prefix(textAt(element, 'pci', 'pci_device_id')),
    pciClass: readClass(element),
    ...mig,
    health: readHealth(element),
    vgpuHost: readVgpuHost(element),
    isPersistent: readPersistence(textAt(element, 'persistence_mode')),
    minor: readCount(textAt(element, 'minor_number')),
  };
}

function readIdentity(element: XmlElement): Pick<ReportedGpu, 'pciBusId' | 'uuid' | 'product'> | undefined {
  const pciBusId = element.attributes['id'] ?? '';
  const uuid = textAt(element, 'uuid') ?? '';
  const product = textAt(element, 'product_name') ?? '';
  if (!isBusId(pciBusId) || !isGpuUuid(uuid) || !isProduct(product)) return undefined;
  return { pciBusId: normalizeBusId(pciBusId), uuid, product };
}

/** NVML's error texts in place of a value: the GPU exists, but does not answer. `Not Supported` and the like are said of healthy ones. */
const noAnswer = new RegExp(
  `^\\[?(?:${[
    'GPU requires reset',
    'GPU is lost',
    'GPU access blocked by the operating system',
    'Unknown Error',
    'Timeout',
    'In use by another client',
    'Insufficient Permissions',
    'System is not in ready state',
    'Resource not in correct state to perform requested operation',
    'ERR!',
  ].join('|')})\\]?$`,
  'i',
);

/** A GPU that reports its name, and an error in place of other values. */
function readSickGpu(element: XmlElement): ReportedGpu | undefined {
  const identity = readIdentity(element);
  const word = findText(element, noAnswer);
  if (word === undefined || identity === undefined) return undefined;
  const code = classifyOutput({ rc: 255, end: 'Exited', stdout: word });
  return {
    ...identity,
    memoryMiB: 0,
    pciDeviceId: undefined,
    pciClass: undefined,
    migCapable: false,
    mig: undefined,
    migDevices: [],
    processes: [],
    fault: { code, message: `nvidia-smi -q -x: ${word}` },
    health: undefined,
    vgpuHost: undefined,
    isPersistent: undefined,
    minor: undefined,
  };
}

function findText(element: XmlElement, pattern: RegExp): string | undefined {
  if (pattern.test(element.text)) return element.text;
  return element.children.map((child) => findText(child, pattern)).find((text) => text !== undefined);
}

/**
 * The host's side of vGPU, by either of two signs, or a virtual machine's (`VGPU`), whose slices its host makes. A virtual machine
 * with a passed-through GPU shows another value.
 */
function readVgpuHost(element: XmlElement): string | undefined {
  const mode = textAt(element, 'gpu_virtualization_mode', 'virtualization_mode') ?? '';
  const host = textAt(element, 'gpu_virtualization_mode', 'host_vgpu_mode') ?? '';
  const signs = [...(/^(?:Host )?V(?:GPU|SGA)$/i.exec(mode) ?? []), ...(/^(?:Non[ -])?SR-IOV$/i.exec(host) ?? [])];
  return signs.length === 0 ? undefined : signs.join(', ');
}

/** `12.4`; where the library is not found, the words `Not Found` stand there. */
function readCuda(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{1,3}\.\d{1,3}$/.test(text) ? text : undefined;
}

function readPersistence(text: string | undefined): boolean | undefined {
  return text === 'Enabled' ? true : text === 'Disabled' ? false : undefined;
}

function readClass(element: XmlElement): string | undefined {
  const parts = [textAt(element, 'pci', 'pci_base_class'), textAt(element, 'pci', 'pci_sub_class')];
  const [base, sub] = parts.map((part) => (/^[0-9a-f]{1,2}$/i.exec(part ?? '') === null ? undefined : part));
  return base === undefined || sub === undefined ? undefined : `0x${base.padStart(2, '0')}${sub.padStart(2, '0')}00`;
}

function prefix(hex: string | undefined): string | undefined {
  return hex !== undefined && /^[0-9a-f]{8}$/i.test(hex) ? `0x${hex.toUpperCase()}` : undefined;
}
