import { expect } from 'chai';
import type { DeviceReport, GpuReport, PlanReport, Wish } from '../../../src/api/types.ts';
import { aDevice, aGpu, uuidOf, withPods } from '../../support/builders.ts';
import { userKey } from '../../../src/core/gpu/device-state.ts';
import { MODELS } from '../../../src/core/gpu/geometry.ts';
import { unitsOf } from '../../../src/core/gpu/grid.ts';
import { enumerateLayouts } from '../../../src/core/gpu/layouts.ts';
import {
  monitorKey,
  unidentifiedKey,
  listInTheWay,
  listMigDevices,
  planDrained,
  planWish,
  deviceMeets,
  wishHash,
} from '../../../src/core/device/plan.ts';

type Drain = NonNullable<Parameters<typeof planDrained>[2]['drain']>;

const first = `${uuidOf(0)} 3g.20gb@0`;
const second = `${uuidOf(0)} 3g.20gb@4`;
const whole: Wish = { gpus: [{ uuid: uuidOf(0), profiles: { '7g.40gb': 1 } }] };

/** Two slices with these pods on them. */
function sliced(pods: Readonly<Record<string, readonly string[]>> = {}): GpuReport {
  return withPods(aGpu({ slices: ['3g.20gb@0', '3g.20gb@4'] }), pods);
}

function plan(device: DeviceReport, wish: Wish = whole): PlanReport {
  return planWish(device, wish).report;
}

/** What the controller writes before it evicts the pods of a plan. */
function drainOf({ hash, drains = [], affectedPods = [] }: PlanReport): Drain {
  const pods = affectedPods.map((pod) => {
    const [namespace = '', name = ''] = pod.split('/');
    return { namespace, name, uid: `uid-${name}` };
  });
  return { planHash: hash, places: [...drains], pods };
}

function replan(device: DeviceReport, drain: Drain, wish: Wish = whole, reported?: PlanReport): PlanReport {
  return planDrained(device, wish, { drain, reported }, new Map(), new Map()).report;
}

