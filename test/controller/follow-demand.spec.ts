import { think } from '../../src/planner/questions.ts';
import { DemandMemory, readHolders } from '../../src/core/demand/state.ts';
import { systemClock } from '../../src/process/clock.ts';
import { expect } from 'chai';
import type { GpuNodePartition, GpuPartitionPolicy, PolicyDemand, PolicyStatus } from '../../src/api/types.ts';
import { AgentPods } from '../../src/controller/node-notifier.ts';
import { Cluster } from '../../src/controller/cluster.ts';
import { readForDemands, DemandReconciler } from '../../src/controller/follow-demand.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import { PacedReading } from '../../src/controller/gather.ts';
import { Fleet } from '../../src/core/policy/fleet.ts';
import type { PodView } from '../../src/core/kubernetes/pod.ts';
import { nextStatus } from '../../src/core/node/status.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import type { List } from '../../src/kube/request.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import { type KubeObject, ObjectStore } from '../../src/kube/watch.ts';
import { silentLogger } from '../../src/process/log.ts';
import { aGpu } from '../support/builders.ts';
import { aDemandPolicy, aNodeWith } from '../support/demand-builders.ts';
import { aNode } from '../support/node-builders.ts';

const small = 'nvidia.com/mig-1g.5gb';
const follows: PolicyDemand = { from: 'Pods', stabilization: '0s', slices: [{ name: 'small', profiles: ['1g.5gb'] }] };

const aPod = (name: string, amount: number | string = 1): PodView => ({
  metadata: { name, namespace: 'ns' },
  spec: { containers: [{ name: 'main', resources: { limits: { [small]: amount } } }] },
});

/** A controller with one node, of one GPU without slices. */
class DemandScene {
  readonly #policies = new ObjectStore<GpuPartitionPolicy & KubeObject>();
  readonly #fleet = new Fleet({ sharing: false });
  readonly #reconciler: DemandReconciler;
  #now = 0;
  /** The pods that wait, or why they cannot be read. */
  pods: readonly PodView[] | Error = [];
  /** Why what Kueue holds back cannot be read. */
  held: Error | undefined;

