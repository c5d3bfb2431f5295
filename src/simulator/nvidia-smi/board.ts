import { type GpuModel, MODELS, type Engines, isOlderVersion } from '../../core/gpu/geometry.ts';
import type { SimulatedGpu } from './device.ts';
import type { GpuInstance } from './state.ts';
import { NVML, type NvmlCall } from './nvml-code.ts';

/** GPUs without MIG, by product name, for mixed nodes: data sheets and the CUDA GPU list. */
const NON_MIG_BOARDS = new Map([
  ['Tesla T4', board('Turing', '7.5', '0x1EB810DE', 15360, 70, 1590, 5001, 3)],
  ['Tesla V100-SXM2-16GB', board('Volta', '7.0', '0x1DB110DE', 16384, 300, 1530, 877, 3)],
  ['Tesla V100-SXM2-32GB', board('Volta', '7.0', '0x1DB510DE', 32768, 300, 1530, 877, 3)],
  ['Tesla V100-PCIE-32GB', board('Volta', '7.0', '0x1DB610DE', 32768, 250, 1380, 877, 3)],
  ['NVIDIA L4', board('Ada Lovelace', '8.9', '0x27B810DE', 23034, 72, 2040, 6251, 4)],
  ['NVIDIA L40', board('Ada Lovelace', '8.9', '0x26B510DE', 46068, 300, 2490, 9001, 4)],
  ['NVIDIA L40S', board('Ada Lovelace', '8.9', '0x26B910DE', 46068, 350, 2520, 9001, 4)],
  ['NVIDIA A10', board('Ampere', '8.6', '0x223610DE', 23028, 150, 1695, 6251, 4)],
  ['NVIDIA A40', board('Ampere', '8.6', '0x223510DE', 46068, 300, 1740, 7251, 4)],
]);

function board(
  architecture: string,
  computeCapability: string,
  pciDeviceId: string,
  memoryMiB: number,
  powerLimitWatts: number,
  graphicsMHz: number,
  memoryMHz: number,
  pcieGeneration: number,
) {
  return {
    architecture,
    computeCapability,
    pciDeviceId,
    memoryMiB,
    powerLimitWatts,
    graphicsMHz,
    memoryMHz,
    pcieGeneration,
  };
}

/**
 * What nvidia-smi prints about a board beyond the MIG tables. Power, clocks and the like are plausible constants:
 * the simulator measures none of them.
 */
