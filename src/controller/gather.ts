import {
  daemonSets,
  disruptionBudgets,
  nodePartitions,
  nodes,
  pods,
  policies,
  resourceClaims,
  resourceSlices,
} from '../api/resources.ts';
import { type BudgetView, claimedDaemonSet } from '../core/node/eviction.ts';
import { type KubeVerbs, listServed } from '../kube/client.ts';
import type { KubeObject } from '../kube/watch.ts';
import type { PodView, ResourceClaimView, ResourceSliceView } from '../core/kubernetes/pod.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import { type Needed, needsOf, refresh, type NodeSnapshot } from '../core/node/snapshot.ts';
import { podTrimmer } from '../core/cluster/kept-pods.ts';
import { trimBudget, trimClaim, trimNode } from './watched-objects.ts';
import type { Cluster, ConfigMapFiles } from './cluster.ts';
import type { SliceWatch } from './slice-watch.ts';
import { Semaphore, steadyMs } from '../process/clock.ts';
import type { NodeObject } from './operator.ts';

/** The disruption budgets of these namespaces. */
async function listBudgets(client: KubeVerbs, namespaces: readonly string[]): Promise<readonly BudgetView[]> {
  const lists = await Promise.all(
    namespaces.map((namespace) =>
      client.list<BudgetView & KubeObject>(disruptionBudgets, { namespace }, { trim: trimBudget }),
    ),
  );
  return lists.flatMap(({ items }) => items);
}

/** UIDs of DaemonSets that pods name as their owners and that do not exist. */
async function listMissingOwners(client: KubeVerbs, pods: readonly PodView[]): Promise<ReadonlySet<string>> {
  const claims = new Map(
    pods.flatMap((pod) => {
      const { name, uid = '' } = claimedDaemonSet(pod) ?? {};
      const { namespace = 'default' } = pod.metadata;
      return name === undefined ? [] : [[`${namespace}/${name}/${uid}`, { namespace, name, uid }] as const];
    }),
  );
  const found = await Promise.all(
    [...claims.values()].map(async ({ namespace, name, uid }) => {
      const known = await client.find<KubeObject>({ resource: daemonSets, namespace, name });
      return known?.metadata.uid === uid ? [] : [uid];
    }),
  );
  return new Set(found.flat());
}

/** How many lists of one node's pods are read in parallel. The API server takes 0.1 s for each, to make sure that it is current. */
const mostPodLists = 16;

interface Parts {
  readonly client: KubeVerbs;
  readonly cluster: Cluster;
  readonly settings: NodeSnapshot['settings'];
  /** The device plugin's config files; absent if the administrator manages them. */
  readonly configFiles: ConfigMapFiles | undefined;
  readonly slices: Pick<SliceWatch, 'api' | 'hasSlices'>;
  readonly now: () => number;
}

/** Reads everything that decisions rest on. */
export class Gatherer {
  readonly #parts: Parts;
  readonly #podLists = new Semaphore(mostPodLists);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What the watches and our own writes show of a node. */
  known(node: NodeObject): NodeSnapshot {
    const { name } = node.metadata;
    const partition = this.#parts.cluster.partitions.get(name);
    const claim = this.#parts.cluster.fleet.claimOf(name, partition);
    return {
      now: this.#parts.now(),
      node,
      partition,
      claim,
      slot: claim.winner && this.#parts.cluster.slotOf(claim.winner, node, partition),
      agent: this.#parts.cluster.agents.viewOf(name),
      settings: this.#parts.settings,
      draApi: this.#parts.slices.api,
      hasSlices: this.#parts.slices.hasSlices(name),
    };
  }

