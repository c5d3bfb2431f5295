import type { GpuPartitionPolicy, PolicySpec } from '../../../src/api/types.ts';
import { aPolicy } from '../../support/builders.ts';

/** A policy with a demand for nothing, which evicts. */
export function aDemandPolicy(demand: Partial<NonNullable<PolicySpec['demand']>> = {}): GpuPartitionPolicy {
  const { spec, ...policy } = aPolicy();
  const { layouts: _none, ...rest } = spec;
  const slices = [{ profiles: ['1g.5gb'], count: 0 }];
  return {
    ...policy,
    spec: { ...rest, demand: { slices, evict: 'IfNeeded', ...demand } },
    status: { acceptedGeneration: 1 },
  };
}
