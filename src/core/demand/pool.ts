import type { Geometry } from '../gpu/geometry/geometry.ts';

/** An instance on a GPU of a pool. */
export interface PoolInstance {
  /** As the GPU's geometry names it, or `whole`. */
  readonly profile: string;
  readonly start: number;
  /** True if a process runs on it or a pod holds it: it goes only with an eviction. */
  readonly busy: boolean;
  /** What its eviction costs, a positive integer; 1 if absent. Idle instances cost nothing here. */
  readonly evictionWeight?: number;
  /** True if nothing moves who uses it: it never goes. */
  readonly stays?: boolean;
  /** The priority of who uses it: it goes only for slices that outrank this. Absent: it ranks below everybody. */
  readonly rank?: number;
  /** Minutes of work that are lost with it, rounded; 0 if absent. */
  readonly minutesRun?: number;
}

/** A GPU that may be re-laid. */
export interface PoolGpu {
  /** Unique in the pool. */
  readonly id: string;
  readonly geometry: Geometry;
  /** In any order; they neither overlap nor have profiles that the geometry does not know. One that is `whole` is the only one. */
  readonly instances: readonly PoolInstance[];
  /** True if it stays whole, or partitioned, whatever else becomes of it: its MIG mode may not change. */
  readonly keepsMode?: boolean;
  /** True if it is to stay as it is: it was re-laid a short while ago. */
  readonly isResting?: boolean;
}

/** Slices that are wanted. Each counts for one slice of the demand only, also if several could use it. */
export interface DemandSlice {
  /** Unique in the demand. */
  readonly name: string;
  /** Any of them serves, `whole` too; of equal plans one with small ones is made. Those that no GPU has are no use and no error. */
  readonly profiles: readonly string[];
  /** How many are wanted over the whole pool, those in use included. */
  readonly count: number;
  /** What one slice that cannot be offered costs: a positive integer. */
  readonly weight: number;
  /** For it go only instances that rank below this. Absent: all that may go at all; {@link NOBODY}: none. */
  readonly outranks?: number;
  /** True if pods wait for it: what others use already is no use to them. */
  readonly isWaitedFor?: boolean;
}

/** The rank that is below that of all pods. */
export const NOBODY = Number.MIN_SAFE_INTEGER;

/** Whether instances in use may go, unless they stay anyway: `Never`, or where more of the demand is served by it. */
export type EvictionRule = 'Never' | 'IfNeeded';

/** What a layout of the pool costs, in integers. */
export interface DemandCost {
  /** Slices wanted and not offered, by weight. */
  readonly unserved: number;
  /** Busy instances destroyed, by weight. */
  readonly evictions: number;
  /** What those had run. */
  readonly minutesLost: number;
  readonly gpusChanged: number;
  /** Idle instances destroyed, and idle whole GPUs partitioned; those that were in use count as evictions. */
  readonly instancesDestroyed: number;
}

export const COST_FIGURES = [
  'unserved',
  'evictions',
  'minutesLost',
  'gpusChanged',
  'instancesDestroyed',
] as const satisfies readonly (keyof DemandCost)[];

export type CostFigure = (typeof COST_FIGURES)[number];

/** The figure at which the proof ended, for want of time: the plan has `value`, and no plan has less than `bound`. */
export interface CostGap {
  readonly figure: CostFigure;
  readonly value: number;
  readonly bound: number;
}
