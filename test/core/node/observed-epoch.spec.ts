import { expect } from 'chai';
import type { Grant } from '../../../src/api/types.ts';
import { observedEpochOf } from '../../../src/core/node/observed-epoch.ts';

const granted: Grant = { gpus: [], epoch: 7, planHash: 'x', deadline: '2026-01-01T00:00:00Z' };

describe('the epoch that an agent is done with', () => {
  it('is what it reports, up to the newest grant', () => {
    expect(observedEpochOf({ observedEpoch: 6 }, granted)).to.equal(6);
    expect(observedEpochOf({ observedEpoch: 7 }, granted)).to.equal(7);
  });

  it('is none where it reports none', () => {
    expect(observedEpochOf({}, granted)).to.equal(0);
    expect(observedEpochOf(undefined, granted)).to.equal(0);
  });

  it('is none where it was never granted', () => {
    for (const observedEpoch of [8, 2 ** 53, -1, NaN]) expect(observedEpochOf({ observedEpoch }, granted)).to.equal(0);
  });

  it('is none where nothing is granted: a number that somebody left there is never copied into a report', () => {
    for (const observedEpoch of [1, 6, Number.MAX_SAFE_INTEGER, 2 ** 53]) {
      expect(observedEpochOf({ observedEpoch }, undefined)).to.equal(0);
    }
  });
});
