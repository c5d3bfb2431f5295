import type { DeviceReport, GpuPartitionPolicy, GpuReport, GpuWish, PolicySpec, Wish } from '../../api/types.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import { layoutFor } from './gpu-layout.ts';
import { liveGeometry } from './live-geometry.ts';
import { matchesGpu } from './match-gpu.ts';
import { selectsNode } from './node-selector.ts';
import { byPrecedence } from './precedence.ts';
import type { PolicyRefusal } from './refusal.ts';
import { checkSingle } from './single.ts';
import { meetsWish } from './wish.ts';

/** Which policy decides over a node: the winner and those that lost to it, in order of precedence. */
export interface Decision {
  readonly winner: GpuPartitionPolicy | undefined;
  readonly losers: readonly GpuPartitionPolicy[];
}

export function decidePolicy(
  policies: readonly GpuPartitionPolicy[],
  nodeLabels: Readonly<Record<string, string>>,
): Decision {
  const [winner, ...losers] = policies
    .filter(
      ({ spec, metadata }) => metadata.deletionTimestamp === undefined && selectsNode(spec.nodeSelector, nodeLabels),
    )
    .sort(byPrecedence);
  return { winner, losers };
}

/** What a policy makes of a node's GPUs: one wish per GPU that an entry matches, or the reason why not. */
export type NodeWish = { readonly wish: Wish } | { readonly refusal: PolicyRefusal };

/**
 * @param device what the node's agent reported
 * @param current the wish that the node has now: `count` keeps the GPUs that it chose before
 */
export function resolveNode(spec: PolicySpec, device: DeviceReport, current: Wish | undefined): NodeWish {
  const gpus = device.gpus ?? [];
  const wishes = new Map<string, GpuWish>();
  for (const entry of spec.layouts) {
    const free = gpus.filter((gpu) => !wishes.has(gpu.uuid) && matchesGpu(entry.gpus ?? {}, gpu));
    const candidates: { readonly gpu: GpuReport; readonly wish: GpuWish }[] = [];
    for (const gpu of free) {
      const result = wishFor(entry, gpu, liveGeometry(device, gpu));
      if (result && 'refusal' in result) return result;
      if (result) candidates.push({ gpu, wish: result });
    }
    for (const { wish } of choose(candidates, entry.gpus?.count, current)) wishes.set(wish.uuid, wish);
  }
  // In the order of the device, so that equal wishes are equal lists.
  const wish: Wish = {
    gpus: gpus.flatMap(({ uuid }) => wishes.get(uuid) ?? []),
    ...(spec.allow?.replaceForeignInstances === true ? { replaceForeignInstances: true } : {}),
  };
  const refusal = spec.strategy === 'single' ? checkSingle(gpus, wish.gpus) : undefined;
  return refusal ? { refusal } : { wish };
}

/** undefined where the GPU has no MIG and the entry asks for slices: it is left alone, as a GPU that matches nothing. */
function wishFor(
  entry: PolicySpec['layouts'][number],
  gpu: GpuReport,
  geometry: Geometry | undefined,
): GpuWish | { readonly refusal: PolicyRefusal } | undefined {
  if (geometry === undefined) return entry.mig === 'Disabled' ? { uuid: gpu.uuid, mig: 'Disabled' } : undefined;
  const layout = layoutFor(entry, geometry, gpu.product.replace(/^NVIDIA /, ''));
  return 'refusal' in layout ? layout : { uuid: gpu.uuid, ...layout };
}

/** With `count`: first the GPUs that were chosen before, then those that need no change, then by index. */
function choose<T extends { readonly gpu: GpuReport; readonly wish: GpuWish }>(
  candidates: readonly T[],
  count: number | undefined,
  current: Wish | undefined,
): readonly T[] {
  if (count === undefined) return candidates;
  const chosenBefore = ({ wish }: T) =>
    current?.gpus.some((one) => one.uuid === wish.uuid && JSON.stringify(one) === JSON.stringify(wish)) ?? false;
  const cost = (candidate: T) =>
    chosenBefore(candidate) ? 0 : meetsWish(candidate.gpu, candidate.wish) ? 1 : 2 + candidate.gpu.instances.length;
  return [...candidates].sort((a, b) => cost(a) - cost(b) || a.gpu.index - b.gpu.index).slice(0, count);
}
