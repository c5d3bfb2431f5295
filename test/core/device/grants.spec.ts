import { expect } from 'chai';
import type { Grant } from '../../../src/api/types.ts';
import {
  isUnanswered,
  nextGrant,
  observedEpochOf,
  confirmedMs,
  faultOf,
  describeFault,
} from '../../../src/core/device/grants.ts';
import { workEndsMs } from '../../../src/core/node/rules/grant.ts';
import { aGrant, aManagedPartition } from '../../support/node-builders.ts';
import { DeviceError } from '../../../src/core/gpu/device-state.ts';
import { aGpu, uuidOf } from '../../support/builders.ts';

const granted: Grant = { gpus: [], epoch: 7, planHash: 'x', deadline: '2026-01-01T00:00:00Z' };

describe('the epoch that an agent is done with', () => {
  it('is what it reports, up to the newest grant', () => {
    expect(observedEpochOf({ observedEpoch: 6 }, granted)).to.equal(6);
    expect(observedEpochOf({ observedEpoch: 7 }, granted)).to.equal(7);
  });

  it('does not exist if it reports none', () => {
    expect(observedEpochOf({}, granted)).to.equal(0);
    expect(observedEpochOf(undefined, granted)).to.equal(0);
  });

  it('does not exist if it was never granted', () => {
    for (const observedEpoch of [8, 2 ** 53, -1, NaN]) expect(observedEpochOf({ observedEpoch }, granted)).to.equal(0);
  });

  it('does not exist if nothing is granted: a number that somebody left there is never copied into a report', () => {
    for (const observedEpoch of [1, 6, Number.MAX_SAFE_INTEGER, 2 ** 53]) {
      expect(observedEpochOf({ observedEpoch }, undefined)).to.equal(0);
    }
  });
});

describe('the epoch of the next grant', () => {
  const after = (epoch: number | undefined, observedEpoch: number | undefined): number =>
    nextGrant(
      aManagedPartition({
        ...(epoch !== undefined && { granted: aGrant({ epoch }) }),
        device: observedEpoch === undefined ? {} : { observedEpoch },
      }),
    ).epoch;

  it('is above the one that stands', () => {
    expect(after(undefined, undefined)).to.equal(1);
    expect(after(7, 6)).to.equal(8);
  });

  it('is above the one that its agent has finished, though a client has dropped the grant', () => {
    expect(after(undefined, 7)).to.equal(8);
    expect(after(1, 7)).to.equal(8);
  });

  it('stays a number that the API takes, whatever somebody writes in the name of an agent', () => {
    for (const forged of [2_000_000, Number.MAX_SAFE_INTEGER, 2 ** 62, -1]) expect(after(7, forged)).to.equal(8);
  });
});

describe('a grant', () => {
  const waits = (observedEpoch: number): boolean =>
    isUnanswered(aManagedPartition({ granted: aGrant({ epoch: 7 }), device: { observedEpoch } }));

  it('waits for an agent that has finished an earlier one', () => {
    expect(waits(6)).to.equal(true);
  });

  it('from a backup waits for no agent that has already finished a later one', () => {
    expect(waits(7)).to.equal(false);
    expect(waits(9)).to.equal(false);
  });

  it('still waits where somebody has written a number that no agent reaches', () => {
    for (const forged of [2_000_000, 2 ** 62, -1, NaN]) expect(waits(forged)).to.equal(true);
  });
});

describe('how long a grant stays confirmed', () => {
  it('is a third of the time that it is valid, and never more than half a minute', () => {
    expect(confirmedMs(aGrant({ seconds: 30 }))).to.equal(10_000);
    expect(confirmedMs(aGrant({ seconds: 90 }))).to.equal(30_000);
    expect(confirmedMs(aGrant({ seconds: 3600 }))).to.equal(30_000);
  });

  it('is half a minute for a grant that does not say how long it is valid', () => {
    expect(confirmedMs(aGrant())).to.equal(30_000);
  });

  it('leaves three times as long for what was begun by then to end', () => {
    expect(workEndsMs(aGrant({ seconds: 30 }))).to.equal(30_000);
  });
});

const details = { tried: 'nvidia-smi mig -cgi 9', found: 'exit code 4', gpu: '00000000:07:00.0' };

describe('a fault as people read it', () => {
  it('has its code once, and the GPU by its index', () => {
    const fault = faultOf(new DeviceError('DriverFailed', details), uuidOf(1));
    const text = describeFault({ error: { ...fault }, gpus: [aGpu({ index: 0 }), aGpu({ index: 1 })] });
    expect(text).to.match(/^GPU 1: DriverFailed: tried nvidia-smi mig -cgi 9; found exit code 4; check the kernel log/);
    expect(text?.match(/DriverFailed/g)).to.have.length(1);
  });

  it('does not name a GPU again whose refusal does', () => {
    const error = { code: 'InUse', message: 'GPU 1 (A100-SXM4-40GB): pod team/a holds it', gpu: uuidOf(1) };
    expect(describeFault({ error, gpus: [aGpu({ index: 1 })] })).to.equal(`InUse: ${error.message}`);
  });

  it('names a GPU that has no index yet by its address, and the instance', () => {
    const { message } = faultOf(new DeviceError('InUse', { ...details, instance: '1g.5gb at 0' }));
    expect(message).to.match(/^GPU 00000000:07:00\.0: 1g\.5gb at 0: tried /);
  });

  it('says why the previous layout of a GPU is not back', () => {
    const error = new DeviceError('DriverFailed', { tried: 'one', found: 'exit code 255' });
    const undoError = new DeviceError('GpuLost', { tried: 'another', found: 'nothing' });
    expect(faultOf(error, 'GPU-1', undoError)).to.deep.equal({
      code: 'DriverFailed',
      message: `${error.explanation}; its previous layout could not be restored: GpuLost: tried another; found nothing`,
      gpu: 'GPU-1',
    });
  });
});
