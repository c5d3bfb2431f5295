import type { Grant, NodePartitionSpec, Wish } from '../../api/types.ts';
import type { NodeChange } from '../metadata/node-change.ts';

/** A pod by all that names it: a new pod of the same name is not the one that was looked at. */
export interface PodRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The controller's fields of a partition's spec that say what its node shall be; null takes a field away. */
export interface WishFields {
  readonly policy: NodePartitionSpec['policy'] | null;
  readonly strategy: NodePartitionSpec['strategy'] | null;
  readonly wish: { readonly [Key in keyof Required<Wish>]: Wish[Key] | null } | null;
  readonly repairs: null;
  readonly drain: null;
}

export type Drain = NonNullable<NodePartitionSpec['drain']>;

/** A grant as it is written: null takes a field of an earlier one away. */
export type GrantFields = { readonly [Key in keyof Required<Grant>]: Grant[Key] | null };

/**
 * One thing to be done, as a value. Each carries its precondition: what is written to a partition holds only for the version that
 * was looked at, a Node's patch tests the taints and borrowed labels that it starts from, an eviction names the uid. One that
 * is refused is dropped with all that come after it, and the node is decided anew.
 */
export type Command =
  | { readonly name: 'CreatePartition' }
  /** Only the partition with this uid. */
  | { readonly name: 'DeletePartition'; readonly uid: string }
  | { readonly name: 'WriteWish'; readonly fields: WishFields }
  | { readonly name: 'WriteGrant'; readonly granted: GrantFields; readonly repairs: readonly string[] | null }
  /** Says which plan's pods are told to go; null: none any more. */
  | { readonly name: 'WriteDrain'; readonly drain: Drain | null }
  | { readonly name: 'PatchNode'; readonly change: NodeChange }
  | {
      readonly name: 'EvictPod';
      readonly pod: PodRef;
      /** Absent for the pod's own. */
      readonly graceSeconds?: number;
      /** Who makes another pod in its place, by uid, and how often that was evicted here already. */
      readonly owner?: string;
      readonly round: number;
    }
  /** Deletes a pod whatever its disruption budget says. */
  | { readonly name: 'DeletePod'; readonly pod: PodRef; readonly graceSeconds?: number }
  /** Puts a config file of the device plugin into the ConfigMap, beside whatever else is in it. */
  | { readonly name: 'PublishConfig'; readonly key: string; readonly file: Readonly<Record<string, unknown>> };
