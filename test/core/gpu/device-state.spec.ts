import { expect } from 'chai';
import {
  demandGpu,
  type DeviceState,
  type LostGpu,
  describeProcess,
  userKey,
  DeviceError,
} from '../../../src/core/gpu/device-state.ts';
import { type DeviceUsers, planWish } from '../../../src/core/device/plan.ts';
import type { PlanReport } from '../../../src/api/types.ts';
import { aDevice, aGpu, uuidOf } from '../../support/builders.ts';

const uuid = 'GPU-wanted';
const lost: LostGpu = {
  pciBusId: '00000000:07:00.0',
  uuid,
  index: 0,
  product: undefined,
  instances: [],
  fault: { code: 'GpuLost', message: 'GPU is lost. Reboot the system to recover this GPU' },
};

function refusal(...gone: readonly LostGpu[]): DeviceError {
  const device: DeviceState = { driverVersion: '580.95.05', cudaVersion: undefined, gpus: [], lost: gone };
  try {
    demandGpu(device, uuid);
  } catch (error) {
    if (error instanceof DeviceError) return error;
  }
  throw new Error('it was found');
}

describe('a GPU that a reading does not have', () => {
  it('is named by its own fault if the driver lists it and cannot open it', () => {
    expect(refusal(lost)).to.include({ code: 'GpuLost', found: lost.fault.message, gpu: lost.pciBusId });
  });

  it('may be a GPU that does not answer, as long as it is unknown which one that is', () => {
    const error = refusal({ ...lost, uuid: undefined });
    expect(error).to.include({ code: 'GpuLost', gpu: uuid });
    expect(error.found).to.contain(lost.pciBusId);
  });

  it('is missing if every GPU answers', () => {
    expect(refusal()).to.include({ code: 'GpuMissing', gpu: uuid });
  });
});

const slice = { profile: '3g.20gb', start: 4 };
const onSlice = (...names: readonly string[]): DeviceUsers => new Map([[userKey(uuidOf(0), slice), names]]);
const onGpu: DeviceUsers = new Map([[userKey(uuidOf(0)), ['pid 7 (nv-hostengine)']]]);

describe('a plan that a process is in the way of', () => {
  const sliced = aDevice(aGpu({ slices: ['3g.20gb@0', '3g.20gb@4*'] }));

  function plan(device: typeof sliced, want: object, users: DeviceUsers): PlanReport {
    return planWish(device, { gpus: [{ uuid: uuidOf(0), ...want }] }, new Map(), users).report;
  }

  it('names GPU, instance, pid and command', () => {
    const { refusalCode, refusal } = plan(
      sliced,
      { profiles: { '7g.40gb': 1 } },
      onSlice('pid 4242 (python3 train.py)'),
    );
    expect(refusalCode).to.equal('InUse');
    expect(refusal).to.match(/^GPU 0 .*3g\.20gb.*\(held by pid 4242 \(python3 train\.py\)\)$/);
  });

  it('names them where MIG mode is to be disabled', () => {
    const { refusal } = plan(sliced, { mig: 'Disabled' }, onSlice('pid 4242 (python3)'));
    expect(refusal).to.match(/^GPU 0.*: pid 4242 \(python3\) runs on 3g\.20gb at 4; /);
  });

  it('names those that run on the whole GPU', () => {
    const whole = aDevice(aGpu({ busy: true }));
    const { refusal } = plan(whole, { profiles: { '7g.40gb': 1 } }, onGpu);
    expect(refusal).to.match(/^GPU 0 .*: pid 7 \(nv-hostengine\) runs on it; /);
  });

  it('says that a process is there where the driver names none', () => {
    const whole = aDevice(aGpu({ busy: true }));
    expect(plan(whole, { profiles: { '7g.40gb': 1 } }, new Map()).refusal).to.include('a process runs on it');
  });

  it('names four, and how many more there are', () => {
    const names = [1, 2, 3, 4, 5, 6].map((pid) => describeProcess({ pid, name: 'sh' }));
    const { refusal } = plan(sliced, { mig: 'Disabled' }, onSlice(...names));
    expect(refusal).to.include('pid 1 (sh), pid 2 (sh), pid 3 (sh), pid 4 (sh), 2 more run on');
  });

  it('is the same plan whoever is named', () => {
    const hash = (users: DeviceUsers) => plan(sliced, { profiles: { '7g.40gb': 1 } }, users).hash;
    expect(hash(onSlice('pid 1 (a)'))).to.equal(hash(new Map()));
  });
});

describe('a process in a message', () => {
  it('has no control characters, and a short name', () => {
    expect(describeProcess({ pid: 1, name: '\u001b[31mevil\u0007\nname\u202e' })).to.equal('pid 1 ([31mevil name)');
    expect(describeProcess({ pid: 1, name: 'x'.repeat(100) })).to.equal(`pid 1 (${'x'.repeat(63)}…)`);
  });
});
