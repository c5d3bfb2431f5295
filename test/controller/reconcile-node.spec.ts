import { decide } from '../../src/core/node/decide.ts';
import { expect } from 'chai';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import { AgentPods } from '../../src/controller/node-notifier.ts';
import { Cluster } from '../../src/controller/cluster.ts';
import { Executor } from '../../src/controller/execute.ts';
import { Gatherer } from '../../src/controller/gather.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import { NodeReconciler, NodeReporter } from '../../src/controller/reconcile-node.ts';
import { PreviewPlanner } from '../../src/controller/follow-demand.ts';
import { Fleet } from '../../src/core/policy/fleet.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { EventRecorder, type EventNote } from '../../src/kube/events.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import { type KubeObject, type ObjectRef, type Resource, ObjectStore } from '../../src/kube/watch.ts';
import { silentLogger } from '../../src/process/log.ts';
import { aRolloutState } from '../core/rollout/rollout-builders.ts';
import { aPartition, aPolicy } from '../support/builders.ts';
import { aNode, aSlicingPolicy, noSliceWatch, someSettings, noMemory, slicedGpu } from '../support/node-builders.ts';
import { ApiError } from '../../src/kube/api-error.ts';

const nodeAt = (resourceVersion: string): NodeObject => ({ metadata: { name: 'n', uid: 'uid-n', resourceVersion } });

/** An API server that has the node at version 2, as it was written. */
class Server extends KubeClient {
  reads = 0;

  override async find<T extends KubeObject>({ resource }: ObjectRef): Promise<T> {
    this.reads += 1;
    return { ...nodeAt('2'), ...(resource.kind !== 'Node' && { spec: {} }) } as unknown as T;
  }

  override async delete(): Promise<boolean> {
    return true;
  }

  override async create<T extends KubeObject>(_resource: Resource, object: T): Promise<T> {
    return object;
  }

  override async merge<T extends KubeObject>(): Promise<T> {
    return { ...aPartition(), metadata: { name: 'n', resourceVersion: '9' } } as unknown as T;
  }
}

/** A controller that wrote node `n` at time 0, and that sees the version before. */
function aController(heard: { readonly onStep?: () => void; readonly onGone?: (node: string) => void } = {}) {
  const client = new Server(new PooledKubeConfig(), 'test');
  const nodes = new ObjectStore<NodeObject>();
  nodes.upsert(nodeAt('1'));
  const partitions = new ObjectStore<GpuNodePartition & KubeObject>();
  const fleet = new Fleet({ sharing: false });
  const cluster = new Cluster({ policies: new ObjectStore(), nodes, partitions, fleet, agents: new AgentPods() });
  cluster.nodes.expect('n', '2', 0);
  const clock = { ms: 0 };
  const now = (): number => clock.ms;
  const events = new EventRecorder({ client, logger: silentLogger, controller: 'test', instance: 'test' });
  const reconciler = new NodeReconciler({
    cluster,
    gatherer: new Gatherer({
      client,
      cluster,
      settings: someSettings,
      configFiles: undefined,
      slices: noSliceWatch,
      now,
    }),
    executor: new Executor({ client, cluster, configFiles: undefined, log: silentLogger, now }),
    reporter: new NodeReporter({ client, cluster, events, onNews: () => undefined, now }),
    preview: new PreviewPlanner({ client, cluster, onNews: () => undefined }),
    decide,
    ...heard,
    now,
  });
  return { client, cluster, clock, nodes, partitions, fleet, reconciler };
}

describe('a node that went while it was in work', () => {
  it('is forgotten after its last step', async () => {
    const heard: string[] = [];
    const { nodes, reconciler } = aController({
      onStep: () => {
        nodes.remove(nodeAt('3'));
        heard.push('step');
      },
      onGone: (node) => heard.push(`${node} is gone`),
    });
    nodes.upsert(nodeAt('2'));
    await reconciler.reconcile('n');
    await reconciler.reconcile('n');
    expect(heard).to.deep.equal(['step', 'n is gone']);
  });
});

