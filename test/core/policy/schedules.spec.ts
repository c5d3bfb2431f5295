import { expect } from 'chai';
import type { GpuPartitionPolicy, PolicySpec } from '../../../src/api/types.ts';
import { checkPolicy, validatePolicy } from '../../../src/core/policy/check.ts';
import { Fleet } from '../../../src/core/policy/fleet.ts';
import { asDeleted, laterMark } from '../../../src/core/policy/record.ts';
import { asScheduled, layoutsPath, specUnder, variantsOf, judgeSchedules } from '../../../src/core/policy/spec.ts';
import { resolveNode } from '../../../src/core/policy/resolve-node.ts';
import { aDevice, aGpu, aPartition, aPolicy, uuidOf } from '../../support/builders.ts';

type Schedule = NonNullable<PolicySpec['schedules']>[number];

const times = { schedule: '0 22 * * *', duration: '8h' };
const large = [{ profiles: { '3g.20gb': 2 } }];
const night: Schedule = { name: 'night', ...times, layouts: large };
const demand = { slices: [{ profiles: ['1g.5gb'], count: 4 }] };
const scheduled = aPolicy({ schedules: [night] });
const partition = aPartition({ device: aDevice(aGpu({ slices: ['1g.5gb@0'] })) });
const mark = (name?: string, since = '2026-01-05T22:00:00Z') => ({ ...(name !== undefined && { name }), since });

function aFleetWith(policy: GpuPartitionPolicy): Fleet {
  const fleet = new Fleet({ sharing: true });
  fleet.setPolicy(policy);
  fleet.setNode('n', { pool: 'p' });
  return fleet;
}

const recordOf = (fleet: Fleet) => {
  const record = fleet.policy('p');
  if (!record) throw new Error('there is no policy p');
  return record;
};

function accept(fleet: Fleet, schedule = mark()): void {
  const record = recordOf(fleet);
  for (const node of record.unchecked) fleet.check(record, node, partition);
  fleet.accept(record, schedule);
}

const wished = (fleet: Fleet) => {
  const { wish } = fleet.claimOf('n', partition);
  return wish && 'wish' in wish ? wish.wish.gpus[0]?.profiles : wish;
};

