import type { KubeObject } from './resource.ts';

export interface CallOptions {
  /** Time limit of each attempt, in ms. */
  readonly timeoutMs?: number;
  /** Maximum number of attempts; 1 means no retry. */
  readonly attempts?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Selection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends CallOptions {
  /** Objects per page; default 500. */
  readonly pageSize?: number;
  /**
   * False: everything in one answer, without `limit`, for short selections such as the pods of one node. A limit sends servers
   * before Kubernetes 1.34 past their watch cache and its indexes to etcd, where they read every object of the resource.
   */
  readonly paged?: boolean;
  /** The objects come with their metadata only. */
  readonly metadataOnly?: boolean;
  /** What is kept of each object, applied as each one arrives: for lists that anybody may make long. */
  readonly project?: (object: never) => KubeObject;
}

export interface List<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  /** The answer has metadata only: saves memory and time if the rest is not read, as with Nodes. */
  readonly metadataOnly?: boolean;
}

export interface ApplyOptions extends WriteOptions {
  /** Take fields from other managers; otherwise a field of another manager is a Conflict. */
  readonly force?: boolean;
  readonly fieldManager?: string;
}

export interface StatusOptions extends ApplyOptions {
  /** Only to this version; otherwise Conflict. Of the uid, the API server takes no notice in a status. */
  readonly resourceVersion?: string | undefined;
}

export interface DeleteOptions extends CallOptions {
  /** Delete only the object with this uid or version; otherwise Conflict. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly gracePeriodSeconds?: number;
}
