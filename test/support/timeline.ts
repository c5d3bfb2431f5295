import { nodePartitions, nodes, pods } from '../../src/api/resources.ts';
import type { GpuNodePartition } from '../../src/api/types.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { collectionPath, keyOf, type KubeObject, type Resource, readWatch, watchQuery } from '../../src/kube/watch.ts';
import { createKubeClient } from './cluster.ts';
import type { ControlPlane } from './cluster.ts';
import { eventually } from './eventually.ts';

export interface RecordedNode extends KubeObject {
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] };
  readonly status?: { readonly allocatable?: Readonly<Record<string, string>> };
}

export interface RecordedPod extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly resources?: { readonly limits?: Readonly<Record<string, string>> } }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

export type RecordedPartition = GpuNodePartition & KubeObject;

/** One write as etcd recorded it. Revisions order the writes of all resources: they are etcd's own. */
export interface Recorded<T> {
  readonly revision: number;
  /** As written; undefined if it was deleted. */
  readonly object: T | undefined;
  /** Name, prefixed with the namespace if it has one. */
  readonly key: string;
}

/** Every state of one resource's objects since the recording began: a watch skips none. */
export class History<T extends KubeObject> {
  readonly #resource: Resource;
  readonly #client: KubeClient;
  readonly #stopped = new AbortController();
  readonly #events: Recorded<T>[] = [];
  #running: Promise<void> | undefined;
  #failure: unknown;
  /** How many of the events are of the list with which the recording began, and its revision. */
  listed = 0;
  listedRevision = 0;

  constructor(client: KubeClient, resource: Resource) {
    this.#client = client;
    this.#resource = resource;
  }

  get events(): readonly Recorded<T>[] {
    return this.#events;
  }

  eventsOf(key: string): readonly Recorded<T>[] {
    return this.#events.filter((event) => event.key === key);
  }

  /** The object at a revision; undefined if it did not exist. */
  at(key: string, revision: number): T | undefined {
    return this.#events.findLast((event) => event.key === key && event.revision <= revision)?.object;
  }

  async start(): Promise<void> {
    const { items, resourceVersion } = await this.#client.list<T>(this.#resource);
    for (const object of items) this.#record(object, false);
    this.#events.sort((a, b) => a.revision - b.revision);
    this.listed = items.length;
    this.listedRevision = Number(resourceVersion);
    this.#running = this.#follow(resourceVersion);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  /** Waits until everything written before the call is recorded. @throws Error if the watch has broken */
  async catchUp(): Promise<void> {
    const { items, resourceVersion } = await this.#client.list<T>(this.#resource);
    const present = new Map(items.map((object) => [keyOf(object), revisionOf(object)]));
    await eventually(
      () => {
        const last = new Map(this.#events.map((event) => [event.key, event]));
        const late = [...present].filter(([key, revision]) => (last.get(key)?.revision ?? 0) < revision);
        const ghosts = [...last.values()].filter(
          ({ key, object, revision }) => object && revision <= Number(resourceVersion) && !present.has(key),
        );
        return { failure: this.#failure, missing: [...late.map(([key]) => key), ...ghosts.map(({ key }) => key)] };
      },
      ({ failure, missing }) => failure === undefined && missing.length === 0,
      { what: `the recording of ${this.#resource.plural}` },
    );
  }

  async #follow(from: string): Promise<void> {
    const path = collectionPath(this.#resource);
    const { signal } = this.#stopped;
    const request = {
      path,
      query: watchQuery({ labelSelector: undefined, fieldSelector: undefined }, from, 600),
      idleMs: 600_000,
      signal,
    };
    try {
      for await (const event of readWatch<T>(this.#client.config, request)) {
        if (event.type !== 'BOOKMARK') this.#record(event.object, event.type === 'DELETED');
      }
      this.#failure = new Error('the watch has ended, so that the recording is not complete');
    } catch (error) {
      if (!signal.aborted) this.#failure = error;
    }
  }

  #record(object: T, isDeleted: boolean): void {
    const key = keyOf(object);
    this.#events.push({ revision: revisionOf(object), key, object: isDeleted ? undefined : object });
  }
}

/** Nodes, pods and GpuNodePartitions of a cluster in the order in which they were written. */
export class Timeline {
  readonly nodes: History<RecordedNode>;
  readonly pods: History<RecordedPod>;
  readonly partitions: History<RecordedPartition>;

  private constructor(client: KubeClient) {
    this.nodes = new History<RecordedNode>(client, nodes);
    this.pods = new History<RecordedPod>(client, pods);
    this.partitions = new History<RecordedPartition>(client, nodePartitions);
  }

  static async start(cluster: ControlPlane): Promise<Timeline> {
    const timeline = new Timeline(await createKubeClient(cluster));
    await timeline.#each((history) => history.start());
    return timeline;
  }

  async catchUp(): Promise<void> {
    await this.#each((history) => history.catchUp());
  }

  async stop(): Promise<void> {
    await this.#each((history) => history.stop());
  }

  async #each(act: (history: Pick<History<KubeObject>, 'start' | 'stop' | 'catchUp'>) => Promise<void>): Promise<void> {
    await Promise.all([this.nodes, this.pods, this.partitions].map(act));
  }
}

function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion);
}