describe('a policy with schedules', () => {
  it('is its own layouts, or those of one schedule, and nothing else of it changes', () => {
    const { spec } = aPolicy({
      schedules: [night, { name: 'batch', ...times, demand }],
      rollout: { maxUnavailable: 2 },
    });
    const { schedules: _schedules, ...own } = spec;
    const { layouts: _layouts, ...common } = own;
    expect(variantsOf(spec).map((one) => [one.name, one.spec])).to.deep.equal([
      [undefined, own],
      ['night', { ...common, layouts: large }],
      ['batch', { ...common, demand }],
    ]);
    expect(layoutsPath(specUnder(spec, 'batch'))).to.deep.equal(['spec', 'schedules', 1]);
    expect(specUnder(spec, 'batch'), 'the same object each time').to.equal(specUnder(spec, 'batch'));
    expect(specUnder(spec, 'gone')).to.equal(specUnder(spec, undefined));
  });

  it('is where an entry stands that asks for more GPUs than a node has', () => {
    const { spec } = aPolicy({ schedules: [{ ...night, layouts: [{ gpus: { count: 2 }, mig: 'Disabled' }] }] });
    const found = resolveNode(specUnder(spec, 'night'), aDevice(aGpu()), undefined);
    expect(found).to.include({ entry: 0 });
    expect('refusal' in found && found.told.message).to.match(/^spec\.schedules\[0\]\.layouts\[0\]: /);
  });

  it('is shown as its status says', () => {
    expect(asScheduled({ ...scheduled, status: { schedule: mark('night') } }).spec.layouts).to.deep.equal(large);
    expect(asScheduled(scheduled).spec.layouts).to.deep.equal(scheduled.spec.layouts);
    const plain = aPolicy();
    expect(asScheduled(plain)).to.equal(plain);
  });

  it('has nodes become what the schedule in force says, and its nodes be asked again at a switch', () => {
    const fleet = aFleetWith(scheduled);
    accept(fleet);
    expect(wished(fleet)).to.deep.equal({ '1g.5gb': 7 });
    const record = recordOf(fleet);
    fleet.note(fleet.claimOf('n', partition), { node: 'n', phase: 'Ready', reason: 'Ready', message: '' });
    expect(record.tally.unseen.size).to.equal(0);
    expect(fleet.switch(record, mark('night'))).to.deep.equal(['n']);
    expect(wished(fleet)).to.deep.equal({ '3g.20gb': 2 });
    expect([...record.tally.unseen]).to.deep.equal(['n']);
    expect(fleet.switch(record, mark('night')), 'no switch').to.deep.equal([]);
    expect(fleet.switch(record, mark(undefined, '2026-01-06T06:00:00Z'))).to.deep.equal(['n']);
    expect(wished(fleet)).to.deep.equal({ '1g.5gb': 7 });
  });

  it('keeps what was found of a node for the day out of the tally of the night', () => {
    const fleet = aFleetWith(scheduled);
    accept(fleet);
    const byDay = fleet.claimOf('n', partition);
    fleet.switch(recordOf(fleet), mark('night'));
    fleet.note(byDay, { node: 'n', phase: 'Ready', reason: 'Ready', message: '' });
    expect([...recordOf(fleet).tally.unseen]).to.deep.equal(['n']);
  });

  it('is continued by a new leader from its status, and no older status takes a switch back', () => {
    const inForce = { generation: 1, spec: { ...scheduled.spec } };
    const stored = { ...scheduled, status: { acceptedGeneration: 1, inForce, schedule: mark('night') } };
    const fleet = aFleetWith(stored);
    expect(wished(fleet)).to.deep.equal({ '3g.20gb': 2 });
    const older = { ...stored.status, schedule: mark(undefined, '2026-01-05T06:00:00Z') };
    expect(fleet.setPolicy({ ...scheduled, status: older })).to.equal(undefined);
    expect(wished(fleet)).to.deep.equal({ '3g.20gb': 2 });
    const newer = { ...stored.status, schedule: mark(undefined, '2026-01-06T06:00:00Z') };
    expect(fleet.setPolicy({ ...scheduled, status: newer })).to.deep.equal(['n']);
    expect(wished(fleet)).to.deep.equal({ '1g.5gb': 7 });
  });

  it('keeps its schedules in what is stored of the generation in force', () => {
    const fleet = aFleetWith(scheduled);
    accept(fleet, mark('night'));
    expect(recordOf(fleet).versions.inForce?.spec).to.equal(scheduled.spec);
    expect(recordOf(fleet).inForce?.spec.schedules).to.equal(undefined);
  });

  it('only plans what the schedule in force says if it only plans', () => {
    const fleet = aFleetWith(aPolicy({ mode: 'Plan', schedules: [night] }));
    accept(fleet, mark('night'));
    expect(wished(fleet)).to.deep.equal({ '3g.20gb': 2 });
  });

  it('keeps the schedules of the generation in force while an edit is not accepted', () => {
    const fleet = aFleetWith(scheduled);
    accept(fleet, mark('night'));
    const bad = { name: 'night', ...times, layouts: [{ profiles: { '1g.5gb': 9 } }] };
    fleet.setPolicy(aPolicy({ generation: 2, schedules: [bad] }));
    expect(wished(fleet)).to.deep.equal({ '3g.20gb': 2 });
    fleet.switch(recordOf(fleet), mark(undefined, '2026-01-06T06:00:00Z'));
    expect(wished(fleet)).to.deep.equal({ '1g.5gb': 7 });
  });

  it('drops what was said about the demand of the day', () => {
    const { layouts: _none, ...rest } = aPolicy().spec;
    const fleet = aFleetWith({ ...aPolicy(), spec: { ...rest, demand, schedules: [night] } });
    accept(fleet);
    const record = recordOf(fleet);
    const condition = { type: 'DemandMet', status: 'True', reason: 'DemandMet', message: '' } as const;
    record.demand = { states: [], condition };
    fleet.switch(record, mark('night'));
    expect(record.demand).to.equal(undefined);
    expect(record.policy.spec.demand).to.equal(undefined);
  });

  it('starts a demand from what is there whenever it returns, not from what was chosen for it before', () => {
    const { layouts: _none, ...rest } = aPolicy().spec;
    const busy: Schedule = { name: 'busy', ...times, demand: { slices: [{ profiles: ['3g.20gb'], count: 1 }] } };
    const fleet = aFleetWith({ ...aPolicy(), spec: { ...rest, demand, schedules: [night, busy] } });
    accept(fleet);
    const record = recordOf(fleet);
    const wish = { uuid: uuidOf(0), profiles: { '1g.5gb': 4 }, entry: 'demand' };
    fleet.choose(record.policy, new Map([['n', new Map([[wish.uuid, wish]])]]));
    expect(wished(fleet)).to.deep.equal({ '1g.5gb': 4 });
    fleet.switch(record, mark('night', '2026-01-06T22:00:00Z'));
    fleet.switch(record, mark(undefined, '2026-01-07T06:00:00Z'));
    expect(record.policy.spec.demand).to.equal(demand);
    expect([fleet.chosenFor(record.policy, 'n'), wished(fleet)]).to.deep.equal([undefined, undefined]);
    // Nor from what the demand of another schedule chose, which the node may have been told and has not begun.
    const told = { ...aPartition({ device: aDevice(aGpu()), wish: { gpus: [wish] } }) };
    const policy = { name: 'p', uid: 'uid-p', generation: 1 };
    const wishOf = (schedule?: string) => {
      const spec = { ...told.spec, policy: { ...policy, ...(schedule !== undefined && { schedule }) } };
      const found = fleet.claimOf('n', { ...told, spec }).wish;
      return found && 'wish' in found ? found.wish.gpus : undefined;
    };
    expect([wishOf(), wishOf('busy')], 'its own demand').to.deep.equal([[wish], undefined]);
    expect(fleet.claimOf('n', told).schedule).to.equal(undefined);
    fleet.switch(record, mark('busy', '2026-01-07T22:00:00Z'));
    expect([wishOf(), wishOf('busy')], 'another leader’s, of this schedule').to.deep.equal([undefined, [wish]]);
    expect(fleet.claimOf('n', told).schedule).to.equal('busy');
  });

  it('starts a demand from the layouts that are there', () => {
    const fleet = aFleetWith(aPolicy({ schedules: [{ name: 'night', ...times, demand }] }));
    accept(fleet);
    fleet.switch(recordOf(fleet), mark('night'));
    expect(fleet.claimOf('n', partition).wish, 'nothing before a plan').to.equal(undefined);
  });
});

