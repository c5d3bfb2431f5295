import type { GpuReport, GpuSelector } from '../../api/types.ts';
import { findModel, matchesModelGlob } from '../gpu/geometry/model-lookup.ts';

/** What the GPUs are that have told it. */
export function productsOf(gpus: readonly GpuReport[]): readonly string[] {
  return gpus.filter((gpu) => !isNameless(gpu)).map(({ product }) => product);
}

/** What the GPUs are that may have MIG: one that has none, or does not say what it is, tells nothing of what a policy can have. */
export function migProductsOf(gpus: readonly GpuReport[]): readonly string[] {
  const mayHaveMig = ({ migCapable, error, product }: GpuReport): boolean =>
    migCapable !== false && (error === undefined || findModel(product) !== undefined);
  return productsOf(gpus.filter(mayHaveMig));
}

/** A lost GPU that has never told its UUID is reported by its address, and nothing can be asked of it. */
export function isNameless({ uuid, pciBusId }: GpuReport): boolean {
  return uuid === pciBusId;
}

/** Whether a GPU matches the selector of a layout, `count` aside: every given field must match. */
export function matchesGpu(selector: GpuSelector, gpu: GpuReport): boolean {
  return (
    !isNameless(gpu) &&
    (selector.models === undefined || matchesModel(selector.models, gpu.product)) &&
    (selector.indices?.includes(gpu.index) ?? true) &&
    (selector.uuids?.some((uuid) => uuid.toLowerCase() === gpu.uuid.toLowerCase()) ?? true) &&
    (selector.pciDeviceIds?.some((id) => id.toLowerCase() === gpu.pciDeviceId?.toLowerCase()) ?? true)
  );
}

/** Products cached per selector: a fleet has few, and an agent may report anything. */
const MOST_PRODUCTS = 64;

const matches = new WeakMap<readonly string[], Map<string, boolean>>();

function matchesModel(globs: readonly string[], product: string): boolean {
  const known = matches.get(globs) ?? new Map<string, boolean>();
  matches.set(globs, known);
  const before = known.get(product);
  if (before !== undefined) return before;
  if (known.size >= MOST_PRODUCTS) known.clear();
  const modelId = findModel(product)?.id;
  const identity = { product, ...(modelId === undefined ? {} : { modelId }) };
  const isMatch = globs.some((glob) => matchesModelGlob(glob, identity));
  known.set(product, isMatch);
  return isMatch;
}
