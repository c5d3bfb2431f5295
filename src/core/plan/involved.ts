import type { GpuNodePartition } from '../../api/types.ts';
import type { Fleet } from '../policy/fleet.ts';
import type { ClusterState } from './cluster-state.ts';
import type { PodView } from '../pods/pod-view.ts';

/** A cluster with everything that belongs to a node indexed by its name. */
export interface Located {
  readonly cluster: ClusterState;
  readonly partitionOf: ReadonlyMap<string, GpuNodePartition>;
  /** Pods without a node are under undefined. */
  readonly podsOf: ReadonlyMap<string | undefined, readonly PodView[]>;
}

export function locate(cluster: ClusterState): Located {
  return {
    cluster,
    partitionOf: new Map(cluster.partitions.map((one) => [one.metadata.name, one])),
    podsOf: Map.groupBy(cluster.pods, ({ spec }) => spec?.nodeName),
  };
}

/** What a change of policies concerns. */
export interface Involved {
  /** Nodes that the given policies select, or serve now. */
  readonly affected: ReadonlySet<string>;
  /** Those, and all that share a rollout with them. */
  readonly nodes: ReadonlySet<string>;
  /** All policies that select these nodes. */
  readonly policies: ReadonlySet<string>;
}

export function listInvolved({ cluster, partitionOf }: Located, fleet: Fleet, names: ReadonlySet<string>): Involved {
  const affected = cluster.nodes
    .map(({ metadata }) => metadata.name)
    .filter((node) => {
      const served = partitionOf.get(node)?.spec.policy?.name;
      return fleet.policiesOf(node).some((name) => names.has(name)) || (served !== undefined && names.has(served));
    });
  const policies = new Set(affected.flatMap((node) => fleet.policiesOf(node)));
  const sharing = [...policies].flatMap((name) => [...(fleet.policy(name)?.nodes ?? [])]);
  return { affected: new Set(affected), nodes: new Set([...affected, ...sharing]), policies };
}