  constructor() {
    const nodes = new ObjectStore<NodeObject>();
    const partitions = new ObjectStore<GpuNodePartition & KubeObject>();
    const node = aNode({ labels: { pool: 'p' } });
    const { name } = node.metadata;
    nodes.upsert({ ...node, metadata: { ...node.metadata, resourceVersion: '1' } });
    const partition = aNodeWith(name, aGpu({ slices: [] }));
    partitions.upsert({ ...partition, metadata: { ...partition.metadata, resourceVersion: '1' } });
    this.#fleet.setNode(name, { pool: 'p' });
    const parts = { policies: this.#policies, nodes, partitions, fleet: this.#fleet, agents: new AgentPods() };
    const now = (): number => this.#now;
    this.#reconciler = new DemandReconciler({
      cluster: new Cluster(parts),
      pods: new PacedReading(async () => {
        if (this.pods instanceof Error) throw this.pods;
        return this.pods;
      }, now),
      held: new PacedReading(async () => {
        if (this.held) throw this.held;
        const flavor = { metadata: { name: 'any' } };
        const resourceGroups = [{ flavors: [{ name: 'any' }] }];
        const clusterQueues = [{ metadata: { name: 'q' }, spec: { resourceGroups } }];
        return { workloads: [], localQueues: [], clusterQueues, flavors: [flavor] };
      }, now),
      names: new PacedReading(async () => undefined, now),
      namespaces: new PacedReading(async () => new Map<string, Readonly<Record<string, string>>>(), now),
      holders: new PacedReading(async () => readHolders([]).index([], []), now),
      log: silentLogger,
      requeueNodes: () => undefined,
      tellPolicy: () => undefined,
      think,
      newMemory: () => new DemandMemory(),
      clock: systemClock,
      now,
    });
  }

  /** Somebody writes the policy. */
  edit(generation: number, demand: PolicyDemand, status: GpuPartitionPolicy['status'] = {}): void {
    const policy = aDemandPolicy(demand, { nodeSelector: { matchLabels: { pool: 'p' } } });
    const metadata = { ...policy.metadata, generation, resourceVersion: String(generation) };
    const known = this.#policies.get('p')?.status;
    const written = { ...policy, metadata, status: { acceptedGeneration: 1, ...known, ...status } };
    this.#policies.upsert(written);
    this.#fleet.setPolicy(written);
  }

  /** @returns what is told of the policy then */
  async look(): Promise<PolicyStatus> {
    this.#now += 60_000;
    await this.#reconciler.reconcile('p', new AbortController().signal).catch(() => undefined);
    const [record, stored] = [this.#fleet.policy('p'), this.#policies.get('p')];
    if (!record || !stored) throw new Error('there is no policy');
    const status = nextStatus(record, stored, { accepts: false, times: undefined }, record.tally, this.#now);
    if (status === undefined) throw new Error('nothing is told of the policy');
    return status;
  }

  async demandMet() {
    return (await this.look()).conditions?.find(({ type }) => type === 'DemandMet');
  }
}

/** Has so many pods that one answer is too long. */
class LongLists extends KubeClient {
  override async list<T extends KubeObject>(...[, , options = {}]: Parameters<KubeClient['list']>): Promise<List<T>> {
    if (options.paged === false)
      throw new ApiError({ request: 'GET', code: 0, reason: 'TooLarge', text: 'the list is longer than we read' });
    const items = [aPod(`page of ${options.pageSize}`)];
    return { items: items as unknown as T[], resourceVersion: '1' };
  }
}

describe('the pods that wait', () => {
  it('are read in pages where one answer is too long: pods of a megabyte do not hide the others', async () => {
    const { pods } = readForDemands(new LongLists(new PooledKubeConfig(), 'test'));
    expect((await pods.get()).map(({ metadata }) => metadata.name)).to.deep.equal(['page of 100']);
  });
});

describe('the demand of a policy', () => {
  it('is of the pods that a node can hold, and says which others wait: one absurd pod keeps nobody from a slice', async () => {
    const scene = new DemandScene();
    scene.edit(1, follows);
    scene.pods = [aPod('a'), aPod('b'), aPod('huge', 3_000_000_000), aPod('most', '9223372036854775807'), aPod('c', 8)];
    const { demand, conditions } = await scene.look();
    expect(demand?.[0]).to.include({ wanted: 2, waiting: 2, unmet: 0 });
    const { reason, message } = conditions?.find(({ type }) => type === 'DemandMet') ?? {};
    expect(reason).to.equal('Reconciling');
    expect(message).to.match(/not counted: (pod ns\/(huge|most|c), which requests more than a node can hold(; )?){3}$/);
  });

  it('is not known while the pods that wait cannot be read, and what was told of its numbers and of what was freed stays', async () => {
    const scene = new DemandScene();
    const defrag = { request: '3g.20gb=1', state: 'Done', message: '' } as const;
    scene.edit(1, follows, { demand: [{ name: 'small', wanted: 3, offered: 3, used: 3, unmet: 0 }], defrag });
    scene.pods = new Error('the list is longer than 536870912 bytes');
    const first = await scene.look();
    expect(first.conditions?.find(({ type }) => type === 'DemandMet')).to.include({
      status: 'False',
      reason: 'PodsUnavailable',
      message:
        'the pods that wait cannot be read, so nothing is made for them, and nodes stay as they are: Error: the list is longer than 536870912 bytes',
    });
    expect(first.demand?.[0]).to.include({ wanted: 3 });
    expect(first.defrag).to.deep.equal(defrag);
    scene.pods = [];
    expect(await scene.demandMet()).to.include({ status: 'True' });
  });

  it('is not known while what Kueue holds back cannot be read either', async () => {
    const scene = new DemandScene();
    scene.edit(1, { ...follows, from: 'Kueue' });
    scene.held = new Error('no complete answer within the limit');
    expect(await scene.demandMet()).to.include({ status: 'False', reason: 'PodsUnavailable' });
    scene.held = undefined;
    expect(await scene.demandMet()).to.include({ status: 'True' });
  });

  it('is told of the generation in force while a newer one is refused', async () => {
    const scene = new DemandScene();
    scene.edit(1, follows);
    expect(await scene.demandMet()).to.include({ status: 'True', message: 'small: 0 offered, 0 in use' });
    scene.edit(
      2,
      { slices: [{ profiles: ['9g.99gb'], count: 1 }] },
      {
        inForce: {
          generation: 1,
          spec: { ...aDemandPolicy(follows, { nodeSelector: { matchLabels: { pool: 'p' } } }).spec },
        },
      },
    );
    scene.pods = [aPod('a')];
    const { demand, conditions } = await scene.look();
    expect(conditions?.find(({ type }) => type === 'Valid')).to.include({ status: 'False', reason: 'UnknownProfile' });
    expect(conditions?.find(({ type }) => type === 'DemandMet')).to.include({
      status: 'False',
      reason: 'Reconciling',
      observedGeneration: 1,
      message: 'generation 1 is in force: small: 0 of 1 exist; the others are being made',
    });
    expect(demand?.[0]).to.include({ name: 'small', wanted: 1 });
  });
});