  /** Extends a snapshot by reading more. @returns undefined if the node is gone or has changed during the read */
  async read(snapshot: NodeSnapshot, needed: Needed): Promise<NodeSnapshot | undefined> {
    const { name } = snapshot.node.metadata;
    if (needed === 'Node') {
      const [node, partition] = await Promise.all([this.readNode(name), this.readPartition(name)]);
      return this.#takeIn(snapshot, node, partition);
    }
    // The partition first: it is then never newer than the policy that is read.
    const isAll = needed !== 'Pods';
    const reading = isAll ? this.readPartition(name) : undefined;
    const needs = needsOf(snapshot, needed === 'Drain' ? await reading : undefined);
    const budgets = needed === 'Drain' ? await listBudgets(this.#parts.client, needs.budgets) : undefined;
    const [found, configFiles, reported, slices, claims] = await Promise.all([
      this.#listPods(snapshot, budgets),
      this.#parts.configFiles?.read(),
      reading,
      isAll || needs.slices ? this.#listResourceSlices(name) : undefined,
      isAll && needs.claims ? this.#listClaims() : undefined,
    ]);
    const drain = budgets && { budgets, missingOwners: await listMissingOwners(this.#parts.client, found) };
    const more = { ...snapshot, pods: found, configFiles, ...(needs.slices && { slices }) };
    if (!isAll) return { ...more, now: this.#parts.now() };
    const [node, policy] = await Promise.all([this.readNode(name), this.#readPolicy(snapshot)]);
    const current = this.#takeIn(more, node, reported);
    if (current === undefined || reported === undefined) return undefined;
    return refresh(current, {
      policy,
      partition: reported,
      slices,
      ...(claims && { claims }),
      ...(drain && { drain }),
    });
  }

  /** @returns undefined if the node is gone, or the agent or another leader has reported something else than what was read */
  #takeIn(
    snapshot: NodeSnapshot,
    node: NodeObject | undefined,
    reported: (GpuNodePartition & KubeObject) | undefined,
  ): (NodeSnapshot & { readonly node: NodeObject }) | undefined {
    if (node === undefined || node.metadata.uid !== snapshot.node.metadata.uid) return undefined;
    // A watch that lags must not show the next decision less than this one knows.
    this.#parts.cluster.nodes.remember(node);
    const partition = this.#parts.cluster.partitions.get(node.metadata.name);
    if (reported === undefined || partition?.metadata.resourceVersion !== reported.metadata.resourceVersion)
      return undefined;
    return { ...snapshot, partition, now: this.#parts.now(), node, isCurrent: true };
  }

  /** The node as the API server has it now; undefined if it is gone. */
  async readNode(name: string): Promise<NodeObject | undefined> {
    const found = await this.#parts.client.find<NodeObject>({ resource: nodes, name });
    return found && trimNode(found);
  }

  async #readPolicy({ claim }: NodeSnapshot): Promise<(GpuPartitionPolicy & KubeObject) | undefined> {
    if (!claim.winner) return undefined;
    return this.#parts.client.find({ resource: policies, name: claim.winner.metadata.name });
  }

  /** The partition's current version, even if the watch lags. The watch does not keep the holders. */
  async readPartition(name: string): Promise<(GpuNodePartition & KubeObject) | undefined> {
    const partition = await this.#parts.client.find<GpuNodePartition & KubeObject>({ resource: nodePartitions, name });
    if (partition) this.#parts.cluster.partitions.remember(partition);
    else this.#parts.cluster.partitions.drop(name);
    return partition;
  }

  /** Lists the pods of a node. Anybody may bind any number of pods to it: little is kept of each, and few lists are read in parallel. */
  async #listPods({ node, partition }: NodeSnapshot, budgets: readonly BudgetView[] = []): Promise<readonly PodView[]> {
    const fieldSelector = `spec.nodeName=${node.metadata.name},status.phase!=Succeeded,status.phase!=Failed`;
    const offered = partition?.status?.device?.advertised?.resources ?? {};
    const gpus = { resources: node.status?.allocatable ?? {}, offered };
    const trim = podTrimmer({ systemNamespaces: this.#parts.settings.systemNamespaces, gpus, budgets });
    const list = this.#podLists.pass(() =>
      this.#parts.client.list<PodView>(pods, { fieldSelector }, { paged: false, trim }),
    );
    return (await list).items;
  }

  /** Lists the claims of all nodes: no selector tells them apart. */
  #listClaims(): Promise<readonly ResourceClaimView[]> {
    return listServed<KubeObject & ResourceClaimView>(this.#parts.client, resourceClaims, {}, { trim: trimClaim });
  }

  #listResourceSlices(node: string): Promise<readonly ResourceSliceView[]> {
    const selection = { fieldSelector: `spec.nodeName=${node}` };
    return listServed<KubeObject & ResourceSliceView>(this.#parts.client, resourceSlices, selection, { paged: false });
  }
}

/** The largest part of the time that reading may take, from 0 to 1. */
const mostShare = 0.1;

/** What takes long to read: read when it is asked for, but not again within ten times what it took. */
export class PacedReading<Found> {
  readonly #read: () => Promise<Found>;
  readonly #now: () => number;
  #known: { readonly untilMs: number; readonly startedMs: number; readonly found: Found } | undefined;

  /** @param now a clock that is never set: otherwise what was read once would count for as long as it was set back */
  constructor(read: () => Promise<Found>, now = steadyMs) {
    this.#read = read;
    this.#now = now;
  }

  /** @param longestMs how old the reading may be, from its beginning, unless reading takes long */
  async get(longestMs = 0): Promise<Found> {
    const startedMs = this.#now();
    const known = this.#known;
    if (known && startedMs < Math.max(known.untilMs, known.startedMs + longestMs)) return known.found;
    const found = await this.#read();
    const endedMs = this.#now();
    this.#known = { startedMs, untilMs: endedMs + (endedMs - startedMs) / mostShare, found };
    return found;
  }
}
