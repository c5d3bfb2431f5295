import type { GpuNodePartition } from '../api/types.ts';
import type { KubeObject } from '../kube/resource.ts';

/** The node's object as it comes from the API server. */
export type Partition = GpuNodePartition & KubeObject;