export interface Board {
  /** Product name as nvidia-smi prints it: `NVIDIA A100-SXM4-40GB`, `Tesla T4`. */
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
  /** Model of the table; absent for a GPU without MIG support. */
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

/** Memory in MiB of boards of unpublished size: the gigabytes in the name of the largest profile. */
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

/** A GPU instance profile with every number that the driver prints; nothing is optional. */
export interface GiProfile {
  readonly name: string;
  readonly id: number;
  readonly computeSlices: number;
  readonly size: number;
  readonly starts: readonly number[];
  readonly maxInstances: number;
  readonly engines: Engines;
  readonly memoryMiB: number;
  readonly multiprocessors: number;
}

/** Ids for profiles whose real id is unpublished (RTX PRO 5000, RTX PRO 4500, Thor). */
const FIRST_INVENTED_ID = 100;

/** The profiles of a board in the order of `nvidia-smi mig -lgip`; none without MIG. */
export function listGiProfiles(board: Board): readonly GiProfile[] {
  const model = board.model;
  if (model === undefined) return [];
  return model.profiles.map((profile, row) => ({
    name: profile.name,
    id: profile.id ?? FIRST_INVENTED_ID + row,
    computeSlices: profile.computeSlices,
    size: profile.memorySlices,
    starts: profile.starts,
    maxInstances: profile.maxInstances,
    engines: profile.engines,
    memoryMiB: profile.memoryMiB ?? shareOfMemory(board, model, profile.memorySlices),
    multiprocessors: profile.multiprocessors ?? shareOfMultiprocessors(model, profile.computeSlices),
  }));
}

export function findGiProfile(board: Board, wanted: number): GiProfile | undefined {
  return listGiProfiles(board).find(({ id }) => id === wanted);
}

function shareOfMemory(board: Board, model: GpuModel, size: number): number {
  return Math.floor((board.memoryMiB * size) / Math.max(1, model.memorySlices));
}

/** The values of the plain 1g, times the slices; all of them for the whole GPU. Always even: texture clusters hold two. */
function shareOfMultiprocessors(model: GpuModel, computeSlices: number): number {
  const total = model.multiprocessors ?? 0;
  const ofOneSlice = model.profiles.find((profile) => profile.computeSlices === 1)?.multiprocessors;
  const ofWhole = computeSlices === model.computeSlices && total > 0 ? total : undefined;
  return ofWhole ?? (ofOneSlice ?? Math.floor(total / model.computeSlices / 2) * 2) * computeSlices;
}

/** A compute instance profile within one GPU instance profile. */
export interface CiProfile {
  /** 0 = 1c, 1 = 2c, 2 = 3c, 3 = 4c, 4 = 7c, 7 = 1c with more multiprocessors. */
  readonly id: number;
  /** `1c.3g.20gb`, or the GPU instance's own name when it takes all of it. */
  readonly name: string;
  readonly size: number;
  readonly starts: readonly number[];
  readonly multiprocessors: number;
  /** Takes the whole GPU instance: the profile that `-C` and a bare `-cci` create. */
  readonly isDefault: boolean;
}

/** Compute slices of the profiles, by id. */
const SLICES = [1, 2, 3, 4, 7] as const;

/** NVML_COMPUTE_INSTANCE_PROFILE_1_SLICE_REV1 (go-nvml #146): one slice with the multiprocessors of a double-memory 1g. */
const REVISED_ONE_SLICE = 7;

/**
 * Compute instance profiles of an existing GPU instance in the order of `nvidia-smi mig -lcip`; none if the board does not have its
 * profile id.
 */
export function ciProfilesOf({ board }: SimulatedGpu, { profileId }: GpuInstance): readonly CiProfile[] {
  const gi = findGiProfile(board, profileId);
  if (gi === undefined) return [];
  const ofOneSlice = listGiProfiles(board).flatMap(({ computeSlices, multiprocessors }) =>
    computeSlices === 1 ? [multiprocessors] : [],
  );
  const perSlice = Math.min(...ofOneSlice);
  // Hopper SXM and Blackwell give a 1g with double memory more multiprocessors than a plain 1g: 26 instead of 16.
  const revised = ofOneSlice.find((multiprocessors) => multiprocessors > perSlice);
  if (gi.computeSlices === 1 && gi.multiprocessors === revised) {
    return [{ id: REVISED_ONE_SLICE, name: gi.name, size: 1, starts: [0], multiprocessors: revised, isDefault: true }];
  }
  return SLICES.flatMap((slices, id): readonly CiProfile[] => {
    // Of 3 slices, only a 3g or a 7g has room for a compute instance that is not half of a 4g.
    if (slices > gi.computeSlices || (slices === 3 && gi.computeSlices === 4)) return [];
    const plain = describe(id, slices, gi, perSlice);
    if (slices > 1 || gi.computeSlices === 1 || revised === undefined) return [plain];
    return [plain, { ...plain, id: REVISED_ONE_SLICE, starts: startsOf(2, gi), multiprocessors: revised }];
  });
}

/** The name of a compute instance profile as `mig` prints it: 470 leaves out the attributes of the GPU instance. */
export function nameCi({ name }: CiProfile, { isAfter470 }: DriverVersions): string {
  return isAfter470 ? name : name.replace(/\+.*$/, '');
}

function describe(id: number, slices: number, gi: GiProfile, perSlice: number): CiProfile {
  const isDefault = slices === gi.computeSlices;
  return {
    id,
    name: isDefault ? gi.name : `${slices}c.${gi.name}`,
    size: slices,
    starts: startsOf(slices, gi),
    multiprocessors: isDefault ? gi.multiprocessors : perSlice * slices,
    isDefault,
  };
}

/** Recorded for 1c and 2c, and as counts for the rest: 2c three times, 3c twice, 4c once in a 7g. */
function startsOf(slices: number, gi: GiProfile): readonly number[] {
  const step = slices === 3 ? 4 : slices;
  const starts: number[] = [];
  for (let start = 0; start + slices <= gi.computeSlices; start += step) starts.push(start);
  return starts;
}

/**
 * What differs between branches of the driver, as far as recordings (470, 525, 535, 550, 555) and public transcripts tell. What none shows
 * of a branch is as in the nearest branch of which one does; docs/internal/simulator.md has the sources, and says what is not known.
 */
function describeTraits(branch: number) {
  return {
    /** The branch, for the reports, whose entries each has more or fewer of. */
    branch,
    /** Whether `-lgip` and `-lgipp` show a GPU whose MIG mode is off. */
    listsWithMigOff: branch >= 550,
    /** The code with which `mig` says that no GPU has MIG mode on. Up to 535 it says so too if none supports it. */
    migOffCode: branch >= 550 ? 0 : NVML.notFound,
    /**
     * Whether there is what was new after 470: `-lcipp`, a start for `-cci`, `+me` in names of compute instances, profiles of one slice with
     * twice the memory and of several with the media engines, and that `-mig` takes 0 and 1 only.
     */
    isAfter470: branch > 470,
    hasVersionOption: branch >= 550,
    /** Whether it says which word of the command line it does not understand. */
    namesBadWords: branch >= 530,
    /** Whether it tells the version of a library that does not match the driver; its exit code is NVML's then, else 255. */
    explainsMismatch: branch >= 530,
    /** N of `nvsmi_device_vN.dtd`, which `-q -x` names. */
    dtd: branch < 525 ? 11 : branch < 560 ? 12 : 13,
    /** Whether `-q` has the recovery action of a GPU. */
    hasRecoveryAction: branch >= 565,
    /** Whether the fields `reset_required` and `drain_and_reset_recommended` only say that they are deprecated. */
    deprecatesResetStatus: branch >= 570,
    /** Whether a refused `--gpu-reset` names a GPU in a sentence, and not below a heading with NVML's reason. */
    refusesInSentence: branch < 510,
  };
}

type Architecture = GpuModel['architecture'];

/**
 * Milliseconds that calls take on real GPUs; docs/internal/simulator.md has the sources. Not published, and as in the nearest figure: a
 * creation takes as long as a destruction, a reset as long as a change of the mode, an idle Hopper opens in the middle of 1 to 3 s. The
 * figures for GPU instances contain their compute instances.
 */
const instanceMs = 1_000;
const modeMs = 2_000;

/** A GPU that nobody keeps open is initialized by each command: 1 to 3 s, and 44 s for eight B200 with instances. */
const openMs: Readonly<Record<Architecture, number>> = { ampere: 1_000, hopper: 2_000, blackwell: 5_500 };

/** How long a call takes at pace 1. */
export function durationOf(call: NvmlCall): number {
  switch (call) {
    case 'DeviceCreateGpuInstance':
    case 'DeviceCreateGpuInstanceWithPlacement':
    case 'GpuInstanceDestroy':
      return instanceMs;
    case 'DeviceSetMigMode':
    case 'GpuReset':
      return modeMs;
    default:
      return 0;
  }
}

/** How long it takes to open a GPU that persistence mode does not keep open. */
export function openingOf(model: GpuModel | undefined): number {
  return openMs[model?.architecture ?? 'ampere'];
}

export type DriverVersions = ReturnType<typeof driverOf>;

/** The branches that a node can be given, each with a release of it: the recorded one of 470, 525, 535, 550 and 555. */
const versions = {
  '470': '470.256.02',
  '525': '525.147.05',
  '530': '530.30.02',
  '535': '535.274.02',
  '550': '550.163.01',
  '555': '555.58.02',
  '565': '565.57.01',
  '580': '580.173.02',
  '595': '595.58.03',
} as const;

export type DriverBranch = keyof typeof versions;

export const driverBranches: readonly DriverBranch[] = Object.keys(versions).filter(isBranch);

/** The branch of which most was recorded; the default. */
export const recordedBranch: DriverBranch = '550';

/** The CUDA version that ships with each branch. */
const cudaOf: Readonly<Record<string, string>> = {
  '470': '11.4',
  '525': '12.0',
  '530': '12.1',
  '535': '12.2',
  '550': '12.4',
  '555': '12.5',
  '565': '12.7',
  '570': '12.8',
  '575': '12.9',
  '580': '13.0',
  '595': '13.2',
};

/** @throws RangeError for a branch that is not simulated */
export function parseBranch(text: string): DriverBranch {
  if (isBranch(text)) return text;
  throw new RangeError(
    `NVIDIA_SMI_SIM_DRIVER is ${JSON.stringify(text)}, and these branches are simulated: ${driverBranches.join(', ')}`,
  );
}

function isBranch(text: string): text is DriverBranch {
  return Object.hasOwn(versions, text);
}

/** The driver of a node: that of its branch, or the first that supports MIG on all of its GPUs if that is later. */
export function driverOf(gpus: readonly SimulatedGpu[], wanted: DriverBranch = recordedBranch) {
  // Of some models only the branch is published.
  const needed = gpus
    .flatMap(({ board }) => board.model?.minDriver ?? [])
    .map((driver) => (isBranch(driver) ? versions[driver] : driver));
  const driver = needed.reduce<string>((latest, one) => (isOlderVersion(latest, one) ? one : latest), versions[wanted]);
  const [branch = '', minor = ''] = driver.split('.');
  const cuda = cudaOf[branch] ?? '13.0';
  return { driver, nvml: `${branch}.${minor}`, cuda, ...describeTraits(Number(branch)) };
}
