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

  it('is said of an unknown field with the one that may be meant: a similar one, or the one of that name elsewhere', () => {
    const meantBy = (spec: object) => findingsOf(spec).map(([, message]) => /did you mean (.+)\?$/.exec(message)?.[1]);
    expect(meantBy({ stratgy: 'mixed', strategy: 'mixed' })).to.deep.equal(['strategy']);
    expect(meantBy({ rollout: { maxunavailable: 1 } })).to.deep.equal(['maxUnavailable']);
    expect(meantBy({ layouts: [{ mig: 'Disabled', gpus: { model: ['A100-*'] } }] })).to.deep.equal(['models']);
    expect(meantBy({ maxUnavailable: 1, indices: [0] })).to.deep.equal([
      'spec.rollout.maxUnavailable',
      'spec.layouts[].gpus.indices',
    ]);
    const layouts = [{ models: ['A100-*'], gpus: { preset: 'all-balanced' }, mig: 'Disabled' }];
    const schedule = { name: 'night', schedule: '0 22 * * *', duration: '8h' };
    const schedules = [
      { ...schedule, layouts },
      { ...schedule, name: 'day', slices: [], paused: true },
    ];
    expect(meantBy({ schedules }), 'a schedule has its own').to.deep.equal([
      'spec.schedules[].layouts[].gpus.models',
      'spec.schedules[].layouts[].preset',
      'spec.schedules[].demand.slices',
      'spec.rollout.paused',
    ]);
    const shape = checkShape({ ...aPolicyObject({}), paused: true, metdata: {} });
    expect('findings' in shape && shape.findings.map(({ message }) => message)).to.deep.equal([
      'unknown field paused, which the API server would drop; did you mean spec.rollout.paused?',
      'unknown field metdata, which the API server would drop; did you mean metadata?',
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

  it('is said once of a value of another type, with what is right: quotes alone do not make a duration of a number', () => {
    expect(findingsOf({ drain: { timeout: 10 } })).to.deep.equal([
      [['spec', 'drain', 'timeout'], 'must be a duration such as 30s, 10m or 1h30m'],
    ]);
    expect(findingsOf({ layouts: [{ mig: false }] })).to.deep.equal([
      [['spec', 'layouts', 0, 'mig'], 'must be Disabled'],
    ]);
    expect(findingsOf({ strategy: true })).to.deep.equal([
      [['spec', 'strategy'], 'must be one of none, single, mixed'],
    ]);
    const memory = 'must be an amount of memory such as 9Gi or 4.5Gi';
    for (const amount of ['5GB', 5]) {
      const demand = { slices: [{ memory: amount, count: 1 }] };
      expect(findingsOf({ layouts: undefined, demand }), String(amount)).to.deep.equal([
        [['spec', 'demand', 'slices', 0, 'memory'], memory],
      ]);
    }
    expect(findingsOf({ nodeSelector: { matchLabels: { gpu: true } } })).to.deep.equal([
      [['spec', 'nodeSelector', 'matchLabels', 'gpu'], 'must be a string; put it in quotes'],
    ]);
  });
});