describe('a node that came under the name of another', () => {
  const objectOf = (nodeUID: string, resourceVersion: string, status: GpuNodePartition['status'] = {}) => ({
    ...aPartition({ nodeUID }),
    metadata: { name: 'n', uid: `gpn-of-${nodeUID}`, resourceVersion },
    status,
  });
  // It failed, and then its agent went.
  const ofEarlier = objectOf('uid-old', '5', {
    waits: [
      { name: 'ChangeFailed', since: '1970-01-01T00:00:00Z', of: 'uid-p.1' },
      { name: 'AgentAway', since: '1970-01-01T00:00:00Z' },
    ],
  });

  for (const [words, seesEarlier] of [
    ['it was seen with the object of the other', true],
    ['the other was in memory', false],
  ] as const)
    it(`has not failed, nor has its agent been away, where ${words}`, async () => {
      const { cluster, clock, nodes, partitions, fleet, reconciler } = aController();
      fleet.setNode('n', { pool: 'p' });
      fleet.setPolicy({ ...aSlicingPolicy(), status: { acceptedGeneration: 1 } });
      clock.ms = 3_600_000;
      const node = { ...aNode(), metadata: { ...aNode().metadata, uid: 'uid-new', resourceVersion: '6' } };
      if (seesEarlier) nodes.upsert(node);
      else nodes.upsert({ ...node, metadata: { ...node.metadata, uid: 'uid-old', resourceVersion: '4' } });
      partitions.upsert(ofEarlier);
      await reconciler.reconcile('n');
      nodes.upsert(node);
      partitions.remove({ ...ofEarlier, metadata: { ...ofEarlier.metadata, resourceVersion: '7' } });
      await reconciler.reconcile('n');
      partitions.upsert(objectOf('uid-new', '8'));
      await reconciler.reconcile('n');
      expect(cluster.rollout.rolloutStateOf('n')).to.deep.include({ nodeUID: 'uid-new', hasFailed: false });
      expect(cluster.memoryOf(node).waits).to.deep.include({ AgentAway: { since: clock.ms } });
    });
});

describe('a node that was written', () => {
  it('is not decided on until the watch brings the write, for three seconds', async () => {
    const { client, clock, reconciler } = aController();
    expect(await reconciler.reconcile('n')).to.deep.equal({ requeueAfterMs: 3010 });
    clock.ms = 2900;
    expect(await reconciler.reconcile('n')).to.deep.equal({ requeueAfterMs: 110 });
    expect(client.reads).to.equal(0);
  });

  it('is read where the watch does not bring it', async () => {
    const { client, cluster, clock, reconciler } = aController();
    clock.ms = 3000;
    await reconciler.reconcile('n');
    expect(client.reads).to.equal(1);
    expect(cluster.nodes.get('n')?.metadata.resourceVersion).to.equal('2');
    expect(cluster.nodes.expectedSince('n')).to.equal(undefined);
  });

  it('is decided on as soon as the watch brings it', async () => {
    const { client, nodes, reconciler } = aController();
    nodes.upsert(nodeAt('2'));
    await reconciler.reconcile('n');
    expect(client.reads).to.equal(0);
  });

  it('is read before the next decision where the write got no answer, which may have taken effect', async () => {
    const { client, cluster, nodes, reconciler } = aController();
    nodes.upsert(nodeAt('2'));
    cluster.nodes.markUncertain('n');
    await reconciler.reconcile('n');
    expect(client.reads).to.equal(1);
    await reconciler.reconcile('n');
    expect(client.reads).to.equal(1);
  });

  it('is decided on by its partition as the API server has it where a write of that got no answer', async () => {
    const { client, cluster, nodes, reconciler } = aController();
    nodes.upsert(nodeAt('2'));
    cluster.partitions.markUncertain('n');
    await reconciler.reconcile('n');
    expect(client.reads).to.equal(1);
    expect(cluster.partitions.isUncertain('n')).to.equal(false);
  });
});

type Partition = GpuNodePartition & KubeObject;

const node: NodeObject = { metadata: { name: 'n', uid: 'uid-n', resourceVersion: '1' } };
const metadata = { name: 'n', uid: 'uid-gpn', resourceVersion: '1' };

/** The API server, which has this of the agent by now. */
class StatusClient extends KubeClient {
  readonly #device: NonNullable<GpuNodePartition['status']>['device'];

  constructor(device: NonNullable<GpuNodePartition['status']>['device']) {
    super(new PooledKubeConfig(), 'test');
    this.#device = device;
  }

  override async merge<T extends KubeObject>(_ref: unknown, patch: { readonly status: object }): Promise<T> {
    const device = this.#device && { device: this.#device };
    const written = { ...aPartition({}), metadata: { ...metadata, resourceVersion: '3' } };
    return { ...written, status: { ...patch.status, ...device } } as unknown as T;
  }
}

/** A reporter of one node that policy p selects. */
function aScene(client: KubeClient) {
  const partitions = new ObjectStore<Partition>();
  const known = aPartition({});
  const partition: Partition = { ...known, metadata, spec: { ...known.spec, nodeUID: 'uid-n' }, status: {} };
  partitions.upsert(partition);
  const policies = new ObjectStore<GpuPartitionPolicy & KubeObject>();
  const fleet = new Fleet({ sharing: false });
  const nodes = new ObjectStore<NodeObject>();
  const cluster = new Cluster({ policies, nodes, partitions, fleet, agents: new AgentPods() });
  const policy = aPolicy();
  const stored = { ...policy, metadata: { ...policy.metadata, resourceVersion: '1' } };
  policies.upsert(stored);
  fleet.setNode('n', { pool: 'p' });
  fleet.setPolicy(stored);
  const events = new EventRecorder({ client, logger: silentLogger, controller: 'test', instance: 'test' });
  const notes: EventNote[] = [];
  events.record = (note) => void notes.push(note);
  const reporter = new NodeReporter({ client, cluster, events, onNews: () => undefined, now: () => 0 });
  const claim = fleet.claimOf('n', partition);
  const agent = { state: 'Ready' as const };
  const snapshot = { now: 0, node, partition, claim, slot: undefined, agent, settings: someSettings };
  return { reporter, snapshot, fleet, notes };
}

