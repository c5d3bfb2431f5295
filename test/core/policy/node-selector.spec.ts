import { expect } from 'chai';
import type { PolicySpec } from '../../../src/api/types.ts';
import { selectsNode } from '../../../src/core/policy/spec.ts';
import { RULE_MESSAGES, findBrokenRules } from '../../../src/core/policy/schema.ts';

type Selector = PolicySpec['nodeSelector'];
type Expression = NonNullable<Selector['matchExpressions']>[number];

const node = { pool: 'x', 'nvidia.com/gpu.present': 'true' };
const selects = (selector: Selector): boolean => selectsNode(selector, node);
/** Requirements reach the checks as files and old objects hold them. */
const asExpression = (expression: object): Selector => ({ matchExpressions: [expression as Expression] });

/** What no label can be, so that no such requirement can be met on purpose. */
const impossible: Readonly<Record<string, Selector>> = {
  'a key with two slashes': { matchLabels: { 'a/b/c': 'x' } },
  'a value with a space': { matchLabels: { pool: 'a b' } },
  'a key of punctuation that shall not be there': asExpression({ key: '!!', operator: 'DoesNotExist' }),
  'the same key that shall not have a value': asExpression({ key: '!!', operator: 'NotIn', values: ['x'] }),
  'a prefix that is no DNS name': asExpression({ key: 'Pool_/x', operator: 'DoesNotExist' }),
  'a prefix without end': { matchLabels: { [`${'a'.repeat(254)}/x`]: 'y' } },
  'an empty prefix': { matchLabels: { '/x': 'y' } },
  'an empty name': { matchLabels: { 'example.com/': 'y' } },
  'a key of 64 characters': { matchLabels: { ['a'.repeat(64)]: 'y' } },
  'a value that cannot be, and shall not be': asExpression({ key: 'pool', operator: 'NotIn', values: ['a b'] }),
  'a value that ends with a dash': asExpression({ key: 'pool', operator: 'In', values: ['x', 'x-'] }),
};

/** What metav1.LabelSelector refuses although every label is a good one. */
const malformed: Readonly<Record<string, Selector>> = {
  'In without values': asExpression({ key: 'pool', operator: 'In' }),
  'NotIn without values': asExpression({ key: 'pool', operator: 'NotIn', values: [] }),
  'Exists with values': asExpression({ key: 'pool', operator: 'Exists', values: ['x'] }),
  'DoesNotExist with values': asExpression({ key: 'team', operator: 'DoesNotExist', values: ['x'] }),
  'an operator that does not exist': asExpression({ key: 'pool', operator: 'Gt', values: ['1'] }),
  nothing: {},
};

describe('selectsNode', () => {
  for (const [what, selector] of Object.entries({ ...impossible, ...malformed })) {
    it(`selects no node by ${what}, also beside a requirement that is met`, () => {
      expect(selects(selector)).to.equal(false);
      const isMet = selects({
        ...selector,
        matchLabels: { ...selector.matchLabels, 'nvidia.com/gpu.present': 'true' },
      });
      if (what !== 'nothing') expect(isMet).to.equal(false);
    });
  }

  it('follows the rules of metav1.LabelSelector', () => {
    const by = (operator: Expression['operator'], key: string, ...values: readonly string[]) =>
      selects(asExpression({ key, operator, ...(values.length === 0 ? {} : { values }) }));
    expect(selects({ matchLabels: node })).to.equal(true);
    expect(selects({ matchLabels: { ...node, team: 'a' } })).to.equal(false);
    expect([by('In', 'pool', 'w', 'x'), by('In', 'pool', 'y'), by('In', 'team', 'x')]).to.deep.equal([
      true,
      false,
      false,
    ]);
    expect([by('NotIn', 'pool', 'x'), by('NotIn', 'pool', 'y'), by('NotIn', 'team', 'x')]).to.deep.equal([
      false,
      true,
      true,
    ]);
    expect([by('Exists', 'pool'), by('Exists', 'team')]).to.deep.equal([true, false]);
    expect([by('DoesNotExist', 'pool'), by('DoesNotExist', 'team')]).to.deep.equal([false, true]);
  });

  it('takes no property of every object for a label', () => {
    expect(selects(asExpression({ key: 'constructor', operator: 'Exists' }))).to.equal(false);
    expect(selects(asExpression({ key: 'toString', operator: 'DoesNotExist' }))).to.equal(true);
  });
});

describe('the rules of a selector', () => {
  const rulesOf = (nodeSelector: Selector) =>
    findBrokenRules({ spec: { nodeSelector, strategy: 'mixed', layouts: [] } }).map(({ message }) => message);

  for (const [what, selector] of Object.entries(impossible)) {
    it(`refuse ${what}`, () => {
      expect(rulesOf(selector)).to.include(RULE_MESSAGES.impossibleLabel);
    });
  }

  it('refuse every label that a layout changes, and none by which policies select', () => {
    const changing = [
      'nvidia.com/gpu.deploy.dcgm',
      'nvidia.com/mig.config.state',
      'nvidia.com/gpu.slices.gi',
      'nvidia.com/device-plugin.config',
    ];
    for (const key of changing) {
      expect(rulesOf({ matchLabels: { [key]: 'x' } }), key).to.deep.equal([RULE_MESSAGES.changingLabel]);
      expect(rulesOf(asExpression({ key, operator: 'Exists' })), key).to.deep.equal([RULE_MESSAGES.changingLabel]);
    }
    for (const key of ['nvidia.com/mig.config', 'nvidia.com/gpu.present', 'nvidia.com/gpu.family', 'pool'])
      expect(rulesOf({ matchLabels: { [key]: 'x' } }), key).to.deep.equal([]);
  });
});
