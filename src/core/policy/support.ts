import type { PolicySpec } from '../../api/types.ts';

/** What the administrator has set up, beyond what every cluster has. */
export interface Support {
  /** The controller may write the device plugin's config files. */
  readonly sharing: boolean;
}

export const fullSupport: Support = { sharing: true };

/**
 * Fields that the schema has and this version does not honour yet, as paths such as `spec.drain`. A policy that sets
 * one is refused by name: silently ignoring it would be a promise that nobody keeps.
 */
export function unsupportedFields(spec: PolicySpec): readonly string[] {
  const found: string[] = [];
  const report = (path: string, isSet: boolean) => {
    if (isSet) found.push(path);
  };
  for (const field of ['scope', 'timeout', 'onTimeout', 'gracePeriod'] as const) {
    report(`spec.drain.${field}`, spec.drain?.[field] !== undefined);
  }
  for (const field of ['maxUnavailable', 'canary', 'failureThreshold', 'windows'] as const) {
    report(`spec.rollout.${field}`, spec.rollout?.[field] !== undefined);
  }
  report('spec.onDelete: DisableMig', spec.onDelete === 'DisableMig');
  return found;
}
