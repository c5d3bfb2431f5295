// Room smi: what nvidia-smi is told and what it answers; nothing is run here.
// Ask here what `-q -x` reports of each GPU, in MiB.
import {
  classifyOutput,
  dropNotices,
  explainFailure,
  isCompleted,
  refuseOutput,
  type Execution,
  contradict,
} from './command.ts';
import { readCount, isBusId, normalizeBusId, isProduct } from './command.ts';
import { isGpuUuid } from './tables.ts';
import { cutText, joinWithin } from '../text/words.ts';
import type { GpuFault, GpuState, ProcessState } from '../gpu/device-state.ts';
import type { Engines } from '../gpu/geometry.ts';

/** An element of `nvidia-smi -q -x`. */
interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Text directly in it, trimmed. */
  readonly text: string;
}

/** The element whose content is text, whatever it looks like: any program may choose its name. */
const RAW = 'process_name';

interface Open {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

/** Reads the root element; undefined if the document is cut off or is not XML. Namespaces and CDATA are not in this format. */
function readXml(document: string): XmlElement | undefined {
  const root: Open = { name: '', attributes: {}, children: [], text: '' };
  const open: Open[] = [root];
  const token =
    /<(?:[?!][^<>]*|(?<close>\/)?(?<name>[A-Za-z_][\w.-]*)(?<attributes>(?:\s+[\w.:-]+="[^"<]*")*)\s*(?<empty>\/)?)>/g;
  let end = 0;
  for (let match = token.exec(document); match !== null; match = token.exec(document)) {
    const current = open.at(-1);
    if (current === undefined) return undefined;
    const text = document.slice(end, match.index);
    if (text.includes('<')) return undefined;
    current.text += text;
    end = token.lastIndex;
    const { close, name, attributes = '', empty } = match.groups ?? {};
    if (name === undefined) continue;
    if (close !== undefined) {
      const parent = open.at(-2);
      if (current.name !== name || parent === undefined) return undefined;
      open.pop();
      parent.children.push(finish(current));
      continue;
    }
    const element: Open = { name, attributes: readAttributes(attributes), children: [], text: '' };
    if (empty !== undefined) {
      current.children.push(finish(element));
      continue;
    }
    open.push(element);
    if (name !== RAW) continue;
    const stop = document.indexOf(`</${RAW}>\n`, end);
    if (stop === -1) return undefined;
    element.text = document.slice(end, stop);
    end = stop;
    token.lastIndex = stop;
  }
  const [only] = root.children;
  if (`${root.text}${document.slice(end)}`.trim() !== '') return undefined;
  return open.length === 1 && root.children.length === 1 ? only : undefined;
}

/** The text at a path of element names, or undefined. */
function textAt(element: XmlElement, ...path: readonly string[]): string | undefined {
  return elementAt(element, ...path)?.text;
}

/** The element at a path; undefined if it does not exist, or if there are two of its name: it is unknown which of them is meant. */
function elementAt(element: XmlElement, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>((at, name) => {
    const found = at?.children.filter((child) => child.name === name) ?? [];
    return found.length === 1 ? found[0] : undefined;
  }, element);
}

/** How many elements of each name an element contains, at any depth. */
function countNames(element: XmlElement): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const walk = ({ children }: XmlElement): void => {
    for (const child of children) {
      counts.set(child.name, (counts.get(child.name) ?? 0) + 1);
      walk(child);
    }
  };
  walk(element);
  return counts;
}

function elementsAt(element: XmlElement, ...path: readonly string[]): readonly XmlElement[] {
  const last = path.at(-1);
  const parent = elementAt(element, ...path.slice(0, -1));
  return parent?.children.filter((child) => child.name === last) ?? [];
}

function finish({ name, attributes, children, text }: Open): XmlElement {
  return { name, attributes, children, text: decode(text).trim() };
}

function readAttributes(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(/([\w.:-]+)="([^"]*)"/g)];
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, decode(value)]));
}

