import type { Report } from '../core/smi/report.ts';
import type { Runner } from './child.ts';
import { describeCommand, type ReadCommand } from '../core/smi/command.ts';
import { DeviceError } from '../core/gpu/device-error.ts';
import type { GpuList } from '../core/smi/list.ts';
import {
  type AnswerReader,
  type CommandCheck,
  listNotices,
  pickOneOfEach,
  readCapability,
  askComputeInstances,
  readComputeProfiles,
  askInstances,
  readList,
  readPlacements,
  readProfiles,
  readWholeReport,
} from '../core/host/selftest.ts';

/** The answers of the commands, for checks that compare several of them. */
interface CommandChecks {
  readonly checks: readonly CommandCheck[];
  readonly list: GpuList | undefined;
  readonly report: Report | undefined;
  /** Why the driver as a whole does not answer; then the remaining commands were not run. */
  readonly silence: DeviceError | undefined;
}

type Ask = <Result>(command: ReadCommand, read: AnswerReader<Result>) => Promise<Result | undefined>;

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
      const { result, summary, losses = [] } = read(name, execution);
      checks.push({ command: name, ms, summary, losses: [...listNotices(execution), ...losses] });
      return result;
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      checks.push({ command: name, ms: performance.now() - begin, summary: undefined, losses: [], error });
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
  await ask({ name: 'Profiles' }, readProfiles(isOff));
  await ask({ name: 'Placements' }, readPlacements(isOff));
  const instances = await ask({ name: 'Instances' }, askInstances(list, report));
  await ask({ name: 'ComputeInstances' }, askComputeInstances);
  for (const { gpuIndex, id } of pickOneOfEach(instances ?? [])) {
    const gpu = report.gpus[gpuIndex]?.pciBusId;
    if (gpu === undefined) continue;
    await ask({ name: 'ComputeProfiles', gpu, instance: id }, readComputeProfiles);
  }
}
