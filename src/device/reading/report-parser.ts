import type { Engines } from '../../core/gpu/geometry/geometry.ts';
import { classifyOutput, dropNotices, explainFailure, refuseOutput, type Execution } from '../command/output.ts';
import { isBusId, normalizeBusId } from '../command/smi-command.ts';
import type { GpuFault, GpuState, ProcessState } from './state.ts';
import { elementAt, elementsAt, readXml, textAt, type XmlElement } from './xml.ts';

/** What `nvidia-smi -q -x` says; GPUs in index order of those that were asked for. */
export interface Report {
  readonly driverVersion: string;
  readonly cudaVersion: string | undefined;
  readonly gpus: readonly ReportedGpu[];
}

export interface ReportedGpu extends Pick<
  GpuState,
  'uuid' | 'pciBusId' | 'pciDeviceId' | 'pciClass' | 'product' | 'memoryMiB' | 'migCapable' | 'mig' | 'resetRequired'
> {
  readonly fault: GpuFault | undefined;
  readonly migDevices: readonly ReportedMigDevice[];
  readonly processes: readonly ReportedProcess[];
}

/** A MIG device, that is a compute instance; the report has neither its UUID nor its profile. */
export interface ReportedMigDevice {
  /** Position among the MIG devices of the GPU, the same as in `-L`; shifts when an instance goes. */
  readonly index: number;
  readonly instance: number;
  readonly computeInstance: number;
  readonly memoryMiB: number;
  readonly multiprocessors: number;
  readonly engines: Engines;
}

export interface ReportedProcess extends ProcessState {
  /** GPU instance id; undefined for a process of the whole GPU. */
  readonly instance?: number;
}

/** Reads the report. @throws DeviceError unless it is whole and every GPU in it is understood */
export function parseReport(tried: string, execution: Execution): Report {
  const { stdout } = execution;
  if (execution.rc !== 0 || execution.end !== 'Exited') throw explainFailure(tried, execution);
  const root = readXml(dropNotices(stdout));
  const driverVersion = root && textAt(root, 'driver_version');
  if (root?.name !== 'nvidia_smi_log' || driverVersion === undefined)
    throw refuseOutput(tried, 'no whole report', stdout);
  const gpus = elementsAt(root, 'gpu').map((element) => {
    const gpu = readGpu(element);
    if (gpu === undefined) throw refuseOutput(tried, 'a GPU that is not understood', stdout);
    return gpu;
  });
  if (gpus.length === 0) throw refuseOutput(tried, 'a report without GPUs', stdout);
  return { driverVersion, cudaVersion: textAt(root, 'cuda_version'), gpus };
}

function readGpu(element: XmlElement): ReportedGpu | undefined {
  const pciBusId = element.attributes['id'] ?? '';
  const uuid = textAt(element, 'uuid') ?? '';
  const product = textAt(element, 'product_name') ?? '';
  const memory = textAt(element, 'fb_memory_usage', 'total');
  const memoryMiB = /^\[?N\/A\]?$/.test(memory ?? '') ? 0 : readMib(memory);
  if (!isBusId(pciBusId) || !/^GPU-[0-9a-f-]+$/.test(uuid) || product === '') return undefined;
  const mode = readMode(element);
  const migDevices = elementsAt(element, 'mig_devices', 'mig_device').map(readMigDevice);
  const processes = elementsAt(element, 'processes', 'process_info').map(readProcess);
  if (mode === undefined || memoryMiB === undefined || migDevices.includes(undefined) || processes.includes(undefined))
    return undefined;
  return {
    pciBusId: normalizeBusId(pciBusId),
    uuid,
    product,
    memoryMiB,
    pciDeviceId: prefix(textAt(element, 'pci', 'pci_device_id')),
    pciClass: readClass(element),
    ...mode,
    resetRequired: textAt(element, 'gpu_reset_status', 'reset_required') === 'Yes',
    migDevices: migDevices.filter((device) => device !== undefined),
    processes: processes.filter((process) => process !== undefined),
  };
}

/** A GPU without MIG says N/A; one that does not answer says so in place of the mode. */
function readMode(element: XmlElement): Pick<ReportedGpu, 'mig' | 'migCapable' | 'fault'> | undefined {
  const current = textAt(element, 'mig_mode', 'current_mig');
  const pending = textAt(element, 'mig_mode', 'pending_mig');
  if (isMode(current) && isMode(pending)) return { mig: { current, pending }, migCapable: true, fault: undefined };
  // Drivers before MIG (418) have no such element.
  if (current === undefined || /^\[?N\/A\]?$/.test(current))
    return { mig: undefined, migCapable: false, fault: undefined };
  if (current === '') return undefined;
  const code = classifyOutput({ rc: 255, end: 'Exited', stdout: current });
  return { mig: undefined, migCapable: false, fault: { code, message: `MIG mode: ${current}` } };
}

function isMode(text: string | undefined): text is 'Enabled' | 'Disabled' {
  return text === 'Enabled' || text === 'Disabled';
}

function readMigDevice(element: XmlElement): ReportedMigDevice | undefined {
  const shared = elementAt(element, 'device_attributes', 'shared');
  const index = readCount(textAt(element, 'index'));
  const instance = readCount(textAt(element, 'gpu_instance_id'));
  const computeInstance = readCount(textAt(element, 'compute_instance_id'));
  const memoryMiB = readMib(textAt(element, 'fb_memory_usage', 'total'));
  if (index === undefined || instance === undefined || computeInstance === undefined) return undefined;
  if (shared === undefined || memoryMiB === undefined) return undefined;
  const count = (name: string): number => readCount(textAt(shared, name)) ?? 0;
  return {
    index,
    instance,
    computeInstance,
    memoryMiB,
    multiprocessors: count('multiprocessor_count'),
    engines: {
      copy: count('copy_engine_count'),
      decoder: count('decoder_count'),
      encoder: count('encoder_count'),
      jpeg: count('jpg_count'),
      ofa: count('ofa_count'),
    },
  };
}

function readProcess(element: XmlElement): ReportedProcess | undefined {
  const pid = readCount(textAt(element, 'pid'));
  const instance = readCount(textAt(element, 'gpu_instance_id'));
  const computeInstance = readCount(textAt(element, 'compute_instance_id'));
  if (pid === undefined) return undefined;
  return {
    pid,
    name: cleanName(textAt(element, 'process_name') ?? ''),
    ...(instance === undefined ? {} : { instance }),
    ...(computeInstance === undefined ? {} : { computeInstance }),
  };
}

/** Programs choose their names: no control characters, no novels. */
function cleanName(name: string): string {
  return name.replace(/\p{C}+/gu, ' ').slice(0, 64);
}

function readClass(element: XmlElement): string | undefined {
  const parts = [textAt(element, 'pci', 'pci_base_class'), textAt(element, 'pci', 'pci_sub_class')];
  const [base, sub] = parts.map((part) => (/^[0-9a-f]{1,2}$/i.exec(part ?? '') === null ? undefined : part));
  return base === undefined || sub === undefined ? undefined : `0x${base.padStart(2, '0')}${sub.padStart(2, '0')}00`;
}

function prefix(hex: string | undefined): string | undefined {
  return hex !== undefined && /^[0-9a-f]{8}$/i.test(hex) ? `0x${hex.toUpperCase()}` : undefined;
}

function readMib(text: string | undefined): number | undefined {
  return readCount(/^(\d+) MiB$/.exec(text ?? '')?.[1]);
}

function readCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