const entities: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
  ['&amp;', '&'],
]);

function decode(text: string): string {
  return text.replace(/&(?:lt|gt|quot|apos|amp);/g, (entity) => entities.get(entity) ?? entity);
}

type Mode = Pick<ReportedGpu, 'mig' | 'migCapable' | 'fault'>;

/**
 * What a report shows about MIG and processes on one GPU; undefined unless it is complete. A missing line is never read as "none":
 * the tool prints `None`, `N/A` or an empty list in that case.
 */
function readMigReport(
  gpu: XmlElement,
  driverVersion: string,
): (Mode & Pick<ReportedGpu, 'migDevices' | 'processes'>) | undefined {
  const counts = countNames(gpu);
  const hasMode = counts.has('mig_mode') || counts.has('mig_devices') || !isBeforeMig(driverVersion);
  const mode = hasMode ? readMode(gpu) : { mig: undefined, migCapable: false, fault: undefined };
  if (mode === undefined) return undefined;
  if (mode.fault !== undefined) return { ...mode, migDevices: [], processes: readWhatIsThere(gpu) };
  const whenNone = mode.migCapable ? ['None'] : ['None', 'N/A'];
  const devices = hasMode ? readList(gpu, counts, 'mig_devices', 'mig_device', whenNone) : [];
  const untold = mode.migCapable ? findUntold(gpu) : undefined;
  if (untold !== undefined)
    return {
      ...mode,
      fault: { code: 'ParseError', message: `its users are not reported: ${untold}` },
      migDevices: [],
      processes: [],
    };
  const processes = readList(gpu, counts, 'processes', 'process_info', mode.migCapable ? [''] : ['', 'N/A', 'None']);
  const migDevices = devices?.map(readMigDevice);
  const users = processes?.map((process) => readProcess(process, mode.mig?.current));
  if (migDevices === undefined || users === undefined || (!mode.migCapable && migDevices.length > 0)) return undefined;
  const known = migDevices.filter((device) => device !== undefined);
  const knownUsers = users.filter((user) => user !== undefined);
  if (known.length !== migDevices.length || knownUsers.length !== users.length) return undefined;
  return { ...mode, migDevices: known, processes: [...knownUsers, ...listUnseen(known, knownUsers)] };
}

/** An error in place of the processes: that does not mean none. */
function findUntold(gpu: XmlElement): string | undefined {
  const { text = '', children = [] } = elementAt(gpu, 'processes') ?? {};
  return text !== '' && children.length === 0 ? cutText(text.replace(/\p{C}+/gu, ' '), 80) : undefined;
}

/**
 * MIG devices without a listed process that may have a user nevertheless: the driver does not list it, or not here (another process
 * namespace). Memory in use reveals it. The driver itself keeps a few MiB on each device (12 were recorded); a CUDA context takes
 * over a hundred. Every report that was recorded has the figure; without it nothing shows that the device is idle.
 */
function listUnseen(
  devices: readonly ReportedMigDevice[],
  processes: readonly ReportedProcess[],
): readonly ReportedProcess[] {
  return devices.flatMap(({ instance, computeInstance, memoryMiB, usedMiB }) => {
    const isListed = processes.some((process) => mayRunOn(process, { instance, computeInstance }));
    if (isListed || (usedMiB !== undefined && usedMiB <= idleMiB + memoryMiB / 256)) return [];
    return [{ pid: undefined, name: describeUnseen(usedMiB), instance, computeInstance }];
  });
}

function mayRunOn(
  { instance, computeInstance }: ReportedProcess,
  device: Pick<ReportedMigDevice, 'instance' | 'computeInstance'>,
): boolean {
  return instance === device.instance && (computeInstance === undefined || computeInstance === device.computeInstance);
}

