import { expect } from 'chai';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import { AgentPods } from '../../src/controller/node-notifier.ts';
import { Cluster, ConfigMapFiles } from '../../src/controller/cluster.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import { Fleet } from '../../src/core/policy/fleet.ts';
import { type KubeObject, ObjectStore } from '../../src/kube/watch.ts';
import { aPolicy } from '../support/builders.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';

describe('how a node stands', () => {
  const pool = { pool: 'p' };
  const open = {
    isReady: true,
    isCordoned: false,
    hasGpus: true,
    hasFailed: false,
    isVerified: false,
    isClosedAnyway: false,
    isUnderWay: false,
  };
  const found = { ...open, node: 'n', nodeUID: 'uid-n', policy: 'a', wishGeneration: 1, seen: [] };
  const startTime = '2026-01-01T12:00:00Z';

  function aPoolPolicy(name: string, priority: number): GpuPartitionPolicy & KubeObject {
    const policy = aPolicy({ name, nodeSelector: { matchLabels: pool }, priority });
    return { ...policy, metadata: { ...policy.metadata, resourceVersion: '1' } };
  }

  function aCluster() {
    const fleet = new Fleet({ sharing: false });
    const policies = new ObjectStore<GpuPartitionPolicy & KubeObject>();
    const nodes = new ObjectStore<NodeObject>();
    const partitions = new ObjectStore<GpuNodePartition & KubeObject>();
    fleet.setNode('n', pool);
    fleet.setPolicy(aPoolPolicy('a', 1));
    return {
      fleet,
      policies,
      nodes,
      cluster: new Cluster({ policies, nodes, partitions, fleet, agents: new AgentPods() }),
    };
  }

  it('is not known since another policy has won it, until it is looked at', () => {
    const { fleet, cluster } = aCluster();
    expect(cluster.rolloutStatesFor('a')('n')).to.equal(undefined);
    cluster.rollout.put(found);
    expect(cluster.rolloutStatesFor('a')('n')?.isUnderWay).to.equal(false);
    fleet.setPolicy(aPoolPolicy('b', 2));
    expect(cluster.rolloutStatesFor('a')('n')?.isUnderWay).to.equal(true);
    cluster.rollout.put({ ...found, policy: 'b' });
    expect(cluster.rolloutStatesFor('a')('n')?.isUnderWay).to.equal(false);
  });

  it('is forgotten with all that was written of it, if the answer comes after the watch has told that the node is gone', () => {
    const { cluster } = aCluster();
    cluster.partitions.markUncertain('n');
    cluster.nodes.markUncertain('n');
    cluster.forget('n');
    expect([cluster.nodes.isUncertain('n'), cluster.partitions.isUncertain('n')]).to.deep.equal([false, false]);
  });

  it('is not known since it has a slot that another leader gave, until it is looked at', () => {
    const { policies, cluster } = aCluster();
    cluster.rollout.put(found);
    const policy = aPoolPolicy('a', 1);
    const slot = { node: 'n', nodeUID: 'uid-n', generation: 1, startTime, kind: 'New' as const };
    policies.upsert({ ...policy, status: { inFlight: [slot] } });
    expect(cluster.rolloutStatesFor('a')('n')?.isUnderWay).to.equal(true);
    expect(cluster.nodesWithNewSlots('a')).to.deep.equal(['n']);
    const seen = cluster.slotsOf({ metadata: { name: 'n', uid: 'uid-n', resourceVersion: '1' } });
    expect(seen).to.deep.equal([startTime]);
    cluster.rollout.put({ ...found, seen });
    expect(cluster.rolloutStatesFor('a')('n')?.isUnderWay).to.equal(false);
    expect(cluster.nodesWithNewSlots('a')).to.deep.equal([]);
  });

  it('leaves the API server to nodes with a slot only once every node has been looked at', () => {
    const { policies, nodes, cluster } = aCluster();
    for (const name of ['n', 'm']) nodes.upsert({ metadata: { name, uid: `uid-${name}`, resourceVersion: '1' } });
    cluster.rollout.put(found);
    expect(cluster.favorsSlots).to.equal(false);
    const slot = { node: 'n', nodeUID: 'uid-n', generation: 1, startTime, kind: 'New' as const };
    policies.upsert({ ...aPoolPolicy('a', 1), status: { inFlight: [slot] } });
    expect(cluster.favorsSlots).to.equal(false);
    cluster.rollout.put({ ...found, node: 'm', nodeUID: 'uid-m' });
    expect(cluster.favorsSlots).to.equal(true);
  });
});

