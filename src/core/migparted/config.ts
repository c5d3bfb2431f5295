import type { FieldPath } from '../text/finding.ts';
import type { Layout } from '../gpu/geometry/geometry.ts';
import type { DeviceFilter } from './device-filter.ts';

/** One entry of a config: what becomes of the GPUs that it matches. */
export interface MigSpec {
  readonly path: FieldPath;
  /** OR over the list; empty for no filter. */
  readonly filters: readonly DeviceFilter[];
  readonly devices: 'all' | readonly number[];
  /** False if nothing in the file can match a GPU: unreadable filters, no indices. The spec does nothing. */
  readonly canMatch: boolean;
  /** Slices of each GPU, empty for MIG mode without instances; undefined for MIG mode off. */
  readonly layout: Layout | undefined;
}

/** A named config: the value of the label `nvidia.com/mig.config`. */
export interface MigConfig {
  readonly name: string;
  readonly path: FieldPath;
  readonly specs: readonly MigSpec[];
}
