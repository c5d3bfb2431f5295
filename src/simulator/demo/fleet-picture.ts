import type { GpuNodePartition, GpuReport } from '../../api/types.ts';
import { liveGeometry } from '../../core/policy/live-geometry.ts';
import { drawGpu } from '../../core/planning/picture.ts';
import { groupPictures } from './picture-lines.ts';

/** A node's row and its GPUs' slices as they are now. */
export function drawNode(partition: GpuNodePartition): readonly string[] {
  const { metadata, spec, status } = partition;
  const device = status?.device ?? {};
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const epoch = spec.granted?.epoch ?? 0;
  const isApplying = epoch > (device.observedEpoch ?? 0);
  const phase = isApplying ? 'Updating' : (status?.phase ?? 'Pending');
  const columns = [
    metadata.name.padEnd(10),
    (spec.policy?.name ?? '-').padEnd(12),
    phase.padEnd(10),
    isApplying ? `grant ${epoch}` : (ready?.reason ?? ''),
  ];
  const pictures = (device.gpus ?? []).map((gpu) => ({ index: gpu.index, picture: drawReport(partition, gpu) }));
  return [columns.join(' ').trimEnd(), ...groupPictures(pictures).map((line) => `  ${line}`)];
}

function drawReport(partition: GpuNodePartition, gpu: GpuReport): string {
  const geometry = liveGeometry(partition.status?.device ?? {}, gpu);
  if (!geometry) return `${gpu.product}: no MIG, stays whole`;
  return drawGpu(geometry, gpu.mig === 'Enabled' ? gpu.instances : undefined);
}
