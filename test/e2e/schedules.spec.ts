import { expect } from 'chai';
import type { PolicySpec } from '../../src/api/types.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { applyObjects, gpuPod } from '../support/gpu-pods.ts';
import { useRig } from '../support/rig.ts';

const nodeSelector = { matchLabels: { pool: 'p' } };
const names = ['n1', 'n2'];
const nodes = names.map((name): RigNode => ({
  name,
  gpus: ['A100-SXM4-40GB'],
  labels: { pool: 'p', place: name },
  strategy: 'mixed',
}));
const small = 'nvidia.com/mig-1g.5gb';
const large = 'nvidia.com/mig-3g.20gb';
const minuteMs = 60_000;
const layoutOf = (profiles: Readonly<Record<string, number>>) => [{ profiles }];

/** A window that has been open since this minute began, and ends in this many seconds. */
function openFor(seconds: number): { readonly schedule: string; readonly duration: string } {
  const now = Date.now();
  const start = new Date(now - (now % minuteMs));
  const lasts = Math.ceil((now - start.getTime()) / 1000) + seconds;
  return { schedule: `${start.getUTCMinutes()} ${start.getUTCHours()} * * *`, duration: `${lasts}s` };
}

/** A window that opens with the next minute, or with the one after that is about to begin, and lasts this many seconds. */
function opensSoon(seconds: number): { readonly schedule: string; readonly duration: string } {
  const start = new Date(Math.ceil((Date.now() + 20_000) / minuteMs) * minuteMs);
  return { schedule: `${start.getUTCMinutes()} ${start.getUTCHours()} * * *`, duration: `${seconds}s` };
}

