import { expect } from 'chai';
import * as fc from 'fast-check';
import { PackedLabels } from '../../../src/core/metadata/packed-labels.ts';

describe('packed labels', () => {
  // Kubernetes has no label `__proto__`: names begin and end with a letter or digit.
  const key = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('pool', 'constructor', 'a.b/c'));
  const anyLabels = fc.dictionary(key, fc.string({ maxLength: 3 }), { maxKeys: 200 });

  it('are the labels, even when those of other nodes were read in between', () => {
    fc.assert(
      fc.property(anyLabels, anyLabels, (one, other) => {
        const [these, those] = [new PackedLabels(one), new PackedLabels(other)];
        for (const [packed, labels] of [
          [these, one],
          [those, other],
          [these, one],
        ] as const) {
          expect(sorted(packed.unpack())).to.deep.equal(sorted(labels));
        }
      }),
    );
  });

  it('give a few of them by name, and none that is not there', () => {
    fc.assert(
      fc.property(anyLabels, fc.array(key), (labels, keys) => {
        const wanted = Object.entries(labels).filter(([name]) => keys.includes(name));
        expect(sorted(new PackedLabels(labels).pick(keys))).to.deep.equal(sorted(Object.fromEntries(wanted)));
      }),
    );
  });
});

function sorted(labels: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
