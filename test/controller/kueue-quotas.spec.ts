import { expect } from 'chai';
import { QuotaReconciler } from '../../src/controller/kueue-quotas.ts';
import { policyLabel } from '../../src/api/names.ts';
import type { GpuPartitionPolicy } from '../../src/api/types.ts';
import type { NodeView } from '../../src/core/kubernetes/node.ts';
import { PolicyRecord } from '../../src/core/policy/record.ts';
import { kueueResource } from '../../src/kube/client.ts';
import type { KubeObject } from '../../src/kube/watch.ts';
import { silentLogger } from '../../src/process/log.ts';
import { systemClock } from '../../src/process/clock.ts';
import { connect } from '../kube/connection.ts';
import { aPolicy } from '../support/builders.ts';
import { useClusterAlone } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { kueueDefinitions } from '../support/kueue.ts';
import { aNode } from '../support/node-builders.ts';

const small = 'nvidia.com/mig-1g.5gb';
const queues = kueueResource('v1beta2', 'ClusterQueue');
const flavors = kueueResource('v1beta2', 'ResourceFlavor');

interface Queue extends KubeObject {
  readonly spec?: {
    readonly cohortName?: string;
    readonly resourceGroups?: readonly {
      readonly flavors: readonly {
        readonly resources: readonly { readonly name: string; readonly nominalQuota: string }[];
      }[];
    }[];
  };
}

/** A node of a policy that offers so many small slices. */
const offering = (name: string, count: number, policy: string): NodeView => {
  const node = aNode({ allocatable: { [small]: String(count) }, labels: { [policyLabel]: policy } });
  return { ...node, metadata: { ...node.metadata, name } };
};

