import type { Geometry } from '../geometry/geometry.ts';
import type { Instance } from '../search/instance.ts';

export type MigMode = 'Enabled' | 'Disabled';

/** A GPU as the planner sees it, whether read from the driver or from a report of the agent. */
export interface GpuView {
  /** `A100-SXM4-40GB` */
  readonly product: string;
  /** Undefined if the GPU does not support MIG profiles. */
  readonly geometry: Geometry | undefined;
  /** Undefined if the GPU does not support MIG mode. */
  readonly mig: { readonly current: MigMode; readonly pending: MigMode } | undefined;
  /** By start. */
  readonly instances: readonly ViewedInstance[];
  /**
   * How the GPU is used besides its instances: by processes, which a change of MIG mode disrupts and which keep the driver from
   * creating a first instance, or held whole by a pod, which any change disrupts. `Evictable`: held by pods that are evicted before anything is changed.
   */
  readonly use: 'None' | 'Processes' | 'Held' | 'Evictable';
}

export interface ViewedInstance extends Instance {
  /** In the planner's terms: one that covers the whole GPU instance has its name, whatever the driver prints. */
  readonly computeInstances: readonly string[];
  /** Busy because of pods that are evicted before it is touched: it may be disrupted, if need be. */
  readonly isEvictable?: boolean;
}
