import { expect } from 'chai';
import { type PolicyScope, Selections } from '../../../src/core/policy/selections.ts';
import { aPolicy } from '../../support/builders.ts';
import { readKeptMemory } from '../../support/kept-memory.ts';

function aScope(policy: string, pool: string): PolicyScope {
  const rank = aPolicy({ name: policy, nodeSelector: { matchLabels: { pool } } });
  const { nodeSelector } = rank.spec;
  return { policy, newest: nodeSelector, inForce: nodeSelector, rank };
}

describe('the selections of policies', () => {
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
