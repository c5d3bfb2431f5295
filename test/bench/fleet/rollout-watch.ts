import { repartitioningTaint } from '../../../src/api/names.ts';
import { nodes, policies } from '../../../src/api/resources.ts';
import type { GpuPartitionPolicy } from '../../../src/api/types.ts';
import type { NodeView } from '../../../src/core/kubernetes/node.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { Reflector } from '../../../src/kube/reflector.ts';
import type { KubeObject } from '../../../src/kube/watch.ts';
import { silentLogger } from '../../../src/process/log.ts';

type Policy = GpuPartitionPolicy & KubeObject;
type Node = KubeObject & NodeView;

/** Writes down when nodes are opened, and when another one takes the place of each. Times are by `performance.now()`. */
export class RolloutWatch {
  readonly #reflectors: readonly [Reflector<Policy>, Reflector<Node>];
  readonly #closed = new Set<string>();
  readonly #openedAt = new Map<string, number>();
  /** When the nodes were opened whose slots are still free. */
  #free: number[] = [];
  #ledger: readonly string[] = [];
  /** From a node that was opened until the ledger has the next one, in ms. */
  readonly refills: number[] = [];

  private constructor(client: KubeClient) {
    const common = { client, logger: silentLogger };
    this.#reflectors = [
      new Reflector<Policy>({ ...common, resource: policies, onChange: ({ object }) => this.#onPolicy(object) }),
      new Reflector<Node>({ ...common, resource: nodes, onChange: ({ object }) => this.#onNode(object) }),
    ];
  }

  static async start(client: KubeClient): Promise<RolloutWatch> {
    const watch = new RolloutWatch(client);
    await Promise.all(watch.#reflectors.map((reflector) => reflector.start().waitForSync()));
    return watch;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()));
  }

  get policy(): GpuPartitionPolicy | undefined {
    return this.#reflectors[0].store.list()[0];
  }

  begin(): void {
    this.#free = [];
    this.refills.length = 0;
  }

  #onNode({ metadata, spec }: Node): void {
    const { name } = metadata;
    if (spec?.taints?.some(({ key }) => key === repartitioningTaint.key) === true) this.#closed.add(name);
    else if (this.#closed.delete(name)) this.#openedAt.set(name, performance.now());
  }

  #onPolicy({ status }: Policy): void {
    const now = performance.now();
    const before = this.#ledger;
    this.#ledger = (status?.inFlight ?? []).map(({ node }) => node);
    const [known, kept] = [new Set(before), new Set(this.#ledger)];
    const released = before.filter((node) => !kept.has(node));
    const opened = released.map((node) => this.#openedAt.get(node) ?? now);
    this.#free = [...this.#free, ...opened].toSorted((a, b) => a - b);
    const admitted = this.#ledger.filter((node) => !known.has(node)).length;
    this.refills.push(...this.#free.splice(0, admitted).map((at) => now - at));
  }
}