function describeUnseen(usedMiB: number | undefined): string {
  if (usedMiB !== undefined) return `an unlisted user, with ${usedMiB} MiB of memory in use`;
  return (
    'somebody, perhaps: the driver reports neither a process nor the memory in use; if nobody uses it, destroy it manually ' +
    '(nvidia-smi mig -dci, then -dgi)'
  );
}

/** Memory that an idle MIG device may use, in addition to a fraction of its size. */
const idleMiB = 64;

/** The processes of a GPU whose report does not assign them to instances. */
function readWhatIsThere(gpu: XmlElement): readonly ReportedProcess[] {
  return elementsAt(gpu, 'processes', 'process_info').flatMap((element) => {
    const pid = readCount(textAt(element, 'pid'));
    return pid === undefined ? [] : [{ pid, name: cleanName(textAt(element, 'process_name') ?? '') }];
  });
}

/** Why parts of a report on one GPU cannot be true at the same time; undefined if they can. */
function findReportContradiction({ mig, migDevices, processes }: ReportedGpu): string | undefined {
  if (mig?.current === 'Disabled' && migDevices.length > 0) return `MIG mode off and ${migDevices.length} MIG devices`;
  const names = migDevices.map(({ instance, computeInstance }) => `${instance}/${computeInstance}`);
  if (new Set([...names, ...migDevices.map(({ index }) => index)]).size !== 2 * names.length)
    return `a MIG device twice: ${names.join(', ')}`;
  const lost = processes.find(
    (process) => process.instance !== undefined && !migDevices.some((device) => mayRunOn(process, device)),
  );
  if (lost === undefined) return undefined;
  return `process ${lost.pid} on MIG device ${lost.instance}/${lost.computeInstance ?? '?'}, which is not listed`;
}

/** A GPU without MIG shows N/A; one that does not answer shows an error in place of the mode. */
function readMode(gpu: XmlElement): Mode | undefined {
  const current = textAt(gpu, 'mig_mode', 'current_mig');
  const pending = textAt(gpu, 'mig_mode', 'pending_mig');
  if (isMode(current) && isMode(pending)) return { mig: { current, pending }, migCapable: true, fault: undefined };
  if (isNotAvailable(current) && isNotAvailable(pending))
    return { mig: undefined, migCapable: false, fault: undefined };
  if (current === undefined || current === '' || isNotAvailable(current) || isMode(current)) return undefined;
  const code = classifyOutput({ rc: 255, end: 'Exited', stdout: current });
  return { mig: undefined, migCapable: false, fault: { code, message: `MIG mode: ${current}` } };
}

/** Drivers before 450 do not support MIG and do not report it. */
function isBeforeMig(driverVersion: string): boolean {
  return Number.parseInt(driverVersion, 10) < 450;
}

function isMode(text: string | undefined): text is 'Enabled' | 'Disabled' {
  return text === 'Enabled' || text === 'Disabled';
}

/**
 * The elements of a list in its proper place, with nothing else in it and none of it elsewhere.
 * @param whenNone the text in place of the elements
 */
function readList(
  gpu: XmlElement,
  counts: ReadonlyMap<string, number>,
  list: string,
  item: string,
  whenNone: readonly string[],
): readonly XmlElement[] | undefined {
  const found = elementAt(gpu, list);
  if (found === undefined || counts.get(list) !== 1) return undefined;
  const { children, text } = found;
  if (children.length !== (counts.get(item) ?? 0) || children.some(({ name }) => name !== item)) return undefined;
  return (children.length > 0 ? text === '' : whenNone.includes(text)) ? children : undefined;
}