describe('a schedule that cannot be carried out', () => {
  const overfull: Schedule = { name: 'night', ...times, layouts: [{}, { profiles: { '1g.5gb': 9 } }].slice(1) };

  it('is refused when it is applied, with its place', () => {
    const refused = checkPolicy(aPolicy({ schedules: [night, { ...overfull, name: 'late' }] }).spec);
    expect(refused?.reason).to.equal('DoesNotFit');
    expect(refused?.message).to.match(/^spec\.schedules\[1\]\.layouts\[0\]: /);
    const wanted = { slices: [{ profiles: ['9g.90gb'], count: 1 }] };
    expect(checkPolicy(aPolicy({ schedules: [{ name: 'n', ...times, demand: wanted }] }).spec)?.message).to.match(
      /^spec\.schedules\[0\]\.demand\.slices\[0\]: slice 9g\.90gb: no GPU model has a profile/,
    );
  });

  it('is refused where its time never occurs', () => {
    const never = { ...night, schedule: '0 0 31 2 *' };
    const refusal = checkPolicy(aPolicy({ schedules: [never] }).spec);
    expect(refusal).to.deep.equal({
      reason: 'BadWindow',
      message: 'spec.schedules[0]: "0 0 31 2 *": this time never occurs',
    });
  });

  it('is refused by a node that could not take it, though it is not in force', () => {
    const forH100: Schedule = { name: 'night', ...times, layouts: [{ profiles: { '3g.40gb': 2 } }] };
    const fleet = aFleetWith(aPolicy({ schedules: [forH100] }));
    const record = recordOf(fleet);
    for (const node of record.unchecked) fleet.check(record, node, partition);
    expect(record.whyRefused).to.match(/^node n: spec\.schedules\[0\]\.layouts\[0\]: .*3g\.40gb/);
  });

  it('names its place on a node that has changed since', () => {
    const { spec } = aPolicy({ schedules: [{ name: 'night', ...times, layouts: [{ profiles: { '3g.40gb': 2 } }] }] });
    const fleet = aFleetWith(aPolicy({ schedules: spec.schedules ?? [] }));
    fleet.accept(recordOf(fleet), mark('night'));
    const { wish } = fleet.claimOf('n', partition);
    if (!wish || !('refusal' in wish)) throw new Error('it is not refused');
    expect(wish.told.message).to.match(/^spec\.schedules\[0\]\.layouts\[0\]: /);
  });

  it('is found by validate, at its place', () => {
    const { findings } = validatePolicy(aPolicy({ schedules: [night, { ...overfull, name: 'late' }] }));
    expect(findings.map(({ code, path }) => [code, path])).to.deep.equal([
      ['DoesNotFit', ['spec', 'schedules', 1, 'layouts', 0, 'profiles']],
    ]);
    const bad = validatePolicy(aPolicy({ schedules: [{ ...night, timeZone: 'Europe/Atlantis' }] }));
    expect(bad.findings.map(({ code, path }) => [code, path])).to.deep.equal([['BadWindow', ['spec', 'schedules', 0]]]);
  });

  it('may share what only its layouts offer', () => {
    const sharing = { timeSlicing: [{ resource: 'nvidia.com/mig-3g.20gb', replicas: 2 }] };
    expect(checkPolicy(aPolicy({ sharing, schedules: [night] }).spec)).to.equal(undefined);
    expect(checkPolicy(aPolicy({ sharing }).spec)?.reason).to.equal('SharingRefused');
  });
});

