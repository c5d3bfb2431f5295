import { expect } from 'chai';

import { validatePolicy } from '../../../src/core/policy/validate.ts';
import { aPolicyObject, badMetadata, goodMetadata } from './policy-cases.ts';

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
