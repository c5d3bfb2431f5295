import { expect } from 'chai';
import { checkPolicy } from '../../../src/core/policy/check.ts';
import { aPolicy } from '../../support/builders.ts';

describe('checkPolicy', () => {
  it('accepts a layout that some model can take', () => {
    expect(checkPolicy(aPolicy().spec)).to.equal(undefined);
  });

  it('refuses a window that nobody can read, by its place', () => {
    const windows = [{ schedule: '0 22 * * *', duration: '6h', timeZone: 'Mars/Olympus' }];
    const refusal = checkPolicy(aPolicy({ rollout: { windows } }).spec);
    expect(refusal?.reason).to.equal('BadWindow');
    expect(refusal?.message).to.match(/^spec\.rollout\.windows\[0\]: .*Mars\/Olympus/);
  });

  it('refuses a layout that no model it can meet could take, with the nearest that fit', () => {
    const refusal = checkPolicy(
      aPolicy({ layouts: [{ gpus: { models: ['A100-SXM4-40GB'] }, profiles: { '3g.20gb': 3 } }] }).spec,
    );
    expect(refusal?.reason).to.equal('DoesNotFit');
    expect(refusal?.message).to.match(/spec\.layouts\[0\].*12 of 8 memory slices/);
  });

  it('leaves to the nodes what only some models can take, and globs of unknown models', () => {
    expect(checkPolicy(aPolicy({ layouts: [{ profiles: { '1g.6gb': 4 } }] }).spec)).to.equal(undefined);
    expect(
      checkPolicy(aPolicy({ layouts: [{ gpus: { models: ['X9000'] }, profiles: { '1g.99gb': 4 } }] }).spec),
    ).to.equal(undefined);
  });
});
