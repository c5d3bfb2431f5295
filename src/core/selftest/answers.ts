import { isProfileNameError, parseProfile } from '../gpu/geometry/profile-name.ts';
import type { DeviceError } from '../gpu/state/device-error.ts';
import { readCapabilities } from '../smi/capability-list.ts';
import { parseGpuList, type GpuList } from '../smi/gpu-list.ts';
import { parseComputeInstances, parseInstances, type InstanceRow } from '../smi/instance-table.ts';
import { dropNotices, explainFailure, type Execution } from '../smi/output.ts';
import {
  hidesProfiles,
  type ListedProfile,
  parseComputeProfiles,
  parsePlacements,
  parseProfiles,
  type PlacementRow,
} from '../smi/profile-table.ts';
import { parseReport, type Report } from '../smi/report-parser.ts';
import { countWords } from '../text/cut-text.ts';

/** The result of one command of a reading. */
export interface CommandCheck {
  /** As a person would type it. */
  readonly command: string;
  readonly ms: number;
  /** A summary of what was read; undefined if it was not understood, or the command failed. */
  readonly summary: string | undefined;
  /** Parts of the answer that were skipped or missing: nothing is misread because of them, but less is known. */
  readonly losses: readonly string[];
  readonly error?: DeviceError;
}

/** What a command answered, in a few words. */
export interface CommandAnswer<Result> {
  readonly result: Result;
  readonly summary: string;
  readonly losses?: readonly string[];
}

export type AnswerReader<Result> = (tried: string, execution: Execution) => CommandAnswer<Result>;

export function readList(tried: string, execution: Execution): CommandAnswer<GpuList> {
  const list = parseGpuList(tried, execution);
  const devices = list.gpus.reduce((sum, { migDevices }) => sum + migDevices.size, 0);
  const losses = list.lost.map(({ pciBusId, fault }) => `GPU at ${pciBusId} cannot be opened: ${fault.message}`);
  return {
    result: list,
    summary: `${countWords(list.gpus.length, 'GPU')}, ${countWords(devices, 'MIG device')}`,
    losses,
  };
}

export function readWholeReport(tried: string, execution: Execution): CommandAnswer<Report> {
  const report = parseReport(tried, execution);
  const { driverVersion, cudaVersion, gpus } = report;
  const summary = `driver ${driverVersion}, CUDA ${cudaVersion ?? 'unknown'}, ${countWords(gpus.length, 'GPU')}`;
  const losses = gpus.flatMap((gpu, index) => {
    const lacking = [
      ...(gpu.pciDeviceId === undefined ? ['its PCI id'] : []),
      ...(gpu.pciClass === undefined ? ['its PCI class'] : []),
      ...(gpu.isPersistent === undefined ? ['its persistence mode'] : []),
      ...(gpu.migDevices.some(({ usedMiB }) => usedMiB === undefined) ? ['memory in use of its MIG devices'] : []),
    ];
    return [
      ...(gpu.fault === undefined ? [] : [`GPU ${index} is not reported in full: ${gpu.fault.message}`]),
      ...(lacking.length > 0 ? [`GPU ${index} does not report ${lacking.join(', ')}`] : []),
    ];
  });
  return { result: report, summary, losses };
}

export function readCapability(tried: string, execution: Execution): CommandAnswer<unknown> {
  const rows = readCapabilities(execution);
  if (rows === undefined) throw explainFailure(tried, execution);
  const known = rows.flatMap(({ capability }) => capability ?? []);
  const losses = known.length < rows.length ? ['not every GPU tells its compute capability: a label is missing'] : [];
  return { result: rows, summary: `compute capability ${[...new Set(known)].join(', ') || 'unknown'}`, losses };
}

/** Some drivers show a table only with MIG mode on: until then another one is used. */
function readTable<Row>(
  isOff: boolean,
  read: (tried: string, execution: Execution) => CommandAnswer<readonly Row[]>,
): AnswerReader<readonly Row[]> {
  return (tried, execution) => {
    const isHidden = isOff && hidesProfiles(execution);
    return isHidden ? { result: [], summary: 'shown only with MIG mode on' } : read(tried, execution);
  };
}

/** @param isOff whether a GPU that supports MIG has its mode off */
export function readProfiles(isOff: boolean): AnswerReader<readonly ListedProfile[]> {
  return readTable(isOff, (tried, execution) => {
    const rows = parseProfiles(tried, execution);
    const strange = rows.filter(({ name }) => isProfileNameError(parseProfile(name))).map(({ name }) => name);
    const losses = [...new Set(strange)].map((name) => `profile ${name} is beyond what a policy can name`);
    return { result: rows, summary: countWords(rows.length, 'profile'), losses };
  });
}

/** @param isOff as above */
export function readPlacements(isOff: boolean): AnswerReader<readonly PlacementRow[]> {
  return readTable(isOff, (tried, execution) => {
    const rows = parsePlacements(tried, execution);
    const none = rows.filter(({ starts }) => starts.length === 0).length;
    const losses = none > 0 ? [`${countWords(none, 'profile')} without a place`] : [];
    return { result: rows, summary: `placements of ${countWords(rows.length, 'profile')}`, losses };
  });
}

export function readInstances(list: GpuList | undefined, report: Report): AnswerReader<readonly InstanceRow[]> {
  return (tried, execution) => {
    const rows = parseInstances(tried, execution);
    return { result: rows, summary: countWords(rows.length, 'GPU instance'), losses: compareNames(rows, list, report) };
  };
}

export function readComputeInstances(tried: string, execution: Execution): CommandAnswer<unknown> {
  const rows = parseComputeInstances(tried, execution);
  return { result: rows, summary: countWords(rows.length, 'compute instance') };
}

export function readComputeProfiles(tried: string, execution: Execution): CommandAnswer<unknown> {
  const rows = parseComputeProfiles(tried, execution);
  return { result: rows, summary: countWords(rows.length, 'compute instance profile') };
}

/** Lines beside an answer that are not part of it. */
export function listNotices({ stdout, stderr = '' }: Execution): readonly string[] {
  const kept = new Set(dropNotices(stdout).split('\n'));
  return [...stdout.split('\n').filter((line) => !kept.has(line)), ...stderr.split('\n')]
    .filter((line) => line.trim() !== '')
    .map((line) => `passed over: ${line.trim()}`);
}

/** If `-L` has other names than `-lgi`, a reading costs one more command. */
function compareNames(rows: readonly InstanceRow[], list: GpuList | undefined, { gpus }: Report): readonly string[] {
  return (list?.gpus ?? []).flatMap(({ index, migDevices }) => {
    const wholes = rows.filter(({ gpuIndex }) => gpuIndex === index).map(({ profile }) => profile);
    const strange = [...migDevices.values()]
      .map(({ profile }) => profile)
      .filter((profile) => !wholes.includes(profile.replace(/^\d+c\./, '')));
    const isSame = migDevices.size === (gpus[index]?.migDevices.length ?? 0);
    return [
      ...(strange.length > 0 ? [`nvidia-smi -L says ${strange.join(', ')} on GPU ${index}, which -lgi does not`] : []),
      ...(isSame ? [] : [`nvidia-smi -L and -q -x differ on GPU ${index}`]),
    ];
  });
}

/** One GPU instance of each profile on each GPU: what it offers does not depend on its placement. */
export function pickOneOfEach(rows: readonly InstanceRow[]): readonly InstanceRow[] {
  return rows.filter(
    ({ gpuIndex, profileId }, at) =>
      rows.findIndex((other) => other.gpuIndex === gpuIndex && other.profileId === profileId) === at,
  );
}
