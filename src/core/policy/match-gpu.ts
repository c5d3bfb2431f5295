import type { GpuReport, GpuSelector } from '../../api/types.ts';
import { findModel, matchesModelGlob } from '../gpu/geometry/model-lookup.ts';

/** Whether a GPU meets the selector of a layout, `count` aside: all that is given must match. */
export function matchesGpu(selector: GpuSelector, gpu: GpuReport): boolean {
  const modelId = findModel(gpu.product)?.id;
  const identity = { product: gpu.product, ...(modelId === undefined ? {} : { modelId }) };
  return (
    (selector.models?.some((glob) => matchesModelGlob(glob, identity)) ?? true) &&
    (selector.indices?.includes(gpu.index) ?? true) &&
    (selector.uuids?.some((uuid) => uuid.toLowerCase() === gpu.uuid.toLowerCase()) ?? true) &&
    (selector.pciDeviceIds?.some((id) => id.toLowerCase() === gpu.pciDeviceId?.toLowerCase()) ?? true)
  );
}
