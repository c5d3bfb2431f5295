// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.
import type { ErrorObject } from 'ajv';
import type { GpuNodePartition } from './gpu-node-partition.ts';
export const validate: {
  (data: unknown): data is GpuNodePartition;
  errors?: readonly ErrorObject[] | null;
};