/** Says of a node that its agent has not reported. @returns when the node is looked at again */
async function report(device: NonNullable<GpuNodePartition['status']>['device']): Promise<number | undefined> {
  const { reporter, snapshot } = aScene(new StatusClient(device));
  const verdict = { phase: 'Pending', reason: 'AgentNotReporting', message: 'nothing yet' } as const;
  return reporter.report(snapshot, verdict, noMemory);
}

describe('NodeReporter', () => {
  it('has a node looked at again whose agent turns out to have reported meanwhile: no event may come of that', async () => {
    expect(await report(slicedGpu)).to.equal(0);
    const device = undefined;
    expect(await report(device)).to.equal(undefined);
  });

  it('lets a node proceed whose status the API server does not take, and counts it as Ready only once that is written', async () => {
    const client = new StatusClient(undefined);
    const { reporter, snapshot, fleet, notes } = aScene(client);
    client.merge = async () => {
      throw new ApiError({ request: 'PATCH status', code: 422, reason: 'Invalid', text: 'too long' });
    };
    const verdict = { phase: 'Ready', reason: 'Ready', message: '' } as const;
    expect(await reporter.report(snapshot, verdict, noMemory)).to.equal(60_000);
    expect(notes.map(({ reason, message }) => [reason, message])).to.deep.equal([
      ['StatusRefused', 'status not written, and the node proceeds as before: PATCH status: 422 Invalid: too long'],
    ]);
    expect(fleet.policy('p')?.tally.inPhase('Ready')).to.equal(0);
  });

  it('counts a node as Ready for its policy once its own object says so, not before', async () => {
    const client = new StatusClient(undefined);
    const { reporter, snapshot, fleet } = aScene(client);
    const ready = (): number | undefined => fleet.policy('p')?.tally.inPhase('Ready');
    const write = client.merge.bind(client);
    const before: unknown[] = [];
    client.merge = async (ref, patch) => {
      before.push(ready());
      return write(ref, patch);
    };
    const verdict = { phase: 'Ready', reason: 'Ready', message: '' } as const;
    reporter.note(snapshot, verdict, aRolloutState('n', { isVerified: true }));
    await reporter.report(snapshot, verdict, noMemory);
    expect(before).to.deep.equal([0]);
    expect(ready()).to.equal(1);
  });
});

describe('the condition of a Node', () => {
  const ready = { phase: 'Ready', reason: 'Ready', message: 'all match' } as const;

  /** A reporter with the option on, and what it sends of conditions. */
  function aTeller(refuse?: () => ApiError) {
    const client = new StatusClient(undefined);
    const { reporter, snapshot, notes } = aScene(client);
    const sent: unknown[] = [];
    client.mergeItems = async <T extends KubeObject>(ref: ObjectRef, patch: unknown): Promise<T> => {
      sent.push([ref.subresource, patch]);
      if (refuse) throw refuse();
      return { metadata: { name: 'n', resourceVersion: '7' } } as unknown as T;
    };
    const { claim } = snapshot;
    const told = {
      ...snapshot,
      claim: { ...claim, isInForce: true },
      settings: { ...someSettings, nodeCondition: true },
    };
    return { reporter, told, sent, notes };
  }

  it('follows the node’s own object, as an item that is merged by its type, for this very node', async () => {
    const { reporter, told, sent } = aTeller();
    await reporter.report(told, ready, noMemory);
    const at = '1970-01-01T00:00:00Z';
    const said = { type: 'GpuPartitionReady', status: 'True', reason: 'Ready', message: 'all match' };
    const conditions = [{ ...said, lastHeartbeatTime: at, lastTransitionTime: at }];
    expect(sent).to.deep.equal([['status', { metadata: { uid: 'uid-n' }, status: { conditions } }]]);
  });

  it('that may not be written keeps nothing from proceeding, and is tried again a minute later', async () => {
    const refusal = { request: 'PATCH status', code: 403, reason: 'Forbidden', text: 'only nodes with GPUs' };
    const { reporter, told, sent, notes } = aTeller(() => new ApiError(refusal));
    expect(await reporter.report(told, ready, noMemory)).to.equal(60_000);
    expect(await reporter.report(told, ready, noMemory)).to.equal(60_000);
    expect(sent).to.have.length(1);
    const [note] = notes.filter(({ reason }) => reason === 'StatusRefused');
    expect(note?.message).to.equal(
      'condition of the Node not written, and the node proceeds as before: PATCH status: 403 Forbidden: only nodes with GPUs',
    );
  });

  it('is asked of nobody where the option is off', async () => {
    const { reporter, told, sent } = aTeller();
    await reporter.report({ ...told, settings: someSettings }, ready, noMemory);
    expect(sent).to.deep.equal([]);
  });
});
