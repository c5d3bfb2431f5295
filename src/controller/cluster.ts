import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import { FleetMemory } from '../core/node/decide.ts';
import type { NodeStep } from '../core/node/commands.ts';
import { managedConfig } from '../core/nvidia/plugin-config.ts';
import { isUrgentNode, type NodeSnapshot } from '../core/node/snapshot.ts';
import { devicePluginConfigLabel } from '../core/nvidia/labels.ts';
import type { Fleet } from '../core/policy/fleet.ts';
import type { PolicyRecord } from '../core/policy/record.ts';
import { FleetRollout, type NodeRolloutState, type Slot, slotIn } from '../core/rollout/budget.ts';
import type { stepLedger } from '../core/rollout/ledger.ts';
import type { KubeObject, Store, ObjectRef } from '../kube/watch.ts';
import type { AgentPods } from './node-notifier.ts';
import { Expectations } from '../kube/own-writes.ts';
import { trimAgentPod, trimNode, trimPartition, trimPolicy } from './watched-objects.ts';
import type { NodeObject } from './operator.ts';
import { nodePartitions, nodes, pods, policies, configMaps } from '../api/resources.ts';
import type { PodView } from '../core/kubernetes/pod.ts';
import type { KubeClient, KubeVerbs } from '../kube/client.ts';
import { type Stoppable, WarmWatch } from '../kube/operator.ts';
import type { Logger } from '../process/log.ts';
import type { WatchFigures } from './metrics.ts';
import { ApiError } from '../kube/api-error.ts';
import { parse, stringify } from 'yaml';

interface RolloutQuestion {
  readonly now: number;
  /** How many nodes of all policies may be in flight: a number, or a share of the nodes with GPUs. */
  readonly most: number | string;
  /** Why the whole cluster is frozen; undefined if it is not. */
  readonly frozen: string | undefined;
  readonly isOverdue: boolean;
}

/** The controller's view of the cluster: its watches, its own writes, and what follows from them. */
export class Cluster {
  readonly policies: Expectations<GpuPartitionPolicy & KubeObject>;
  readonly nodes: Expectations<NodeObject>;
  readonly partitions: Expectations<GpuNodePartition & KubeObject>;
  readonly fleet: Fleet;
  readonly agents: AgentPods;
  readonly rollout = new FleetRollout();
  readonly memory = new FleetMemory();
  /** Nodes whose slots are being released, by policy. */
  readonly #releasing = new Map<string, ReadonlySet<string>>();

  constructor(parts: {
    readonly policies: Store<GpuPartitionPolicy & KubeObject>;
    readonly nodes: Store<NodeObject>;
    readonly partitions: Store<GpuNodePartition & KubeObject>;
    readonly fleet: Fleet;
    readonly agents: AgentPods;
  }) {
    this.policies = new Expectations(parts.policies, trimPolicy);
    this.nodes = new Expectations(parts.nodes, trimNode);
    this.partitions = new Expectations(parts.partitions, trimPartition);
    this.fleet = parts.fleet;
    this.agents = parts.agents;
  }

  /** The memory of a node. The object of an earlier node of its name says nothing of this one. */
  memoryOf({ metadata }: NodeObject): NodeStep['memory'] {
    const partition = this.partitions.get(metadata.name);
    return this.memory.of(metadata, partition?.spec.nodeUID === metadata.uid ? partition?.status : undefined);
  }

