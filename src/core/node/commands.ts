import type { Grant, NodePartitionSpec, Wish } from '../../api/types.ts';
import type { NodeChange } from '../metadata/node-change.ts';
import type { OfferedStatus } from '../nvidia/resources/offered-status.ts';
import type { Revocation } from './revocation.ts';

/** Identifies a pod fully: a new pod of the same name is a different pod. */
export interface PodRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

type AssignedPolicy = NonNullable<NodePartitionSpec['policy']>;

/** Fields of a partition's spec in which the controller states the wish; null removes a field. */
export interface WishFields {
  readonly policy: (Omit<AssignedPolicy, 'schedule'> & { readonly schedule?: string | null }) | null;
  readonly strategy: NodePartitionSpec['strategy'] | null;
  /** Absent: as it is. */
  readonly backend?: NodePartitionSpec['backend'] | null;
  readonly wish: { readonly [Key in keyof Required<Wish>]: Wish[Key] | null } | null;
  /** Absent: as they are. */
  readonly monitors?: null;
  readonly repairs: null;
  readonly drain: null;
}

export type Drain = NonNullable<NodePartitionSpec['drain']>;

/** A grant as it is written: null removes a field of an earlier grant. */
export type GrantFields = { readonly [Key in keyof Required<Grant>]: Grant[Key] | null };

/**
 * One action, as a value. Each carries its precondition: a write to a partition applies only to the version that was read, a Node's
 * patch tests the taints and borrowed labels that it starts from, an eviction names the uid. If a command is refused, it and all
 * that follow are dropped and the node is decided again.
 */
export type Command =
  | { readonly name: 'CreatePartition' }
  /** Only the partition with this uid. */
  | { readonly name: 'DeletePartition'; readonly uid: string }
  | { readonly name: 'WriteWish'; readonly fields: WishFields }
  | { readonly name: 'WriteGrant'; readonly granted: GrantFields; readonly repairs: readonly string[] | null }
  /** Takes back the grant that stands: see {@link Revocation}. */
  | { readonly name: 'RevokeGrant'; readonly granted: Revocation }
  /** Records for which plan pods are being evicted; null: no longer for any. */
  | { readonly name: 'WriteDrain'; readonly drain: Drain | null }
  /** Tells the agent which claims look on only. */
  | { readonly name: 'WriteMonitors'; readonly claims: readonly string[] }
  /** Has the agent end registrations with the kubelet that no device plugin serves, or takes that back. */
  | { readonly name: 'WriteUnregister'; readonly unregister: NonNullable<NodePartitionSpec['unregister']> | null }
  | { readonly name: 'PatchNode'; readonly change: NodeChange }
  /**
   * Writes quantities of the device plugin's resources into the Node's status, as the kubelet would at its next tick; only the version
   * of the Node that was read.
   */
  | {
      readonly name: 'AdvertiseDevices';
      readonly status: OfferedStatus;
      /** Of which change; see {@link changeKey}. */
      readonly change: string;
    }
  | {
      readonly name: 'EvictPod';
      readonly pod: PodRef;
      /** Absent: the pod's own. */
      readonly graceSeconds?: number;
      /** The owner that replaces the pod, by uid, and how often its pods were already evicted here. */
      readonly owner?: string;
      readonly round: number;
      /** It reads GPUs for the cluster, such as an exporter, and does no user's work: see {@link GpuHolder}. */
      readonly isHolder?: true;
    }
  /** Deletes a pod whatever its disruption budget says. */
  | { readonly name: 'DeletePod'; readonly pod: PodRef; readonly graceSeconds?: number }
  /** Puts a config file of the device plugin into the ConfigMap and leaves its other files alone. */
  | { readonly name: 'PublishConfig'; readonly key: string; readonly file: Readonly<Record<string, unknown>> };
