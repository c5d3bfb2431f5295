import {
  deviceClasses,
  disruptionBudgets,
  namespaces,
  nodePartitions,
  nodes,
  pods,
  policies,
  resourceClaims,
  resourceClaimTemplates,
  resourceSlices,
  events,
} from '../../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { ClusterFacts } from '../../core/cluster/facts.ts';
import type { ClusterState } from '../../core/plan/change.ts';
import type { NodeView } from '../../core/kubernetes/node.ts';
import type { PodView, EventView } from '../../core/kubernetes/pod.ts';
import type { BudgetView } from '../../core/node/eviction.ts';
import { namespaceKeysOf } from '../../core/policy/spec.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/watch.ts';
import { type Terminal, CliError, paint, printLine } from '../terminal.ts';
import { readSnapshot, type SavedCluster, snapshotCommand } from '../input/snapshot.ts';
import { connect, type ConnectionOptions, listAll, listAllowed, find } from './connection.ts';
import { viewHistory } from '../../core/view/status.ts';
import { poolOf } from '../../core/node/status-figures.ts';

/** A saved cluster if there is one, else the current one. */
export async function readSavedOrLive(
  options: ConnectionOptions & { readonly snapshot?: readonly string[] },
  terminal: Terminal,
): Promise<ClusterFacts> {
  const { snapshot } = options;
  return snapshot === undefined ? readFacts(connect(options)) : readSnapshot(snapshot, terminal);
}

/** An object of the cluster, of those that a fact lists. */
type Fact<Name extends 'classes' | 'claims' | 'templates' | 'slices'> = NonNullable<ClusterFacts[Name]>[number] &
  KubeObject;

/** The current cluster; without pods and claims if the user may not list them. */
export async function readFacts(client: KubeClient): Promise<ClusterFacts> {
  const [allNodes, partitions, allPolicies, allPods, budgets, classes, claims, templates, slices] = await Promise.all([
    listAll<NodeView & KubeObject>(client, nodes),
    listAll<GpuNodePartition & KubeObject>(client, nodePartitions),
    listAll<GpuPartitionPolicy & KubeObject>(client, policies),
    listAllowed<PodView & KubeObject>(client, pods),
    listAllowed<BudgetView & KubeObject>(client, disruptionBudgets),
    listAllowed<Fact<'classes'>>(client, deviceClasses),
    listAllowed<Fact<'claims'>>(client, resourceClaims),
    listAllowed<Fact<'templates'>>(client, resourceClaimTemplates),
    listAllowed<Fact<'slices'>>(client, resourceSlices),
  ]);
  return {
    now: Date.now(),
    nodes: allNodes,
    partitions,
    policies: allPolicies,
    pods: allPods,
    budgets,
    namespaces: await readNamespaces(client, allPolicies),
    classes,
    claims,
    templates,
    slices,
  };
}

