import type { Geometry } from '../../core/gpu/geometry/geometry.ts';
import { findModel } from '../../core/gpu/geometry/model-lookup.ts';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import { contradict } from '../../core/smi/output.ts';
import { saysMigOff } from '../../core/smi/instance-table.ts';
import type { Runner } from '../command/runner.ts';
import type { GpuSelection } from '../../core/smi/smi-command.ts';
import { askEach, type GpuQuestion } from './one-by-one.ts';
import { hidesProfiles, type ListedProfile, parsePlacements, parseProfiles } from '../../core/smi/profile-table.ts';
import { buildGeometry, findTorn } from '../../core/smi/table-geometry.ts';
import type { GpuState } from '../../core/gpu/state/device-state.ts';
import type { Trouble } from '../../core/smi/trouble.ts';
import { countWords } from '../../core/text/cut-text.ts';

/** A GPU that supports MIG: what names it in the tables, and what is known about it without them. */
export type TabledGpu = Pick<GpuState, 'index' | 'pciBusId' | 'pciDeviceId' | 'product' | 'memoryMiB' | 'mig'>;

export type Table = Pick<GpuState, 'tableSource'> & { readonly geometry: Geometry };

/** Reads profiles and placements, by the index of the GPU; for a GPU of which the driver shows none yet, another table serves. */
export async function readTables(
  runner: Runner,
  gpus: readonly TabledGpu[],
  selection: GpuSelection | undefined,
  trouble: Trouble,
): Promise<ReadonlyMap<number, Table>> {
  const rows = await readProfiles(runner, gpus, selection, trouble);
  const isTold = (gpu: TabledGpu): boolean =>
    isOn(gpu) || trouble.find(gpu.pciBusId) !== undefined || rows.some(({ gpuIndex }) => gpuIndex === gpu.index);
  const told = gpus.filter(isTold);
  const named = told.length === gpus.length ? selection : told.map(({ pciBusId }) => pciBusId);
  const own = await readPlaces(runner, told, named, rows, trouble);
  const untold = gpus.filter((gpu) => !isTold(gpu));
  return new Map([...own, ...untold.flatMap((gpu) => lendTable(gpu, told, own, trouble))]);
}

/**
 * Reads `-lgip`. While MIG mode of a GPU is off, a driver leaves it out of the table and answers `No MIG-enabled devices found.` if none
 * is left (up to 535), or refuses the whole table with `Not Supported`.
 */
async function readProfiles(
  runner: Runner,
  gpus: readonly TabledGpu[],
  selection: GpuSelection | undefined,
  trouble: Trouble,
): Promise<readonly ListedProfile[]> {
  if (gpus.length === 0) return [];
  let isRefused = false;
  const answers = await askEach(runner, {
    ...nameGpus(gpus, selection, trouble),
    command: (named) => ({ name: 'Profiles', gpus: named }),
    parse: (tried, execution, name) => {
      const asked = name === undefined ? gpus : gpus.filter(({ pciBusId }) => pciBusId === name);
      const on = asked.filter(isOn);
      if (saysMigOff(execution) && on.length > 0)
        throw contradict(tried, `no GPU with MIG mode on, and ${countWords(on.length, 'GPU')} with it on in -q -x`);
      if (on.length === asked.length || !hidesProfiles(execution)) return parseProfiles(tried, execution);
      isRefused ||= on.length > 0;
      return [];
    },
  });
  if (!isRefused) return trouble.note(answers).flat();
  const shown = gpus.filter(isOn);
  const names = shown.map(({ pciBusId }) => pciBusId);
  return readProfiles(runner, shown, names, trouble);
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
      command: (named) => ({ name: 'Placements', gpus: named }),
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
        return [[gpu.index, { geometry: buildGeometry(gpu.product, mine, places), tableSource: 'Own' }] as const];
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

function lendTable(
  gpu: TabledGpu,
  told: readonly TabledGpu[],
  own: ReadonlyMap<number, Table>,
  trouble: Trouble,
): readonly (readonly [number, Table])[] {
  const { index, product, pciBusId } = gpu;
  const lender = told.find((other) => isSameModel(other, gpu) && own.has(other.index));
  const lent = lender && own.get(lender.index);
  if (lent !== undefined) return [[index, { ...lent, tableSource: 'SameModel' }]];
  const geometry = findModel(product);
  if (geometry !== undefined) return [[index, { geometry, tableSource: 'BuiltIn' }]];
  const found = `its profiles are shown only with MIG mode on, and ${product} is not known: switch MIG mode on manually`;
  const tried = 'nvidia-smi mig -lgip';
  trouble.pin(pciBusId, new DeviceError('NotSupported', { tried, found, gpu: pciBusId }));
  return [];
}

/** Boards of one name may differ in memory, and in their tables with it (RTX PRO 5000). */
function isSameModel(one: TabledGpu, other: TabledGpu): boolean {
  return one.product === other.product && one.memoryMiB === other.memoryMiB && one.pciDeviceId === other.pciDeviceId;
}

function isOn({ mig }: TabledGpu): boolean {
  return mig?.current === 'Enabled';
}
