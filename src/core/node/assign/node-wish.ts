import type { Geometry, Layout } from '../../gpu/geometry/geometry.ts';
import type { Instance } from '../../gpu/search/instance.ts';
import type { Subject } from '../../gpu/search/subject.ts';

/** One GPU of a node. */
export interface NodeGpu extends Subject {
  /** UUID, or whatever names it among the node's GPUs. */
  readonly key: string;
  /** Of equally good GPUs the ones with the lower index are taken first. */
  readonly index?: number;
  readonly geometry: Geometry;
  readonly have: readonly Instance[];
  /** MIG mode now; absent means enabled. */
  readonly mig?: 'Enabled' | 'Disabled';
  /** With MIG off: true if a process or a pod holds the whole GPU, which switching MIG on would disturb. */
  readonly busy?: boolean;
}

/** What some GPUs of a node shall be; the entries of a policy in their order. */
export interface NodeWish {
  /** A layout (empty: MIG mode without instances), or MIG off. */
  readonly want: Layout | 'Disabled';
  /** Take exactly so many GPUs; absent: every matching GPU that no earlier wish takes. */
  readonly count?: number;
  /** Keys of the GPUs that the selectors meet; absent: all. */
  readonly keys?: readonly string[];
  /** Keys of GPUs that this wish took before and keeps where it can, whatever that costs. */
  readonly sticky?: readonly string[];
}
