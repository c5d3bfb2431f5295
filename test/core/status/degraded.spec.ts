import { expect } from 'chai';
import type { GpuReport } from '../../../src/api/types.ts';
import { judgeDegraded } from '../../../src/core/status/degraded.ts';

const aGpu = (index: number, more: Partial<GpuReport> = {}): GpuReport => ({
  uuid: `GPU-${index}`,
  index,
  pciBusId: `00000000:0${index}:00.0`,
  product: 'NVIDIA A100-SXM4-40GB',
  instances: [],
  ...more,
});

describe('the condition Degraded', () => {
  it('names the GPUs that do not answer or are not well, and what helps', () => {
    const health = { action: 'Reset' as const, message: 'row remapping is pending' };
    const gpus = [aGpu(0), aGpu(1, { health }), aGpu(2, { error: 'GpuLost: GPU is lost' })];
    expect(judgeDegraded({ gpus }, [], { observedGeneration: 3 })).to.deep.equal([
      {
        type: 'Degraded',
        status: 'True',
        reason: 'GpusUnhealthy',
        message:
          'GPU 1 (NVIDIA A100-SXM4-40GB, 00000000:01:00.0): row remapping is pending; drain the GPU and reset it ' +
          '(nvidia-smi --gpu-reset), or reboot the node; GPU 2 (NVIDIA A100-SXM4-40GB, 00000000:02:00.0): GpuLost: GPU is lost. ' +
          'Faulty GPUs are not repartitioned; the others are',
        observedGeneration: 3,
      },
    ]);
  });

  it('names what the host lacks since a change, beside GPUs that are not well too', () => {
    const hostProblems = ['the service nvsm.service was stopped for a change and does not start: exit code 1: x'];
    const [only] = judgeDegraded({ gpus: [aGpu(0)], hostProblems }, [], {});
    expect([only?.status, only?.reason]).to.deep.equal(['True', 'HostNotRestored']);
    expect(only?.message).to.equal(`${hostProblems[0]}. The agent tries again with each reading`);
    const [both] = judgeDegraded({ gpus: [aGpu(0, { error: 'GpuLost: GPU is lost' })], hostProblems }, [], {});
    expect(both?.reason).to.equal('GpusUnhealthy');
    expect(both?.message).to.contain('GPU is lost').and.to.contain('nvsm.service');
  });

  it('names the pods whose MIG device was destroyed, though no change of the node is due', () => {
    const lostDevices = [
      { id: 'MIG-1', pods: ['team/serve', 'team/train'] },
      { id: 'MIG-2', pods: ['team/infer'] },
    ];
    const [only] = judgeDegraded({ gpus: [aGpu(0)], lostDevices }, [], {});
    expect([only?.status, only?.reason]).to.deep.equal(['True', 'DevicesLost']);
    expect(only?.message).to.equal(
      'team/serve, team/train: it holds MIG-1, which no longer exists, and cannot work; ' +
        'team/infer: it holds MIG-2, which no longer exists, and cannot work. Delete such pods, unless a change evicts them',
    );
    const [both] = judgeDegraded({ gpus: [aGpu(0, { error: 'GpuLost: GPU is lost' })], lostDevices }, [], {});
    expect(both?.reason).to.equal('GpusUnhealthy');
    expect(both?.message).to.contain('GPU is lost').and.to.contain('team/infer: it holds MIG-2');
  });

  it('names a single pod with its device', () => {
    const [only] = judgeDegraded({ gpus: [aGpu(0)], lostDevices: [{ id: 'MIG-1', pods: ['team/serve'] }] }, [], {});
    expect(only?.message).to.contain('team/serve: it holds MIG-1');
  });

  it('is taken back, and never said of a node that was always well', () => {
    expect(judgeDegraded({ gpus: [aGpu(0)] }, [], {})).to.deep.equal([]);
    const before = { type: 'Degraded', status: 'True' as const, reason: 'GpusUnhealthy', message: 'x' };
    const current = [{ ...before, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const [takenBack] = judgeDegraded({ gpus: [aGpu(0)] }, current, { observedGeneration: 3 });
    expect(takenBack).to.include({ status: 'False', reason: 'GpusHealthy', observedGeneration: 3 });
  });
});
