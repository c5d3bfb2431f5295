// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.
import type { ErrorObject } from 'ajv';
import type { GpuPartitionPolicy } from './gpu-partition-policy.ts';
export const validate: {
  (data: unknown): data is GpuPartitionPolicy;
  errors?: readonly ErrorObject[] | null;
};
