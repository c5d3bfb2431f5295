import { expect } from 'chai';
import { explainMissing } from '../../../src/core/explain/missing-pod.ts';

const quota = (used: string) => ({
  metadata: { name: 'gpus' },
  status: { hard: { 'requests.nvidia.com/gpu': '2', cpu: '1' }, used: { 'requests.nvidia.com/gpu': used, cpu: '1' } },
});

describe('why a pod is not there', () => {
  it('tells what its controller was refused, and which quota is used up', () => {
    const event = {
      reason: 'FailedCreate',
      message: 'pods "train-x" is forbidden: exceeded quota: gpus',
      involvedObject: { kind: 'ReplicaSet', name: 'train' },
      metadata: {},
    };
    expect(explainMissing('train-x1', [event], [quota('2')])).to.equal(
      'ReplicaSet train cannot create it: pods "train-x" is forbidden: exceeded quota: gpus; quota gpus is used up: 2 of 2 requests.nvidia.com/gpu',
    );
  });

  it('takes the newest refusal, in whatever order Events are listed, and none of a controller with a similar name', () => {
    const event = (name: string, message: string, lastTimestamp: string) => ({
      reason: 'FailedCreate',
      message,
      involvedObject: { kind: 'ReplicaSet', name },
      metadata: {},
      lastTimestamp,
    });
    const events = [
      event('web', 'new', '2026-01-01T00:00:02Z'),
      event('web', 'old', '2026-01-01T00:00:01Z'),
      event('we', 'of another', '2026-01-01T00:00:03Z'),
    ];
    expect(explainMissing('web-0', events, [])).to.equal('ReplicaSet web cannot create it: new');
    const long = 'a'.repeat(63);
    expect(explainMissing(`${'a'.repeat(58)}x7k2p`, [event(long, 'no', '')], [])).to.include('cannot create it: no');
  });

  it('says nothing of events of others, and of quotas that have something left', () => {
    const event = {
      reason: 'FailedCreate',
      message: 'no',
      involvedObject: { kind: 'Job', name: 'other' },
      metadata: {},
    };
    expect(explainMissing('train-x1', [event], [quota('1')])).to.equal(undefined);
  });
});