describe('a plan that pods are in the way of', () => {
  it('names its steps for when they have gone, the pods, and what they hold', () => {
    const device = aDevice(sliced({ '3g.20gb@4': ['team/b', 'team/a'], '3g.20gb@0': ['team/b'] }));
    const { report, work } = planWish(device, whole);
    expect(report).to.deep.include({ affectedPods: ['team/a', 'team/b'], drains: [first, second] });
    expect(report).to.include({ destroy: 2, create: 1 }).and.to.not.have.any.keys('refusal', 'refusalCode', 'morePods');
    expect(work[0]?.steps.map(({ action }) => action)).to.deep.equal([
      'DestroyInstance',
      'DestroyInstance',
      'CreateInstance',
    ]);
  });

  it('names nobody where there is a way around them', () => {
    const wish = { gpus: [{ uuid: uuidOf(0), profiles: { '3g.20gb': 1, '1g.5gb': 3 } }] };
    const { report, work } = planWish(aDevice(sliced({ '3g.20gb@0': ['team/a'] })), wish);
    expect(report).to.not.have.any.keys('affectedPods', 'drains');
    expect(work[0]?.steps[0]).to.include({ action: 'DestroyInstance', start: 4 });
  });

  it('disturbs the fewest, and leaves the others where they are', () => {
    const gpu = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1', '2g.10gb@2', '3g.20gb@4'] });
    const device = aDevice(withPods(gpu, { '1g.5gb@0': ['team/a'], '1g.5gb@1': ['team/b'], '3g.20gb@4': ['team/c'] }));
    const wish = { gpus: [{ uuid: uuidOf(0), profiles: { '3g.20gb': 2 } }] };
    expect(plan(device, wish)).to.deep.include({ affectedPods: ['team/a', 'team/b'], keep: 1 });
    const one = { gpus: [{ uuid: uuidOf(0), profiles: { '4g.20gb': 1, '1g.5gb': 1 } }] };
    expect(plan(device, one)).to.deep.include({ affectedPods: ['team/a', 'team/b', 'team/c'] });
    const small = { gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 1, '3g.20gb': 1 } }] };
    expect(plan(device, small)).to.deep.include({ affectedPods: ['team/b'], drains: [`${uuidOf(0)} 1g.5gb@1`] });
  });

  it('names the pods of instances that go where MIG mode is disabled, and of one that loses a compute instance', () => {
    const off = plan(aDevice(sliced({ '3g.20gb@0': ['team/a'] })), { gpus: [{ uuid: uuidOf(0), mig: 'Disabled' }] });
    expect(off).to.deep.include({ affectedPods: ['team/a'], drains: [first], modeChanges: 1 });
    const gpu = aGpu({ slices: ['3g.20gb@0'] });
    const parts = ['1c.3g.20gb', '2c.3g.20gb'].map((profile) => ({ profile }));
    const split = { ...gpu, instances: gpu.instances.map((one) => ({ ...one, computeInstances: parts })) };
    const cut = plan(aDevice(withPods(split, { '3g.20gb@0': ['team/a'] })), {
      gpus: [{ uuid: uuidOf(0), profiles: { '2c.3g.20gb': 1 } }],
    });
    expect(cut).to.deep.include({ affectedPods: ['team/a'], drains: [first], destroy: 0 });
  });

  it('is refused where a process runs that no pod explains, and goes around it as long as it can', () => {
    const stuck = aGpu({ slices: ['3g.20gb@0*', '3g.20gb@4'] });
    const both = aDevice(withPods(stuck, { '3g.20gb@4': ['team/b'] }));
    expect(plan(both))
      .to.include({ refusalCode: 'InUse', destroy: 0 })
      .and.to.not.have.any.keys('affectedPods', 'drains');
    expect(plan(both).refusal)
      .to.match(/^GPU 0 .*3g\.20gb at 0/)
      .and.to.not.include('3g.20gb at 4');
    const wish = { gpus: [{ uuid: uuidOf(0), profiles: { '3g.20gb': 1, '1g.5gb': 2 } }] };
    expect(plan(both, wish)).to.deep.include({ affectedPods: ['team/b'], drains: [second] });
  });

  it('takes a process on an instance for that of the pod that holds it, or holds the whole GPU', () => {
    const gpu = aGpu({ slices: ['3g.20gb@0*'] });
    expect(plan(aDevice(withPods(gpu, { '3g.20gb@0': ['team/a'] })))).to.deep.include({ affectedPods: ['team/a'] });
    const held = aDevice({ ...gpu, busy: true, pods: ['team/a'] });
    expect(plan(held)).to.deep.include({ affectedPods: ['team/a'], drains: [uuidOf(0), first] });
  });

  it('names no pod if another GPU of the wish is refused: no pod is evicted for nothing', () => {
    const device = aDevice(sliced({ '3g.20gb@0': ['team/a'] }), aGpu({ index: 1, slices: ['3g.20gb@0*'] }));
    const wish = { gpus: [0, 1].map((index) => ({ uuid: uuidOf(index), profiles: { '7g.40gb': 1 } })) };
    expect(plan(device, wish)).to.include({ refusalCode: 'InUse' }).and.to.not.have.any.keys('affectedPods', 'drains');
  });

  it('names as many pods as the API takes, and says how many more there are', () => {
    const names = Array.from({ length: 300 }, (_, index) => `team/pod-${String(index).padStart(3, '0')}`);
    const { affectedPods, morePods } = plan(aDevice(sliced({ '3g.20gb@0': names })));
    expect(affectedPods).to.deep.equal(names.slice(0, 256));
    expect(morePods).to.equal(44);
    const long = names.map((name) => name.padEnd(300, 'x'));
    const cut = plan(aDevice(sliced({ '3g.20gb@0': long })));
    expect(cut.affectedPods?.join('').length).to.be.within(11_500, 12_000);
    expect((cut.affectedPods?.length ?? 0) + (cut.morePods ?? 0)).to.equal(300);
  });

  it('has another hash for other steps, other pods, and other places', () => {
    const hashes = [
      plan(aDevice(sliced())),
      plan(aDevice(sliced({ '3g.20gb@0': ['team/a'] }))),
      plan(aDevice(sliced({ '3g.20gb@0': ['team/b'] }))),
      plan(aDevice(sliced({ '3g.20gb@4': ['team/a'] }))),
    ].map(({ hash }) => hash);
    expect(new Set(hashes).size).to.equal(4);
    const wish = { gpus: [0, 1].map((index) => ({ uuid: uuidOf(index), profiles: { '7g.40gb': 1 } })) };
    const [one, other] = [0, 1].map((held) =>
      plan(aDevice(...[0, 1].map((index) => aGpu({ index, ...(index === held ? { pods: ['team/a'] } : {}) }))), wish),
    );
    expect(one?.affectedPods).to.deep.equal(other?.affectedPods);
    expect(one?.hash).to.not.equal(other?.hash);
  });
});

