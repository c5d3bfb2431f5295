import { matchesGlob } from './glob.ts';
import type { GpuModel } from './model.ts';
import { MODELS } from './models.ts';

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

/** All models that share a PCI device id with this one: the same board under other driver branches, itself included. */
export function listModelsOfSameBoard(model: GpuModel): readonly GpuModel[] {
  const devices = new Set(model.products.map((product) => product.pciDeviceId));
  return MODELS.filter(
    (other) =>
      other === model ||
      other.products.some((product) => product.pciDeviceId !== undefined && devices.has(product.pciDeviceId)),
  );
}

/** What a policy knows of a GPU when it checks whether a selector matches it. */
export interface GpuName {
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

/** Models whose id or one of whose products contains all words of the name; `SXM5` and `SXM` are one word. */
function findByWords(name: string): GpuModel | undefined {
  const words = splitWords(name);
  const found = current.filter((model) =>
    model.products.some((product) => {
      const known = splitWords(`${normalizeProduct(model.id)}-${normalizeProduct(product.name)}`);
      return words.every((word) => known.includes(word));
    }),
  );
  const first = found[0];
  return first !== undefined && found.every((model) => sameProfileNames(model, first)) ? first : undefined;
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
export function normalizeProduct(text: string): string {
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
  if (needed === undefined || driverVersion === undefined || !isOlderDriver(driverVersion, needed)) return undefined;
  return `driver ${driverVersion} is too old for MIG on this GPU: it takes ${needed} or later`;
}

/** True if version `one` comes before `other`: 550.90.07 before 550.163.01. */
export function isOlderDriver(one: string, other: string): boolean {
  const [parts, others] = [one, other].map((version) => version.split('.').map(Number));
  const at = others?.findIndex((part, index) => (parts?.[index] ?? 0) !== part) ?? -1;
  return at !== -1 && (parts?.[at] ?? 0) < (others?.[at] ?? 0);
}