/** Reads labels of namespaces where a demand says whose pods count; undefined if none does, or the user may not list them. */
async function readNamespaces(
  client: KubeClient,
  written: readonly GpuPartitionPolicy[],
): Promise<ClusterFacts['namespaces']> {
  if (namespaceKeysOf(written).size === 0) return undefined;
  const found = await listAllowed<KubeObject>(client, namespaces);
  return found && new Map(found.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
}

/**
 * Says on standard error that a demand chooses pods by labels of their namespaces, where these are not known: then an answer may do without
 * pods that wait for it.
 *
 * @param given policies that are not in the cluster yet
 */
export function tellUnknownNamespaces(
  { policies: written, namespaces: known }: Pick<ClusterState, 'policies' | 'namespaces'>,
  { stderr }: Terminal,
  { given = [], isSaved }: { readonly given?: readonly GpuPartitionPolicy[]; readonly isSaved: boolean },
): void {
  if (known !== undefined) return;
  const names = [...written, ...given]
    .filter((one) => namespaceKeysOf([one]).size > 0)
    .map(({ metadata }) => metadata.name);
  if (names.length === 0) return;
  const what = `${names.length === 1 ? 'policy' : 'policies'} ${names.join(', ')}`;
  const why = isSaved
    ? `the snapshot has no Namespaces; make it with: ${snapshotCommand.replace(',pdb', ',pdb,namespaces')}`
    : 'you may not list Namespaces';
  printLine(
    stderr,
    `${paint(stderr, 'yellow', 'warning:')} ${what}: demand.namespaceSelector goes by labels, and ${why}. Pods that wait may be missing from the answer`,
  );
}

/** Reads everything that a plan of a cluster depends on. @param given policies that are not in it yet @throws CliError if the user may not read something */
export async function readCluster(
  client: KubeClient,
  given: readonly GpuPartitionPolicy[] = [],
): Promise<ClusterState> {
  const now = Date.now();
  // Pods last: one that the agents saw may have gone by now, and one that is new is not in their reports yet.
  const [allNodes, partitions, allPolicies] = await Promise.all([
    listAll<NodeView & KubeObject>(client, nodes),
    listAll<GpuNodePartition & KubeObject>(client, nodePartitions),
    listAll<GpuPartitionPolicy & KubeObject>(client, policies),
  ]);
  const [allPods, budgets] = await Promise.all([
    listAll<PodView & KubeObject>(client, pods),
    listAll<BudgetView & KubeObject>(client, disruptionBudgets),
  ]);
  return {
    now,
    nodes: allNodes,
    partitions,
    policies: allPolicies,
    pods: allPods,
    budgets,
    namespaces: await readNamespaces(client, [...allPolicies, ...given]),
  };
}

type Policy = GpuPartitionPolicy & KubeObject;

/** The last change of a node and its Events; without Events if the user may not list them. @throws CliError if there is no such node */
export async function readHistory(client: KubeClient, node: string) {
  const ref = { resource: nodePartitions, name: node };
  const partition = await find<GpuNodePartition & KubeObject>(client, `GpuNodePartition ${node}`, ref);
  if (!partition) throw new CliError(`there is no GpuNodePartition ${node}`);
  const name = partition.spec.policy?.name;
  const [policy, found] = await Promise.all([
    name === undefined ? undefined : find<Policy>(client, `policy ${name}`, { resource: policies, name }),
    listAllowed<EventView & KubeObject>(client, events, { fieldSelector: `involvedObject.name=${node}` }),
  ]);
  if (found === undefined) return { ...viewHistory(partition, policy, []), noEvents: 'you may not list Events' };
  return viewHistory(partition, policy, found);
}

/** The history of a node in a saved cluster. @throws CliError if there is no such node */
export function savedHistory({ partitions, policies: all, events: found }: SavedCluster, node: string) {
  const partition = partitions.find(({ metadata }) => metadata.name === node);
  if (!partition) throw new CliError(`the snapshot has no GpuNodePartition ${node}`);
  const policy = all.find(({ metadata }) => metadata.name === partition.spec.policy?.name);
  const own = found.filter(({ involvedObject = {} }) => involvedObject.name === node);
  if (found.length > 0) return viewHistory(partition, policy, own);
  const noEvents = `the snapshot has no Events: ${snapshotCommand.replace(' -A', ',events -A')} saves them too`;
  return { ...viewHistory(partition, policy, []), noEvents };
}

type Named = Pick<NodeView, 'metadata'>;

/** The pools of nodes by their labels, of nodes that join later too. */
export class NodePools {
  readonly #find: (node: string) => Promise<Named | undefined>;
  readonly #pools: Map<string, string>;

  /** @param find reads one node; undefined if there is none, or it may not be read */
  constructor(nodes: readonly Named[], find: (node: string) => Promise<Named | undefined>) {
    this.#pools = new Map(nodes.map(({ metadata }) => [metadata.name, poolOf(metadata.labels)]));
    this.#find = find;
  }

  /** Empty if unknown. */
  of(node: string): string {
    return this.#pools.get(node) ?? '';
  }

  /**
   * Reads the nodes that have joined, and forgets those that have left.
   *
   * @param present names of all nodes
   * @returns whether a pool has become known
   */
  async follow(present: readonly string[]): Promise<boolean> {
    const names = new Set(present);
    for (const name of this.#pools.keys()) if (!names.has(name)) this.#pools.delete(name);
    const joined = present.filter((name) => !this.#pools.has(name));
    // Each is read once, whatever comes of it.
    for (const name of joined) this.#pools.set(name, '');
    for (const name of joined) {
      const node = await this.#find(name);
      if (node && this.#pools.has(name)) this.#pools.set(name, poolOf(node.metadata.labels));
    }
    return joined.some((name) => this.of(name) !== '');
  }
}
