import { expect } from 'chai';
import { policyLabel, repartitioningTaint } from '../../../src/api/names.ts';
import type { KueueFacts } from '../../../src/core/demand/kueue.ts';
import { exportQueues, exportSettings, planQueue, wishQueue } from '../../../src/core/demand/queues.ts';
import { aGpu, aDevice, aPartition, aPolicy } from '../../support/builders.ts';
import { aDemandPolicy } from '../../support/demand-builders.ts';
import { aNode } from '../../support/node-builders.ts';

type QueueWish = ReturnType<typeof wishQueue>;

const small = 'nvidia.com/mig-1g.5gb';
const large = 'nvidia.com/mig-3g.20gb';
const kueue = { clusterQueue: 'inference' };
const policy = aPolicy({ layouts: [{ profiles: { '1g.5gb': 2, '3g.20gb': 1 } }] });
const partition = aPartition({ device: aDevice(aGpu()) });

/** A verified node of policy `p` that offers two small slices and a large one. */
const lent = (name: string, more: Parameters<typeof aNode>[0] = {}) => {
  const { metadata, ...node } = aNode({
    allocatable: { cpu: '8', [small]: '2', [large]: '1', 'nvidia.com/gpu': '0' },
    labels: { [policyLabel]: 'p' },
    ...more,
  });
  return { node: { ...node, metadata: { ...metadata, name } }, partition };
};
const quotasOf = ({ quotas }: QueueWish): Readonly<Record<string, string | number>> =>
  Object.fromEntries(quotas.map(({ name, nominalQuota }) => [name, nominalQuota]));
const wish = (nodes: Parameters<typeof wishQueue>[2], changing: readonly string[] = []): QueueWish =>
  wishQueue(policy, kueue, nodes, new Set(changing));
const unlimited = { cpu: '1M', memory: '1Pi', 'gpupartition.dev/slice-gb': '1M' };
const group = (quotas: object) => ({ 'nvidia.com/gpu': '0', ...quotas, ...unlimited });

describe('the quotas of a policy', () => {
  it('are what its verified nodes offer, with the resources that it makes and that none offers', () => {
    const { message, ...found } = wish([lent('a'), lent('b', { allocatable: { [small]: '3' } })]);
    expect(quotasOf({ message, ...found })).to.deep.equal(group({ [small]: '5', [large]: '1' }));
    expect(message).to.equal(`ClusterQueue inference has what 2 of 2 nodes offer: 5 × ${small}, 1 × ${large}`);
  });

  it('do not count a node that is closed, NotReady, cordoned, going, not verified under this policy, or about to change', () => {
    const others = {
      closed: { taints: [repartitioningTaint] },
      silent: { ready: 'False' },
      cordoned: { unschedulable: true },
      going: { deletionTimestamp: '2026-01-01T00:00:00Z' },
      new: { labels: {} },
      foreign: { labels: { [policyLabel]: 'q' } },
      changing: {},
    } as const;
    const nodes = Object.entries(others).map(([name, more]) => lent(name, more));
    const found = wish([lent('open'), ...nodes], ['changing']);
    expect(quotasOf(found)).to.deep.equal(group({ [small]: '2', [large]: '1' }));
    expect(found.message).to.match(/ what 1 of 8 nodes offer: /);
    expect(quotasOf(wish([]))).to.include({ [small]: '0' });
    expect(wish([]).message).to.equal('ClusterQueue inference has what 0 of 0 nodes offer: no slices');
  });

  it('cover no profile that only other boards have, once the nodes’ are known, and shared slices where there are some', () => {
    const preset = aPolicy({ layouts: [{ preset: 'all-balanced' }] });
    const covered = (nodes: Parameters<typeof wishQueue>[2]) =>
      wishQueue(preset, kueue, nodes, new Set()).quotas.map(({ name }) => name);
    expect(covered([])).to.include('nvidia.com/mig-1g.12gb');
    const some = covered([lent('a', { allocatable: { [`${small}.shared`]: '8' } })]);
    expect(some)
      .to.include.members([`${small}.shared`, small, large])
      .and.not.include('nvidia.com/mig-1g.12gb');
  });

  it('are of whole GPUs alone under strategy single, in which every slice is one', () => {
    const single = aPolicy({ strategy: 'single', layouts: [{ profiles: { '1g.5gb': 7 } }] });
    const found = wishQueue(single, kueue, [lent('a', { allocatable: { 'nvidia.com/gpu': '7' } })], new Set());
    expect(quotasOf(found)).to.deep.equal({ 'nvidia.com/gpu': '7', ...unlimited });
  });
});