describe('a deleted policy with schedules', () => {
  it('makes whole what any of them decided over', () => {
    const { spec } = asDeleted(
      aPolicy({
        layouts: [{ gpus: { indices: [0] }, preset: 'all-balanced' }],
        schedules: [
          { name: 'night', ...times, layouts: [{ gpus: { indices: [1], count: 1 }, preset: 'all-balanced' }] },
          { name: 'late', ...times, layouts: [{ gpus: { indices: [1] }, preset: 'all-balanced' }] },
        ],
      }),
    );
    expect(spec.schedules).to.equal(undefined);
    expect(spec.layouts).to.deep.equal([
      { gpus: { indices: [0] }, mig: 'Disabled' },
      { gpus: { indices: [1] }, mig: 'Disabled' },
    ]);
  });

  it('makes as many GPUs whole as the one that took most of a kind', () => {
    const take = (count: number) => ({ gpus: { models: ['A30'], count }, preset: 'all-balanced' as const });
    const countsOf = (own: number, ...scheduled: readonly number[]) =>
      asDeleted(
        aPolicy({
          layouts: [take(own)],
          schedules: scheduled.map((count) => ({ name: `n${count}`, ...times, layouts: [take(count)] })),
        }),
      ).spec.layouts?.map(({ gpus }) => gpus?.count);
    expect([countsOf(4, 2), countsOf(2, 4, 3)]).to.deep.equal([[4], [4]]);
  });
});

type Times = Omit<NonNullable<PolicySpec['schedules']>[number], 'layouts' | 'demand'>;

const at = (time: string): number => Date.parse(time);
const nightOfTimetable: Times = { name: 'night', schedule: '0 22 * * *', duration: '8h' };
const weekend: Times = { name: 'weekend', schedule: '0 0 * * SAT', duration: '48h' };
const withSchedules = (...times: readonly Times[]): PolicySpec =>
  aPolicy({ schedules: times.map((one) => ({ ...one, layouts: [{ preset: 'all-balanced' }] })) }).spec;
const judge = (
  time: string,
  times: readonly Times[] = [nightOfTimetable],
  known?: Parameters<typeof judgeSchedules>[1],
) => judgeSchedules(withSchedules(...times), known, at(time));
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
    expect(judge('2026-01-06T05:59:59Z', [nightOfTimetable], known)?.mark).to.deep.equal(known);
    expect(judge('2026-01-06T06:00:00Z', [nightOfTimetable], known)?.mark).to.deep.equal({
      since: '2026-01-06T06:00:00Z',
    });
  });

  it('lets the first schedule that is open apply', () => {
    expect(nameAt('2026-01-03T23:00:00Z', weekend, nightOfTimetable)).to.equal('weekend');
    expect(nameAt('2026-01-03T23:00:00Z', nightOfTimetable, weekend)).to.equal('night');
    expect(judge('2026-01-03T23:00:00Z', [nightOfTimetable, weekend])?.next).to.deep.equal({
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
    const inBerlin = { ...nightOfTimetable, timeZone: 'Europe/Berlin' };
    expect(judge('2026-03-28T20:59:59Z', [inBerlin])?.next?.time).to.equal('2026-03-28T21:00:00Z');
    expect(judge('2026-03-28T21:00:00Z', [inBerlin])?.next?.time, 'eight hours, one of them skipped').to.equal(
      '2026-03-29T05:00:00Z',
    );
    expect(judge('2026-03-29T12:00:00Z', [inBerlin])?.next?.time).to.equal('2026-03-29T20:00:00Z');
  });

  it('does not switch back where the clock is set back by up to an hour, or that of the next leader is behind', () => {
    const known = { name: 'night', since: '2026-01-05T22:00:00Z' };
    for (const time of ['2026-01-05T21:59:59Z', '2026-01-05T21:00:00Z']) {
      const times = judge(time, [nightOfTimetable], known);
      expect(times?.mark).to.deep.equal(known);
      expect(times?.next).to.deep.equal({ time: '2026-01-06T06:00:00Z' });
    }
    const ended = { since: '2026-01-06T06:00:00Z' };
    expect(judge('2026-01-06T05:30:00Z', [nightOfTimetable], ended)?.mark).to.deep.equal(ended);
  });

  it('believes no switch that lies further ahead: the clock was wrong then', () => {
    const known = { name: 'night', since: '2031-01-05T22:00:00Z' };
    expect(judge('2026-01-05T12:00:00Z', [nightOfTimetable], known)?.mark).to.deep.equal({
      since: '2026-01-05T12:00:00Z',
    });
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
