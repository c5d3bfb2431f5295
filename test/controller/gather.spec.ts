import { expect } from 'chai';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import { AgentPods } from '../../src/controller/node-notifier.ts';
import { Cluster } from '../../src/controller/cluster.ts';
import { Gatherer, PacedReading } from '../../src/controller/gather.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import { Fleet } from '../../src/core/policy/fleet.ts';
import { KubeClient } from '../../src/kube/client.ts';
import type { List, ListOptions } from '../../src/kube/request.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import { type KubeObject, type ObjectRef, type Resource, ObjectStore } from '../../src/kube/watch.ts';
import { aPartition } from '../support/builders.ts';
import { noSliceWatch, someSettings } from '../support/node-builders.ts';

const node: NodeObject = { metadata: { name: 'n', uid: 'uid-n', resourceVersion: '1' } };
const partition = {
  ...aPartition({}),
  metadata: { name: 'n', uid: 'uid-gpn', resourceVersion: '1' },
};

/** Answers lists when two have been asked for: each takes the API server 0.1 s, to make sure that nothing is newer. */
class ListingClient extends KubeClient {
  readonly #waiting: (() => void)[] = [];
  /** What was listed, and whether in pages. */
  readonly lists: (readonly [string, boolean | undefined])[] = [];

  constructor() {
    super(new PooledKubeConfig(), 'test');
  }

  override async list<T extends KubeObject>(
    resource: Resource,
    _selection?: object,
    { paged }: ListOptions = {},
  ): Promise<List<T>> {
    this.lists.push([resource.kind, paged]);
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 2) for (const answer of this.#waiting) answer();
    });
    return { items: [], resourceVersion: '1' };
  }

  override async find<T extends KubeObject>({ resource }: ObjectRef): Promise<T | undefined> {
    const found = { Node: node, GpuNodePartition: partition }[resource.kind];
    return found as unknown as T | undefined;
  }
}

function aCluster(): Cluster {
  const nodes = new ObjectStore<NodeObject>();
  const partitions = new ObjectStore<GpuNodePartition & KubeObject>();
  nodes.upsert(node);
  partitions.upsert(partition);
  const policies = new ObjectStore<GpuPartitionPolicy & KubeObject>();
  const fleet = new Fleet({ sharing: false });
  return new Cluster({ policies, nodes, partitions, fleet, agents: new AgentPods() });
}

function aGatherer(client: KubeClient, cluster = aCluster()): Gatherer {
  return new Gatherer({
    client,
    cluster,
    settings: someSettings,
    configFiles: undefined,
    slices: noSliceWatch,
    now: () => 0,
  });
}