describe('the ClusterQueue of a policy', () => {
  const found = wishQueue(policy, { ...kueue, cohort: 'gpus' }, [lent('a')], new Set());
  const written = (version = 'v1beta2') => {
    const writes = planQueue({ queue: undefined, flavor: undefined }, version, found);
    if (typeof writes === 'string') throw new Error(writes);
    const [flavor, queue] = writes;
    if (flavor === undefined || queue === undefined) throw new Error('a queue and its flavor are not both written');
    return { flavor, queue };
  };
  const { queue: wanted, flavor: wantedFlavor } = written();
  const named = <Fields extends object>({ metadata, spec }: { readonly metadata: Fields; readonly spec: object }) => ({
    metadata: { name: 'inference', ...metadata },
    spec,
  });
  const [kept, flavor] = [named(wanted), named(wantedFlavor)];
  const kindsOf = (queue: Parameters<typeof planQueue>[0]['queue'], isNew = false) => {
    const writes = planQueue({ queue, flavor }, 'v1beta2', found, isNew);
    return typeof writes === 'string' ? writes : writes.map(({ kind, force }) => ({ kind, force }));
  };

  it('has one group in which every list has one order, its cohort by the name of the version, and a flavor of its nodes', () => {
    const resources = found.quotas;
    expect(wanted).to.deep.equal({
      kind: 'ClusterQueue',
      force: false,
      metadata: { labels: { 'app.kubernetes.io/managed-by': 'gpu-partition-controller', [policyLabel]: 'p' } },
      spec: {
        cohortName: 'gpus',
        resourceGroups: [
          { coveredResources: resources.map(({ name }) => name), flavors: [{ name: 'inference', resources }] },
        ],
      },
    });
    expect(wantedFlavor.kind).to.equal('ResourceFlavor');
    expect(wantedFlavor.spec).to.deep.equal({ nodeLabels: { [policyLabel]: 'p' } });
    expect(written('v1beta1').queue.spec).to.include({ cohort: 'gpus' }).and.not.have.property('cohortName');
  });

  it('is not written as it should be, also with quantities as Kueue writes them, and with what others set besides', () => {
    const text = JSON.stringify(kept).replaceAll('"2"', '2').replaceAll('"1M"', '"1000k"');
    const same = JSON.parse(text) as KueueFacts['clusterQueues'][number];
    expect(kindsOf({ ...same, spec: { ...same.spec, stopPolicy: 'Hold' } })).to.deep.equal([]);
    const drifted = JSON.parse(JSON.stringify(kept).replace('"nominalQuota":"2"', '"nominalQuota":"9"')) as typeof same;
    const again = [{ kind: 'ClusterQueue', force: true }];
    expect(kindsOf(drifted)).to.deep.equal(again);
    expect(kindsOf(kept, true)).to.deep.equal(again);
  });

  it('is refused where somebody else has set its groups, or has a flavor of its name; adopted without groups', () => {
    const metadata = { name: 'inference' };
    expect(kindsOf({ metadata, spec: kept.spec })).to.match(
      /^ClusterQueue inference is there with resourceGroups, .* left alone\. Name another in spec\.kueue\.clusterQueue/,
    );
    expect(planQueue({ queue: kept, flavor: { metadata } }, 'v1beta2', found)).to.match(
      /^ResourceFlavor inference is there, and not/,
    );
    expect(kindsOf({ metadata, spec: { cohortName: 'gpus' } })).to.deep.equal([{ kind: 'ClusterQueue', force: false }]);
  });

  it('has no quota once no policy asks for it, and names none; that of somebody else is left alone', () => {
    const none = found.quotas.map(({ name }) => ({ name, nominalQuota: '0' }));
    const coveredResources = none.map(({ name }) => name);
    expect(planQueue({ queue: kept, flavor }, 'v1beta2', undefined)).to.deep.equal([
      {
        kind: 'ClusterQueue',
        force: true,
        metadata: { labels: { 'app.kubernetes.io/managed-by': 'gpu-partition-controller' } },
        spec: { resourceGroups: [{ coveredResources, flavors: [{ name: 'inference', resources: none }] }] },
      },
    ]);
    const theirs = { metadata: { name: 'inference' }, spec: kept.spec };
    expect(planQueue({ queue: theirs, flavor }, 'v1beta2', undefined)).to.deep.equal([]);
  });
});

describe('what is exported for Kueue', () => {
  it('is, where the controller keeps the queue, one that borrows from it, whatever makes its slices', () => {
    const lending = { ...policy, spec: { ...policy.spec, kueue: { ...kueue, cohort: 'gpus' } } };
    const exported = exportQueues([lending]);
    if (typeof exported === 'string') throw new Error(exported);
    const [queue, local] = exported.map(({ object }) => object as { readonly kind: string; readonly spec: object });
    expect(exported).to.have.length(2);
    expect(queue?.spec).to.include({ cohortName: 'gpus' });
    expect(JSON.stringify(queue)).to.contain(`{"name":"${small}","nominalQuota":0}`).and.contain('"name":"inference"');
    expect(local).to.deep.include({ kind: 'LocalQueue', spec: { clusterQueue: 'p-team' } });
    const alone = exportQueues([{ ...policy, spec: { ...policy.spec, kueue } }]);
    expect(JSON.stringify(alone)).to.contain('"clusterQueue":"inference"').and.not.contain('ResourceFlavor');
  });

  it('has as settings the GB of each profile, which is kept, and its class of DRA in one mapping', () => {
    const demanding = aDemandPolicy({ slices: [{ profiles: ['3g.20gb'], count: 1 }] });
    expect(exportSettings([demanding])).to.deep.equal({
      resources: {
        transformations: [{ input: large, strategy: 'Retain', outputs: { 'gpupartition.dev/slice-gb': 20 } }],
        deviceClassMappings: [{ name: large, deviceClassNames: ['mig-3g-20gb.gpu.nvidia.com'] }],
      },
    });
    expect(exportSettings([aPolicy({ layouts: [{ mig: 'Disabled' }] })])).to.match(/^the policies create no slices/);
  });
});
