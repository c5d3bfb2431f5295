import type { PolicySpec } from '../../api/types.ts';
import type { Finding } from '../text/finding.ts';
import { GPU_RESOURCE, migResourceName } from '../nvidia/labels/label-key.ts';
import { variantsOf } from './schedules.ts';
import { checkSharing } from '../nvidia/plugin-config/managed-config.ts';

/** What is wrong with a policy's sharing, by the rules of the device plugin and the resources that its layouts offer. */
export function checkPolicySharing(spec: PolicySpec): Finding | undefined {
  const layouts = variantsOf(spec).flatMap((variant) => variant.spec.layouts ?? []);
  const all = spec.layouts === undefined ? spec : { ...spec, layouts };
  return checkSharing(all, offeredBy(all));
}

/**
 * Resources that the nodes offer; undefined if they depend on a preset, whose slices differ by model. GPUs that no entry matches
 * stay whole.
 */
function offeredBy({ strategy, layouts }: PolicySpec): ReadonlySet<string> | undefined {
  if (strategy !== 'mixed' || layouts === undefined || layouts.some(({ preset }) => preset !== undefined))
    return undefined;
  return new Set([
    GPU_RESOURCE,
    ...layouts.flatMap(({ profiles }) => Object.keys(profiles ?? {}).map(migResourceName)),
  ]);
}

/** What the administrator has set up, beyond what every cluster has. */
export interface Support {
  /** The controller may write the device plugin's config files. */
  readonly sharing: boolean;
}

export const fullSupport: Support = { sharing: true };
