import { expect } from 'chai';
import {
  describeDuration,
  durationMs,
  isZeroQuantity,
  parseQuantity,
  wholeUnits,
} from '../../../src/core/text/syntax.ts';
import fc from 'fast-check';

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

const billion = 1_000_000_000n;
const maximum = (2n ** 63n - 1n) * billion;

/** Text to billionths, as `resource.ParseQuantity` has it (apimachinery `pkg/api/resource/quantity_test.go`). */
const readable: readonly (readonly [text: string, nano: bigint])[] = [
  ['0', 0n],
  ['0n', 0n],
  ['0Ki', 0n],
  ['0e12', 0n],
  ['-0', 0n],
  ['1', billion],
  ['+1', billion],
  ['-1', -billion],
  ['007', 7n * billion],
  ['1n', 1n],
  ['1u', 1000n],
  ['100m', billion / 10n],
  ['500m', billion / 2n],
  ['1k', 1000n * billion],
  ['1M', 10n ** 6n * billion],
  ['1G', 10n ** 9n * billion],
  ['1T', 10n ** 12n * billion],
  ['1P', 10n ** 15n * billion],
  ['1E', 10n ** 18n * billion],
  ['1Ki', 1024n * billion],
  ['8Ki', 8192n * billion],
  ['7Mi', 7n * 1024n ** 2n * billion],
  ['6Gi', 6n * 1024n ** 3n * billion],
  ['5Ti', 5n * 1024n ** 4n * billion],
  ['4Pi', 4n * 1024n ** 5n * billion],
  ['3Ei', 3n * 1024n ** 6n * billion],
  ['2e3', 2000n * billion],
  ['2E3', 2000n * billion],
  ['2e+3', 2000n * billion],
  ['5e-3', 5_000_000n],
  ['1.5', (billion * 3n) / 2n],
  ['.5', billion / 2n],
  ['0.5Ki', 512n * billion],
  ['5.', 5n * billion],
  ['5.Gi', 5n * 1024n ** 3n * billion],
  ['0.025Ti', (25n * 1024n ** 4n * billion) / 1000n],
  ['1.1E', 11n * 10n ** 17n * billion],
  // Whoever wants some gets some: what is too small is rounded up, away from zero.
  ['0.1n', 1n],
  ['1.1n', 2n],
  ['-0.1n', -1n],
  ['1e-99', 1n],
  // What is too much is the most that there is.
  ['9223372036854775807', maximum],
  ['9223372036854775808', maximum],
  ['8Ei', maximum],
  ['-8Ei', -maximum],
  ['1e2000000000', maximum],
  ['0e2000000000', 0n],
];

const unreadable = [
  '',
  '.',
  '-',
  'k',
  '1e',
  '1K',
  '1ki',
  '1KB',
  '1 ',
  ' 1',
  '1.1.M',
  '1+1.0M',
  '0.1mi',
  '0.1am',
  'aoeu',
];
const alsoUnreadable = ['.5i', '1i', '-3.01i', '1e3k', '1e3.5', '0x10', '1_000', 'NaN', 'Infinity', '١', '1\n'];

describe('a Kubernetes quantity', () => {
  for (const [text, nano] of readable) {
    it(`reads ${text}`, () => expect(parseQuantity(text)).to.equal(nano));
  }

  for (const text of [...unreadable, ...alsoUnreadable]) {
    it(`does not read ${JSON.stringify(text)}`, () => expect(parseQuantity(text)).to.equal(undefined));
  }

  it('counts in whole units as the scheduler and the kubelet do, rounded up', () => {
    const texts = ['1k', '1M', '2e3', '1Ki', '0.5', '500m', '28', '1n', '-500m', '0'];
    expect(texts.map(wholeUnits)).to.deep.equal([1000, 1e6, 2000, 1024, 1, 1, 28, 1, -1, 0]);
  });

  it('is equal to no number where it cannot be read, and is not nothing', () => {
    expect(wholeUnits('seven')).to.be.NaN;
    expect(isZeroQuantity('seven')).to.equal(false);
  });

  it('is nothing in every way to write nothing', () => {
    expect(['0', '0k', '0.0', '0e9', '000', '-0', 0].every(isZeroQuantity)).to.equal(true);
    expect(['1', '1n', '0.5', 1].some(isZeroQuantity)).to.equal(false);
  });

  it('reads every whole number as itself, with any suffix', () => {
    const suffixes = ['', 'k', 'M', 'Ki', 'Mi', 'e3'] as const;
    const factors = { '': 1, k: 1000, M: 1e6, Ki: 1024, Mi: 1024 ** 2, e3: 1000 };
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), fc.constantFrom(...suffixes), (count, suffix) => {
        expect(wholeUnits(`${count}${suffix}`)).to.equal(count * factors[suffix]);
      }),
    );
  });
});
