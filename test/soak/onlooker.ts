import { repartitioningTaint } from '../../src/api/names.ts';
import { nodePartitions, nodes, policies } from '../../src/api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import { isUnanswered } from '../../src/core/device/grants.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import type { KubeObject, Resource, Change } from '../../src/kube/watch.ts';
import { silentLogger } from '../../src/process/log.ts';
import type { RigNodeView } from '../support/rig.ts';
import { maxConcurrentNodes, maxUnavailable } from './cast.ts';
import { FairClock } from '../../src/simulator/control-plane/run.ts';
import { Suspicions } from './suspicions.ts';

type Partition = GpuNodePartition & KubeObject;
type Policy = GpuPartitionPolicy & KubeObject;
type Node = RigNodeView & KubeObject;

/** How many compute instances a node's device has now. */
export type CountSlices = (node: string) => number;

/**
 * Watches everything that the programs write, and judges each revision it sees: S3, S5 and L4 of the model's invariants. Times allow for a
 * loaded machine.
 */
export class Onlooker {
  readonly #reflectors: readonly Reflector<KubeObject>[];
  readonly #nodes = new Map<string, Node>();
  readonly #partitions = new Map<string, Partition>();
  readonly #ledgers = new Map<string, NonNullable<NonNullable<Policy['status']>['inFlight']>>();
  readonly #closed = new Suspicions(180_000);
  readonly #offered = new Suspicions(180_000);
  readonly #clock = new FairClock();
  readonly #countSlices: CountSlices;
  readonly #violations = new Set<string>();
  revisions = 0;

  private constructor(client: KubeClient, countSlices: CountSlices) {
    this.#countSlices = countSlices;
    this.#reflectors = [
      this.#follow(client, nodes, (change) => this.#keep(this.#nodes, change as Change<Node>)),
      this.#follow(client, nodePartitions, (change) => this.#keep(this.#partitions, change as Change<Partition>)),
      this.#follow(client, policies, (change) => this.#onPolicy(change as Change<Policy>)),
    ];
  }

  static async start(client: KubeClient, countSlices: CountSlices): Promise<Onlooker> {
    const onlooker = new Onlooker(client, countSlices);
    await Promise.all(onlooker.#reflectors.map((reflector) => reflector.start().waitForSync()));
    return onlooker;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()));
  }

  get violations(): readonly string[] {
    const errors = this.#reflectors.reduce((sum, { counts }) => sum + counts.handlerErrors, 0);
    return [...this.#violations, ...(errors > 0 ? [`the onlooker failed ${errors} times`] : [])];
  }

  report(violation: string): void {
    this.#violations.add(violation);
  }

  /** Judges what may not last; to be called now and then. */
  tick(): void {
    const nowMs = this.#clock.read(Date.now());
    const listed = new Set([...this.#ledgers.values()].flat().map(({ node }) => node));
    for (const [name, node] of this.#nodes) {
      const isClosed = node.spec.taints?.some(({ key }) => key === repartitioningTaint.key) === true;
      const partition = this.#partitions.get(name);
      const hasCause = listed.has(name) || (partition !== undefined && isUnanswered(partition));
      if (this.#closed.note(name, isClosed && !hasCause, nowMs))
        this.report(`L4: ${name} stays closed without a cause`);
      const offered = countOffered(node);
      const isExcess = !isClosed && offered > this.#countSlices(name);
      if (this.#offered.note(name, isExcess, nowMs))
        this.report(`S3: ${name} goes on offering ${offered} slices and has ${this.#countSlices(name)}`);
    }
  }

  /** No program could act for a while. */
  forgive(): void {
    this.#closed.forgive();
    this.#offered.forgive();
  }

  #follow(
    client: KubeClient,
    resource: Resource,
    onChange: (change: Change<KubeObject>) => void,
  ): Reflector<KubeObject> {
    return new Reflector<KubeObject>({ client, resource, logger: silentLogger, onChange });
  }

  #keep<T extends KubeObject>(into: Map<string, T>, { key, object, type }: Change<T>): void {
    this.revisions += 1;
    if (type === 'delete') into.delete(key);
    else into.set(key, object);
  }

  #onPolicy({ key, object, type }: Change<Policy>): void {
    this.revisions += 1;
    const ledger = type === 'delete' ? [] : (object.status?.inFlight ?? []);
    this.#ledgers.set(key, ledger);
    const most = countAdmitted(ledger);
    if (most > maxUnavailable) this.report(`S5: policy ${key} has ${most} nodes in flight at once`);
    const all = [...this.#ledgers.values()].reduce((sum, one) => sum + countAdmitted(one), 0);
    if (all > maxConcurrentNodes) this.report(`S5: ${all} nodes are in flight at once`);
  }
}

/** Of those that a budget counts: nodes that were closed before, and what a new leader found, are not admitted. */
function countAdmitted(ledger: readonly { readonly kind?: string }[]): number {
  return ledger.filter(({ kind }) => kind !== 'Fresh' && kind !== 'Found').length;
}

export function countOffered({ status }: RigNodeView): number {
  const entries = Object.entries(status.allocatable ?? {});
  return entries.reduce((sum, [key, count]) => sum + (key.startsWith('nvidia.com/mig-') ? Number(count) : 0), 0);
}
