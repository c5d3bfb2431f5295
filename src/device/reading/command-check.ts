import { isProfileNameError, parseProfile } from '../../core/gpu/geometry/profile-name.ts';
import { countWords } from '../../core/text/count-words.ts';
import { classifyOutput, dropNotices, explainFailure, type Execution } from '../../core/smi/output.ts';
import type { Runner } from '../command/runner.ts';
import { describeCommand, type ReadCommand } from '../../core/smi/smi-command.ts';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import { readCapabilities } from '../../core/smi/capability-list.ts';
import { parseGpuList, type GpuList } from '../../core/smi/gpu-list.ts';
import { parseComputeInstances, parseInstances, type InstanceRow } from '../../core/smi/instance-table.ts';
import { parseComputeProfiles, parsePlacements, parseProfiles } from '../../core/smi/profile-table.ts';
import { parseReport, type Report } from '../../core/smi/report-parser.ts';

/** The result of one command of a reading. */
export interface CommandCheck {
  /** As a person would type it. */
  readonly command: string;
  readonly ms: number;
  /** A summary of what was read; undefined if it was not understood, or the command failed. */
  readonly said: string | undefined;
  /** Parts of the answer that were skipped or missing: nothing is misread because of them, but less is known. */
  readonly losses: readonly string[];
  readonly error?: DeviceError;
}

/** The answers of the commands, for checks that compare several of them. */
export interface CommandChecks {
  readonly checks: readonly CommandCheck[];
  readonly list: GpuList | undefined;
  readonly report: Report | undefined;
  /** Why the driver as a whole does not answer; then the remaining commands were not run. */
  readonly silence: DeviceError | undefined;
}

interface Answer<Result> {
  readonly result: Result;
  readonly said: string;
  readonly losses?: readonly string[];
}

type Ask = <Result>(
  command: ReadCommand,
  read: (tried: string, execution: Execution) => Answer<Result>,
) => Promise<Result | undefined>;

/**
 * Runs every command that a reading consists of, even if this device does not need it now, and reports whether each answer is
 * understood. It ends early if the driver as a whole does not answer.
 */
export async function checkCommands(runner: Runner): Promise<CommandChecks> {
  const checks: CommandCheck[] = [];
  let silence: DeviceError | undefined;
  const ask: Ask = async (command, read) => {
    if (silence !== undefined) return undefined;
    const name = describeCommand(command);
    const begin = performance.now();
    try {
      const execution = await runner.run(command);
      const ms = performance.now() - begin;
      const { result, said, losses = [] } = read(name, execution);
      checks.push({ command: name, ms, said, losses: [...listNotices(execution), ...losses] });
      return result;
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      checks.push({ command: name, ms: performance.now() - begin, said: undefined, losses: [], error });
      if (error.stopsNode && error.code !== 'ParseError' && error.code !== 'NotPermitted') silence = error;
      return undefined;
    }
  };
  const list = await ask({ name: 'List' }, readList);
  const report = await ask({ name: 'Report' }, readWholeReport);
  await ask({ name: 'ComputeCapabilities' }, readCapability);
  if (report?.gpus.some(({ migCapable }) => migCapable) === true) await checkMig(ask, list, report);
  return { checks, list, report, silence };
}

async function checkMig(ask: Ask, list: GpuList | undefined, report: Report): Promise<void> {
  const isOff = report.gpus.some(({ mig }) => mig?.current === 'Disabled');
  /** Some drivers print a table only with MIG mode on: until then the built-in one is used. */
  const isUntold = (execution: Execution): boolean =>
    isOff && execution.rc !== 0 && classifyOutput(execution) === 'NotSupported';
  const untold = { result: [], said: 'told only with MIG mode on' };
  await ask({ name: 'Profiles' }, (tried, execution) => {
    if (isUntold(execution)) return untold;
    const rows = parseProfiles(tried, execution);
    const strange = rows.filter(({ name }) => isProfileNameError(parseProfile(name))).map(({ name }) => name);
    const losses = [...new Set(strange)].map((name) => `profile ${name} is beyond what a policy can name`);
    return { result: rows, said: countWords(rows.length, 'profile'), losses };
  });
  await ask({ name: 'Placements' }, (tried, execution) => {
    if (isUntold(execution)) return untold;
    const rows = parsePlacements(tried, execution);
    const none = rows.filter(({ starts }) => starts.length === 0).length;
    const losses = none > 0 ? [`${countWords(none, 'profile')} without a place`] : [];
    return { result: rows, said: `placements of ${countWords(rows.length, 'profile')}`, losses };
  });
  const instances = await ask({ name: 'Instances' }, (tried, execution) => {
    const rows = parseInstances(tried, execution);
    return { result: rows, said: countWords(rows.length, 'GPU instance'), losses: compareNames(rows, list, report) };
  });
  await ask({ name: 'ComputeInstances' }, (tried, execution) => {
    const rows = parseComputeInstances(tried, execution);
    return { result: rows, said: countWords(rows.length, 'compute instance') };
  });
  for (const { gpuIndex, id } of pickOneOfEach(instances ?? [])) {
    const gpu = report.gpus[gpuIndex]?.pciBusId;
    if (gpu === undefined) continue;
    await ask({ name: 'ComputeProfiles', gpu, instance: id }, (tried, execution) => {
      const rows = parseComputeProfiles(tried, execution);
      return { result: rows, said: countWords(rows.length, 'compute instance profile') };
    });
  }
}

function readList(tried: string, execution: Execution): Answer<GpuList> {
  const list = parseGpuList(tried, execution);
  const devices = list.gpus.reduce((sum, { migDevices }) => sum + migDevices.size, 0);
  const losses = list.lost.map(({ pciBusId, fault }) => `GPU at ${pciBusId} cannot be opened: ${fault.message}`);
  return { result: list, said: `${countWords(list.gpus.length, 'GPU')}, ${countWords(devices, 'MIG device')}`, losses };
}

function readWholeReport(tried: string, execution: Execution): Answer<Report> {
  const report = parseReport(tried, execution);
  const { driverVersion, cudaVersion, gpus } = report;
  const said = `driver ${driverVersion}, CUDA ${cudaVersion ?? 'unknown'}, ${countWords(gpus.length, 'GPU')}`;
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
  return { result: report, said, losses };
}

function readCapability(tried: string, execution: Execution): Answer<unknown> {
  const rows = readCapabilities(execution);
  if (rows === undefined) throw explainFailure(tried, execution);
  const known = rows.flatMap(({ capability }) => capability ?? []);
  const losses = known.length < rows.length ? ['not every GPU tells its compute capability: a label is missing'] : [];
  return { result: rows, said: `compute capability ${[...new Set(known)].join(', ') || 'unknown'}`, losses };
}

/** Lines beside an answer that are not part of it. */
function listNotices({ stdout }: Execution): readonly string[] {
  const kept = new Set(dropNotices(stdout).split('\n'));
  return stdout
    .split('\n')
    .filter((line) => !kept.has(line))
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
function pickOneOfEach(rows: readonly InstanceRow[]): readonly InstanceRow[] {
  return rows.filter(
    ({ gpuIndex, profileId }, at) =>
      rows.findIndex((other) => other.gpuIndex === gpuIndex && other.profileId === profileId) === at,
  );
}
