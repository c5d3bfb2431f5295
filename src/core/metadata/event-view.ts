/** An Event in either of its two shapes in the API. */
export interface EventView {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly metadata: { readonly creationTimestamp?: string };
}

/** @returns when it last happened, RFC 3339; empty if it does not say */
export function lastSeen({ series, lastTimestamp, eventTime, metadata }: EventView): string {
  return series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '';
}
