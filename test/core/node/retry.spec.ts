import { expect } from 'chai';
import { findResting } from '../../../src/core/node/retry.ts';
import { aDevice, aGpu, aPartition } from '../../support/builders.ts';

const error = { code: 'CreateFailed', message: 'no', gpu: 'GPU-1' };
const failed = aPartition({ device: { ...aDevice(aGpu()), step: 'Failed', error } });
const ready = (reason: string, message = '') => [
  { type: 'Ready', status: 'False' as const, reason, message, lastTransitionTime: '2026-01-01T12:00:00Z' },
];

describe('what a person asks to be tried again', () => {
  it('is nothing on a node where nothing has failed', () => {
    expect(findResting(aPartition())).to.equal(undefined);
    expect(findResting(aPartition({ device: aDevice(aGpu()) }))).to.equal(undefined);
  });

  it('is a failure that waits for its next try', () => {
    expect(findResting(failed)).to.deep.equal({ ...error, equal: 1, isResting: false });
  });

  it('names a failure that rests, with the number of identical failures', () => {
    const waits = [{ name: 'GrantFailed', since: '2026-01-01T12:00:00Z', of: 'uid.1|4|fault|2', count: 3 }];
    const status = { ...failed.status, waits, conditions: ready('Resting') };
    expect(findResting({ ...failed, status })).to.deep.equal({ ...error, equal: 2, isResting: true });
  });

  it('is a layout that something else keeps changing', () => {
    const idle = aPartition({ device: aDevice(aGpu()) });
    const status = { ...idle.status, conditions: ready('Drifting', 'something else changes the GPUs') };
    expect(findResting({ ...idle, status })).to.deep.equal({
      code: 'Drifting',
      message: 'something else changes the GPUs',
      equal: 3,
      isResting: true,
    });
  });

  it('is a drain that was given up, and GPU holders that did not end', () => {
    const idle = aPartition({ device: aDevice(aGpu()) });
    for (const [name, reason] of [
      ['DrainRest', 'DrainTimeout'],
      ['HoldersRest', 'ClientsStay'],
    ] as const) {
      const waits = [{ name, since: '2026-01-01T12:00:00Z', of: `${reason} asked team/a`, count: 2 }];
      const conditions = ready(reason, 'the pods have not gone');
      expect(findResting({ ...idle, status: { ...idle.status, waits, conditions } })).to.deep.equal({
        code: reason,
        message: 'the pods have not gone',
        equal: 2,
        isResting: true,
      });
      const later = { ...idle.status, waits, conditions: ready('Draining') };
      expect(findResting({ ...idle, status: later }), 'under way').to.equal(undefined);
    }
  });
});