describe('the quotas in Kueue @slow', function () {
  const cluster = useClusterAlone();

  /** A controller with policies, each of which has a node of its name. */
  const controller = async (
    ...given: readonly (readonly [name: string, kueue: GpuPartitionPolicy['spec']['kueue']])[]
  ) => {
    const proxy = await FaultProxy.open(cluster());
    const records = new Map<string, PolicyRecord>();
    const nodes = new Map<string, NodeView>();
    const ledgers = new Map<string, { readonly node: string; readonly nodeUID: string }[]>();
    const told: string[] = [];
    let now = 0;
    const set = (name: string, kueue: GpuPartitionPolicy['spec']['kueue']): void => {
      const newest = aPolicy({ name, ...(kueue && { kueue }) });
      const versions = { newest, acceptedGeneration: 1, inForce: newest };
      records.set(name, new PolicyRecord(versions, undefined, new Set([`n-${name}`])));
      nodes.set(`n-${name}`, offering(`n-${name}`, 7, name));
    };
    for (const [name, kueue] of given) set(name, kueue);
    const reconciler = new QuotaReconciler({
      client: connect(cluster(), { server: proxy.server }),
      cluster: {
        fleet: {
          policy: (name) => records.get(name),
          winnerOf: (node) => node.slice(2),
          get policies() {
            return records.values();
          },
        },
        nodes,
        partitions: new Map(),
        ledgerOf: (policy) => ledgers.get(policy) ?? [],
      },
      tellPolicy: (name) => void told.push(name),
      log: silentLogger,
      clock: systemClock,
      now: () => now,
    });
    return {
      proxy,
      records,
      nodes,
      ledgers,
      told,
      reconciler,
      set,
      pass: (ms: number) => void (now += ms),
      quotaOf: (name: string) => records.get(name)?.quota,
      writes: () => proxy.requests.filter(({ method }) => method !== 'GET').length,
      [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
    };
  };

  const quota = async (name: string): Promise<string | undefined> => {
    const found = await connect(cluster()).find<Queue>({ resource: queues, name });
    const [group] = found?.spec?.resourceGroups ?? [];
    return group?.flavors[0]?.resources.find((one) => one.name === small)?.nominalQuota;
  };

  it('are told to be unavailable without Kueue, and are then tried again', async () => {
    await using one = await controller(['p', { clusterQueue: 'p' }]);
    expect(await one.reconciler.reconcile()).to.deep.equal({ requeueAfterMs: 10_000 });
    expect(one.quotaOf('p')).to.include({ status: 'False', reason: 'KueueUnavailable' });
    expect(one.quotaOf('p')?.message).to.match(
      /^this cluster has no Kueue: .* install Kueue, or take spec\.kueue back/,
    );
    expect(one.told).to.deep.equal(['p']);
  });

  it('are those of the nodes, in a queue and a flavor that are made for it, and the same look again writes nothing', async () => {
    const client = connect(cluster());
    for (const definition of kueueDefinitions())
      await client.create(
        {
          group: 'apiextensions.k8s.io',
          version: 'v1',
          plural: 'customresourcedefinitions',
          kind: 'CustomResourceDefinition',
        },
        definition as KubeObject,
      );
    await eventually(
      () => client.list(queues).catch(() => undefined),
      (found) => found !== undefined,
      { what: 'the definitions' },
    );
    await using one = await controller(['p', { clusterQueue: 'p', cohort: 'gpus' }]);
    await one.reconciler.reconcile();
    expect(one.quotaOf('p')).to.deep.include({ status: 'True', reason: 'QuotaWritten' });
    expect(await quota('p')).to.equal('7');
    expect((await client.find<Queue>({ resource: queues, name: 'p' }))?.spec?.cohortName).to.equal('gpus');
    expect(await client.find({ resource: flavors, name: 'p' })).to.deep.include({
      spec: { nodeLabels: { [policyLabel]: 'p' } },
    });
    const before = one.writes();
    one.pass(60_000);
    await one.reconciler.reconcile();
    expect(one.writes()).to.equal(before);
  });

  it('are repaired within a minute where somebody changes a queue that is kept, and the cohort goes with the field', async () => {
    await using one = await controller(['p', { clusterQueue: 'p', cohort: 'gpus' }]);
    await one.reconciler.reconcile();
    await connect(cluster(), { fieldManager: 'someone' }).merge(
      { resource: queues, name: 'p' },
      { spec: { stopPolicy: 'Hold', resourceGroups: [] } },
    );
    one.pass(60_000);
    await one.reconciler.reconcile();
    expect(await quota('p')).to.equal('7');
    one.set('p', { clusterQueue: 'p' });
    await one.reconciler.reconcile();
    const { spec } = (await connect(cluster()).find<Queue>({ resource: queues, name: 'p' })) ?? {};
    expect(spec).to.include({ stopPolicy: 'Hold' }).and.not.have.property('cohortName');
  });

  it('are lower before a node is in the ledger, stay so while it is, and rise with it', async () => {
    await using one = await controller(['p', { clusterQueue: 'p' }]);
    await one.reconciler.reconcile();
    expect(await one.reconciler.lower('p', ['n-p'])).to.equal(true);
    expect(await quota('p')).to.equal('0');
    one.ledgers.set('p', [{ node: 'n-p', nodeUID: 'u' }]);
    one.reconciler.settle('p');
    await one.reconciler.reconcile();
    expect(await quota('p')).to.equal('0');
    one.ledgers.clear();
    await one.reconciler.reconcile();
    expect(await quota('p')).to.equal('7');
    expect(await one.reconciler.lower('other', ['n']), 'of no policy with quotas').to.equal(false);
  });

  it('keep no node waiting for more than some seconds, and then none for a minute, where Kueue does not answer', async () => {
    await using one = await controller(['p', { clusterQueue: 'p' }]);
    await one.reconciler.reconcile();
    one.proxy.rule = ({ path }) => (path.includes('kueue') ? { drop: 'before' } : undefined);
    const timeOf = async (): Promise<number> => {
      const start = performance.now();
      expect(await one.reconciler.lower('p', ['n-p'])).to.equal(true);
      return performance.now() - start;
    };
    expect(await timeOf()).to.be.within(3000, 60_000);
    expect(await timeOf()).to.be.below(2000);
    await one.reconciler.reconcile();
    expect(one.quotaOf('p')).to.include({ status: 'False', reason: 'KueueUnavailable' });
    expect(one.quotaOf('p')?.message).to.match(
      /Nodes change nevertheless, and Kueue may admit jobs to slices that go$/,
    );
    one.proxy.rule = () => undefined;
    one.pass(10_000);
    await one.reconciler.reconcile();
    expect([await quota('p'), one.quotaOf('p')?.status]).to.deep.equal(['0', 'True']);
  });

  it('are not written to a queue of somebody else, who may have set all but the groups', async () => {
    const client = connect(cluster(), { fieldManager: 'someone' });
    const resources = [{ name: small, nominalQuota: '3' }];
    const resourceGroups = [{ coveredResources: [small], flavors: [{ name: 'theirs', resources }] }];
    await client.create(queues, { metadata: { name: 'theirs' }, spec: { resourceGroups } } as KubeObject);
    await client.create(queues, { metadata: { name: 'open' }, spec: { namespaceSelector: {} } } as KubeObject);
    await client.create(flavors, { metadata: { name: 'flavored' } });
    await using one = await controller(
      ['p', { clusterQueue: 'theirs' }],
      ['q', { clusterQueue: 'open' }],
      ['r', { clusterQueue: 'flavored' }],
    );
    await one.reconciler.reconcile();
    expect(one.quotaOf('p')).to.include({ status: 'False', reason: 'ClusterQueueNotOurs' });
    expect(await quota('theirs')).to.equal('3');
    expect([await quota('open'), one.quotaOf('q')?.reason]).to.deep.equal(['7', 'QuotaWritten']);
    expect(one.quotaOf('r')).to.include({ status: 'False', reason: 'ClusterQueueNotOurs' });
    const before = one.proxy.requests.length;
    one.nodes.set('n-p', offering('n-p', 5, 'p'));
    await one.reconciler.reconcile();
    expect(one.proxy.requests.length, 'with other numbers').to.equal(before);
  });

  it('are of one policy where two name one queue: the older has it, and the other is told', async () => {
    await using one = await controller(['a', { clusterQueue: 'both' }], ['b', { clusterQueue: 'both' }]);
    await one.reconciler.reconcile();
    expect(one.quotaOf('a')?.reason).to.equal('QuotaWritten');
    expect(one.quotaOf('b')).to.include({ status: 'False', reason: 'ClusterQueueTaken' });
    expect(one.quotaOf('b')?.message).to.match(/^ClusterQueue both has the quotas of policy a: name another/);
    one.records.delete('a');
    await one.reconciler.reconcile();
    expect(one.quotaOf('b')?.reason).to.equal('QuotaWritten');
  });

  it('become 0 when the policy goes, or names another queue or none, also while nobody leads; the queue stays', async () => {
    await using one = await controller(['p', { clusterQueue: 'first' }], ['q', { clusterQueue: 'second' }]);
    await one.reconciler.reconcile();
    expect([await quota('first'), await quota('second')]).to.deep.equal(['7', '7']);
    one.set('p', { clusterQueue: 'third' });
    await one.reconciler.reconcile();
    expect([await quota('first'), await quota('third')]).to.deep.equal(['0', '7']);
    await using next = await controller(['p', { clusterQueue: 'third' }]);
    await next.reconciler.reconcile();
    expect([await quota('second'), await quota('third')]).to.deep.equal(['0', '7']);
    const { metadata } = (await connect(cluster()).find({ resource: queues, name: 'second' })) ?? {};
    expect(metadata?.labels).to.not.have.property(policyLabel);
    const before = next.writes();
    await next.reconciler.reconcile();
    expect(next.writes()).to.equal(before);
    next.set('p', undefined);
    await next.reconciler.reconcile();
    expect(await quota('third'), 'spec.kueue was removed').to.equal('0');
  });

  it('become 0 later where the API server did not answer when the policy went', async () => {
    await using one = await controller(['p', { clusterQueue: 'late' }]);
    await one.reconciler.reconcile();
    one.records.delete('p');
    one.proxy.rule = ({ path }) => (path.includes('kueue') ? { status: 503 } : undefined);
    expect(await one.reconciler.reconcile()).to.deep.equal({ requeueAfterMs: 60_000 });
    one.proxy.rule = ({ method }) => (method === 'PATCH' ? { status: 503 } : undefined);
    expect(await one.reconciler.reconcile()).to.deep.equal({ requeueAfterMs: 60_000 });
    expect(await quota('late')).to.equal('7');
    one.proxy.rule = () => undefined;
    expect(await one.reconciler.reconcile()).to.equal(undefined);
    expect(await quota('late')).to.equal('0');
  });
});
