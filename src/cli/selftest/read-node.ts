import { DeviceError } from '../../core/gpu/state/device-error.ts';
import type { DeviceState } from '../../core/gpu/state/device-state.ts';
import type { SelftestCheck } from '../../core/selftest/selftest.ts';
import { judgeCommand, judgeReading, judgeSilence } from '../../core/selftest/reading-checks.ts';
import type { Report } from '../../core/smi/report-parser.ts';
import type { NvidiaSmi } from '../../device/command/nvidia-smi.ts';
import type { Runner } from '../../device/command/runner.ts';
import { demandDeviceError } from '../../device/apply/apply-task.ts';
import { checkCommands } from '../../device/reading/command-check.ts';

/** The readings for the checks that follow. */
export interface NodeReading {
  readonly checks: readonly SelftestCheck[];
  readonly report: Report | undefined;
  /** As the agent reads it; undefined if it cannot. */
  readonly device: DeviceState | undefined;
}

/** Every command by itself, then the agent's reading, then the tables of profiles. */
export async function checkReading(runner: Runner, driver: NvidiaSmi, limitMs: number): Promise<NodeReading> {
  const { checks, report, silence } = await checkCommands(runner);
  const commands = checks.flatMap(judgeCommand);
  // One hanging command may affect only one GPU, and the reading continues GPU by GPU.
  if (silence !== undefined && silence.code !== 'TimedOut') return { checks: commands, report, device: undefined };
  const begin = performance.now();
  const device = await driver.readDevice().catch(demandDeviceError);
  const ms = performance.now() - begin;
  if (device instanceof DeviceError)
    return { checks: [...commands, judgeSilence(device, ms)], report, device: undefined };
  const slowestMs = Math.max(0, ...checks.map((check) => check.ms));
  return { checks: [...commands, ...judgeReading(device, { ms, slowestMs, limitMs })], report, device };
}
