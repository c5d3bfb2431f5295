import { expect } from 'chai';
import { Selections, SelectorIndex } from '../../../src/core/policy/decide-policy.ts';
import { aPolicy } from '../../support/builders.ts';
import { readKeptMemory } from '../../support/kept-memory.ts';
import type { PolicySpec } from '../../../src/api/types.ts';

function aScope(policy: string, pool: string) {
  const rank = aPolicy({ name: policy, nodeSelector: { matchLabels: { pool } } });
  const { nodeSelector } = rank.spec;
  return { policy, newest: nodeSelector, inForce: nodeSelector, rank };
}

describe('the selections of policies', () => {
  it('ask no policy when a label changes by which none selects, and all when one does', () => {
    const selections = new Selections();
    let asked = 0;
    for (const name of ['a', 'b', 'c']) {
      const scope = aScope(name, 'p');
      const { matchLabels = {} } = scope.newest;
      const selector = {
        get matchLabels() {
          asked += 1;
          return matchLabels;
        },
      };
      selections.setPolicy({ ...scope, newest: selector, inForce: selector });
    }
    expect(selections.setNode('n', { pool: 'p', cpu: '1' })).to.deep.equal(['a', 'b', 'c']);
    expect(selections.setNode('n', { pool: 'p', cpu: '2' })).to.deep.equal([]);
    asked = 0;
    expect(selections.setNode('n', { pool: 'p', cpu: '3' })).to.deep.equal([]);
    expect(asked, 'looks at selectors').to.equal(0);
    expect(selections.of('n').map(({ policy }) => policy)).to.deep.equal(['a', 'b', 'c']);
    expect(selections.setNode('n', { pool: 'q', cpu: '3' })).to.deep.equal(['a', 'b', 'c']);
    expect(selections.of('n')).to.deep.equal([]);
    // Labels that nobody asked for are known when a policy asks for one.
    selections.setPolicy({ ...aScope('d', ''), newest: { matchLabels: { cpu: '3' } } });
    expect(selections.of('n').map(({ policy }) => policy)).to.deep.equal(['d']);
  });

  it('keep nothing of a policy that is gone, nor of what it selected before an edit', () => {
    const selections = new Selections();
    const count = 20_000;
    const replace = (run: string): void => {
      for (let at = 0; at < count; at += 1) {
        const name = `${run}-${at}`;
        selections.setPolicy(aScope(name, name));
        selections.setPolicy(aScope(name, `other-${name}`));
        selections.removePolicy(name);
      }
    };
    replace('warm');
    const before = readKeptMemory().heapUsed;
    replace('counted');
    expect((readKeptMemory().heapUsed - before) / count, 'bytes of each policy').to.be.below(100);
  });
});

type Selector = PolicySpec['nodeSelector'];

const byPool: Selector = { matchLabels: { pool: 'p' } };
const selectors: Readonly<Record<string, Selector>> = {
  byLabel: byPool,
  byValue: { matchExpressions: [{ key: 'pool', operator: 'In', values: ['p'] }] },
  byValues: { matchExpressions: [{ key: 'pool', operator: 'In', values: ['p', 'q'] }] },
  byKey: {
    matchExpressions: [
      { key: 'zone', operator: 'DoesNotExist' },
      { key: 'pool', operator: 'Exists' },
    ],
  },
  byAbsence: { matchExpressions: [{ key: 'zone', operator: 'DoesNotExist' }] },
};

function anIndex(): SelectorIndex {
  const index = new SelectorIndex();
  for (const [policy, selector] of Object.entries(selectors)) index.add(policy, selector);
  return index;
}

describe('the policies that may select a node', () => {
  it('are those that require a label which it has, and those that require none', () => {
    const listed = (labels: Readonly<Record<string, string>>) => anIndex().list(labels);
    expect(listed({ pool: 'p' })).to.have.members(Object.keys(selectors));
    expect(listed({ pool: 'q' })).to.have.members(['byValues', 'byKey', 'byAbsence']);
    expect(listed({ zone: 'z' })).to.deep.equal(['byAbsence']);
  });

  it('are still those with the selector of one that is gone', () => {
    const index = anIndex();
    index.add('other', byPool);
    index.remove('byLabel', byPool);
    expect(index.list({ pool: 'p' }))
      .to.include('other')
      .and.not.include('byLabel');
  });
});