  /** The node's slot in a policy's ledger, if it was given for the node's current wish. */
  slotOf(
    { metadata }: GpuPartitionPolicy,
    node: NodeObject,
    partition: GpuNodePartition | undefined,
  ): Slot | undefined {
    const policy = this.policies.get(metadata.name);
    if (policy?.metadata.uid !== metadata.uid) return undefined;
    if (this.#releasing.get(metadata.name)?.has(node.metadata.name) === true) return undefined;
    return slotIn(policy, node, partition);
  }

  /** Slots count as gone while their release is being written: no node begins with one of them. @returns to call when it is written */
  release(policy: string, nodes: readonly string[]): () => void {
    this.#releasing.set(policy, new Set(nodes));
    return () => this.#releasing.delete(policy);
  }

  /** `startTime` of all slots of a node, in any ledger. */
  slotsOf({ metadata }: NodeObject): readonly string[] {
    return [...this.fleet.policies].flatMap(({ policy }) =>
      this.ledgerOf(policy.metadata.name)
        .filter(({ node, nodeUID }) => node === metadata.name && nodeUID === metadata.uid)
        .map(({ startTime = '' }) => startTime),
    );
  }

  /** Whether a node goes before others: it has a slot of the policy that decides over it, or is urgent by itself. */
  isUrgent(name: string): boolean {
    const policy = this.fleet.winnerOf(name);
    if (policy !== undefined && this.ledgerOf(policy).some(({ node }) => node === name)) return true;
    const node = this.nodes.get(name);
    return node !== undefined && isUrgentNode(node, this.partitions.get(name));
  }

  /**
   * Whether nodes with a slot have the API server's time before others: if there are any, and every node has been looked at. Until then
   * no other node may start, so that these would wait for the others.
   */
  get favorsSlots(): boolean {
    if (this.rollout.known < this.nodes.size) return false;
    for (const { policy } of this.fleet.policies) if (this.ledgerOf(policy.metadata.name).length > 0) return true;
    return false;
  }

  ledgerOf(policy: string): readonly Slot[] {
    return this.policies.get(policy)?.status?.inFlight ?? [];
  }

  /** How nodes stand for a policy's current ledger. */
  rolloutStatesFor(policy: string): (node: string) => NodeRolloutState | undefined {
    return this.rollout.standingFor(this.ledgerOf(policy), (node) => this.fleet.winnerOf(node));
  }

  /** Nodes with a slot in a policy's ledger that have not been looked at since the slot appeared. */
  nodesWithNewSlots(policy: string): readonly string[] {
    return this.rollout.newIn(this.ledgerOf(policy));
  }

  /** The input of a step of a policy's ledger. @param isOverdue the policy is being deleted, and its deadline is over */
  rolloutOf(record: PolicyRecord, question: RolloutQuestion): Parameters<typeof stepLedger>[0] {
    const { now, most, frozen, isOverdue } = question;
    const { policy } = record;
    const { name } = policy.metadata;
    const rolloutStates = this.rollout.of(name);
    const ledgers = [...this.fleet.policies].map(({ policy: { metadata: one } }) => one.name);
    const status = this.policies.get(name)?.status ?? {};
    return {
      now,
      policy: { ...policy, status },
      hasAskedSince: (generation) => record.hasAskedSince(generation, status.history),
      rolloutStates,
      size: rolloutStates.countGpuNodes(record.tally),
      rolloutStateOf: this.rolloutStatesFor(name),
      uidOf: (node) => this.nodes.get(node)?.metadata.uid,
      admits: record.admits(rolloutStates, isOverdue),
      cap: this.rollout.capBeside(
        name,
        most,
        ledgers.map((one) => [one, this.ledgerOf(one)] as const),
      ),
      frozen,
    };
  }

  /** Call this after the API server was restored from a backup: the versions of our writes are then meaningless. */
  forgetWrites(): void {
    this.policies.forget();
    this.nodes.forget();
    this.partitions.forget();
  }

  /** Call this when the node is gone: its partition goes with it. */
  forget(name: string): void {
    this.memory.forget(name);
    this.nodes.drop(name);
    this.partitions.drop(name);
  }

  /** Whether a policy asks for, or a node names, this config file of the device plugin. */
  usesConfig(key: string): boolean {
    const asks = (policy: GpuPartitionPolicy | undefined): boolean =>
      policy !== undefined && managedConfig(policy.spec).key === key;
    return (
      [...this.fleet.policies].some(({ newest, inForce }) => asks(newest) || asks(inForce)) ||
      this.nodes.list().some(({ metadata }) => metadata.labels?.[devicePluginConfigLabel] === key)
    );
  }
}

const agentSelector = 'app.kubernetes.io/name=gpu-partition-agent';

/** The part of a watch that a term of leadership needs. */
type Watched<T extends KubeObject> = Pick<WarmWatch<T>, 'store' | 'attach'>;

/** The watches of a term of leadership. */
export interface WatchedCluster {
  readonly policies: Watched<GpuPartitionPolicy & KubeObject>;
  readonly nodes: Watched<NodeObject>;
  readonly partitions: Watched<GpuNodePartition & KubeObject>;
  readonly agents: Watched<PodView>;
  /** Resolves when all stores are complete and at least as new as the API server is now. @param client of the term */
  catchUp(client: KubeClient, signal: AbortSignal): Promise<void>;
}

/** The watches of a controller, from its start to its end: a standby keeps them up to date and acts on nothing. */
export class ClusterWatches implements WatchedCluster, Stoppable {
  readonly policies: WarmWatch<GpuPartitionPolicy & KubeObject>;
  readonly nodes: WarmWatch<NodeObject>;
  readonly partitions: WarmWatch<GpuNodePartition & KubeObject>;
  readonly agents: WarmWatch<PodView>;

