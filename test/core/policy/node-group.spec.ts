import { expect } from 'chai';
import { NodeGroup } from '../../../src/core/policy/node-group.ts';

describe('a group of nodes', () => {
  it('has the cause of most nodes first, and none without nodes', () => {
    const group = new NodeGroup();
    for (const [node, cause] of [
      ['a', 'InUse'],
      ['b', 'Foreign'],
      ['c', 'Foreign'],
    ] as const)
      group.add(node, cause);
    const causes = () => group.causes.map(({ cause, nodes }) => [cause, [...nodes]]);
    expect(causes()).to.deep.equal([
      ['Foreign', ['b', 'c']],
      ['InUse', ['a']],
    ]);
    group.delete('b', 'Foreign');
    group.delete('a', 'InUse');
    expect(causes()).to.deep.equal([['Foreign', ['c']]]);
    expect([...group.nodes]).to.deep.equal(['c']);
  });
});
