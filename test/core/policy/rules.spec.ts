import { expect } from 'chai';
import { RULE_MESSAGES, findBrokenRules } from '../../../src/core/policy/schema.ts';
import { badSpecs, instead, slices } from './bad-specs.ts';
import { aPolicyObject } from './policy-cases.ts';

/** `RULE at PATH` of every rule that a spec breaks. */
function brokenBy(spec: object): readonly string[] {
  const rules = Object.entries<string>(RULE_MESSAGES);
  return findBrokenRules(aPolicyObject({ spec })).map(({ path, message }) => {
    const [rule = message] = rules.find(([, text]) => text === message) ?? [];
    return `${rule} at ${path.join('.')}`;
  });
}

/** That the API server refuses the same is seen where there is one: test/cli/validate-api.spec.ts. */
describe('the rules of a policy', () => {
  for (const [what, [spec, message, at]] of Object.entries(badSpecs)) {
    if (message === undefined) continue;
    it(`are broken by ${what}, where it stands`, () => {
      const found = findBrokenRules(aPolicyObject({ spec })).map((one) => [one.message, one.path.join('.')]);
      expect(found).to.deep.include([message, at]);
    });
  }

  it('that have nothing to do with a value leave it to the schema', () => {
    const unruled = Object.values(badSpecs).filter(([, message]) => message === undefined);
    expect(unruled.flatMap(([spec]) => brokenBy(spec))).to.deep.equal([]);
  });

  it('hold for what comes close to a broken one', () => {
    const follow = (slice: object, more: object = {}): object =>
      instead({ demand: { from: 'Pods', slices: [{ profiles: ['1g.5gb'], ...slice }], ...more } });
    const good: readonly object[] = [
      {
        strategy: 'single',
        layouts: [{ profiles: { '1c.3g.20gb': 7 } }, { mig: 'Disabled' }, { preset: 'all-1g.5gb' }],
      },
      { backend: 'DRA', dra: { deviceClasses: 'Managed' } },
      { backend: 'Auto', dra: { deviceClasses: 'Managed' } },
      { nodeSelector: { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] } },
      { nodeSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] } },
      { nodeSelector: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b', 'c'] }] } },
      follow({ min: 2, max: 2, spare: '10%' }, { stabilization: '5m' }),
      follow({ count: 1 }),
      ...[{ onTimeout: 'Force' }, { onTimeout: 'Wait' }, { scope: 'None' }].map((more) => ({
        drain: { timeout: '0s', ...more },
      })),
      instead({ backend: 'DRA' }),
      instead({ demand: { slices, evict: 'IfNeeded', rest: 'Keep' }, drain: { scope: 'Node' } }),
      instead({ demand: { slices, evict: 'IfNeeded' }, drain: { scope: 'Node' } }),
      instead({ demand: { slices, rest: 'Whole' }, drain: { scope: 'Affected' } }),
      instead({ demand: { slices: [...slices, { memory: '4Gi', count: 1 }, { mig: 'Disabled', count: 1 }] } }),
    ];
    for (const spec of good) expect(brokenBy(spec), JSON.stringify(spec)).to.deep.equal([]);
  });

  it('bound a name, which becomes a label value', () => {
    const at = (length: number): number =>
      findBrokenRules(aPolicyObject({ metadata: { name: 'p'.repeat(length) } })).length;
    expect([at(63), at(64)]).to.deep.equal([0, 1]);
  });

  it('bound the models and profiles of all layouts together, and those of all schedules together', () => {
    const models = (count: number): object => ({ gpus: { models: Array(count).fill('A30') }, mig: 'Disabled' });
    const profiles = (count: number): object => ({
      profiles: Object.fromEntries(Array.from({ length: count }, (_, at) => [`1g.${at + 1}gb`, 1])),
    });
    const night = (layout: object): object => ({ name: 'night', layouts: [layout] });
    const day = (layout: object): object => ({ name: 'day', layouts: [layout] });
    expect(brokenBy({ layouts: [models(200), models(56)] })).to.deep.equal([]);
    expect(brokenBy({ layouts: [models(200), models(57)] })).to.deep.equal(['tooManyGlobs at spec.layouts']);
    expect(brokenBy({ layouts: [profiles(200), profiles(56)] })).to.deep.equal([]);
    expect(brokenBy({ layouts: [profiles(200), profiles(57)] })).to.deep.equal(['tooManyProfiles at spec.layouts']);
    expect(brokenBy({ layouts: [models(200)], schedules: [night(models(200)), day(models(56))] })).to.deep.equal([]);
    expect(brokenBy({ schedules: [night(models(200)), day(models(57))] })).to.deep.equal([
      'tooManyScheduledGlobs at spec.schedules',
    ]);
    expect(brokenBy({ schedules: [night(profiles(200)), day(profiles(57))] })).to.deep.equal([
      'tooManyScheduledProfiles at spec.schedules',
    ]);
  });
});
