/** What the administrator has set up, beyond what every cluster has. */
export interface Support {
  /** The controller may write the device plugin's config files. */
  readonly sharing: boolean;
}

export const fullSupport: Support = { sharing: true };