/** An API server that has a ConfigMap with these files, or that answers with an error. */
class Server extends KubeClient {
  readonly #answer: Readonly<Record<string, string>> | number;
  reads = 0;
  /** Somebody does this while a write is on its way. */
  whenWritten = async (): Promise<void> => {};

  constructor(answer: Readonly<Record<string, string>> | number) {
    super(new PooledKubeConfig(), 'test');
    this.#answer = answer;
  }

  override async find<T extends KubeObject>(): Promise<T> {
    this.reads += 1;
    const answer = this.#answer;
    if (typeof answer === 'number')
      throw new ApiError({ request: 'GET it', code: answer, reason: 'Refused', text: 'User "x" cannot get it' });
    return { metadata: { name: 'plugin' }, data: answer } as unknown as T;
  }

  override async merge<T extends KubeObject>(): Promise<T> {
    await this.whenWritten();
    return this.find();
  }
}

describe('the config files of the device plugin', () => {
  const place = { namespace: 'gpu', name: 'plugin' };

  it('that may not be read are a finding, with the API server’s words; any other failure is tried again', async () => {
    const forbidden = await new ConfigMapFiles(new Server(403), place, () => 0).read();
    expect(forbidden).to.have.property('state', 'Unreadable');
    expect(forbidden).to.have.property('why').that.includes('cannot get it');
    const failure = await new ConfigMapFiles(new Server(500), place, () => 0).read().catch(String);
    expect(failure).to.include('500');
  });

  it('are read once for many nodes, and again a little later', async () => {
    const client = new Server({ a: 'version: v1' });
    const clock = { ms: 0 };
    const files = new ConfigMapFiles(client, place, () => clock.ms);
    await Promise.all([files.read(), files.read()]);
    expect(client.reads).to.equal(1);
    clock.ms = 5001;
    expect(await files.read()).to.deep.equal({ state: 'Read', files: { a: { version: 'v1' } } });
    expect(client.reads).to.equal(2);
  });

  it('are read again after a write, whatever was read while it was under way', async () => {
    const client = new Server({});
    const files = new ConfigMapFiles(client, place, () => 0);
    client.whenWritten = async () => void (await files.read());
    await files.publish('gpu-partition-mixed-12345678', {}, () => true);
    const reads = client.reads;
    await files.read();
    expect(client.reads).to.equal(reads + 1);
  });

  it('are read again after a failure: one that passes must not fail every node for the next seconds', async () => {
    const client = new Server(500);
    const files = new ConfigMapFiles(client, place, () => 0);
    await files.read().catch(() => undefined);
    await files.read().catch(() => undefined);
    expect(client.reads).to.equal(2);
  });

  it('may be the administrator’s own, whatever is in them: nothing of it reaches the log', async () => {
    const warnings: string[] = [];
    const listen = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', listen);
    const own = { torn: 'a: [', odd: 'a: !odd 1', deep: '['.repeat(20_000), text: 'hello' };
    const { files } = { files: {}, ...(await new ConfigMapFiles(new Server(own), place, () => 0).read()) };
    // Warnings are emitted in a later turn.
    await new Promise((done) => setImmediate(done));
    process.off('warning', listen);
    expect(files).to.deep.equal({ torn: undefined, odd: { a: '1' }, deep: undefined, text: 'hello' });
    expect(warnings).to.deep.equal([]);
  });
});
