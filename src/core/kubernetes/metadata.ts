/** Object metadata as JSON: times are RFC 3339 strings, never `Date`. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly unknown[];
}

export interface OwnerReference {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name?: string;
  readonly uid?: string;
  readonly controller?: boolean;
}

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