describe('a plan while its pods are told to go', () => {
  const busy = aDevice(sliced({ '3g.20gb@0': ['team/a'], '3g.20gb@4': ['team/b'] }));
  const drain = drainOf(plan(busy));

  it('stays what it is while they leave one by one', () => {
    for (const pods of [{ '3g.20gb@0': ['team/a'] }, { '3g.20gb@4': ['team/b'] }, {}]) {
      expect(replan(aDevice(sliced(pods)), drain)).to.deep.equal(plan(busy));
    }
  });

  it('stays what it is while only their processes are left', () => {
    const left = aDevice(aGpu({ slices: ['3g.20gb@0*', '3g.20gb@4'] }));
    expect(plan(left).refusalCode).to.equal('InUse');
    expect(replan(left, drain)).to.deep.equal(plan(busy));
  });

  it('becomes another one, of what is really there, when a pod comes to what goes', () => {
    const now = aDevice(sliced({ '3g.20gb@0': ['team/new'], '3g.20gb@4': ['team/b'] }));
    const next = replan(now, drain);
    expect(next).to.deep.equal(plan(now));
    expect(next.affectedPods).to.deep.equal(['team/b', 'team/new']);
  });

  it('becomes another one when a GPU is lost or the wish changes', () => {
    const lost = aDevice(aGpu({ error: 'GpuLost: fell off the bus' }));
    expect(replan(lost, drain)).to.deep.equal(plan(lost));
    const wish = { gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 7 } }] };
    const now = aDevice(sliced({ '3g.20gb@4': ['team/b'] }));
    expect(replan(now, drain, wish)).to.deep.equal(plan(now, wish));
  });

  it('is as it was for a pod on an instance that stays, whether it ends or comes', () => {
    const wish = { gpus: [{ uuid: uuidOf(0), profiles: { '3g.20gb': 1, '4g.20gb': 1 } }] };
    const pods = { '3g.20gb@0': ['team/a'], '3g.20gb@4': ['team/b'] };
    const before = plan(aDevice(sliced(pods)), wish);
    expect(before).to.deep.include({ affectedPods: ['team/a'], keep: 1 });
    for (const stays of [[], ['team/b', 'team/c']]) {
      const now = aDevice(sliced({ '3g.20gb@4': stays }));
      expect(replan(now, drainOf(before), wish).hash).to.equal(before.hash);
    }
  });

  it('names who was named before, where the controller tells others to go too, or finds one gone already', () => {
    const reported = plan(busy);
    const [a, b] = drain.pods;
    const other = { namespace: 'team', name: 'elsewhere', uid: 'uid' };
    for (const pods of [[a, b, other], [b], []]) {
      const told = { ...drain, pods: pods.flatMap((pod) => pod ?? []) };
      expect(replan(aDevice(sliced()), told, whole, reported)).to.deep.equal(reported);
    }
  });

  it('leaves an instance that stays where it is, although the pod that held it had to go for another', () => {
    const wish = { gpus: [{ uuid: uuidOf(0), profiles: { '3g.20gb': 1 } }] };
    const device = aDevice(sliced({ '3g.20gb@0': ['team/a'], '3g.20gb@4': ['team/a'] }));
    const basis = { plan: plan(device, wish), device };
    const asked = drainOf(basis.plan);
    const marks = { drain: asked, reported: basis.plan };
    const gone = aDevice(sliced());
    expect(planDrained(gone, wish, { ...marks, basis }, new Map(), new Map()).report).to.deep.equal(basis.plan);
    // An agent that has been restarted does not know: what it plans then is checked again, and disturbs no user.
    expect(planDrained(gone, wish, marks, new Map(), new Map()).report).to.deep.equal(plan(gone, wish));
  });

  it('says who is really in the way, pod or process', () => {
    const users = new Map([[first, ['pid 42 (python3)']]]);
    const processes = aDevice(withPods(aGpu({ slices: ['3g.20gb@0*', '3g.20gb@4'] }), { '3g.20gb@4': ['team/b'] }));
    expect(listInTheWay(processes, plan(busy), users)).to.deep.equal([
      'GPU 0 (A100-SXM4-40GB): pid 42 (python3) runs on 3g.20gb at 0',
      'GPU 0 (A100-SXM4-40GB): pod team/b holds 3g.20gb at 4',
    ]);
    expect(listInTheWay(aDevice(sliced()), plan(busy), users)).to.deep.equal([]);
    const held = aDevice({ ...aGpu(), busy: true, pods: ['team/a'] });
    expect(listInTheWay(held, plan(held), new Map())).to.deep.equal(['GPU 0 (A100-SXM4-40GB): pod team/a holds it']);
  });
});

