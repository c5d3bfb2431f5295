import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';

/** What an author would write to get this spec: without what the API server and the controller add. */
export function asWritten({ apiVersion, kind, metadata }: GpuPartitionPolicy, spec: PolicySpec): GpuPartitionPolicy {
  return { apiVersion, kind, metadata: { name: metadata.name }, spec };
}
