import type { Geometry } from '../../core/gpu/geometry/geometry.ts';
import { findModel } from '../../core/gpu/geometry/model-lookup.ts';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import { classifyOutput, type Execution } from '../../core/smi/output.ts';
import type { Runner } from '../command/runner.ts';
import type { GpuSelection } from '../../core/smi/smi-command.ts';
import { askEach, type GpuQuestion } from './one-by-one.ts';
import { parsePlacements, parseProfiles, type ListedProfile } from '../../core/smi/profile-table.ts';
import { buildGeometry, findTorn } from '../../core/smi/table-geometry.ts';
import type { GpuState } from '../../core/gpu/state/device-state.ts';
import type { Trouble } from '../../core/smi/trouble.ts';

/** A GPU that supports MIG: what names it in the tables, and what is known about it without them. */
export type TabledGpu = Pick<GpuState, 'index' | 'pciBusId' | 'product' | 'mig'>;

export type Table = Pick<GpuState, 'isTableBuiltIn'> & { readonly geometry: Geometry };

/**
 * Reads profiles and placements, by the index of the GPU. A driver may refuse them while MIG mode is off (`Not Supported`, up
 * to R535): until it is on, the built-in data of the model are used.
 */
export async function readTables(
  runner: Runner,
  gpus: readonly TabledGpu[],
  selection: GpuSelection | undefined,
  trouble: Trouble,
): Promise<ReadonlyMap<number, Table>> {
  if (gpus.length === 0) return new Map();
  const off = gpus.filter(({ mig }) => mig?.current !== 'Enabled');
  const refused = new Set<string | number>();
  let isRefusedAtOnce = false;
  const profiles = await askEach(runner, {
    ...nameGpus(gpus, selection, trouble),
    command: (what) => ({ name: 'Profiles', ...what }),
    parse: (tried, execution, gpu) => {
      const mayBeRefused = gpu === undefined ? off.length > 0 : off.some(({ pciBusId }) => pciBusId === gpu);
      if (!mayBeRefused || !saysNotSupported(execution)) return parseProfiles(tried, execution);
      if (gpu === undefined) isRefusedAtOnce = true;
      else refused.add(gpu);
      return [];
    },
  });
  const untold = isRefusedAtOnce ? off : off.filter(({ pciBusId }) => refused.has(pciBusId));
  const builtIn = takeBuiltIn(untold, trouble);
  const told = gpus.filter((gpu) => !untold.includes(gpu));
  const named = untold.length === 0 ? selection : told.map(({ pciBusId }) => pciBusId);
  if (isRefusedAtOnce) return new Map([...(await readTables(runner, told, named, trouble)), ...builtIn]);
  const rows = trouble.note(profiles).flat();
  return new Map([...(await readPlaces(runner, told, named, rows, trouble)), ...builtIn]);
}

async function readPlaces(
  runner: Runner,
  gpus: readonly TabledGpu[],
  selection: GpuSelection | undefined,
  rows: readonly ListedProfile[],
  trouble: Trouble,
): Promise<ReadonlyMap<number, Table>> {
  if (gpus.length === 0) return new Map();
  const placements = trouble.note(
    await askEach(runner, {
      ...nameGpus(gpus, selection, trouble),
      command: (what) => ({ name: 'Placements', ...what }),
      parse: parsePlacements,
    }),
  );
  return new Map(
    gpus.flatMap((gpu) => {
      if (trouble.find(gpu.pciBusId) !== undefined) return [];
      const mine = rows.filter(({ gpuIndex }) => gpuIndex === gpu.index);
      const places = placements.flat().filter(({ gpuIndex }) => gpuIndex === gpu.index);
      const torn = findTorn(gpu, mine, places);
      if (torn === undefined)
        return [[gpu.index, { geometry: buildGeometry(gpu.product, mine, places), isTableBuiltIn: false }] as const];
      trouble.pin(gpu.pciBusId, torn);
      return [];
    }),
  );
}

function nameGpus(
  gpus: readonly TabledGpu[],
  selection: GpuSelection | undefined,
  { isLast }: Trouble,
): Pick<GpuQuestion<unknown>, 'gpus' | 'selection' | 'isLast'> {
  return { gpus: gpus.map(({ pciBusId }) => pciBusId), selection, isLast };
}

function takeBuiltIn(gpus: readonly TabledGpu[], trouble: Trouble): readonly (readonly [number, Table])[] {
  return gpus.flatMap(({ index, product, pciBusId: gpu }) => {
    const geometry = findModel(product);
    if (geometry !== undefined) return [[index, { geometry, isTableBuiltIn: true }] as const];
    const found = `its profiles are told only with MIG mode on, and ${product} is not known: switch MIG mode on by hand`;
    trouble.pin(gpu, new DeviceError('NotSupported', { tried: 'nvidia-smi mig -lgip', found, gpu }));
    return [];
  });
}

function saysNotSupported(execution: Execution): boolean {
  return execution.rc !== 0 && classifyOutput(execution) === 'NotSupported';
}
