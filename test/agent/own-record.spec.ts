import { expect } from 'chai';
import type { DeviceReport } from '../../src/api/types.ts';
import { correctReport, type OwnRecord, recordOf } from '../../src/agent/own-partition.ts';
import { aGrant } from '../support/node-builders.ts';

const lastGood = { bootID: 'boot-a', gpus: [{ uuid: 'GPU-1', placements: ['1g.5gb@0'] }] };
const forgedGood = { bootID: 'boot-a', gpus: [{ uuid: 'GPU-1', placements: ['7g.40gb@0'] }] };
const error = { code: 'CommandFailed', message: 'it said no' };
const record: OwnRecord = { uid: 'uid', epoch: 3, outcome: { step: 'Idle' }, lastGood };
const object = { uid: 'uid', granted: aGrant() };
const reading: DeviceReport = { bootID: 'boot-a', agentVersion: '1.2.3' };

describe('what an agent knows of its own work', () => {
  it('replaces what somebody else has written in its name', () => {
    const forged: DeviceReport = { ...reading, observedEpoch: 3, step: 'Failed', error, lastGood: forgedGood };
    const own = { ...reading, observedEpoch: 3, step: 'Idle', lastGood };
    expect(correctReport(forged, object, record)).to.deep.equal(own);
    expect(correctReport(undefined, object, record)).to.deep.equal({ observedEpoch: 3, step: 'Idle', lastGood });
    const failed: OwnRecord = { ...record, outcome: { step: 'Failed', error } };
    const hidden = { ...reading, observedEpoch: 3, step: 'Idle' as const };
    expect(correctReport(hidden, object, failed)).to.include({ step: 'Failed', error });
  });

  it('has no failure of a grant that it never saw, and does not act on that again', () => {
    const forged: DeviceReport = { observedEpoch: 4, step: 'Failed', error };
    const granted = aGrant({ epoch: 4 });
    expect(correctReport(forged, { ...object, granted }, record)).to.deep.equal({
      observedEpoch: 4,
      step: 'Idle',
      lastGood,
    });
  });

  it('keeps its epoch, whatever becomes of the grant and of the report', () => {
    expect(correctReport(reading, { uid: 'uid', granted: undefined }, record)).to.include({ observedEpoch: 3 });
    expect(correctReport({ observedEpoch: 2 ** 53 }, object, record)).to.include({ observedEpoch: 3 });
  });

  it('says in an object that was recreated which instances are ours, and nothing else', () => {
    const anew = { uid: 'another', granted: undefined };
    expect(correctReport(reading, anew, record)).to.deep.equal({ ...reading, lastGood });
    expect(correctReport({ ...reading, lastGood: forgedGood }, anew, record).lastGood).to.equal(forgedGood);
  });

  it('is what the API says where there is no record, except for an epoch that was never granted', () => {
    const found: DeviceReport = { ...reading, observedEpoch: 3, step: 'Failed', error, lastGood };
    expect(correctReport(found, object, undefined)).to.deep.equal(found);
    expect(correctReport({ ...found, observedEpoch: 4 }, object, undefined)).to.not.have.property('observedEpoch');
    expect(correctReport(undefined, { uid: undefined, granted: undefined }, undefined)).to.deep.equal({});
  });
});

describe('the record of a report', () => {
  it('has the outcome of the last grant, which a device that cannot be read does not change', () => {
    const failed = recordOf('uid', { observedEpoch: 4, step: 'Failed', error, lastGood }, record);
    expect(failed).to.deep.equal({ uid: 'uid', epoch: 4, outcome: { step: 'Failed', error }, lastGood });
    const unread: DeviceReport = {
      observedEpoch: 4,
      step: 'Unknown',
      error: { code: 'Timeout', message: 'no' },
      lastGood,
    };
    expect(recordOf('uid', unread, failed)).to.deep.equal(failed);
    expect(recordOf('uid', { ...unread, observedEpoch: 5 }, failed).outcome).to.deep.equal({ step: 'Idle' });
    expect(recordOf('another', unread, failed).outcome).to.deep.equal({ step: 'Idle' });
  });
});
