import { nodePartitions, nodes, policies } from '../../src/api/resources.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../../src/kube/watch.ts';
import type { EarlierList } from '../support/fault.ts';
import { History } from '../support/timeline.ts';

const recorded: readonly Resource[] = [nodes, nodePartitions, policies];

/** What a server that lags would show: each state of Nodes, GpuNodePartitions and policies since the recording began. */
export class EarlierStates {
  readonly #histories: ReadonlyMap<string, { readonly resource: Resource; readonly history: History<KubeObject> }>;

  private constructor(client: KubeClient) {
    this.#histories = new Map(
      recorded.map((resource) => [resource.plural, { resource, history: new History<KubeObject>(client, resource) }]),
    );
  }

  static async start(client: KubeClient): Promise<EarlierStates> {
    const states = new EarlierStates(client);
    await Promise.all([...states.#histories.values()].map(({ history }) => history.start()));
    return states;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#histories.values()].map(({ history }) => history.stop()));
  }

  /** The revision as of which the last `lag` writes are missing; at the earliest that of the first list. */
  revisionBefore(lag: number): number {
    const revisions = [...this.#histories.values()]
      .flatMap(({ history }) => history.events.slice(history.listed).map(({ revision }) => revision))
      .toSorted((a, b) => a - b);
    const first = Math.max(...[...this.#histories.values()].map(({ history }) => history.listedRevision));
    return revisions.at(-1 - lag) ?? first;
  }

  /** @param name of the only object to show; absent: all */
  show(plural: string, revision: number, name?: string): EarlierList | undefined {
    const found = this.#histories.get(plural);
    if (found === undefined) return undefined;
    const { resource, history } = found;
    const keys = new Set(history.events.map(({ key }) => key));
    const items = [...keys].flatMap((key) =>
      name === undefined || key === name ? (history.at(key, revision) ?? []) : [],
    );
    const metadata = { resourceVersion: String(revision) };
    return { apiVersion: apiVersionOf(resource), kind: `${resource.kind}List`, metadata, items };
  }
}
