import { nodePartitions, nodes, policies } from '../../src/api/resources.ts';
import { repartitioningTaint } from '../../src/api/names.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import { isUnanswered } from '../../src/core/device/grants.ts';
import type { NodeView } from '../../src/core/kubernetes/node.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import type { KubeObject, Resource, Change } from '../../src/kube/watch.ts';
import { silentLogger } from '../../src/process/log.ts';

type Partition = GpuNodePartition & KubeObject;
type Policy = GpuPartitionPolicy & KubeObject;

interface Ledger {
  readonly revision: number;
  readonly nodes: readonly string[];
  readonly isDeletion: boolean;
}

/** Revisions of the API server. */
const mostOnTheWay = 20;

/** Watches a rollout at every revision of the API, and records violations. */
export class FleetRecorder {
  readonly #reflectors: readonly Reflector<KubeObject>[];
  readonly #closed = new Set<string>();
  readonly #granted = new Set<string>();
  readonly #lastEpochs = new Map<string, number>();
  /** Of each policy, oldest first. */
  readonly #ledgers = new Map<string, Ledger[]>();
  /** Nodes with the revision of a grant. The watches of policies and of nodes do not run in step: judged when somebody asks. */
  readonly #grants: { readonly node: string; readonly revision: number }[] = [];
  readonly #overLimit: string[] = [];
  /** Pods whose eviction was announced, by uid. */
  readonly announced = new Map<string, string>();
  /** Epochs of grants by node, in the order seen. */
  readonly epochs = new Map<string, readonly number[]>();
  /** Most nodes that were closed or changing at a time. */
  most = 0;
  /** The limit; anything above it is recorded. */
  limit = Infinity;
  /** The order in which nodes were admitted. */
  readonly admitted: string[] = [];

  private constructor(client: KubeClient) {
    this.#reflectors = [
      this.#follow(client, nodes, (change) => this.#onNode(change)),
      this.#follow(client, nodePartitions, (change) => this.#onPartition(change as Change<Partition>)),
      this.#follow(client, policies, (change) => this.#onPolicy(change as Change<Policy>)),
    ];
  }

  static async start(client: KubeClient): Promise<FleetRecorder> {
    const recorder = new FleetRecorder(client);
    await Promise.all(recorder.#reflectors.map((reflector) => reflector.start().waitForSync()));
    return recorder;
  }

  /** Whether it has seen every revision: a list that is read again skips some, and what a handler throws is only logged. */
  get hasSeenAll(): boolean {
    return this.#reflectors.every(({ counts }) => counts.lists === 1 && counts.handlerErrors === 0);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()));
  }

  /** Violations since {@link begin}. */
  get broken(): readonly string[] {
    const unlisted = this.#grants.filter(({ node, revision }) => !this.#wasInLedger(node, revision));
    return [...this.#overLimit, ...unlisted.map(({ node }) => `${node} was granted, and is in no ledger`)];
  }

  /** Forgets the past: from now on this many nodes may change at a time. */
  begin(limit: number): void {
    this.limit = limit;
    this.most = 0;
    this.#overLimit.length = 0;
    this.#grants.length = 0;
    this.admitted.length = 0;
    this.announced.clear();
    this.epochs.clear();
  }

  /** Whether it has seen a policy to this revision, and no node change: what it sees from now on is of later edits. */
  hasSeenEnd(policy: KubeObject): boolean {
    const seen = this.#ledgers.get(policy.metadata.name)?.at(-1)?.revision ?? 0;
    return seen >= revisionOf(policy) && this.#closed.size === 0 && this.#granted.size === 0;
  }

  #follow(
    client: KubeClient,
    resource: Resource,
    onChange: (change: Change<KubeObject>) => void,
  ): Reflector<KubeObject> {
    return new Reflector<KubeObject>({ client, resource, logger: silentLogger, onChange });
  }

  #onNode({ key, object, type }: Change<KubeObject & NodeView>): void {
    const isClosed =
      type !== 'delete' && object.spec?.taints?.some(({ key: taint }) => taint === repartitioningTaint.key);
    if (isClosed === true) this.#closed.add(key);
    else this.#closed.delete(key);
    this.#check();
  }

  #onPartition({ key, object, type }: Change<Partition>): void {
    const { granted, drain } = object.spec;
    for (const { uid, namespace, name } of drain?.pods ?? []) this.announced.set(uid, `${namespace}/${name}`);
    if (granted && granted.epoch !== this.#lastEpochs.get(key)) {
      this.#lastEpochs.set(key, granted.epoch);
      this.epochs.set(key, [...(this.epochs.get(key) ?? []), granted.epoch]);
    }
    const isLive = type !== 'delete' && isUnanswered(object);
    const wasLive = this.#granted.has(key);
    if (isLive) this.#granted.add(key);
    else this.#granted.delete(key);
    if (isLive && !wasLive) this.#grants.push({ node: key, revision: revisionOf(object) });
    this.#check();
  }

  #onPolicy({ key, object, type }: Change<Policy>): void {
    const ledgers = this.#ledgers.get(key) ?? [];
    const before = ledgers.at(-1)?.nodes ?? [];
    const nodes = type === 'delete' ? [] : (object.status?.inFlight ?? []).map(({ node }) => node);
    this.admitted.push(...nodes.filter((node) => !before.includes(node)));
    ledgers.push({ revision: revisionOf(object), nodes, isDeletion: type === 'delete' });
    this.#ledgers.set(key, ledgers);
    if (nodes.length > this.limit) this.#overLimit.push(`${nodes.length} in flight: ${nodes.join(', ')}`);
  }

  #wasInLedger(node: string, revision: number): boolean {
    return [...this.#ledgers.values()].some((ledgers) => {
      const at = ledgers.findLastIndex((ledger) => ledger.revision <= revision);
      const [ledger, last] = [ledgers[at], ledgers[at - 1]];
      // The grant was on its way when somebody deleted the policy.
      const isLate = ledger?.isDeletion === true && revision - ledger.revision < mostOnTheWay;
      return ledger?.nodes.includes(node) === true || (isLate && last?.nodes.includes(node) === true);
    });
  }

  #check(): void {
    const changing = new Set([...this.#closed, ...this.#granted]);
    this.most = Math.max(this.most, changing.size);
    if (changing.size > this.limit) this.#overLimit.push(`${changing.size} at a time: ${[...changing].join(', ')}`);
  }
}

function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion);
}
