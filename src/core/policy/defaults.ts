import { specDefaults } from '../../api/generated/gpu-partition-policy.defaults.ts';
import type { PolicySpec } from '../../api/types.ts';

/** A spec as the API server stores it: omitted fields have the schema's defaults. */
export function fillDefaults(spec: PolicySpec): PolicySpec {
  return {
    ...specDefaults,
    ...spec,
    drain: { ...specDefaults.drain, ...spec.drain },
    rollout: { ...specDefaults.rollout, ...spec.rollout },
    allow: { ...specDefaults.allow, ...spec.allow },
  };
}
