// Room gpu: NVIDIA's GPUs as geometry, layouts and state, without Kubernetes.
// Ask here for the tables of known models, their names, and a layout in words.
import { AMPERE_MODELS } from './data/ampere.ts';
import { BLACKWELL_MODELS, THOR_MODELS } from './data/blackwell.ts';
import { HOPPER_MODELS } from './data/hopper.ts';
import { RTX_PRO_MODELS } from './data/rtx-pro.ts';
import { compareText } from '../text/json.ts';

/** Kinds of engines in the order of `nvidia-smi mig -lgip`. */
export const ENGINE_KINDS = ['copy', 'decoder', 'encoder', 'jpeg', 'ofa'] as const;

/** Hardware engines of a GPU instance or of a whole GPU, as `nvidia-smi mig -lgip` counts them. */
export type Engines = Readonly<Record<(typeof ENGINE_KINDS)[number], number>>;

/** One GPU instance profile of a model, such as `1g.5gb` of an A100-40GB. */
export interface Profile {
  /** Name as nvidia-smi prints it, without `MIG `: `1g.5gb`, `1g.5gb+me`, `2g.48gb-me`. */
  readonly name: string;
  /** GPU instance profile id as `nvidia-smi mig -cgi` takes it; absent if unpublished. */
  readonly id?: number;
  /** Compute slices that an instance takes. */
  readonly computeSlices: number;
  /** Placement size in the units of the GPU's placement grid (memory slices; 12 units on RTX PRO 6000); 0 if unknown. */
  readonly memorySlices: number;
  /** Starts at which an instance may be placed, ascending, in placement units; empty if unpublished. */
  readonly starts: readonly number[];
  /** The most instances of this profile on one GPU. */
  readonly maxInstances: number;
  readonly engines: Engines;
  /** Usable memory of an instance in MiB. The driver's number wins: driver versions differ. */
  readonly memoryMiB?: number;
  /** Streaming multiprocessors of an instance. The driver's number wins. */
  readonly multiprocessors?: number;
  /** Names that other driver branches print for the same profile (`7g.79gb` for `7g.80gb`): read, never written. */
  readonly formerNames?: readonly string[];
}

/**
 * What is needed to judge a layout on a GPU: the totals and the profiles. Either from the built-in table
 * ({@link GpuModel}) or read from the driver (`-lgip`, `-lgipp`), which always overrides the table.
 */
export interface Geometry {
  readonly computeSlices: number;
  /** Size of the placement grid; 0 if instances have no placement (Thor, which has no memory of its own). */
  readonly memorySlices: number;
  /** Engines of the whole GPU that limit a layout; absent where they never bind before slices do. */
  readonly engines?: Engines;
  /** Profiles in the order of `nvidia-smi mig -lgip`. */
  readonly profiles: readonly Profile[];
  /** Sets of profile names of which a GPU holds at most one instance in total (Thor); absent if there are none. */
  readonly exclusive?: readonly (readonly string[])[];
}

/** Profile name to count, for one GPU: `{"1g.5gb": 2, "3g.20gb": 1}`. A count is a positive integer. */
export type Layout = Readonly<Record<string, number>>;

/**
 * Whether a whole text matches a glob: `*` is any run of characters, `?` any one; case is ignored. Takes at most (length of glob ×
 * length of text) steps: a regular expression of many `.*` would let a policy stall its readers.
 */
