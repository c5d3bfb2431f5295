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
    };
    expect(explainMissing('train-x1', [event], [quota('2')])).to.equal(
      'ReplicaSet train cannot create it: pods "train-x" is forbidden: exceeded quota: gpus; quota gpus is used up: 2 of 2 requests.nvidia.com/gpu',
    );
  });

  it('says nothing of events of others, and of quotas that have something left', () => {
    const event = { reason: 'FailedCreate', message: 'no', involvedObject: { kind: 'Job', name: 'other' } };
    expect(explainMissing('train-x1', [event], [quota('1')])).to.equal(undefined);
  });
});
