import type { GpuReport, GpuSelector, PolicyLayout } from '../../api/types.ts';
import { joinWords } from '../gpu/search/layout-words.ts';
import { isNameless, matchesGpu } from './match-gpu.ts';

/** An entry of a policy's `layouts` that applies to no GPU of a node, and why. */
export interface SkippedEntry {
  /** Index in `layouts`. */
  readonly entry: number;
  readonly reason:
    /** The GPUs that it matches lack MIG, and it requests slices. */
    | 'NoMig'
    /** The node has GPUs, but none with these indices. */
    | 'NoSuchIndex'
    /** No GPU of the node matches the selector. */
    | 'NoGpuMatches'
    /** Earlier entries take every GPU that it matches. */
    | 'Taken';
  /** Names the GPUs and what exists instead; without the entry's position. */
  readonly message: string;
}

export function explainSkipped(
  index: number,
  { gpus: selector = {} }: PolicyLayout,
  gpus: readonly GpuReport[],
  withoutMig: ReadonlySet<string>,
): SkippedEntry {
  const met = gpus.filter((gpu) => matchesGpu(selector, gpu));
  const sliceable = met.filter(({ uuid }) => !withoutMig.has(uuid));
  if (sliceable.length > 0) {
    const message = `earlier entries apply to every GPU that it matches: ${listGpus(sliceable)}`;
    return { entry: index, reason: 'Taken', message };
  }
  if (met.length > 0) {
    const products = [...new Set(met.map(({ product }) => shorten(product)))].join(', ');
    const [has, it] = met.length === 1 ? ['has', 'it'] : ['have', 'they'];
    const message = `${listGpus(met)} (${products}) ${has} no MIG support, so ${it} cannot be sliced`;
    return { entry: index, reason: 'NoMig', message };
  }
  const known = new Set(gpus.map(({ index: number }) => number));
  const { indices } = selector;
  if (indices !== undefined && gpus.length > 0 && !indices.some((number) => known.has(number))) {
    const message = `this node has no GPU ${indices.join(' or ')}; it has ${listGpus(gpus)}`;
    return { entry: index, reason: 'NoSuchIndex', message };
  }
  const nameless = explainNameless(gpus.filter((gpu) => indices?.includes(gpu.index) === true));
  const message = nameless ?? explainNone(selector, gpus);
  return { entry: index, reason: 'NoGpuMatches', message };
}

/** Why a selector cannot match some of these GPUs, if it might. */
export function explainNameless(gpus: readonly GpuReport[]): string | undefined {
  const nameless = gpus.filter(isNameless);
  if (nameless.length === 0) return undefined;
  const [is, it] = nameless.length === 1 ? ['is', 'it is'] : ['are', 'they are'];
  return `${listGpus(nameless)} ${is} lost, and no agent has read yet what ${it}`;
}

function explainNone({ models, indices, uuids, pciDeviceIds }: GpuSelector, gpus: readonly GpuReport[]): string {
  if (gpus.length === 0) return 'this node has no GPU';
  const wanted = [
    ...(models === undefined ? [] : [`of models ${models.join(', ')}`]),
    ...(indices === undefined ? [] : [`with index ${indices.join(', ')}`]),
    ...(uuids === undefined ? [] : [`with UUID ${uuids.join(', ')}`]),
    ...(pciDeviceIds === undefined ? [] : [`with PCI device id ${pciDeviceIds.join(', ')}`]),
  ];
  const counts = new Map<string, number>();
  for (const gpu of gpus) {
    const product = isNameless(gpu) ? 'lost GPU' : shorten(gpu.product);
    counts.set(product, (counts.get(product) ?? 0) + 1);
  }
  const found = [...counts].map(([product, count]) => `${count} × ${product}`);
  return `no GPU of this node is ${joinWords(wanted)}; it has ${joinWords(found)}`;
}

/** `GPU 0`, `GPUs 0 and 1`, `GPUs 0 to 7`. */
function listGpus(gpus: readonly GpuReport[]): string {
  const numbers = gpus.map(({ index }) => index).toSorted((a, b) => a - b);
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  const isRow = numbers.length > 2 && last - first === numbers.length - 1;
  const text = isRow ? `${first} to ${last}` : joinWords(numbers.map(String));
  return `${gpus.length === 1 ? 'GPU' : 'GPUs'} ${text}`;
}

function shorten(product: string): string {
  return product.replace(/^NVIDIA /, '');
}
