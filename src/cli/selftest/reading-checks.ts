import { explainOldDriver } from '../../core/gpu/geometry/driver-support.ts';
import { compareTables } from '../../core/gpu/geometry/table-difference.ts';
import { findModel } from '../../core/gpu/geometry/model-lookup.ts';
import { countWords } from '../../core/text/count-words.ts';
import { type CommandCheck, checkCommands } from '../../device/reading/command-check.ts';
import type { Report } from '../../core/smi/report-parser.ts';
import type { DeviceState, GpuState } from '../../core/gpu/state/device-state.ts';
import type { NvidiaSmi } from '../../device/command/nvidia-smi.ts';
import type { Runner } from '../../device/command/runner.ts';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import type { SelftestCheck } from './check.ts';
import { redactFault } from './fault-text.ts';

/** The readings for the checks that follow. */
export interface NodeReading {
  readonly checks: readonly SelftestCheck[];
  readonly report: Report | undefined;
  /** As the agent reads it; undefined if it cannot. */
  readonly device: DeviceState | undefined;
}

/** The fraction of a command's time limit above which it is too close. */
const nearLimit = 1 / 3;

/** Every command by itself, then the agent's reading, then the tables of profiles. */
export async function checkReading(runner: Runner, driver: NvidiaSmi, readLimitMs: number): Promise<NodeReading> {
  const { checks, report, silence } = await checkCommands(runner);
  const commands = checks.flatMap(judgeCommand);
  // One hanging command may affect only one GPU, and the reading continues GPU by GPU.
  if (silence !== undefined && silence.code !== 'TimedOut') return { checks: commands, report, device: undefined };
  const begin = performance.now();
  const device = await driver.readDevice().catch(demandDeviceError);
  const ms = performance.now() - begin;
  const slowest = Math.max(0, ...checks.map((check) => check.ms));
  if (device instanceof DeviceError) {
    const message = `the agent could not read this node: ${redactFault(device)}`;
    return { checks: [...commands, { area: 'Commands', verdict: 'Unknown', message, ms }], report, device: undefined };
  }
  const instances = device.gpus.reduce((sum, gpu) => sum + gpu.instances.length, 0);
  const found = `${countWords(device.gpus.length, 'GPU')}, ${countWords(instances, 'GPU instance')}`;
  const whole: SelftestCheck = { area: 'Commands', verdict: 'Good', message: `read as the agent does: ${found}`, ms };
  return {
    checks: [
      ...commands,
      whole,
      ...judgeSpeed(slowest, readLimitMs),
      ...judgeDriver(device),
      ...compareModels(device.gpus),
    ],
    report,
    device,
  };
}

function judgeCommand({ command, ms, said, losses, error }: CommandCheck): readonly SelftestCheck[] {
  if (said === undefined) {
    const why = error === undefined ? 'no answer' : redactFault(error);
    const verdict = error?.code === 'ParseError' || error?.code === 'Unstable' ? 'Finding' : 'Unknown';
    return [{ area: 'Commands', verdict, message: `${command}: ${why}`, ms }];
  }
  return [
    { area: 'Commands', verdict: 'Good', message: `${command}: ${said}`, ms },
    ...losses.map((loss): SelftestCheck => ({ area: 'Commands', verdict: 'Note', message: `${command}: ${loss}` })),
  ];
}

function judgeSpeed(slowestMs: number, limitMs: number): readonly SelftestCheck[] {
  if (slowestMs < limitMs * nearLimit) return [];
  const seconds = Math.ceil((slowestMs * 3) / 1_000);
  const message =
    `one command took ${(slowestMs / 1_000).toFixed(1)} s of the ${limitMs / 1_000} s that it may: give the agent ` +
    `--read-timeout-seconds=${Math.min(600, Math.max(seconds, (limitMs / 1_000) * 2))}, or switch persistence mode on`;
  return [{ area: 'Commands', verdict: 'Finding', message }];
}

function judgeDriver({ driverVersion, gpus }: DeviceState): readonly SelftestCheck[] {
  return gpus.flatMap(({ index, product }): readonly SelftestCheck[] => {
    const old = explainOldDriver(product, driverVersion);
    return old === undefined ? [] : [{ area: 'Tables', verdict: 'Finding', message: `GPU ${index}: ${old}` }];
  });
}

/** The driver's table takes precedence wherever it exists; plans made without the node use the built-in one. */
function compareModels(gpus: readonly GpuState[]): readonly SelftestCheck[] {
  const tables = new Map(
    gpus.flatMap(({ product, geometry, isTableBuiltIn }) =>
      geometry && !isTableBuiltIn ? [[product, geometry] as const] : [],
    ),
  );
  const untold = gpus
    .filter(({ isTableBuiltIn }) => isTableBuiltIn)
    .map(({ index }): SelftestCheck => {
      const message = `GPU ${index}: the driver tells its profiles only with MIG mode on; the built-in table serves until then`;
      return { area: 'Tables', verdict: 'Note', message };
    });
  const compared = [...tables].flatMap(([product, geometry]): readonly SelftestCheck[] => {
    const name = product.replace(/^NVIDIA /, '');
    const model = findModel(product);
    if (model === undefined) {
      const message = `${name} is not in the built-in table; the driver’s own serves, and validate and fit do not know it`;
      return [{ area: 'Tables', verdict: 'Note', message }];
    }
    const { differences, isContradiction } = compareTables(geometry, model);
    if (differences.length === 0) {
      const message = `${name}: ${countWords(geometry.profiles.length, 'profile')}, as in the built-in table (${model.id})`;
      return [{ area: 'Tables', verdict: 'Good', message }];
    }
    return differences.map((difference) => ({
      area: 'Tables',
      verdict: isContradiction ? 'Finding' : 'Note',
      message: `${name}: ${difference}`,
    }));
  });
  return [...untold, ...compared];
}

function demandDeviceError(error: unknown): DeviceError {
  if (error instanceof DeviceError) return error;
  throw error;
}
