import type { Geometry, Layout } from '../geometry/geometry.ts';
import type { Instance } from '../search/instance.ts';
import type { Subject } from '../search/subject.ts';

/** One GPU of a node. */
export interface NodeGpu extends Subject {
  /** UUID, or another name that is unique among the node's GPUs. */
  readonly key: string;
  /** Of equally good GPUs those with the lower index are taken first. */
  readonly index?: number;
  /** Undefined if the GPU does not support MIG: it can only stay whole. */
  readonly geometry: Geometry | undefined;
  /** Instances that may not be touched count as busy, whoever owns them. */
  readonly have: readonly Instance[];
  /** Current MIG mode; absent means enabled. */
  readonly mig?: 'Enabled' | 'Disabled';
  /** With MIG off: true if a process or a pod holds the whole GPU, which enabling MIG would disrupt. */
  readonly busy?: boolean;
  /** True if the GPU does not answer: a wish with a count takes another one if it can. */
  readonly lost?: boolean;
}

/** A layout (empty: MIG mode without instances), MIG off, or something that this GPU cannot become. */
export type Want = Layout | 'Disabled' | 'Impossible';

/** What some GPUs of a node should become; the entries of a policy in their order. */
export interface NodeWish {
  /** The same for every GPU, or by key if it depends on the GPU; GPUs that such a map omits do not match. */
  readonly want: Want | ReadonlyMap<string, Want>;
  /** Take exactly this many GPUs; absent: every matching GPU that no earlier wish takes. */
  readonly count?: number;
  /** Keys of the GPUs that the selectors match; absent: all. */
  readonly keys?: readonly string[];
  /** Keys of GPUs that this wish took before and keeps if it can, whatever that costs. */
  readonly sticky?: readonly string[];
}

/** What a wish makes of a GPU; undefined if the GPU does not match. */
export function wantOf({ want, keys }: NodeWish, { key }: NodeGpu): Want | undefined {
  if (keys?.includes(key) === false) return undefined;
  return isByKey(want) ? want.get(key) : want;
}

function isByKey(want: NodeWish['want']): want is ReadonlyMap<string, Want> {
  return want instanceof Map;
}
