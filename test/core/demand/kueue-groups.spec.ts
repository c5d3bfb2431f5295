import { expect } from 'chai';
import { type KueueFacts, type KueueWorkload, readHeld } from '../../../src/core/demand/kueue.ts';
import { finish } from '../../support/demand-builders.ts';

const small = 'nvidia.com/mig-1g.5gb';
const large = 'nvidia.com/mig-3g.20gb';

const requests = { [small]: 1, [large]: 1 };
const template = { spec: { containers: [{ name: 'main', resources: { requests } }] } };
const status: KueueWorkload['status'] = {
  admission: { podSetAssignments: [{ name: 'main', flavors: { [small]: 'b', [large]: 'c' } }] },
};

/** A job whose pods request two slices, which a queue covers in groups of their own. */
const facts = (flavors: KueueFacts['flavors'], more: Partial<KueueWorkload> = {}): KueueFacts => ({
  workloads: [
    {
      metadata: { name: 'job', namespace: 'team' },
      spec: { queueName: 'main', podSets: [{ name: 'main', count: 2, template }] },
      ...more,
    },
  ],
  localQueues: [{ metadata: { name: 'main', namespace: 'team' }, spec: { clusterQueue: 'gpus' } }],
  clusterQueues: [
    {
      metadata: { name: 'gpus' },
      spec: {
        resourceGroups: [
          { coveredResources: [small], flavors: [{ name: 'a' }, { name: 'b' }] },
          { coveredResources: [large], flavors: [{ name: 'c' }] },
        ],
      },
    },
  ],
  flavors,
});
const flavor = (name: string, nodeLabels: Readonly<Record<string, string>>) => ({
  metadata: { name },
  spec: { nodeLabels },
});
const listHeld = (reading: KueueFacts) => finish(readHeld(reading));
const labelsOf = (kueue: KueueFacts): readonly unknown[] =>
  listHeld(kueue).flatMap(({ ways = [] }) => ways.map(({ nodeLabels }) => nodeLabels));

describe('what Kueue holds back in several resource groups', () => {
  const c = flavor('c', { pool: 'p', disk: 'fast' });

  it('counts where the nodes have the labels of a flavor of each group', () => {
    const kueue = facts([flavor('a', { pool: 'p' }), flavor('b', { zone: 'z' }), c]);
    expect(labelsOf(kueue)).to.deep.equal([
      { pool: 'p', disk: 'fast' },
      { zone: 'z', pool: 'p', disk: 'fast' },
    ]);
    const given = facts([flavor('a', { pool: 'p' }), flavor('b', { zone: 'z' }), c], { status });
    expect(labelsOf(given)).to.deep.equal([{ zone: 'z', pool: 'p', disk: 'fast' }]);
  });

  it('does not count in flavors that no node can have together, or without a flavor in one of the groups', () => {
    expect(labelsOf(facts([flavor('a', { pool: 'q' }), flavor('b', { pool: 'r' }), c]))).to.deep.equal([]);
    expect(listHeld(facts([flavor('a', { pool: 'p' })]))).to.deep.equal([]);
  });

  it('does not count if it requests no slices', () => {
    const spec = { queueName: 'main', podSets: [{ name: 'main', count: 2, template: { spec: { containers: [{}] } } }] };
    expect(listHeld(facts([flavor('a', {}), c], { spec }))).to.deep.equal([]);
  });
});
