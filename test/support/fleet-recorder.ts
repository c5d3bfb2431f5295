import { nodePartitions, nodes, policies } from '../../src/api/resources.ts';
import { repartitioningTaint } from '../../src/api/names.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import { isUnanswered } from '../../src/core/node/observed-epoch.ts';
import type { NodeView } from '../../src/core/node/node-view.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import type { KubeObject, Resource } from '../../src/kube/resource.ts';
import type { Change } from '../../src/kube/store.ts';
import { silentLogger } from '../../src/process/logger.ts';

type Partition = GpuNodePartition & KubeObject;
type Policy = GpuPartitionPolicy & KubeObject;

/** Watches a rollout at every revision of the API, and records violations. */
export class FleetRecorder {
  readonly #reflectors: readonly Reflector<KubeObject>[];
  readonly #closed = new Set<string>();
  readonly #granted = new Set<string>();
  readonly #lastEpochs = new Map<string, number>();
  readonly #ledgers = new Map<string, readonly string[]>();
  /** Pods whose eviction was announced, by uid. */
  readonly announced = new Map<string, string>();
  /** Epochs of grants by node, in the order seen. */
  readonly epochs = new Map<string, readonly number[]>();
  readonly broken: string[] = [];
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

  /** Forgets the past: from now on this many nodes may change at a time. */
  begin(limit: number): void {
    this.limit = limit;
    this.most = 0;
    this.broken.length = 0;
    this.admitted.length = 0;
    this.announced.clear();
    this.epochs.clear();
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
    if (isLive && !wasLive && !this.#isInLedger(key)) this.broken.push(`${key} was granted, and is in no ledger`);
    this.#check();
  }

  #onPolicy({ key, object, type }: Change<Policy>): void {
    const before = this.#ledgers.get(key) ?? [];
    const now = type === 'delete' ? [] : (object.status?.inFlight ?? []).map(({ node }) => node);
    this.admitted.push(...now.filter((node) => !before.includes(node)));
    this.#ledgers.set(key, now);
    if (now.length > this.limit) this.broken.push(`${now.length} in flight: ${now.join(', ')}`);
  }

  #isInLedger(node: string): boolean {
    return [...this.#ledgers.values()].some((ledger) => ledger.includes(node));
  }

  #check(): void {
    const changing = new Set([...this.#closed, ...this.#granted]);
    this.most = Math.max(this.most, changing.size);
    if (changing.size > this.limit) this.broken.push(`${changing.size} at a time: ${[...changing].join(', ')}`);
  }
}
