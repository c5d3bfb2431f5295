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
  return spec.onDelete === 'DisableMig' ? ['spec.onDelete: DisableMig'] : [];
}