function readMigDevice(element: XmlElement): ReportedMigDevice | undefined {
  const shared = elementAt(element, 'device_attributes', 'shared');
  const count = (name: string): number | undefined => shared && readCount(textAt(shared, name));
  const [copy, decoder, encoder] = [count('copy_engine_count'), count('decoder_count'), count('encoder_count')];
  const [jpeg, ofa, multiprocessors] = [count('jpg_count'), count('ofa_count'), count('multiprocessor_count')];
  const index = readCount(textAt(element, 'index'));
  const instance = readCount(textAt(element, 'gpu_instance_id'));
  const computeInstance = readCount(textAt(element, 'compute_instance_id'));
  const memoryMiB = readMib(textAt(element, 'fb_memory_usage', 'total'));
  const usedMiB = readMib(textAt(element, 'fb_memory_usage', 'used'));
  if (index === undefined || instance === undefined || computeInstance === undefined) return undefined;
  if (memoryMiB === undefined || multiprocessors === undefined || copy === undefined) return undefined;
  if (decoder === undefined || encoder === undefined || jpeg === undefined || ofa === undefined) return undefined;
  const engines = { copy, decoder, encoder, jpeg, ofa };
  return { index, instance, computeInstance, memoryMiB, usedMiB, multiprocessors, engines };
}

/**
 * Reads a process. With MIG mode on, every process is on an instance (nvml.h, nvmlProcessInfo_t); one whose instance is nevertheless `N/A`
 * may be on any. Without MIG mode it is on none.
 */
function readProcess(element: XmlElement, mode: string | undefined): ReportedProcess | undefined {
  const pid = readCount(textAt(element, 'pid'));
  const ids = ['gpu_instance_id', 'compute_instance_id'].map((name) => textAt(element, name));
  const [instance, computeInstance] = ids.map((id) => readCount(id));
  if (pid === undefined || (mode === 'Enabled' && instance === undefined && !isNotAvailable(ids[0]))) return undefined;
  if (mode === 'Disabled' && !ids.every(isNotAvailable)) return undefined;
  if (mode === undefined && !ids.every((id) => id === undefined || isNotAvailable(id))) return undefined;
  if (computeInstance === undefined && mode === 'Enabled' && !isNotAvailable(ids[1])) return undefined;
  return {
    pid,
    name: cleanName(textAt(element, 'process_name') ?? ''),
    ...(instance === undefined ? {} : { instance }),
    ...(computeInstance === undefined ? {} : { computeInstance }),
  };
}

/** Programs choose their names: remove control characters, limit the length. */
function cleanName(name: string): string {
  return name.replace(/\p{C}+/gu, ' ').slice(0, 64);
}

/** `40960 MiB` */
function readMib(text: string | undefined): number | undefined {
  return readCount(/^(\d+) MiB$/.exec(text ?? '')?.[1]);
}

type Finding = GpuState['health'];
type Remedy = NonNullable<Finding>['action'];

/** Possible remedies, from the weakest to the strongest. */
const actions = ['Drain', 'Reset', 'Unknown', 'Reboot', 'Replace'] as const satisfies readonly Remedy[];

/** Elements of a report that are `Yes` where a GPU is not well. */
const healthSigns: readonly (readonly [path: readonly string[], action: Remedy, message: string])[] = [
  [['gpu_reset_status', 'reset_required'], 'Reset', 'the driver asks for a reset'],
  [['gpu_reset_status', 'drain_and_reset_recommended'], 'Reset', 'the driver recommends to drain and reset it'],
  [['remapped_rows', 'remapped_row_pending'], 'Reset', 'row remapping is pending'],
  [['remapped_rows', 'remapped_row_failure'], 'Replace', 'row remapping has failed'],
  [['retired_pages', 'pending_retirement'], 'Reset', 'page retirement is pending'],
];

/**
 * The problem that a report shows on a GPU; undefined if it shows none. Up to driver 565 it has `reset_required`; from 570 on that
 * is deprecated, and `gpu_recovery_action` replaces it; a missing value, or `N/A`, means nothing.
 */
