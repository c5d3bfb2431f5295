/** How replicas of one device are separated: in time (no memory limit), or by an MPS daemon. */
export type SharingStrategy = 'time-slicing' | 'mps';

/** What the device plugin and GFD take from their config file, after applying their own rules to it. */
export interface DevicePluginConfig {
  /** `flags.migStrategy` of the file; environment and arguments override it. */
  readonly migStrategy?: string;
  /** The one kind of sharing in force; absent if nothing is shared. */
  readonly sharing?: Sharing;
}

export interface Sharing {
  readonly strategy: SharingStrategy;
  /** Appends `.shared` to the names of shared resources, and then omits `-SHARED` from the product label. */
  readonly renameByDefault: boolean;
  /** Whether the kubelet refuses, at admission, a container that requests two replicas. */
  readonly failRequestsGreaterThanOne: boolean;
  readonly resources: readonly SharedResource[];
}

export interface SharedResource {
  /** Full name: `nvidia.com/mig-1g.5gb`. */
  readonly name: string;
  /** 2 or more. */
  readonly replicas: number;
}

/** How a resource is shared, in the terms of its labels. */
export interface Replication {
  /** 0: not handed out at all (a GPU in MIG mode); 1: not shared. */
  readonly replicas: number;
  readonly strategy: SharingStrategy | 'none';
  /** Whether the product label ends in `-SHARED`. */
  readonly marked: boolean;
}

/** GFD labels a GPU in MIG mode as unavailable, even if strategy none hands it out and shares it. */
export const PARENT_REPLICATION: Replication = { replicas: 0, strategy: 'none', marked: false };

/** GFD's view of a resource: the first entry with its name decides. */
export function replicationOf(resource: string, sharing: Sharing | undefined): Replication {
  const entry = sharing?.resources.find(({ name }) => name === resource);
  if (sharing === undefined || entry === undefined) return { replicas: 1, strategy: 'none', marked: false };
  return { replicas: entry.replicas, strategy: sharing.strategy, marked: !sharing.renameByDefault };
}

/**
 * The device plugin's view of a resource: its final name and the weight of one device. Of several entries with one name the greatest
 * wins, because the plugin numbers replicas from 0 and the numbers of the entries overlap.
 */
export function advertisedAs(
  resource: string,
  sharing: Sharing | undefined,
): { readonly name: string; readonly replicas: number } {
  const entries = sharing?.resources.filter(({ name }) => name === resource) ?? [];
  if (sharing === undefined || entries.length === 0) return { name: resource, replicas: 1 };
  return {
    name: sharing.renameByDefault ? `${resource}.shared` : resource,
    replicas: Math.max(...entries.map(({ replicas }) => replicas)),
  };
}
