import type { GpuNodePartition as NodePartition } from './generated/gpu-node-partition.ts';
import type { GpuPartitionPolicy as Policy } from './generated/gpu-partition-policy.ts';

/** Objects come from the watch cache, which others read too: nobody may modify them in place. */
export type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

export type GpuPartitionPolicy = DeepReadonly<Policy>;
export type PolicySpec = GpuPartitionPolicy['spec'];
export type PolicyStatus = NonNullable<GpuPartitionPolicy['status']>;
export type PolicyLayout = NonNullable<PolicySpec['layouts']>[number];
/** What a policy wants of all its nodes together. */
export type PolicyDemand = NonNullable<PolicySpec['demand']>;
export type DemandState = NonNullable<PolicyStatus['demand']>[number];
export type GpuSelector = NonNullable<PolicyLayout['gpus']>;
export type Strategy = PolicySpec['strategy'];

export type GpuNodePartition = DeepReadonly<NodePartition>;
export type NodePartitionSpec = GpuNodePartition['spec'];
export type NodePartitionStatus = NonNullable<GpuNodePartition['status']>;
export type Wish = NonNullable<NodePartitionSpec['wish']>;
export type GpuWish = Wish['gpus'][number];
export type Grant = NonNullable<NodePartitionSpec['granted']>;
export type Phase = NonNullable<NodePartitionStatus['phase']>;
export type DeviceReport = NonNullable<NodePartitionStatus['device']>;
export type PlanReport = NonNullable<DeviceReport['plan']>;
export type GpuReport = NonNullable<DeviceReport['gpus']>[number];
export type InstanceReport = GpuReport['instances'][number];
export type ModelReport = NonNullable<DeviceReport['models']>[number];
