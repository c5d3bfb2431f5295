import { expect } from 'chai';
import { describeDuration, durationMs } from '../../../src/core/text/duration.ts';

describe('a duration', () => {
  it('is read as policies have it', () => {
    const table = { '0s': 0, '90s': 90_000, '10m': 600_000, '1h30m': 5_400_000, '1h1m1s': 3_661_000, '5m5m': 600_000 };
    for (const [text, ms] of Object.entries(table)) expect(durationMs(text), text).to.equal(ms);
    expect(durationMs('999999h')).to.equal(999_999 * 3600_000);
  });
});

describe('a time that is left', () => {
  it('is said as people say it', () => {
    const table = {
      0: '0 s',
      59: '59 s',
      60: '1 min',
      100: '2 min',
      3570: '1 h',
      3600: '1 h',
      7800: '2 h 10 min',
      172_740: '47 h 59 min',
      172_800: '2 d',
      176_400: '2 d 1 h',
      183_540: '2 d 2 h',
      691_199: '8 d',
      950_400: '11 d',
    };
    for (const [seconds, text] of Object.entries(table)) expect(describeDuration(Number(seconds))).to.equal(text);
  });
});
