import { expect } from 'chai';

import { validatePolicy } from '../../../src/core/policy/validate.ts';
import { aPolicyObject } from './policy-cases.ts';

const layouts = (entry: object) => ({ layouts: [{ profiles: { '1g.5gb': 2 }, ...entry }] });
const codesOf = (policy: object) =>
  validatePolicy(policy)
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ path, code }) => `${path.join('.')} ${code}`);

describe('a policy as the API server sees it', () => {
  it('lacks the fields that are null', () => {
    const taken: readonly object[] = [
      { sharing: null },
      { sharing: { mps: null, timeSlicing: null } },
      { priority: null, mode: null, rollout: null, drain: { timeout: null }, allow: { takeOver: null } },
      layouts({ gpus: null, preset: null, mig: null }),
      layouts({ gpus: { models: null, count: null } }),
      layouts({ profiles: { '1g.5gb': 2, 'no profile': null } }),
      { nodeSelector: { matchLabels: { pool: 'x', 'a/b/c': null }, matchExpressions: null } },
    ];
    for (const spec of taken) expect(codesOf(aPolicyObject({ spec })), JSON.stringify(spec)).to.deep.equal([]);
  });

  it('lacks what it needs where that is null', () => {
    expect(codesOf(aPolicyObject({ spec: { strategy: null } }))).to.deep.equal(['spec InvalidField']);
    expect(codesOf(aPolicyObject({ spec: { nodeSelector: { matchLabels: { pool: null } } } }))).to.deep.equal([
      'spec.nodeSelector RuleBroken',
    ]);
    expect(codesOf(aPolicyObject({ spec: layouts({ profiles: { '1g.5gb': null } }) }))).to.deep.equal([
      'spec.layouts.0.profiles InvalidField',
    ]);
    expect(codesOf({ ...aPolicyObject(), spec: null })).to.deep.equal([' InvalidField']);
    expect(codesOf({ ...aPolicyObject(), metadata: null })).to.deep.equal([' InvalidField']);
  });

  it('has the nulls of lists, and fields that do not exist even if they are null', () => {
    expect(codesOf(aPolicyObject({ spec: layouts({ gpus: { models: [null] } }) }))).to.deep.equal([
      'spec.layouts.0.gpus.models.0 InvalidField',
    ]);
    expect(codesOf(aPolicyObject({ spec: { foo: null } }))).to.deep.equal(['spec.foo InvalidField']);
    expect(codesOf({ ...aPolicyObject(), items: null })).to.deep.equal(['items InvalidField']);
  });

  it('has a status of which only unknown fields are refused', () => {
    for (const status of [null, 'x', [], { summary: 5 }])
      expect(codesOf({ ...aPolicyObject(), status }), JSON.stringify(status)).to.deep.equal([]);
    expect(codesOf({ ...aPolicyObject(), status: { foo: 1 } })).to.deep.equal(['status.foo InvalidField']);
  });

  it('has no white space of Unicode between the fields of a schedule', () => {
    const rollout = { windows: [{ schedule: '0\u00A0 22 * * *', duration: '1h' }] };
    expect(codesOf(aPolicyObject({ spec: { rollout } }))).to.include('spec.rollout.windows.0.schedule InvalidField');
  });
});