function readHealth(gpu: XmlElement): Finding {
  const findings = [
    readRecovery(textAt(gpu, 'gpu_recovery_action')),
    ...healthSigns.map(([path, action, message]) => readSign(textAt(gpu, ...path), action, message)),
    readEcc(textAt(gpu, 'ecc_mode', 'current_ecc'), textAt(gpu, 'ecc_mode', 'pending_ecc')),
  ].filter((finding) => finding !== undefined);
  if (findings.length === 0) return undefined;
  const most = Math.max(...findings.map(({ action }) => actions.indexOf(action)));
  return {
    action: actions[most] ?? 'Unknown',
    message: joinWithin([...new Set(findings.map(({ message }) => message))], 240, ', '),
  };
}

/**
 * The recovery actions (`nvmlDeviceGpuRecoveryAction_t`), as nvidia-smi prints them. The last two are new in 615, and only NVML's
 * names of them are published (`BUS_RESET`, `SYSTEM_REBOOT`): capitals and underscores make no difference. No command of nvidia-smi
 * is known to reset a GPU's bus; a reboot does.
 */
const recoveryActions: ReadonlyMap<string, Remedy> = new Map([
  ['reset', 'Reset'],
  ['drain and reset', 'Reset'],
  ['drain p2p', 'Drain'],
  ['reboot', 'Reboot'],
  ['bus reset', 'Reboot'],
  ['system reboot', 'Reboot'],
]);

/** An unknown value of a later driver does not make the GPU trustworthy. */
function readRecovery(word: string | undefined): Finding {
  if (word === undefined || word === 'None' || word === '' || isNotAvailable(word)) return undefined;
  const message = `the driver’s recovery action is ${JSON.stringify(cutText(word.replace(/[^\x20-\x7e]/g, ' '), 40))}`;
  return { action: recoveryActions.get(word.toLowerCase().replaceAll('_', ' ')) ?? 'Unknown', message };
}

/** A driver that cannot ask such a GPU prints why in place of `Yes` or `No`, while it answers other questions as of a healthy one. */
function readSign(text: string | undefined, action: Remedy, message: string): Finding {
  if (text === 'Yes') return { action, message };
  if (text === 'GPU requires reset') return { action: 'Reset', message: 'the driver says “GPU requires reset”' };
  if (text === 'GPU is lost') return { action: 'Reboot', message: 'the driver says “GPU is lost”' };
  return undefined;
}

function readEcc(current: string | undefined, pending: string | undefined): Finding {
  const isMode = (text: string | undefined): boolean => text === 'Enabled' || text === 'Disabled';
  if (!isMode(current) || !isMode(pending) || current === pending) return undefined;
  return { action: 'Reset', message: `ECC mode ${pending} is pending` };
}

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
  /** True in persistence mode: it keeps the GPU open and prevents a reset. Undefined if the report does not show it. */
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
  /** Memory in use, in MiB; undefined if the report does not show it. */
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
 * with a passed-through GPU shows another value. A word that no driver has said yet is a sign, too: what is not known to be no virtual
 * machine's may be one's.
 */
function readVgpuHost(element: XmlElement): string | undefined {
  const words = ['virtualization_mode', 'host_vgpu_mode'].map((name) =>
    textAt(element, 'gpu_virtualization_mode', name),
  );
  const signs = words.filter((word) => word !== undefined && !noVirtualMachine.test(word));
  return signs.length === 0 ? undefined : cutText(signs.join(', ').replace(/[^\x20-\x7e]/g, ' '), 64);
}

/** What stands there of a GPU that this node has for itself. */
const noVirtualMachine = /^(?:None|Pass-?Through|\[?N\/A\]?|\[?Not Supported\]?|)$/i;

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

/** True for a driver version: `550.163.01`. */
export function isDriverVersion(text: string): boolean {
  return /^\d{3,4}\.\d{1,3}(?:\.\d{1,3})?$/.test(text);
}

/** True for what stands in place of a value that a GPU does not have. */
function isNotAvailable(text: string | undefined): boolean {
  return text === 'N/A' || text === '[N/A]';
}
