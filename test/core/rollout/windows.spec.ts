import { expect } from 'chai';
import { explainWindow, stateOfWindows, type Window } from '../../../src/core/rollout/budget.ts';

const at = (time: string): number => Date.parse(time);
const isOpen = (windows: readonly Window[], time: string): boolean => stateOfWindows(windows, at(time)).isOpen;
const opensAt = (windows: readonly Window[], time: string): string | undefined => {
  const state = stateOfWindows(windows, at(time));
  return state.isOpen || state.until === undefined ? undefined : new Date(state.until).toISOString();
};
const nightly: Window = { schedule: '0 22 * * *', duration: '6h' };
const inBerlin: Window = { ...nightly, timeZone: 'Europe/Berlin' };

describe('windows', () => {
  it('that are absent are always open', () => {
    expect(stateOfWindows(undefined, 0)).to.deep.equal({ isOpen: true, until: undefined });
    expect(stateOfWindows([], 0)).to.deep.equal({ isOpen: true, until: undefined });
  });

  it('are open from the start, which counts, to the end, which does not', () => {
    expect(isOpen([nightly], '2026-01-01T21:59:59.999Z')).to.equal(false);
    expect(isOpen([nightly], '2026-01-01T22:00:00.000Z')).to.equal(true);
    expect(isOpen([nightly], '2026-01-01T22:00:00.001Z')).to.equal(true);
    expect(isOpen([nightly], '2026-01-02T03:59:59.999Z')).to.equal(true);
    expect(isOpen([nightly], '2026-01-02T04:00:00.000Z')).to.equal(false);
  });

  it('tell when the next one opens', () => {
    expect(opensAt([nightly], '2026-01-01T12:00:00Z')).to.equal('2026-01-01T22:00:00.000Z');
    expect(opensAt([nightly], '2026-01-02T04:00:00Z')).to.equal('2026-01-02T22:00:00.000Z');
    const weekend = { schedule: '0 6 * * SAT', duration: '2h' };
    expect(opensAt([nightly, weekend], '2026-01-03T05:00:00Z')).to.equal('2026-01-03T06:00:00.000Z');
  });

  it('each tell until when they stay as they are: an open one to its end, a closed one to its next start', () => {
    const until = (window: Window, time: string): number | undefined => stateOfWindows([window], at(time)).until;
    expect(until(nightly, '2026-01-01T23:00:00Z')).to.equal(at('2026-01-02T04:00:00Z'));
    expect(until(nightly, '2026-01-02T05:00:00Z')).to.equal(at('2026-01-02T22:00:00Z'));
    expect(until({ ...nightly, schedule: 'never' }, '2026-01-02T05:00:00Z')).to.equal(undefined);
  });

  it('close when the first of those that are open does, whichever opens before', () => {
    const [day, noon] = [
      { schedule: '0 8 * * *', duration: '8h' },
      { schedule: '0 12 * * *', duration: '1h' },
    ];
    const state = stateOfWindows([noon, day], at('2026-01-01T10:00:00Z'));
    expect(state).to.deep.equal({ isOpen: true, until: at('2026-01-01T16:00:00Z') });
  });

  it('are in their own time zone, UTC unless told otherwise', () => {
    expect(opensAt([inBerlin], '2026-01-01T12:00:00Z')).to.equal('2026-01-01T21:00:00.000Z');
    expect(opensAt([inBerlin], '2026-07-01T12:00:00Z')).to.equal('2026-07-01T20:00:00.000Z');
    const inKolkata = { ...nightly, timeZone: 'Asia/Kolkata' };
    expect(opensAt([inKolkata], '2026-01-01T12:00:00Z')).to.equal('2026-01-01T16:30:00.000Z');
    const hourly = { schedule: '0 * * * *', duration: '10m', timeZone: 'Asia/Kolkata' };
    expect(opensAt([hourly], '2026-01-01T12:10:00Z')).to.equal('2026-01-01T12:30:00.000Z');
  });

  describe('when clocks are put forward', () => {
    const gap: Window = { schedule: '30 2 * * *', duration: '1h', timeZone: 'Europe/Berlin' };

    it('open at the end of the hour that is left out', () => {
      expect(opensAt([gap], '2026-03-29T00:00:00Z')).to.equal('2026-03-29T01:00:00.000Z');
      expect(isOpen([gap], '2026-03-29T01:30:00Z')).to.equal(true);
      expect(isOpen([gap], '2026-03-29T02:00:00Z')).to.equal(false);
      expect(opensAt([gap], '2026-03-29T02:00:00Z')).to.equal('2026-03-30T00:30:00.000Z');
    });

    it('open once there, also with several starts in that hour', () => {
      const list: Window = { schedule: '55,10 1 * * *', duration: '5m', timeZone: 'Europe/Dublin' };
      expect(opensAt([list], '2026-03-29T00:00:00Z')).to.equal('2026-03-29T01:00:00.000Z');
      expect(opensAt([list], '2026-03-29T01:05:00Z')).to.equal('2026-03-30T00:10:00.000Z');
    });

    it('last as long as they say, and end an hour later by the clock', () => {
      expect(isOpen([inBerlin], '2026-03-28T21:00:00Z')).to.equal(true);
      expect(isOpen([inBerlin], '2026-03-29T02:59:59Z')).to.equal(true);
      expect(isOpen([inBerlin], '2026-03-29T03:00:00Z')).to.equal(false);
    });
  });

  describe('when clocks are put back', () => {
    const twice: Window = { schedule: '30 2 * * *', duration: '10m', timeZone: 'Europe/Berlin' };

    it('open once, at the first of two equal hours', () => {
      expect(opensAt([twice], '2026-10-25T00:00:00Z')).to.equal('2026-10-25T00:30:00.000Z');
      expect(isOpen([twice], '2026-10-25T00:35:00Z')).to.equal(true);
      expect(isOpen([twice], '2026-10-25T01:35:00Z')).to.equal(false);
      expect(opensAt([twice], '2026-10-25T01:00:00Z')).to.equal('2026-10-26T01:30:00.000Z');
    });

    it('open when the clock first shows the time at which it is put back', () => {
      const three: Window = { ...twice, schedule: '0 3 * * *' };
      expect(opensAt([three], '2026-10-25T00:00:00Z')).to.equal('2026-10-25T02:00:00.000Z');
    });

    it('open in both of two equal hours with * as the hour, which is not the minute', () => {
      const hourly: Window = { ...twice, schedule: '30 * * * *' };
      expect(opensAt([hourly], '2026-10-25T01:00:00Z')).to.equal('2026-10-25T01:30:00.000Z');
      expect(opensAt([{ ...twice, schedule: '* 2 * * *' }], '2026-10-25T01:10:00Z')).to.equal(
        '2026-10-26T01:00:00.000Z',
      );
    });

    it('last as long as they say', () => {
      expect(isOpen([inBerlin], '2026-10-24T20:00:00Z')).to.equal(true);
      expect(isOpen([inBerlin], '2026-10-25T01:59:59Z')).to.equal(true);
      expect(isOpen([inBerlin], '2026-10-25T02:00:00Z')).to.equal(false);
    });
  });

  it('that overlap are open as long as one of them is', () => {
    const windows = [nightly, { schedule: '0 2 * * *', duration: '4h' }];
    for (const time of ['2026-01-01T22:00:00Z', '2026-01-02T03:00:00Z', '2026-01-02T05:59:59Z']) {
      expect(isOpen(windows, time), time).to.equal(true);
    }
    expect(isOpen(windows, '2026-01-02T06:00:00Z')).to.equal(false);
  });

  it('that last longer than until the next one are always open', () => {
    const hourly: Window = { schedule: '0 * * * *', duration: '90m' };
    for (let minute = 0; minute < 180; minute += 7) {
      const time = at('2026-01-01T00:00:00Z') + minute * 60_000;
      // The earlier of two starts that are still open ends first, at half past.
      const until = at('2026-01-01T00:30:00Z') + Math.floor((minute + 30) / 60) * 3600_000;
      expect(stateOfWindows([hourly], time)).to.deep.equal({ isOpen: true, until });
    }
    expect(isOpen([{ schedule: '0 0 1 1 *', duration: '999999h' }], '2026-06-01T00:00:00Z')).to.equal(true);
  });

  it('are closed if they cannot be parsed, beside others that can', () => {
    const bad = { schedule: '61 * * * *', duration: '6h' };
    expect(stateOfWindows([bad], at('2026-01-01T22:00:00Z'))).to.deep.equal({ isOpen: false, until: undefined });
    expect(isOpen([bad, nightly], '2026-01-01T22:00:00Z')).to.equal(true);
    expect(opensAt([bad, nightly], '2026-01-01T12:00:00Z')).to.equal('2026-01-01T22:00:00.000Z');
  });

  it('are refused by name if they cannot be parsed', () => {
    const explain = (schedule: string, more: Partial<Window> = {}) =>
      explainWindow({ schedule, duration: '6h', ...more });
    expect(explain('0 22 * * *', { timeZone: 'Europe/Berlin' })).to.equal(undefined);
    expect(explain('61 * * * *')).to.equal('"61 * * * *": Invalid value for minute: 61');
    expect(explain('0 22 * * 8')).to.match(/^"0 22 \* \* 8": Invalid value for dayOfWeek: 8$/);
    expect(explain('0 22 * *')).to.match(/^"0 22 \* \*": /);
    expect(explain('0 0 22 * * *')).to.match(/^"0 0 22 \* \* \*": /);
    expect(explain('0 22 * * *', { timeZone: 'Mars/Phobos' })).to.equal(
      '"0 22 * * *" in Mars/Phobos: unknown time zone; use an IANA name such as Europe/Berlin',
    );
    expect(explain('0 22 * * *', { timeZone: '' })).to.include('unknown time zone');
    expect(explain('0 0 30 2 *')).to.equal('"0 0 30 2 *": this time never occurs');
    expect(explain('0 22 * * *', { duration: '0s' })).to.equal('duration 0s must be longer than zero');
  });
});
