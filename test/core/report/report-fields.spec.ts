import { expect } from 'chai';
import { faultFields, lastingFields, restMs } from '../../../src/core/report/report-fields.ts';

describe('the fields that an agent always reports', () => {
  const agent = { agentVersion: '1.2.3', bootID: 'boot-2', machine: undefined };
  const signalled = { epoch: 3, uids: ['u'] };

  it('keep what the process before it has signalled, unless the node was rebooted since', () => {
    const seen = { bootID: 'boot-2', signalled };
    expect(lastingFields(agent, seen, 3, undefined)).to.deep.equal({
      agentVersion: '1.2.3',
      observedEpoch: 3,
      signalled,
    });
    expect(lastingFields(agent, { ...seen, bootID: 'boot-1' }, 0, undefined)).to.deep.equal({ agentVersion: '1.2.3' });
  });

  it('forget it when this process has worked and signalled nothing, or something else', () => {
    const seen = { bootID: 'boot-2', signalled };
    expect(lastingFields(agent, seen, 0, null).signalled).to.equal(undefined);
    expect(lastingFields(agent, seen, 0, { epoch: 4, uids: ['v'] }).signalled).to.deep.equal({ epoch: 4, uids: ['v'] });
  });

  it('name the time of a retry, if it depends on time', () => {
    const fault = { code: 'InUse', message: 'pod team/train holds it' };
    expect(faultFields(fault, 'Failed', Date.UTC(2026, 0, 1)).nextRetryTime).to.equal('2026-01-01T00:00:00Z');
    expect(faultFields(fault, 'Failed').nextRetryTime).to.equal(undefined);
  });
});

describe('the rest after a fault', () => {
  const fault = { code: 'InUse', message: 'pod team/train holds it' };

  it('doubles up to five minutes, and is short when somebody is about to leave', () => {
    expect([1, 2, 3, 20].map((failures) => restMs(fault, failures) / 1000)).to.deep.equal([5, 10, 20, 300]);
    expect([1, 2, 20].map((failures) => restMs({ ...fault, retrySoon: true }, failures) / 1000)).to.deep.equal([
      1, 2, 5,
    ]);
  });

  it('is none if nothing is wrong with the device', () => {
    expect(restMs({ ...fault, retryAtOnce: true }, 5)).to.equal(0);
  });
});