  /** @param parts.agentNamespace the namespace of the agents' pods */
  constructor(parts: { readonly client: KubeClient; readonly logger: Logger; readonly agentNamespace: string }) {
    const { client, logger, agentNamespace } = parts;
    const common = { client, logger };
    this.policies = new WarmWatch({ ...common, resource: policies, trim: trimPolicy });
    this.nodes = new WarmWatch({ ...common, resource: nodes, trim: trimNode });
    this.partitions = new WarmWatch({ ...common, resource: nodePartitions, trim: trimPartition });
    this.agents = new WarmWatch({
      ...common,
      resource: pods,
      namespace: agentNamespace,
      labelSelector: agentSelector,
      trim: trimAgentPod,
    });
  }

  /** Figures of the watches, by the plural of the resource. */
  get figures(): ReadonlyMap<string, WatchFigures> {
    return new Map<string, WatchFigures>([
      [policies.plural, this.policies],
      [nodes.plural, this.nodes],
      [nodePartitions.plural, this.partitions],
      [pods.plural, this.agents],
    ]);
  }

  start(): this {
    for (const watch of this.#all) watch.start();
    return this;
  }

  async catchUp(client: KubeClient, signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all.map((watch) => watch.catchUp(client, signal)));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((watch) => watch.stop()));
  }

  get #all() {
    return [this.policies, this.nodes, this.partitions, this.agents] as const;
  }
}

type ConfigFiles = NonNullable<NodeSnapshot['configFiles']>;

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** How long a read stays valid, in ms: many nodes ask at the same time. */
const trustMs = 5000;
const ownKey = /^gpu-partition-(none|single|mixed)-[0-9a-f]{8}$/;

/**
 * The ConfigMap with the device plugin's config files: one per strategy and sharing that policies ask for, next to any other keys.
 * A file never changes under its name, since the plugin reads it again only when the name changes.
 */
export class ConfigMapFiles {
  readonly #client: KubeVerbs;
  readonly #ref: ObjectRef & { readonly namespace: string };
  readonly #now: () => number;
  #last: { readonly at: number; readonly files: Promise<ConfigFiles> } | undefined;

  constructor(client: KubeVerbs, place: { readonly namespace: string; readonly name: string }, now: () => number) {
    this.#client = client;
    this.#ref = { resource: configMaps, ...place };
    this.#now = now;
  }

  read(): Promise<ConfigFiles> {
    const at = this.#now();
    if (this.#last && at - this.#last.at <= trustMs) return this.#last.files;
    const last = { at, files: this.#read() };
    this.#last = last;
    // A failure is not kept: three in a row set a node aside.
    last.files.catch(() => {
      if (this.#last === last) this.#last = undefined;
    });
    return last.files;
  }

  /** @param isUsed whether a file of ours is needed; unused ones are removed in the same write. A plugin without its file does not start */
  async publish(key: string, file: Readonly<Record<string, unknown>>, isUsed: (key: string) => boolean): Promise<void> {
    try {
      await this.#write(key, file, isUsed);
    } finally {
      // Who has read it meanwhile may have read what was there before.
      this.#last = undefined;
    }
  }

  async #write(key: string, file: Readonly<Record<string, unknown>>, isUsed: (key: string) => boolean): Promise<void> {
    const data = { [key]: stringify(file) };
    const { namespace, name } = this.#ref;
    const found = await this.#client.find<ConfigMap>(this.#ref);
    // If somebody else created or changed it meanwhile, the write is refused, and everything is checked again.
    if (!found) {
      await this.#client.create<ConfigMap>(configMaps, { metadata: { namespace, name }, data });
      return;
    }
    const unused = Object.keys(found.data ?? {}).filter((one) => ownKey.test(one) && !isUsed(one));
    const { resourceVersion } = found.metadata;
    const changes = { ...Object.fromEntries(unused.map((one) => [one, null])), ...data };
    await this.#client.merge(this.#ref, { metadata: { resourceVersion }, data: changes });
  }

  async #read(): Promise<ConfigFiles> {
    try {
      const { data = {} } = (await this.#client.find<ConfigMap>(this.#ref)) ?? {};
      const files = Object.entries(data).map(([key, text]) => [key, parseYaml(text)] as const);
      return { state: 'Read', files: Object.fromEntries(files) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 403) throw error;
      return { state: 'Unreadable', why: error.message };
    }
  }
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' });
  } catch {
    // The administrator's file may contain anything; its plugin reports errors.
    return undefined;
  }
}