describe('Gatherer', () => {
  async function lookAtAll() {
    const client = new ListingClient();
    const gatherer = aGatherer(client);
    return { client, found: await gatherer.read(gatherer.known(node), 'All') };
  }

  it('has the API server make its lists side by side', async () => {
    const { found } = await lookAtAll();
    expect(found?.fresh?.resourceSlices).to.deep.equal([]);
  });

  it('asks for what is on one node in one answer: a limit would keep the server from using its watch cache', async () => {
    const { client } = await lookAtAll();
    expect(client.lists).to.have.deep.members([
      ['Pod', false],
      ['ResourceSlice', false],
    ]);
  });

  it('lists nothing for a decision that rests on the node and its report alone', async () => {
    const client = new ListingClient();
    const gatherer = aGatherer(client);
    const found = await gatherer.read(gatherer.known(node), 'Node');
    expect([found?.isCurrent, found?.fresh, found?.pods, client.lists]).to.deep.equal([true, undefined, undefined, []]);
  });

  it('shows no later decision a Node that is older than what it has read', async () => {
    const closed = { ...node, metadata: { ...node.metadata, resourceVersion: '2' } };
    class ClosedClient extends ListingClient {
      override async find<T extends KubeObject>(ref: ObjectRef): Promise<T | undefined> {
        return ref.resource.kind === 'Node' ? (closed as unknown as T) : super.find<T>(ref);
      }
    }
    const cluster = aCluster();
    const gatherer = aGatherer(new ClosedClient(), cluster);
    await gatherer.read(gatherer.known(node), 'All');
    expect(cluster.nodes.get('n')?.metadata.resourceVersion).to.equal('2');
  });

  describe('of pods that have to go', () => {
    const ownerOf = (name: string, uid: string) => [
      { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid, controller: true },
    ];
    const aPod = (name: string, metadata: object = {}) => ({
      metadata: { name, namespace: 'team', uid: name, labels: { app: 'train', secret: 'x' }, ...metadata },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }, { type: 'Scheduled' }] },
    });
    const budget = {
      metadata: { name: 'train', namespace: 'team', uid: 'u', annotations: { long: 'text' } },
      spec: { selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } },
      status: { disruptionsAllowed: 1 },
    };
    const values = Array.from({ length: 1000 }, (_, index) => `value-${index}`);
    const huge = {
      ...budget,
      metadata: { name: 'huge', namespace: 'team' },
      spec: { selector: { matchExpressions: [{ key: 'secret', operator: 'In', values }] } },
    };
    const affectedPods = ['team/a', 'other/b', 'team/c'];

    /** Serves lists at once, and the DaemonSets by name. */
    class DrainClient extends ListingClient {
      readonly asked: string[] = [];
      readonly daemonSets: Readonly<Record<string, string>>;

      constructor(daemonSets: Readonly<Record<string, string>> = {}) {
        super();
        this.daemonSets = daemonSets;
      }

      override async list<T extends KubeObject>(
        { kind }: Resource,
        { namespace }: { readonly namespace?: string } = {},
        { trim = (one: never) => one }: ListOptions = {},
      ): Promise<List<T>> {
        if (kind === 'PodDisruptionBudget') this.asked.push(namespace ?? '');
        const own = ['real', 'gone', 'other'].map((name) =>
          aPod(name, { ownerReferences: ownerOf(name, `uid-${name}`) }),
        );
        const all: Readonly<Record<string, readonly object[]>> = {
          Pod: [aPod('a'), ...own],
          PodDisruptionBudget: namespace === 'team' ? [budget, huge] : [],
        };
        return { items: (all[kind] ?? []).map((one) => trim(one as never)) as unknown as T[], resourceVersion: '1' };
      }

      override async find<T extends KubeObject>(ref: ObjectRef): Promise<T | undefined> {
        if (ref.resource.kind !== 'DaemonSet') {
          const found = await super.find<T & typeof partition>(ref);
          const plan = { hash: 'h', wishHash: 'w', affectedPods };
          return ref.resource.kind === 'GpuNodePartition'
            ? ({ ...found, status: { device: { plan } } } as never)
            : found;
        }
        const uid = this.daemonSets[ref.name];
        return uid === undefined ? undefined : ({ metadata: { name: ref.name, uid } } as unknown as T);
      }
    }

    async function lookAtDrain() {
      const client = new DrainClient({ real: 'uid-real', other: 'uid-of-its-successor' });
      const gatherer = aGatherer(client);
      return { client, found: await gatherer.read(gatherer.known(node), 'Drain') };
    }

    it('reads the budgets of their namespaces, and of each pod the labels by which those select, and no other', async () => {
      const { client, found } = await lookAtDrain();
      expect(client.asked.toSorted()).to.deep.equal(['other', 'team']);
      const { annotations: _text, uid: _uid, ...metadata } = budget.metadata;
      const { spec: _long, ...rest } = huge;
      expect(found?.fresh?.drain?.budgets).to.deep.equal([{ ...budget, metadata }, rest]);
      const [pod] = found?.pods ?? [];
      expect(pod?.metadata.labels).to.deep.equal({ app: 'train' });
      expect(pod?.status).to.deep.equal({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
    });

    it('finds out which of the DaemonSets that they name as owners do not exist', async () => {
      const { found } = await lookAtDrain();
      expect([...(found?.fresh?.drain?.missingOwners ?? [])]).to.deep.equal(['uid-gone', 'uid-other']);
    });

    it('reads nothing of that where no pod has to go', async () => {
      const client = new DrainClient();
      const gatherer = aGatherer(client);
      const found = await gatherer.read(gatherer.known(node), 'All');
      expect(client.asked).to.deep.equal([]);
      expect(found?.fresh).to.not.have.property('drain');
      expect(found?.pods?.[0]?.metadata).to.not.have.property('labels');
    });
  });

  it('has at most sixteen lists of pods made at a time, however many nodes wait for theirs', async () => {
    let underWay = 0;
    let most = 0;
    class SlowClient extends ListingClient {
      override async list<T extends KubeObject>(): Promise<List<T>> {
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        return { items: [], resourceVersion: '1' };
      }
    }
    const gatherer = aGatherer(new SlowClient());
    await Promise.all(Array.from({ length: 30 }, () => gatherer.read(gatherer.known(node), 'Pods')));
    expect(most).to.equal(16);
  });
});

describe('a paced reading', () => {
  const aReading = (tookMs: number) => {
    const world = { nowMs: 0, reads: 0 };
    const read = async (): Promise<number> => {
      world.nowMs += tookMs;
      world.reads += 1;
      return world.reads;
    };
    return { world, reading: new PacedReading(read, () => world.nowMs) };
  };

  it('is taken again when it is older than asked for, from its beginning: what it shows may be as old', async () => {
    for (const tookMs of [0, 100]) {
      const { world, reading } = aReading(tookMs);
      expect(await reading.get(10_000)).to.equal(1);
      world.nowMs = 9_999;
      expect(await reading.get(10_000)).to.equal(1);
      world.nowMs = 10_000;
      expect(await reading.get(10_000)).to.equal(2);
    }
  });

  it('takes at most a tenth of the time, however often it is asked for', async () => {
    const { world, reading } = aReading(2_000);
    expect(await reading.get()).to.equal(1);
    world.nowMs += 19_999;
    expect(await reading.get()).to.equal(1);
    world.nowMs += 1;
    expect(await reading.get()).to.equal(2);
  });
});
