import type { GpuPartitionPolicy } from '../../api/types.ts';
import { compareText } from '../text/compare.ts';

/** Order in which policies win a node: higher priority first, then older, then by name. */
export function byPrecedence(a: GpuPartitionPolicy, b: GpuPartitionPolicy): number {
  return (
    (b.spec.priority ?? 0) - (a.spec.priority ?? 0) ||
    compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
    compareText(a.metadata.name, b.metadata.name)
  );
}