describe('a policy with schedules @all', function () {
  this.timeout(300_000);
  const rig = useRig(nodes);

  const offered = async (resource: string): Promise<readonly number[]> => {
    const all = await Promise.all(names.map((name) => rig().node(name)));
    return all.map(({ status }) => Number(status.allocatable?.[resource] ?? 0));
  };
  const untilOffered = (resource: string, counts: readonly number[]) =>
    eventually(
      () => offered(resource),
      (found) => found.join() === counts.join(),
      { timeoutMs: 120_000, what: `${resource} to be offered: ${counts.join(', ')}` },
    );
  const scheduleOf = async () => (await rig().policy('p')).status?.schedule;
  const epochs = () => Promise.all(names.map(async (name) => (await rig().partition(name)).spec.granted?.epoch ?? 0));
  const apply = (more: Partial<PolicySpec>) =>
    rig().apply('p', { nodeSelector, rollout: { maxUnavailable: 1 }, layouts: layoutOf({ '2g.10gb': 3 }), ...more });

  it('brings its nodes to the schedule that is open, and to the next one when that ends, also after a change of leaders', async () => {
    await apply({
      schedules: [
        { name: 'day', ...openFor(40), layouts: layoutOf({ '1g.5gb': 7 }) },
        { name: 'night', ...openFor(8 * 3600), layouts: layoutOf({ '3g.20gb': 2 }) },
      ],
    });
    await untilOffered(small, [7, 7]);
    const day = await scheduleOf();
    expect(day?.name).to.equal('day');
    expect(day?.next?.name).to.equal('night');
    const generation = (await rig().policy('p')).metadata.generation;
    const before = await epochs();
    await rig().rig.controller.stop('SIGKILL');
    rig().rig.controller.start();
    await untilOffered(large, [2, 2]);
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    const night = await scheduleOf();
    expect(night?.name).to.equal('night');
    expect(Date.parse(night?.since ?? '')).to.be.at.least(Date.parse(day?.next?.time ?? ''));
    expect((await rig().policy('p')).metadata.generation).to.equal(generation);
    expect(await epochs(), 'one change of each node, and none by the new leader').to.deep.equal(
      before.map((epoch) => epoch + 1),
    );
  });

  it('is refused when it is applied if a schedule does not fit, and the one in force stays', async () => {
    const before = await epochs();
    await apply({
      schedules: [{ name: 'never', schedule: '0 0 1 1 *', duration: '1h', layouts: layoutOf({ '1g.5gb': 9 }) }],
    });
    const { status } = await rig().waitFor('p', 'Valid', 'False', undefined, 60_000);
    const valid = status?.conditions?.find(({ type }) => type === 'Valid');
    expect(valid?.message).to.include('spec.schedules[0].layouts[0]');
    expect(await offered(large)).to.deep.equal([2, 2]);
    expect(await epochs()).to.deep.equal(before);
  });

  it('serves the demand of a schedule with the fewest changes, and its own layouts when that ends', async () => {
    const before = await epochs();
    const slices = [
      { profiles: ['1g.5gb'], count: 3 },
      { profiles: ['3g.20gb'], count: 3 },
    ];
    await apply({ schedules: [{ name: 'busy', ...openFor(40), demand: { slices } }] });
    await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 120_000);
    expect((await offered(large)).reduce((sum, one) => sum + one, 0)).to.equal(3);
    const after = await epochs();
    expect(
      after.filter((epoch, index) => epoch !== before[index]),
      'one of two nodes has changed',
    ).to.have.lengthOf(1);
    await untilOffered('nvidia.com/mig-2g.10gb', [3, 3]);
    const { status } = await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    expect(status?.schedule?.name).to.equal(undefined);
    expect(status?.conditions?.map(({ type }) => type)).to.not.include('DemandMet');
    expect(status?.demand).to.equal(undefined);
  });

  it('starts its demand from what is there when that returns: what was chosen for it before evicts nobody', async () => {
    await rig().apply('p', {
      nodeSelector,
      rollout: { maxUnavailable: 2 },
      demand: { slices: [{ profiles: ['1g.5gb'], count: 3 }], evict: 'IfNeeded', cooldown: '1s' },
      schedules: [{ name: 'busy', ...opensSoon(90), layouts: layoutOf({ '1g.5gb': 7 }) }],
    });
    await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 120_000);
    await untilOffered(small, [7, 7]);
    // More than a node holds: some on each.
    const pods = Array.from({ length: 8 }, (_, index) => `job-${index}`);
    await applyObjects(
      rig(),
      pods.map((name) => gpuPod({ name, resource: small })),
    );
    await rig().kubectl('wait', '--for=jsonpath={.status.phase}=Running', ...pods.map((name) => `pod/${name}`));
    const before = await epochs();
    await eventually(scheduleOf, (found) => found?.name === undefined, { timeoutMs: 120_000, what: 'the demand' });
    await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 60_000);
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    expect(await offered(small)).to.deep.equal([7, 7]);
    expect(await epochs()).to.deep.equal(before);
    expect((await rig().writes()).filter((write) => write.includes('eviction'))).to.deep.equal([]);
    await rig().kubectl('delete', 'pod', '--wait=true', ...pods);
  });

  it('gets pods that wait only while it can act: one that plans, or is paused, keeps none from another', async () => {
    const demand = {
      from: 'Pods' as const,
      stabilization: '1s',
      // The tests before have changed the node more than once.
      cooldown: '1s',
      slices: [{ profiles: ['1g.5gb', '3g.20gb', '4g.20gb'] }],
    };
    const at = (place: string) => ({ nodeSelector: { matchLabels: { place } }, demand });
    // By its priority and its name it would come first.
    const first = { ...at('n1'), priority: 10 };
    const held: readonly (readonly [resource: string, more: Partial<PolicySpec>])[] = [
      ['nvidia.com/mig-4g.20gb', { mode: 'Plan' }],
      [large, { rollout: { paused: true } }],
    ];
    await rig().apply('p', at('n2'));
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    for (const [resource, more] of held) {
      await rig().apply('held', { ...first, ...more });
      await rig().waitFor('held', 'DemandMet', 'True', undefined, 60_000);
      const name = `waits-${'mode' in more ? 'plan' : 'paused'}`;
      await applyObjects(rig(), [gpuPod({ name, resource })]);
      await rig().kubectl('wait', '--for=jsonpath={.status.phase}=Running', `pod/${name}`, '--timeout=120s');
      const node = await rig().kubectl('get', 'pod', name, '-o', 'jsonpath={.spec.nodeName}');
      expect(node, name).to.equal('n2');
    }
  });
});