export function matchesGlob(glob: string, text: string): boolean {
  const pattern = glob.toLowerCase();
  const subject = text.toLowerCase();
  let at = 0;
  let position = 0;
  let star = -1;
  let resume = 0;
  while (position < subject.length) {
    if (pattern[at] === '*') {
      star = at;
      at += 1;
      resume = position;
    } else if (pattern[at] === '?' || pattern[at] === subject[position]) {
      at += 1;
      position += 1;
    } else if (star !== -1) {
      // Let the last star take one more character, and try again from there.
      at = star + 1;
      resume += 1;
      position = resume;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

type Architecture = 'ampere' | 'hopper' | 'blackwell';

/**
 * How sure a value is. `observed`: printed by the driver on such a GPU and published by its owner; `documented`: stated by
 * NVIDIA or by a tool that NVIDIA ships; `inferred`: follows from the family of the chip, a hint until the driver is read.
 */
type Confidence = 'observed' | 'documented' | 'inferred';

/** A value of a profile that a source can state. */
export type ProfileField = 'name' | 'id' | 'memorySlices' | 'starts' | 'maxInstances' | 'engines';

/** A board that carries the chip. */
export interface Product {
  /** Name as nvidia-smi prints it: `NVIDIA A100-SXM4-40GB`; drivers before R470 print no `NVIDIA `. */
  readonly name: string;
  /** Device and vendor as NVML and mig-parted write them: `0x20B010DE`; absent for an integrated GPU. */
  readonly pciDeviceId?: string;
  /** True if it is a guess that this board is this model: only its full name with `NVIDIA` finds it. */
  readonly uncertain?: boolean;
}

/** A profile of the built-in table. */
export interface ModelProfile extends Profile {
  /** Fields that no published source states for this model. */
  readonly inferred: readonly ProfileField[];
}

/** One GPU model of the built-in table: every board of it has the same MIG geometry. */
export interface GpuModel extends Geometry {
  /** Canonical id: `a100-40gb`. */
  readonly id: string;
  readonly chip: string;
  readonly architecture: Architecture;
  readonly products: readonly Product[];
  /** PCI ids that tools list for this geometry but whose board name is unpublished. */
  readonly unnamedPciDeviceIds?: readonly string[];
  /** Other names by which tools call the model: `h100-96gb`. */
  readonly otherIds?: readonly string[];
  readonly profiles: readonly ModelProfile[];
  /** Memory of the whole GPU, as `nvidia-smi --query-gpu=memory.total` prints it. */
  readonly memoryMiB?: number;
  /** Streaming multiprocessors of the whole GPU with MIG off. */
  readonly multiprocessors?: number;
  /** True if MIG mode becomes current only after a GPU reset (Ampere). */
  readonly resetToChangeMode: boolean;
  /** True if MIG mode is stored on the board (Ampere); else it is lost with the driver. Instances survive nowhere. */
  readonly modeSurvivesReboot: boolean;
  /** The first driver that offers MIG on the model. */
  readonly minDriver?: string;
  /** The weakest evidence among the names and placements of its plain profiles (without `+me` and the like). */
  readonly confidence: Confidence;
  /** The sources of its profile names and placements. */
  readonly sources: readonly SourceId[];
  /** True if newer drivers show another table on the same board; found by its id only. */
  readonly superseded?: boolean;
}

/**
 * Every GPU model that supports MIG. For validation, simulation and documentation: the table of a live driver always wins. Of two
 * models with one product name, the name resolves to the first.
 */
export const MODELS: readonly GpuModel[] = [
  ...AMPERE_MODELS,
  ...HOPPER_MODELS,
  ...BLACKWELL_MODELS,
  ...RTX_PRO_MODELS,
  ...THOR_MODELS,
];

/** Sources of the values in the built-in table: short name to description. `cap-` is a published capture of a driver. */
export const SOURCES = {
  'cap-a100-40-forum': 'nvidia-smi mig -lgip, A100-40GB, NVIDIA developer forum topic 170488',
  'cap-a100-80': 'nvidia-smi mig -lgip and -lgi, A100-SXM4-80GB, driver 550.54.14',
  'cap-a30-a': 'nvidia-smi mig -lgip, A30',
  'cap-a30-b': 'nvidia-smi mig -lgip, A30, another host',
  'cap-b200-a': 'nvidia-smi mig -lgip, B200, January 2025 (NVIDIA/mig-parted#166, NVIDIA/gpu-operator#1242)',
  'cap-b200-b': 'nvidia-smi mig -lgip, B200, March 2025 (NVIDIA/mig-parted#187, NVIDIA/gpu-operator#1351)',
  'cap-gb200-b': 'nvidia-smi mig -lgip, GB200, August 2025 (NVIDIA/mig-parted#227, #228)',
  'cap-gh200-144': 'nvidia-smi mig -lgip, GH200 144G HBM3e (NVIDIA/mig-parted#139, NVIDIA/gpu-operator#1057)',
  'cap-gh200-96': 'nvidia-smi mig -lgip, GH200 480GB',
  'cap-h100gcp': 'nvidia-smi mig -lgipp, H100 on Google Cloud Dataproc',
  'cap-h100nvl-a': 'nvidia-smi mig -lgip and -lgipp, H100 NVL, driver 560.35.03',
  'cap-h100nvl-b': 'nvidia-smi mig -lgip, H100 NVL, in NVIDIA/gpu-operator commit eee03d4b6',
  'cap-h100nvl-c': 'nvidia-smi mig -lgip, H100 NVL, NVIDIA technical blog',
  'cap-h100pcie-a': 'nvidia-smi mig -lgip and -lgi, H100 PCIe, driver 570.169',
  'cap-h100pcie-b': 'nvidia-smi mig -lgi, H100 PCIe',
  'cap-h100sxm-a': 'nvidia-smi mig -lgip and -lgipp, H100 80GB HBM3',
  'cap-h100sxm-b': 'nvidia-smi mig -lgip and -lgipp, H100 SXM (jbarrow.ai)',
  'cap-h100sxm-c': 'nvidia-smi mig -lgip, H100 SXM',
  'cap-h20': 'nvidia-smi mig -lgip, H20',
  'cap-h200': 'nvidia-smi mig -lgip, H200 (NVIDIA/mig-parted#120)',
  'cap-rtx-a': 'nvidia-smi mig -lgip and -lgipp, RTX PRO 6000 Server Edition, driver 610.43.02',
  'cap-rtx-b': 'nvidia-smi mig -lgip, RTX PRO 6000',
  'dgx-station-docs': 'NVIDIA/dgx-spark-playbooks station-mig; DGX Station GB300 documentation',
  dra: 'kubernetes-sigs/dra-driver-nvidia-gpu, comments and tests',
  'gfd-a100-80': 'labels of GPU Feature Discovery and a creation log, A100 80GB PCIe, driver 515.86.01',
  gke: 'GoogleCloudPlatform/container-engine-accelerators partition_gpu.go',
  'gonvml-mock': 'NVIDIA/go-nvml pkg/nvml/mock/gpus (A100 and A30 only are right)',
  'guide-580': 'NVIDIA MIG User Guide, r580 edition',
  'guide-latest': 'NVIDIA MIG User Guide, Supported MIG Profiles',
  'guide-started': 'NVIDIA MIG User Guide, Getting Started with MIG',
  hyperpod: 'AWS SageMaker HyperPod default-mig-config.yaml',
  instaslice: 'openshift/instaslice-operator test/utils/emulated.go',
  kep4815: 'KEP-4815 partitionable devices',
  migparted: 'NVIDIA/mig-parted config-default.yaml and its test fixtures',
  nos: 'nebuly-ai/nos pkg/gpu/mig/known_configs.go',
  'ogkm-src': 'NVIDIA/open-gpu-kernel-modules 595.45.04 kernel_mig_manager.c',
  tf: 'NexusGPU/tensor-fusion provider-nvidia.yaml',
  'vgpu-hopper': 'NVIDIA vGPU documentation, MIG-backed types of Hopper boards',
} as const;

type SourceId = keyof typeof SOURCES;

const current = MODELS.filter((model) => model.superseded !== true);
const byId = new Map(
  MODELS.flatMap((model) => [model.id, ...(model.otherIds ?? [])].map((id) => [normalizeProduct(id), model])),
);
const byProduct = indexFirst((model) =>
  model.products.filter((product) => product.uncertain !== true).map((product) => normalizeProduct(product.name)),
);
const byFullName = indexFirst((model) => model.products.map((product) => toProductLabel(product.name).toUpperCase()));
const byDevice = indexFirst((model) =>
  [...model.products.map((product) => product.pciDeviceId), ...(model.unnamedPciDeviceIds ?? [])]
    .filter((id) => id !== undefined)
    .map((id) => id.slice(2, 6)),
);

/**
 * The model that a name in any form denotes: a product as nvidia-smi prints it (with or without `NVIDIA `), as GPU Feature Discovery
 * labels it (with `-MIG-…` and `-SHARED`), a canonical id, a PCI device id (`0x20B010DE`, `20B0`, `10de:20b0`), or part of these
 * (`a100-80gb-sxm`, `h100-80gb`, `H200`). If several models share a part, the first one is returned if all have the same profile
 * names (`h100-80gb`: SXM and PCIe differ in multiprocessors only), else none (`a100`). If boards of one PCI id differ by driver
 * (GB300, RTX PRO 5000), the current or more common table is returned.
 */
export function findModel(nameInAnyForm: string): GpuModel | undefined {
  const known = remembered.get(nameInAnyForm);
  if (known !== undefined) return known.model;
  const model = lookUp(nameInAnyForm);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(nameInAnyForm, { model });
  return model;
}

/** Maximum number of cached answers: a fleet has few products, and looks them up once per GPU. */
const MOST_REMEMBERED = 256;
const remembered = new Map<string, { readonly model: GpuModel | undefined }>();

function lookUp(nameInAnyForm: string): GpuModel | undefined {
  const name = normalizeProduct(nameInAnyForm);
  if (name === '') return undefined;
  return (
    byDevice.get(readDeviceId(nameInAnyForm) ?? '') ??
    byId.get(name) ??
    byProduct.get(name) ??
    byFullName.get(toProductLabel(nameInAnyForm).toUpperCase()) ??
    findByWords(name)
  );
}

/** Models that a name in any form may denote, none of them or several that differ: `findModel` cannot choose between these. */
export function listModelsOfName(nameInAnyForm: string): readonly GpuModel[] {
  const name = normalizeProduct(nameInAnyForm);
  return name === '' ? [] : listByWords(name);
}

/** Boards of Kepler to Turing, GeForce and workstation boards, and those with the chips GA10x, AD10x and GB10. */
const withoutMig =
  /^(?:(?:TESLA-)?(?:[KMP]\d+[A-Z]?|V100S?|T4G?)|A(?:2|10|10G|10M|16|40)|L(?:2|4|20|40|40S|40G)|GB10|(?:GEFORCE|QUADRO|TITAN|GTX|NVS)|RTX-(?:A?\d{4})|T\d{3,4})(?:-|$)/;

/** Whether this is the name of a product that is known to have no MIG. Of other names nothing is known, nor of PCI device ids. */
export function hasNoMig(nameInAnyForm: string): boolean {
  return withoutMig.test(normalizeProduct(nameInAnyForm));
}

/** What a policy knows of a GPU when it checks whether a selector matches it. */
interface GpuName {
  /** Product in any form; a label's `-MIG-…` suffix does not matter. */
  readonly product: string;
  /** Canonical id, if already known; else it is looked up. */
  readonly modelId?: string;
}

/**
 * Whether a `models` selector of a policy matches a GPU: a glob of `*` and `?`, case ignored, matched against the canonical id and
 * the product as GPU Feature Discovery writes it, without `NVIDIA-`. nvidia-smi writes spaces where that has dashes.
 */
export function matchesModelGlob(glob: string, gpu: GpuName): boolean {
  const dashed = glob.trim().replaceAll(/ +/g, '-');
  return namesOf(gpu).some((name) => matchesGlob(dashed, name));
}

const names = new Map<string, readonly string[]>();

function namesOf({ product, modelId }: GpuName): readonly string[] {
  const key = `${product}\n${modelId ?? ''}`;
  const known = names.get(key);
  if (known) return known;
  const id = modelId ?? findModel(product)?.id;
  const label = toProductLabel(product).replace(/^nvidia-/i, '');
  // The unchanged label comes last, so that a glob that ends in a suffix of the label still matches.
  const found = [...new Set([...(id === undefined ? [] : [id]), normalizeProduct(label), label])];
  if (names.size >= MOST_REMEMBERED) names.clear();
  names.set(key, found);
  return found;
}

function readDeviceId(text: string): string | undefined {
  const match = /^(?:0x)?(?:10de:)?([0-9a-f]{4})(?:10de)?$/i.exec(text.trim());
  return match?.[1]?.toUpperCase();
}

function findByWords(name: string): GpuModel | undefined {
  const found = listByWords(name);
  const first = found[0];
  return first !== undefined && found.every((model) => sameProfileNames(model, first)) ? first : undefined;
}

/** Models whose id or one of whose products contains all words of the name; `SXM5` and `SXM` are one word. */
function listByWords(name: string): readonly GpuModel[] {
  const words = splitWords(name);
  return current.filter((model) =>
    model.products.some((product) => {
      const known = splitWords(`${normalizeProduct(model.id)}-${normalizeProduct(product.name)}`);
      return words.every((word) => known.includes(word));
    }),
  );
}

function splitWords(name: string): readonly string[] {
  return name.split('-').map((word) => word.replace(/^SXM\d$/, 'SXM'));
}

function sameProfileNames(left: GpuModel, right: GpuModel): boolean {
  return left.profiles.map((profile) => profile.name).join() === right.profiles.map((profile) => profile.name).join();
}

function indexFirst(keysOf: (model: GpuModel) => readonly string[]): ReadonlyMap<string, GpuModel> {
  const index = new Map<string, GpuModel>();
  for (const model of current) for (const key of keysOf(model)) if (!index.has(key)) index.set(key, model);
  return index;
}

/**
 * A product name as GPU Feature Discovery writes it into `nvidia.com/gpu.product` (`internal/lm/resource.go`): characters outside
 * `[A-Za-z0-9-_. ]` dropped, words joined by `-`. The length is not checked; see `invalidLabels`.
 */
export function toProductLabel(product: string): string {
  return product
    .replaceAll(/[^A-Za-z0-9\-_. ]/g, '')
    .trim()
    .split(/\s+/)
    .join('-');
}

/**
 * Normalises a product name in any form: upper case, words joined by `-`, without `NVIDIA`, without what GPU Feature Discovery
 * appends under strategy single (`-MIG-1g.5gb`) and under sharing (`-SHARED`).
 */
function normalizeProduct(text: string): string {
  return text
    .trim()
    .toUpperCase()
    .replace(/[-_ ]SHARED$/, '')
    .replace(/[-_ ]MIG[-_ ](?:\d+C\.)?(?:\d+G\.\d+GB[A-Z0-9.+-]*|INVALID)$/, '')
    .split(/[^A-Z0-9.]+/)
    .filter((word) => word !== '' && word !== 'NVIDIA')
    .join('-');
}

/**
 * Why a driver cannot partition a GPU; undefined if it can, as far as published. An older one may show the GPU in MIG mode and then
 * refuse what a plan and the way back from it need.
 */
export function explainOldDriver(product: string, driverVersion: string | undefined): string | undefined {
  const needed = findModel(product)?.minDriver;
  if (needed === undefined || driverVersion === undefined || !isOlderVersion(driverVersion, needed)) return undefined;
  return `driver ${driverVersion} is too old for MIG on this GPU: it takes ${needed} or later`;
}

/** True if version `one` comes before `other`: 550.90.07 before 550.163.01. */
export function isOlderVersion(one: string, other: string): boolean {
  const [parts, others] = [one, other].map((version) => version.split('.').map(Number));
  const at = others?.findIndex((part, index) => (parts?.[index] ?? 0) !== part) ?? -1;
  return at !== -1 && (parts?.[at] ?? 0) < (others?.[at] ?? 0);
}

/** A layout for people, small profiles first: `1×1g.5gb + 2×3g.20gb`, or `no instances`. */
export function writeLayout(layout: Layout): string {
  const parts = listProfiles(layout).map(([profile, count]) => `${count}×${profile}`);
  return parts.length === 0 ? 'no instances' : parts.join(' + ');
}

/** Profiles with their counts, by compute slices, then memory, then name: 1g.5gb, 1g.5gb+me, 1g.10gb, 2g.10gb. */
export function listProfiles(layout: Layout): readonly (readonly [profile: string, count: number])[] {
  return Object.entries(layout).sort(([a], [b]) => compareProfiles(a, b));
}

function compareProfiles(a: string, b: string): number {
  const slices = (name: string) => Number(/(\d)g\./.exec(name)?.[1] ?? 0);
  const memory = (name: string) => Number(/\.(\d+)gb/.exec(name)?.[1] ?? 0);
  return slices(a) - slices(b) || memory(a) - memory(b) || compareText(a, b);
}

/** How many instances there are, by profile. */
export function countPresent(instances: readonly { readonly profile: string }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { profile } of instances) counts.set(profile, (counts.get(profile) ?? 0) + 1);
  return counts;
}
