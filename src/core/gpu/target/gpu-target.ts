import type { Layout } from '../geometry/geometry.ts';
import type { Step } from '../plan/step.ts';

/** The desired state of one GPU. */
export interface GpuTarget {
  readonly uuid: string;
  /** Profile to count; empty for MIG mode without instances; or MIG off. */
  readonly want: Layout | 'Disabled';
  /**
   * Steps of the plan that was granted or shown, executed unchanged; a new plan is made only after a failure, or if a reading shows
   * something else. Only what they destroy may be destroyed, idle or not. Absent: the plan is made on the first reading, and may
   * destroy every existing instance.
   */
  readonly steps?: readonly Step[];
  /** The plan resets the GPU after everything on it has been destroyed. */
  readonly resets?: boolean;
}
