import { expect } from 'chai';
import type { DeviceReport } from '../../../src/api/types.ts';
import { planWish } from '../../../src/core/wish/plan-wish.ts';
import { deviceMeets } from '../../../src/core/wish/wish.ts';
import { monitorKey, unidentifiedKey, userKey } from '../../../src/core/gpu/state/device-users.ts';
import { aDevice, aGpu, uuidOf, withPods } from '../../support/builders.ts';

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