describe('planWish', () => {
  it('has nothing to do if the device matches the wish', () => {
    const device = aDevice(aGpu({ slices: ['3g.20gb@0', '3g.20gb@4'] }));
    const wish = [{ uuid: uuidOf(0), profiles: { '3g.20gb': 2 } }];
    expect(deviceMeets(device.gpus ?? [], wish)).to.equal(true);
    expect(planWish(device, { gpus: wish })).to.deep.include({ work: [] });
  });

  it('keeps what can stay and touches only GPUs that differ', () => {
    const device = aDevice(
      aGpu({ slices: ['3g.20gb@4', '1g.5gb@0'] }),
      aGpu({ index: 1, slices: ['3g.20gb@0', '3g.20gb@4'] }),
    );
    const wish = [0, 1].map((index) => ({ uuid: uuidOf(index), profiles: { '3g.20gb': 2 } }));
    const { work, report } = planWish(device, { gpus: wish });
    expect(work.map(({ uuid }) => uuid)).to.deep.equal([uuidOf(0)]);
    expect(report).to.include({ keep: 3, destroy: 1, create: 1, gpusChanging: 1 });
  });

  it('turns MIG on before the first slice, and off after the last is gone', () => {
    const on = planWish(aDevice(aGpu()), { gpus: [{ uuid: uuidOf(0), profiles: { '7g.40gb': 1 } }] });
    expect(on.work[0]).to.deep.include({ mode: 'Enable' });
    expect(on.work[0]?.steps.map(({ action }) => action)).to.deep.equal(['CreateInstance']);
    const off = planWish(aDevice(aGpu({ slices: ['7g.40gb@0'] })), { gpus: [{ uuid: uuidOf(0), mig: 'Disabled' }] });
    expect(off.work[0]).to.deep.include({ mode: 'Disable' });
    expect(off.work[0]?.steps.map(({ action }) => action)).to.deep.equal(['DestroyInstance']);
  });

  it('refuses to destroy what a process uses, and keeps it where the wish allows', () => {
    const device = aDevice(aGpu({ slices: ['3g.20gb@0*', '3g.20gb@4'] }));
    const whole = planWish(device, { gpus: [{ uuid: uuidOf(0), profiles: { '7g.40gb': 1 } }] });
    expect(whole.work).to.deep.equal([]);
    expect(whole.report.refusal).to.match(/in use/);
    const around = planWish(device, { gpus: [{ uuid: uuidOf(0), profiles: { '3g.20gb': 1, '1g.5gb': 3 } }] });
    expect(
      around.work[0]?.steps.filter(({ action }) => action === 'DestroyInstance').map(({ start }) => start),
    ).to.deep.equal([4]);
    const off = planWish(device, { gpus: [{ uuid: uuidOf(0), mig: 'Disabled' }] });
    expect(off.report.refusal).to.match(/process runs on 3g\.20gb at 0/);
  });

  it('disturbs nothing while a pod holds a device that is not identified, and makes what disturbs nobody', () => {
    const users = new Map([[unidentifiedKey, ['pod ml/odd holds nvidia7 of nvidia.com/gpu']]]);
    const planFor = (device: DeviceReport, want: object) =>
      planWish(device, { gpus: [{ uuid: uuidOf(0), ...want }] }, undefined, users);
    const one = { profiles: { '3g.20gb': 1 } };
    for (const [device, want] of [
      [aDevice(aGpu()), one],
      [aDevice(aGpu({ slices: ['7g.40gb@0'] })), one],
      [aDevice(withPods(aGpu({ slices: ['7g.40gb@0'] }), { '7g.40gb@0': ['ml/train'] })), one],
      [aDevice(aGpu({ slices: ['3g.20gb@0'] })), { mig: 'Disabled' }],
    ] as const) {
      const { work, report } = planFor(device, want);
      expect(work).to.deep.equal([]);
      expect(report).to.include({ refusalCode: 'InUse', gpusChanging: 0 });
      expect(report.refusal)
        .to.contain('pod ml/odd holds nvidia7 of nvidia.com/gpu')
        .and.to.contain('may be any device');
    }
    expect(planFor(aDevice(aGpu({ slices: ['3g.20gb@4'] })), { profiles: { '3g.20gb': 2 } }).report).to.include({
      create: 1,
    });
    expect(planFor(aDevice(aGpu({ slices: ['3g.20gb@4'] })), one).report).to.not.have.property('refusal');
  });

  it('does not let a lost GPU stop the others, and says so when nothing else is left', () => {
    const lost = aGpu({ error: 'GpuLost: fell off the bus' });
    const wish = [0, 1].map((index) => ({ uuid: uuidOf(index), profiles: { '7g.40gb': 1 } }));
    const both = planWish(aDevice(lost, aGpu({ index: 1 })), { gpus: wish });
    expect(both.work.map(({ uuid }) => uuid)).to.deep.equal([uuidOf(1)]);
    expect(both.report.refusal).to.equal(undefined);
    const rest = planWish(aDevice(lost, aGpu({ index: 1, slices: ['7g.40gb@0'] })), { gpus: wish });
    expect(rest.report.refusal).to.match(/GPU 0 .*GpuLost/);
  });

  it('gives equal devices and wishes equal hashes, and others others', () => {
    const wish = [{ uuid: uuidOf(0), profiles: { '1g.5gb': 2, '3g.20gb': 1 } }];
    const hash = (...slices: string[]) => planWish(aDevice(aGpu({ slices })), { gpus: wish }).report.hash;
    expect(hash('1g.5gb@0', '2g.10gb@2')).to.equal(hash('2g.10gb@2', '1g.5gb@0'));
    expect(hash('1g.5gb@0', '2g.10gb@2')).not.to.equal(hash('1g.5gb@1', '2g.10gb@2'));
  });

  it('never destroys what somebody else made, unless the wish says so', () => {
    const device = aDevice(aGpu({ slices: ['3g.20gb@0', '3g.20gb@4'] }));
    const gpus = [{ uuid: uuidOf(0), profiles: { '7g.40gb': 1 } }];
    const foreign = new Map([[uuidOf(0), new Set(['3g.20gb@0'])]]);
    const { work, report } = planWish(device, { gpus }, foreign);
    expect(work).to.deep.equal([]);
    expect(report).to.include({ refusalCode: 'Foreign', destroy: 0 });
    expect(report.refusal).to.match(/3g\.20gb at 0, which this operator did not create.*replaceForeignInstances/);
    const allowed = planWish(device, { gpus, replaceForeignInstances: true }, foreign);
    expect(allowed.report).to.include({ destroy: 2, create: 1 });
    const off = planWish(device, { gpus: [{ uuid: uuidOf(0), mig: 'Disabled' }] }, foreign);
    expect(off.report.refusalCode).to.equal('Foreign');
  });

  it('keeps a foreign instance that the layout has room for, and destroys ours beside it', () => {
    const device = aDevice(aGpu({ slices: ['3g.20gb@0', '3g.20gb@4'] }));
    const foreign = new Map([[uuidOf(0), new Set(['3g.20gb@0'])]]);
    const wish = { gpus: [{ uuid: uuidOf(0), profiles: { '3g.20gb': 1, '1g.5gb': 3 } }] };
    const { work } = planWish(device, wish, foreign);
    const destroyed = work[0]?.steps.filter(({ action }) => action === 'DestroyInstance');
    expect(destroyed?.map(({ start }) => start)).to.deep.equal([4]);
  });

  it('says that a process runs there before it says whose instance it is, and that of a pod after it', () => {
    const gpu = aGpu({ slices: ['3g.20gb@0*', '3g.20gb@4'] });
    const foreign = new Map([[uuidOf(0), new Set(['3g.20gb@0', '3g.20gb@4'])]]);
    const wish = { gpus: [{ uuid: uuidOf(0), profiles: { '7g.40gb': 1 } }] };
    expect(planWish(aDevice(gpu), wish, foreign).report.refusalCode).to.equal('InUse');
    // No pod is evicted for a plan that would be refused.
    const { report } = planWish(aDevice(withPods(gpu, { '3g.20gb@0': ['team/train'] })), wish, foreign);
    expect(report)
      .to.include({ refusalCode: 'Foreign', destroy: 0 })
      .and.to.not.have.any.keys('affectedPods', 'drains');
  });

  it('counts the GPUs whose MIG mode changes, for whom everybody has to leave', () => {
    const wish = { gpus: [0, 1].map((index) => ({ uuid: uuidOf(index), profiles: { '7g.40gb': 1 } })) };
    const { report } = planWish(aDevice(aGpu(), aGpu({ index: 1, slices: ['1g.5gb@0'] })), wish);
    expect(report).to.include({ gpusChanging: 2, modeChanges: 1 });
  });

  it('switches MIG mode neither on nor off while a process has the GPU itself', () => {
    const off = planWish(aDevice(aGpu({ slices: ['1g.5gb@0'], busy: true })), {
      gpus: [{ uuid: uuidOf(0), mig: 'Disabled' }],
    });
    expect(off.work).to.deep.equal([]);
    expect(off.report.refusalCode).to.equal('InUse');
    const on = planWish(aDevice(aGpu({ busy: true })), { gpus: [{ uuid: uuidOf(0), profiles: { '7g.40gb': 1 } }] });
    expect(on.report.refusalCode).to.equal('InUse');
  });

  it('creates nothing on an empty GPU in MIG mode that a process has as a whole, and names the process', () => {
    const device = aDevice(aGpu({ slices: [], busy: true }));
    const users = new Map([[uuidOf(0), ['pid 4242 (nsys)']]]);
    const wish = { gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 7 } }] };
    const { report, work } = planWish(device, wish, new Map(), users);
    expect([work, report.refusalCode]).to.deep.equal([[], 'InUse']);
    expect(report.refusal).to.equal('GPU 0 (A100-SXM4-40GB): pid 4242 (nsys) runs on it; it can change once that ends');
    expect(planWish(device, { gpus: [{ uuid: uuidOf(0), profiles: {} }] }).work).to.deep.equal([]);
  });

  it('names the monitors on what a process is in the way of, and no others', () => {
    const gpu = aGpu({ slices: ['3g.20gb@0*', '3g.20gb@4'] });
    const [first, second] = gpu.instances;
    const users = new Map([
      [userKey(gpu.uuid, first), ['pid 7 (dcgm)']],
      [monitorKey(gpu.uuid, first), ['ns/watch (claim ns/c)']],
      [monitorKey(gpu.uuid, second), ['ns/other (claim ns/d)']],
    ]);
    const wish = { gpus: [{ uuid: gpu.uuid, profiles: { '7g.40gb': 1 } }] };
    const { report } = planWish(aDevice(gpu), wish, new Map(), users);
    expect(report).to.deep.include({ refusalCode: 'InUse', monitors: ['ns/watch (claim ns/c)'] });
    expect(planWish(aDevice(gpu), wish).report).not.to.have.property('monitors');
    // To a whole GPU any of them may do harm.
    const whole = aGpu({ slices: ['3g.20gb@0', '3g.20gb@4'], busy: true });
    const off = planWish(aDevice(whole), { gpus: [{ uuid: gpu.uuid, mig: 'Disabled' }] }, new Map(), users);
    expect(off.report.monitors).to.deep.equal(['ns/other (claim ns/d)', 'ns/watch (claim ns/c)']);
  });

  it('creates beside instances of which any may run a process that the driver assigns to none', () => {
    const device = aDevice(aGpu({ slices: ['1g.5gb@0*'], busy: true }));
    const { report } = planWish(device, { gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 2 } }] });
    expect(report).to.include({ keep: 1, create: 1 });
  });

  it('changes a GPU that a pod holds whole when that has gone, be it in MIG mode or not', () => {
    const wish = { gpus: [{ uuid: uuidOf(0), profiles: { '7g.40gb': 1 } }] };
    for (const slices of [undefined, ['1g.5gb@0']]) {
      const gpu = { ...aGpu(slices ? { slices } : {}), busy: true, pods: ['team/train'] };
      const { report, work } = planWish(aDevice(gpu), wish);
      expect(work).to.have.lengthOf(1);
      expect(report).to.deep.include({ affectedPods: ['team/train'], create: 1 });
      expect(report.drains).to.deep.equal([uuidOf(0), ...(slices ? [`${uuidOf(0)} 1g.5gb@0`] : [])]);
      expect(report).to.not.have.any.keys('refusal', 'refusalCode');
    }
  });
});

