import type { GpuModel } from '../../../core/gpu/geometry/model.ts';
import { MODELS } from '../../../core/gpu/geometry/models.ts';
import { NON_MIG_BOARDS } from './non-mig-boards.ts';

/**
 * What nvidia-smi prints about a board beyond the MIG tables. Power, clocks and the like are plausible constants:
 * the simulator measures none of them.
 */
export interface Board {
  /** As nvidia-smi prints it: `NVIDIA A100-SXM4-40GB`, `Tesla T4`. */
  readonly productName: string;
  readonly architecture: string;
  readonly computeCapability: string;
  readonly pciDeviceId: string;
  readonly pciSubsystemId: string;
  readonly memoryMiB: number;
  readonly reservedMiB: number;
  readonly bar1MiB: number;
  readonly powerLimitWatts: number;
  readonly graphicsMHz: number;
  readonly memoryMHz: number;
  readonly pcieGeneration: number;
  /** Absent for a GPU without MIG support. */
  readonly model?: GpuModel;
}

/** A GPU name that is in neither the MIG models nor the table of other boards. */
export class UnknownGpuError extends Error {
  override readonly name = 'UnknownGpuError';

  constructor(wanted: string) {
    const known = [
      ...MODELS.flatMap((model) => model.products.map((product) => product.name)),
      ...NON_MIG_BOARDS.keys(),
    ];
    super(
      `NVIDIA_SMI_SIM_GPUS names ${JSON.stringify(wanted)}, which is not a known GPU; known are: ${known.join(', ')}`,
    );
  }
}

/**
 * Finds a board by product name, GFD label or model id, or by any of these without `NVIDIA`.
 * @throws UnknownGpuError
 */
export function findBoard(wanted: string): Board {
  const key = normalizeName(wanted);
  for (const model of MODELS) {
    for (const product of model.products) {
      if (normalizeName(product.name) === key || model.id === key) {
        return describeMigBoard(model, product.name, product.pciDeviceId ?? '0x000010DE');
      }
    }
  }
  const other = [...NON_MIG_BOARDS].find(([name]) => normalizeName(name) === key);
  if (other === undefined) throw new UnknownGpuError(wanted);
  return { ...other[1], productName: other[0], pciSubsystemId: '0x000010DE', reservedMiB: 512, bar1MiB: 32768 };
}

function normalizeName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '-')
    .replace(/^(nvidia|tesla)-/, '');
}

/** The three boards of the recorded runs, as recorded. */
const RECORDED = new Map([
  ['NVIDIA A100-SXM4-40GB', facts('0x134F10DE', 423, 65536, 400, 1410, 1215)],
  ['NVIDIA A30', facts('0x153210DE', 512, 65536, 165, 1440, 1215)],
  ['NVIDIA H100 80GB HBM3', facts('0x16C110DE', 551, 131072, 700, 1980, 2619)],
]);

function facts(
  pciSubsystemId: string,
  reservedMiB: number,
  bar1MiB: number,
  powerLimitWatts: number,
  graphicsMHz: number,
  memoryMHz: number,
) {
  return { pciSubsystemId, reservedMiB, bar1MiB, powerLimitWatts, graphicsMHz, memoryMHz };
}

const CHIPS: Readonly<Record<GpuModel['architecture'], readonly [name: string, pcie: number]>> = {
  ampere: ['Ampere', 4],
  hopper: ['Hopper', 5],
  blackwell: ['Blackwell', 5],
};

function describeMigBoard(model: GpuModel, productName: string, pciDeviceId: string): Board {
  const [architecture, pcieGeneration] = CHIPS[model.architecture];
  const memoryMiB = model.memoryMiB ?? memoryFromNames(model);
  const fallback = facts('0x000010DE', 512, 2 ** Math.ceil(Math.log2(memoryMiB)), 700, 1980, 2619);
  return {
    productName,
    architecture,
    computeCapability: computeCapabilityOf(model),
    pciDeviceId,
    memoryMiB,
    pcieGeneration,
    model,
    ...(RECORDED.get(productName) ?? fallback),
  };
}

/** For boards of unpublished memory size: the gigabytes in the name of the largest profile. */
function memoryFromNames(model: GpuModel): number {
  return Math.max(1, ...model.profiles.map((profile) => Number(/\.(\d+)gb/.exec(profile.name)?.[1] ?? 0) * 1024));
}

/** CUDA GPU list: GA100 8.0, Hopper 9.0, B200 10.0, B300 10.3, RTX PRO Blackwell 12.0. */
function computeCapabilityOf(model: GpuModel): string {
  switch (model.architecture) {
    case 'ampere':
      return '8.0';
    case 'hopper':
      return '9.0';
    case 'blackwell':
      if (model.id.startsWith('rtx')) return '12.0';
      return model.id.includes('300') ? '10.3' : '10.0';
  }
}
