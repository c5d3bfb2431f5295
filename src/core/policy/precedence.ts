import type { GpuPartitionPolicy } from '../../api/types.ts';

/** Order in which policies win a node: the higher priority, then the older, then the name. */
export function byPrecedence(a: GpuPartitionPolicy, b: GpuPartitionPolicy): number {
  return (
    (b.spec.priority ?? 0) - (a.spec.priority ?? 0) ||
    compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
    compareText(a.metadata.name, b.metadata.name)
  );
}

// Not localeCompare: the order must not depend on the machine's language.
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
