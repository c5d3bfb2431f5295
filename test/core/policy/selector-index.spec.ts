import { expect } from 'chai';
import type { PolicySpec } from '../../../src/api/types.ts';
import { SelectorIndex } from '../../../src/core/policy/selector-index.ts';

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
