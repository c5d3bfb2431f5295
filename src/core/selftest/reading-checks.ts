import { explainOldDriver, findModel } from '../gpu/geometry/model-lookup.ts';
import { compareTables } from '../gpu/geometry/table-difference.ts';
import { countWords } from '../text/cut-text.ts';
import type { DeviceState, GpuState } from '../gpu/state/device-state.ts';
import type { DeviceError } from '../gpu/state/device-error.ts';
import type { CommandCheck } from './answers.ts';
import type { SelftestCheck } from './selftest.ts';
import { redactFault } from './redaction.ts';

/** The fraction of a command's time limit above which it is too close. */
const nearLimit = 1 / 3;

/**
 * What a reading as the agent makes it says of the node.
 *
 * @param ms how long it took
 * @param slowestMs the slowest of its commands, of which each may take `limitMs`
 */
export function judgeReading(
  device: DeviceState,
  { ms, slowestMs, limitMs }: { readonly ms: number; readonly slowestMs: number; readonly limitMs: number },
): readonly SelftestCheck[] {
  const instances = device.gpus.reduce((sum, gpu) => sum + gpu.instances.length, 0);
  const found = `${countWords(device.gpus.length, 'GPU')}, ${countWords(instances, 'GPU instance')}`;
  return [
    { area: 'Commands', verdict: 'Good', message: `read as the agent does: ${found}`, ms },
    ...judgeSpeed(slowestMs, limitMs),
    ...judgeDriver(device),
    ...compareModels(device.gpus),
  ];
}

/** The agent could not read the node. */
export function judgeSilence(error: DeviceError, ms: number): SelftestCheck {
  return {
    area: 'Commands',
    verdict: 'Unknown',
    message: `the agent could not read this node: ${redactFault(error)}`,
    ms,
  };
}

export function judgeCommand({ command, ms, summary, losses, error }: CommandCheck): readonly SelftestCheck[] {
  if (summary === undefined) {
    const why = error === undefined ? 'no answer' : redactFault(error);
    const verdict = error?.code === 'ParseError' || error?.code === 'Unstable' ? 'Finding' : 'Unknown';
    return [{ area: 'Commands', verdict, message: `${command}: ${why}`, ms }];
  }
  return [
    { area: 'Commands', verdict: 'Good', message: `${command}: ${summary}`, ms },
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
    gpus.flatMap(({ product, geometry, tableSource }) =>
      geometry && tableSource === 'Own' ? [[product, geometry] as const] : [],
    ),
  );
  const untold = gpus
    .filter(({ tableSource }) => tableSource !== 'Own')
    .map(({ index, tableSource }): SelftestCheck => {
      const which = tableSource === 'SameModel' ? 'that of a GPU of the same model' : 'the built-in table';
      const message = `GPU ${index}: the driver shows its profiles only with MIG mode on; ${which} serves until then`;
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
