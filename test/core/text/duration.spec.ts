import { expect } from 'chai';
import fc from 'fast-check';
import { durationMs, durationText } from '../../../src/core/text/duration.ts';

describe('a duration', () => {
  it('is read as policies have it', () => {
    const table = { '0s': 0, '90s': 90_000, '10m': 600_000, '1h30m': 5_400_000, '1h1m1s': 3_661_000, '5m5m': 600_000 };
    for (const [text, ms] of Object.entries(table)) expect(durationMs(text), text).to.equal(ms);
    expect(durationMs('999999h')).to.equal(999_999 * 3600_000);
  });

  it('is written in whole seconds, rounded up', () => {
    const table = [
      [0, '0s'],
      [1, '1s'],
      [45_000, '45s'],
      [59_001, '1m'],
      [600_000, '10m'],
      [5_400_000, '1h30m'],
      [3_601_000, '1h1s'],
      [90_000_000, '25h'],
      [-1, '0s'],
      [-5_000, '0s'],
    ] as const;
    for (const [ms, text] of table) expect(durationText(ms), String(ms)).to.equal(text);
  });

  it('is the same again after it was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (seconds) => {
        expect(durationMs(durationText(seconds * 1000))).to.equal(seconds * 1000);
      }),
    );
  });
});
