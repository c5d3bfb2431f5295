import { expect } from 'chai';
import type { PolicySpec } from '../../../src/api/types.ts';
import { judgeSchedules, laterMark, type ScheduleMark } from '../../../src/core/policy/timetable.ts';
import { aPolicy } from '../../support/builders.ts';

type Times = Omit<NonNullable<PolicySpec['schedules']>[number], 'layouts' | 'demand'>;

const at = (time: string): number => Date.parse(time);
const night: Times = { name: 'night', schedule: '0 22 * * *', duration: '8h' };
const weekend: Times = { name: 'weekend', schedule: '0 0 * * SAT', duration: '48h' };
const withSchedules = (...times: readonly Times[]): PolicySpec =>
  aPolicy({ schedules: times.map((one) => ({ ...one, layouts: [{ preset: 'all-balanced' }] })) }).spec;
const judge = (time: string, times: readonly Times[] = [night], known?: ScheduleMark) =>
  judgeSchedules(withSchedules(...times), known, at(time));
const nameAt = (time: string, ...times: readonly Times[]) => judge(time, times)?.mark.name;

describe('the timetable of a policy', () => {
  it('does not exist without schedules', () => {
    expect(judgeSchedules(aPolicy().spec, undefined, 0)).to.equal(undefined);
  });

  it('says which schedule is in force, since when, and which follows when', () => {
    expect(judge('2026-01-05T12:00:00Z')).to.deep.equal({
      mark: { since: '2026-01-05T12:00:00Z' },
      next: { name: 'night', time: '2026-01-05T22:00:00Z' },
      judgeAt: at('2026-01-05T22:00:00Z'),
    });
    expect(judge('2026-01-05T22:00:00Z')).to.deep.equal({
      mark: { name: 'night', since: '2026-01-05T22:00:00Z' },
      next: { time: '2026-01-06T06:00:00Z' },
      judgeAt: at('2026-01-06T06:00:00Z'),
    });
  });

  it('keeps the time of the last switch while the same schedule is in force', () => {
    const known = { name: 'night', since: '2026-01-05T22:00:01Z' };
    expect(judge('2026-01-06T05:59:59Z', [night], known)?.mark).to.deep.equal(known);
    expect(judge('2026-01-06T06:00:00Z', [night], known)?.mark).to.deep.equal({ since: '2026-01-06T06:00:00Z' });
  });

  it('lets the first schedule that is open apply', () => {
    expect(nameAt('2026-01-03T23:00:00Z', weekend, night)).to.equal('weekend');
    expect(nameAt('2026-01-03T23:00:00Z', night, weekend)).to.equal('night');
    expect(judge('2026-01-03T23:00:00Z', [night, weekend])?.next).to.deep.equal({
      name: 'weekend',
      time: '2026-01-04T06:00:00Z',
    });
  });

  it('names no switch where windows of one schedule follow each other without a gap', () => {
    const always: Times = { name: 'always', schedule: '0 * * * *', duration: '1h' };
    const { next, judgeAt = 0 } = judge('2026-01-05T12:30:00Z', [always]) ?? {};
    expect(next).to.equal(undefined);
    expect(judgeAt).to.be.greaterThan(at('2026-01-06T12:00:00Z'));
    const dayByDay = { name: 'daily', schedule: '0 0 * * MON-FRI', duration: '24h' };
    expect(judge('2026-01-05T12:00:00Z', [dayByDay])?.next).to.deep.equal({ time: '2026-01-10T00:00:00Z' });
  });

  it('names no switch, and no time to judge again, where no schedule ever begins', () => {
    const since = '2026-01-05T12:00:00Z';
    const never: Times = { name: 'never', schedule: '0 0 31 2 *', duration: '1h' };
    expect(judge(since, [never])).to.deep.equal({ mark: { since }, next: undefined, judgeAt: undefined });
  });

  it('follows daylight saving time as windows do', () => {
    const inBerlin = { ...night, timeZone: 'Europe/Berlin' };
    expect(judge('2026-03-28T20:59:59Z', [inBerlin])?.next?.time).to.equal('2026-03-28T21:00:00Z');
    expect(judge('2026-03-28T21:00:00Z', [inBerlin])?.next?.time, 'eight hours, one of them skipped').to.equal(
      '2026-03-29T05:00:00Z',
    );
    expect(judge('2026-03-29T12:00:00Z', [inBerlin])?.next?.time).to.equal('2026-03-29T20:00:00Z');
  });

  it('does not switch back where the clock is set back by up to an hour, or that of the next leader is behind', () => {
    const known = { name: 'night', since: '2026-01-05T22:00:00Z' };
    for (const time of ['2026-01-05T21:59:59Z', '2026-01-05T21:00:00Z']) {
      const times = judge(time, [night], known);
      expect(times?.mark).to.deep.equal(known);
      expect(times?.next).to.deep.equal({ time: '2026-01-06T06:00:00Z' });
    }
    const ended = { since: '2026-01-06T06:00:00Z' };
    expect(judge('2026-01-06T05:30:00Z', [night], ended)?.mark).to.deep.equal(ended);
  });

  it('believes no switch that lies further ahead: the clock was wrong then', () => {
    const known = { name: 'night', since: '2031-01-05T22:00:00Z' };
    expect(judge('2026-01-05T12:00:00Z', [night], known)?.mark).to.deep.equal({ since: '2026-01-05T12:00:00Z' });
  });

  it('is asked often at little cost', () => {
    const many = Array.from({ length: 8 }, (_, index): Times => ({
      name: `s${index}`,
      schedule: `${index} ${index} * * *`,
      duration: '24h',
      timeZone: 'Europe/Berlin',
    }));
    const began = process.cpuUsage();
    for (let day = 1; day < 11; day += 1) judge(new Date(Date.UTC(2026, 0, day, 12)).toISOString(), many);
    const tookMs = process.cpuUsage(began).user / 1000 / 10;
    expect(tookMs).to.be.lessThan(150);
  });
});

describe('of two marks of a switch', () => {
  it('the later one counts: the watch may bring what was before our own write', () => {
    const [before, after] = [{ since: '2026-01-05T06:00:00Z' }, { name: 'night', since: '2026-01-05T22:00:00Z' }];
    expect(laterMark(after, before)).to.deep.equal(after);
    expect(laterMark(before, after)).to.deep.equal(after);
    expect(laterMark(after, { since: after.since }), 'ours, of one second').to.deep.equal(after);
    expect(laterMark(undefined, before)).to.deep.equal(before);
    expect(laterMark(after, undefined)).to.deep.equal(after);
  });
});
