import { expect } from 'chai';
import type { GpuNodePartition, GpuPartitionPolicy, PolicySpec, PolicyStatus } from '../../../src/api/types.ts';
import { drawFleet } from '../../../src/core/view/fleet-picture.ts';
import { viewFleet } from '../../../src/core/view/fleet-status.ts';
import { viewSchedule } from '../../../src/core/view/schedule-words.ts';
import { plainText } from '../../../src/core/view/line.ts';
import { aDevice, aGpu, aPartition, aPolicy, withPods } from '../../support/builders.ts';

const times = { schedule: '0 22 * * *', duration: '8h' };
const night = { name: 'night', ...times, layouts: [{ profiles: { '3g.20gb': 2 } }] };
const byDay: PolicyStatus['schedule'] = {
  since: '2026-01-05T06:00:00Z',
  next: { name: 'night', time: '2026-01-05T22:00:00Z' },
};
const small = ['1g.5gb@0*', '1g.5gb@1', '1g.5gb@2', '1g.5gb@3', '1g.5gb@4', '1g.5gb@5', '1g.5gb@6'];

function aScheduled(
  schedule: PolicyStatus['schedule'] = byDay,
  schedules: PolicySpec['schedules'] = [night],
): GpuPartitionPolicy {
  // The slices of these nodes are nobody's.
  const allow = { replaceForeignInstances: true };
  return { ...aPolicy({ allow, ...(schedules && { schedules }) }), status: { ...(schedule && { schedule }) } };
}

const node = (name: string, isUsed: boolean): GpuNodePartition => {
  const gpu = isUsed
    ? withPods(aGpu({ slices: small }), { '1g.5gb@0': ['a/pod'] })
    : aGpu({ slices: ['3g.20gb@0', '3g.20gb@4'] });
  const policy = { name: 'p', uid: 'uid-p', generation: 1 };
  const partition = aPartition({ policy, device: aDevice(gpu) });
  return { ...partition, metadata: { ...partition.metadata, name } };
};

describe('what is shown of the schedules of a policy', () => {
  it('is the one in force, and the next with its bill: GPUs that change and pods that have to go', () => {
    const view = viewSchedule(aScheduled(), [node('n1', true), node('n2', false)]);
    expect(view?.next).to.deep.equal({
      name: 'night',
      time: '2026-01-05T22:00:00Z',
      bill: { nodesChanging: 1, gpusChanging: 1, podsToEvict: 1, nodesRefusing: 0 },
    });
    expect(view?.words).to.equal(
      "no schedule applies: the policy's own since 2026-01-05T06:00:00Z; night follows at 2026-01-05T22:00:00Z: 1 GPU on 1 node changes, 1 pod has to go, as of now",
    );
  });

  it('is the way back at night', () => {
    const atNight = { name: 'night', since: '2026-01-05T22:00:00Z', next: { time: '2026-01-06T06:00:00Z' } };
    expect(viewSchedule(aScheduled(atNight), [node('n2', false)])?.words).to.equal(
      "schedule night since 2026-01-05T22:00:00Z; the policy's own follow at 2026-01-06T06:00:00Z: 1 GPU on 1 node changes, no pod has to go, as of now",
    );
    const forever = { name: 'night', since: '2026-01-05T22:00:00Z' };
    expect(viewSchedule(aScheduled(forever), [])?.words).to.equal('schedule night since 2026-01-05T22:00:00Z');
  });

  it('has no bill for a demand, which chooses its layouts then', () => {
    const demand = { slices: [{ profiles: ['1g.5gb'], count: 4 }] };
    const view = viewSchedule(aScheduled(byDay, [{ name: 'night', ...times, demand }]), [node('n1', true)]);
    expect(view?.next?.bill).to.equal(undefined);
    expect(view?.words).to.match(
      /night follows at 2026-01-05T22:00:00Z; a demand chooses its layouts then: gpu-partition plan --at 2026-01-05T22:00:00Z shows them as of now$/,
    );
  });

  it('names nodes that cannot take the next schedule now', () => {
    const view = viewSchedule(aScheduled(byDay, [{ ...night, layouts: [{ profiles: { '1g.5gb': 9 } }] }]), [
      node('n1', true),
    ]);
    expect(view?.words).to.match(/: nothing changes; 1 node cannot change now$/);
  });

  it('is planned again where the report of a node is another, and after an edit', () => {
    const policy = aScheduled();
    const before = node('n1', true);
    expect(viewSchedule(policy, [before])?.next?.bill?.gpusChanging).to.equal(1);
    expect(viewSchedule(policy, [node('n1', false)])?.next?.bill?.gpusChanging).to.equal(0);
    const edited = { ...policy, metadata: { ...policy.metadata, generation: 2 } };
    const same = { ...night, layouts: [{ profiles: { '1g.5gb': 7 } }] };
    const { spec } = aScheduled(byDay, [same]);
    expect(viewSchedule({ ...edited, spec }, [before])?.next?.bill?.gpusChanging).to.equal(0);
  });

  it('does not exist without schedules, or before the controller has judged them', () => {
    expect(viewSchedule(aPolicy(), [])).to.equal(undefined);
    expect(viewSchedule({ ...aScheduled(), status: {} }, [])).to.equal(undefined);
  });

  it('stands in the status of the fleet', () => {
    const partitions = [node('n1', true)];
    expect(viewFleet([aScheduled()], partitions, 0).policies[0]?.schedule?.next?.name).to.equal('night');
    const lines = drawFleet([aScheduled()], partitions, { columns: 200, now: 0 }).map(plainText);
    expect(lines.some((line) => line.startsWith('p: no schedule applies'))).to.equal(true);
  });
});
