import { expect } from 'chai';
import { compareVersions } from '../../../src/core/text/version-skew.ts';

describe('the versions of controller and agent', () => {
  const skews = (pairs: readonly (readonly [string | undefined, string])[]): readonly string[] =>
    pairs.map(([theirs, ours]) => compareVersions(theirs, ours));

  it('may be one minor version apart, either way', () => {
    expect(
      skews([
        ['0.2.0', '0.2.9'],
        ['0.1.7', '0.2.0'],
        ['0.3.0', '0.2.0'],
        ['v1.4.0', '1.5.2'],
      ]),
    ).to.deep.equal(Array.from({ length: 4 }, () => 'Fine'));
  });

  it('may not be further apart, nor of two major versions', () => {
    expect(
      skews([
        ['0.1.0', '0.3.0'],
        ['0.9.0', '1.0.0'],
      ]),
    ).to.deep.equal(['TooOld', 'TooOld']);
    expect(
      skews([
        ['0.4.0', '0.2.0'],
        ['2.0.0', '1.9.0'],
      ]),
    ).to.deep.equal(['TooNew', 'TooNew']);
  });

  it('are not compared if one is not a release', () => {
    expect(
      skews([
        [undefined, '0.3.0'],
        ['test', '0.3.0'],
        ['0.1.0', 'unknown'],
      ]),
    ).to.deep.equal(['Fine', 'Fine', 'Fine']);
  });
});
