import { expect } from 'chai';
import { lastingFields, retryMs } from '../../../src/core/report/report-fields.ts';

describe('the fields that an agent always reports', () => {
  const agent = { agentVersion: '1.2.3', bootID: 'boot-2', machine: undefined };
  const signalled = { epoch: 3, uids: ['u'] };

  it('keep what the process before it has signalled, unless the node was rebooted since', () => {
    const seen = { bootID: 'boot-2', observedEpoch: 3, signalled };
    expect(lastingFields(agent, seen, undefined)).to.deep.equal({
      agentVersion: '1.2.3',
      observedEpoch: 3,
      signalled,
    });
    expect(lastingFields(agent, { ...seen, bootID: 'boot-1' }, undefined)).to.deep.equal({
      agentVersion: '1.2.3',
      observedEpoch: 3,
    });
  });

  it('have no more of the machine’s name than the API takes: it would refuse the whole report', () => {
    expect(lastingFields({ ...agent, machine: 'x'.repeat(300) }, undefined, null).machine).to.have.length(128);
  });

  it('forget it when this process has worked and signalled nothing, or something else', () => {
    const seen = { bootID: 'boot-2', signalled };
    expect(lastingFields(agent, seen, null).signalled).to.equal(undefined);
    expect(lastingFields(agent, seen, { epoch: 4, uids: ['v'] }).signalled).to.deep.equal({ epoch: 4, uids: ['v'] });
  });
});

describe('the rest after a failure', () => {
  it('doubles up to five minutes', () => {
    expect([1, 2, 3, 20].map((failures) => retryMs(failures) / 1000)).to.deep.equal([5, 10, 20, 300]);
  });
});
