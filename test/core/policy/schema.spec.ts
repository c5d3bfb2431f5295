import { expect } from 'chai';
import { fillDefaults, checkShape } from '../../../src/core/policy/schema.ts';
import { aPolicy } from '../../support/builders.ts';
import { validatePolicy } from '../../../src/core/policy/check.ts';
import { aPolicyObject, badMetadata, goodMetadata } from './policy-cases.ts';

describe('the defaults of a policy', () => {
  it('complete what is written of a part', () => {
    const { rollout, drain, allow } = fillDefaults(
      aPolicy({ rollout: { maxUnavailable: 2 }, drain: { timeout: '1m' }, allow: { replaceForeignInstances: true } })
        .spec,
    );
    expect(rollout).to.deep.equal({ maxUnavailable: 2, failureThreshold: 1, paused: false, rollback: 'OnFailure' });
    expect(drain).to.deep.equal({ scope: 'Affected', timeout: '1m', onTimeout: 'Skip' });
    expect(allow).to.deep.equal({ gpuReset: true, replaceForeignInstances: true });
    const { priority: _none, ...spec } = aPolicy().spec;
    expect(fillDefaults(spec)).to.include({ priority: 0, mode: 'Enforce', backend: 'DevicePlugin', onDelete: 'Keep' });
  });
});

const findingsOf = (metadata: unknown) => validatePolicy(aPolicyObject({ metadata })).findings;

describe('metadata of a policy', () => {
  for (const [what, metadata] of Object.entries(goodMetadata)) {
    it(`may have ${what}`, () => {
      expect(findingsOf(metadata)).to.deep.equal([]);
    });
  }

  it('of which the schema says that it lacks a name says so once', () => {
    expect(findingsOf({ name: '' })).to.have.lengthOf(1);
  });

  it('of too many annotations, one with a wrong key, says both', () => {
    const found = findingsOf({ name: 'p', annotations: { 'a b': 'x', c: 'x'.repeat(256 * 1024) } });
    expect(found.map(({ path }) => path.join('.'))).to.deep.equal(['metadata.annotations.a b', 'metadata.annotations']);
  });

  for (const [what, metadata] of Object.entries(badMetadata)) {
    it(`may not have ${what}`, () => {
      const findings = findingsOf(metadata);
      expect(findings.map(({ severity }) => severity)).to.include('error');
      for (const { path, message } of findings) {
        expect(path[0]).to.equal('metadata');
        expect(message)
          .to.match(/\S/)
          .and.not.match(/undefined/);
      }
    });
  }
});

function findingsOfOfSchema(spec: object): readonly (readonly [path: readonly (string | number)[], message: string])[] {
  const shape = checkShape(aPolicyObject({ spec }));
  return 'findings' in shape ? shape.findings.map(({ path, message }) => [path, message]) : [];
}

describe('what the schema of a policy refuses', () => {
  it('is named where it stands, by keys and indices', () => {
    const profiles = { '1g.5gb': 0 };
    expect(findingsOfOfSchema({ layouts: [{ mig: 'Disabled' }, { profiles }] })).to.deep.equal([
      [['spec', 'layouts', 1, 'profiles', '1g.5gb'], 'must be at least 1'],
    ]);
    expect(findingsOfOfSchema({ layouts: [{ mig: 'Disabled', poool: 1 }] })).to.deep.equal([
      [['spec', 'layouts', 0, 'poool'], 'unknown field poool; the API server would drop it'],
    ]);
  });

  it('is said of an unknown field with the one that may be meant: a similar one, or the one of that name elsewhere', () => {
    const meantBy = (spec: object) =>
      findingsOfOfSchema(spec).map(([, message]) => /did you mean (.+)\?$/.exec(message)?.[1]);
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
    const wordsOf = (spec: object) => findingsOfOfSchema(spec).map(([, message]) => message);
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
    expect(findingsOfOfSchema({ drain: { timeout: 10 } })).to.deep.equal([
      [['spec', 'drain', 'timeout'], 'must be a duration such as 30s, 10m or 1h30m'],
    ]);
    expect(findingsOfOfSchema({ layouts: [{ mig: false }] })).to.deep.equal([
      [['spec', 'layouts', 0, 'mig'], 'must be Disabled'],
    ]);
    expect(findingsOfOfSchema({ strategy: true })).to.deep.equal([
      [['spec', 'strategy'], 'must be one of none, single, mixed'],
    ]);
    const memory = 'must be an amount of memory such as 9Gi or 4.5Gi';
    for (const amount of ['5GB', 5]) {
      const demand = { slices: [{ memory: amount, count: 1 }] };
      expect(findingsOfOfSchema({ layouts: undefined, demand }), String(amount)).to.deep.equal([
        [['spec', 'demand', 'slices', 0, 'memory'], memory],
      ]);
    }
    expect(findingsOfOfSchema({ nodeSelector: { matchLabels: { gpu: true } } })).to.deep.equal([
      [['spec', 'nodeSelector', 'matchLabels', 'gpu'], 'must be a string; put it in quotes'],
    ]);
  });
});

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
