import { expect } from 'chai';
import { checkShape } from '../../../src/core/policy/schema.ts';
import { aPolicyObject } from './policy-cases.ts';

function findingsOf(spec: object): readonly (readonly [path: readonly (string | number)[], message: string])[] {
  const shape = checkShape(aPolicyObject({ spec }));
  return 'findings' in shape ? shape.findings.map(({ path, message }) => [path, message]) : [];
}

describe('what the schema of a policy refuses', () => {
  it('is named where it stands, by keys and indices', () => {
    const profiles = { '1g.5gb': 0 };
    expect(findingsOf({ layouts: [{ mig: 'Disabled' }, { profiles }] })).to.deep.equal([
      [['spec', 'layouts', 1, 'profiles', '1g.5gb'], 'must be at least 1'],
    ]);
    expect(findingsOf({ layouts: [{ mig: 'Disabled', poool: 1 }] })).to.deep.equal([
      [['spec', 'layouts', 0, 'poool'], 'unknown field poool; the API server would drop it'],
    ]);
  });

  it('is said in words where a pattern is missed: those of the field, of the field that lists it, or of shares', () => {
    const wordsOf = (spec: object) => findingsOf(spec).map(([, message]) => message);
    const gpus = { models: ['A100', 'A100/40GB'] };
    expect(wordsOf({ drain: { timeout: '10' } })).to.deep.equal(['must be a duration such as 30s, 10m or 1h30m']);
    expect(wordsOf({ layouts: [{ gpus, mig: 'Disabled' }] })).to.deep.equal([
      'must be a glob of letters, digits, spaces, dots, dashes, * and ?, for example A100-*-40GB',
    ]);
    const share = 'must be a number of nodes from 0 to 10000, or a percentage from 0% to 100%';
    for (const maxUnavailable of ['101%', -1, true])
      expect(wordsOf({ rollout: { maxUnavailable } }), String(maxUnavailable)).to.deep.equal([share]);
  });
});
