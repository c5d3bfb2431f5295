import { classifyOutput } from './output.ts';
import { isNotAvailable, readCount } from './spelling.ts';
import type { ReportedGpu, ReportedMigDevice, ReportedProcess } from './report-parser.ts';
import { countNames, elementAt, elementsAt, textAt, type XmlElement } from './xml.ts';
import { cutText } from '../text/cut-text.ts';

type Mode = Pick<ReportedGpu, 'mig' | 'migCapable' | 'fault'>;

/**
 * What a report shows about MIG and processes on one GPU; undefined unless it is complete. A missing line is never read as "none":
 * the tool prints `None`, `N/A` or an empty list in that case.
 */
export function readMigReport(
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
export function findReportContradiction({ mig, migDevices, processes }: ReportedGpu): string | undefined {
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
 * With MIG mode on, every process is on an instance (nvml.h, nvmlProcessInfo_t); one whose instance is nevertheless `N/A` may be on
 * any. Without MIG mode it is on none.
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
export function readMib(text: string | undefined): number | undefined {
  return readCount(/^(\d+) MiB$/.exec(text ?? '')?.[1]);
}
