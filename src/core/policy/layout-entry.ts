import type { DeviceReport, GpuReport, PolicyLayout } from '../../api/types.ts';
import { type GpuLayout, layoutFor } from './gpu-layout.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import { matchesGpu } from './match-gpu.ts';

/** An entry of a policy's `layouts`, on one node. */
export interface LayoutEntry {
  readonly entry: PolicyLayout;
  /** What it makes of the GPUs that reach it, by UUID; without GPUs that lack MIG if it requests slices. */
  readonly layouts: ReadonlyMap<string, GpuLayout>;
}

/**
 * Evaluates the entries on the GPUs that reach them: an entry without a count takes every GPU that it applies to, one with a count
 * may leave a GPU to later entries.
 */
export function readEntries(layouts: readonly PolicyLayout[], device: DeviceReport): readonly LayoutEntry[] {
  let open = device.gpus ?? [];
  return layouts.map((entry) => {
    const read = readEntry(entry, open, device);
    if (entry.gpus?.count === undefined) open = open.filter(({ uuid }) => !read.has(uuid));
    return { entry, layouts: read };
  });
}

function readEntry(
  entry: PolicyLayout,
  gpus: readonly GpuReport[],
  device: DeviceReport,
): ReadonlyMap<string, GpuLayout> {
  const layouts = new Map<string, GpuLayout>();
  for (const gpu of gpus) {
    if (!matchesGpu(entry.gpus ?? {}, gpu)) continue;
    const geometry = liveGeometry(device, gpu);
    // A GPU without MIG is already whole; if slices are requested, it is left alone, like a GPU that matches nothing.
    if (geometry !== undefined) layouts.set(gpu.uuid, layoutFor(entry, geometry, gpu.product.replace(/^NVIDIA /, '')));
    else if (entry.mig === 'Disabled') layouts.set(gpu.uuid, { mig: 'Disabled' });
  }
  return layouts;
}