const gpus = [{ uuid: uuidOf(0), profiles: { '1g.5gb': 7 } }];

describe('the hash of a wish', () => {
  // A merge patch leaves a key where it was, takes it away for null, or sets it: the same wish in each case.
  for (const value of [undefined, null, false]) {
    it(`is the same without replaceForeignInstances and with ${value}`, () => {
      const wish = { gpus, replaceForeignInstances: value } as unknown as Wish;
      expect(wishHash(wish)).to.equal(wishHash({ gpus }));
    });
  }

  it('changes if foreign instances may go', () => {
    expect(wishHash({ gpus, replaceForeignInstances: true })).to.not.equal(wishHash({ gpus }));
  });

  it('does not depend on the order of the GPUs, nor of the profiles', () => {
    const one = { uuid: uuidOf(0), profiles: { '1g.5gb': 1, '2g.10gb': 3 } };
    const same = { uuid: uuidOf(0), profiles: { '2g.10gb': 3, '1g.5gb': 1 } };
    const other = { uuid: uuidOf(1), mig: 'Disabled' as const };
    expect(wishHash({ gpus: [one, other] })).to.equal(wishHash({ gpus: [other, same] }));
  });
});

describe('the MIG devices of a node', () => {
  const sharesOf = (device: DeviceReport): readonly (number | undefined)[] =>
    listMigDevices(device).map(({ share }) => share);
  const withUuids = (gpu: GpuReport): GpuReport => ({
    ...gpu,
    instances: gpu.instances.map(({ profile, gi, start }) => ({ profile, gi, start, uuid: `MIG-${gi}` })),
  });
  const devicesOf = (product: string, ...slices: readonly string[]): DeviceReport =>
    aDevice(withUuids(aGpu({ product, slices })));

  it('have the share of the GPU that no other can have: by memory slices, as 7 of 1g.5gb leave one', () => {
    const shares = (product: string, ...slices: readonly string[]) => sharesOf(devicesOf(product, ...slices));
    const a100 = 'NVIDIA A100-SXM4-40GB';
    expect(shares(a100, '4g.20gb@0', '3g.20gb@4')).to.deep.equal([0.5, 0.5]);
    expect(shares(a100, '1g.5gb@0', '1g.10gb@2', '3g.20gb@4')).to.deep.equal([0.125, 0.25, 0.5]);
    expect(shares(a100, '7g.40gb@0')).to.deep.equal([1]);
    expect(shares('NVIDIA A30', '1g.6gb@0', '2g.12gb@2')).to.deep.equal([0.25, 0.5]);
    expect(shares('NVIDIA RTX PRO 6000 Blackwell Server Edition', '1g.24gb@0')).to.deep.equal([0.25]);
  });

  it('never have more than the GPU together, whatever its model and layout', () => {
    for (const model of MODELS) {
      for (const layout of enumerateLayouts(model, { maximal: true })) {
        const units = Object.entries(layout).flatMap(([name, count]) =>
          model.profiles.filter((one) => one.name === name).map((one) => count * unitsOf(one)),
        );
        const sum = units.reduce((all, one) => all + one, 0);
        expect(sum, `${model.id} ${JSON.stringify(layout)}`)
          .to.be.above(0)
          .and.at.most(unitsOf(model));
      }
    }
  });

  it('divide the share of their GPU instance, with its pods, among compute instances by their compute slices', () => {
    const [gpu] = devicesOf('NVIDIA A100-SXM4-40GB', '3g.20gb@4').gpus ?? [];
    const { uuid: _whole, ...instance } = gpu?.instances[0] ?? { profile: '', gi: 0, start: 0 };
    const computeInstances = [
      { profile: '1c.3g.20gb', uuid: 'MIG-a' },
      { profile: '2c.3g.20gb', uuid: 'MIG-b' },
    ];
    const split = aDevice({
      ...aGpu({ slices: [] }),
      instances: [{ ...instance, computeInstances, pods: ['team/a'] }],
    });
    const common = { gpu: uuidOf(0), profile: '3g.20gb', gi: instance.gi, pods: ['team/a'] };
    expect(listMigDevices(split)).to.deep.equal([
      { ...common, uuid: 'MIG-a', share: 0.5 / 3 },
      { ...common, uuid: 'MIG-b', share: 1 / 3 },
    ]);
  });

  it('have no share by a table that is not known, or while the GPU does not answer, and are none without a UUID', () => {
    const answering = devicesOf('NVIDIA A100-SXM4-40GB', '7g.40gb@0').gpus ?? [];
    const lost = answering.map((gpu) => ({ ...gpu, error: 'GPU 0 does not answer' }));
    expect(sharesOf(aDevice(...lost)), 'its pods are unknown, and it is not idle').to.deep.equal([undefined]);
    expect(sharesOf(devicesOf('NVIDIA Tomorrow', '1g.5gb@0'))).to.deep.equal([undefined]);
    expect(sharesOf(devicesOf('NVIDIA A100-SXM4-40GB', '5g.30gb@0'))).to.deep.equal([undefined]);
    expect(listMigDevices(aDevice(aGpu({ slices: ['1g.5gb@0'] })))).to.deep.equal([]);
    expect(listMigDevices({})).to.deep.equal([]);
  });
});
