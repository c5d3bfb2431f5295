import { expect } from 'chai';
import { changeKey, readRefreshMark, recordRefresh } from '../../../src/core/node/marks.ts';
import { aDevice, aGpu, aPartition } from '../../support/builders.ts';
import { aNode } from '../../support/node-builders.ts';

describe('the mark of a refresh', () => {
  it('is read as it was written', () => {
    for (const more of [
      { tolerates: true, sawNothing: false },
      { tolerates: false, sawNothing: false },
      { tolerates: false, sawNothing: true },
    ]) {
      for (const uids of [[], ['a'], ['a', 'b']]) {
        const mark = { change: '3@abc', uids, ...more };
        expect(readRefreshMark(aNode(recordRefresh(mark) as Parameters<typeof aNode>[0]))).to.deep.equal(mark);
      }
    }
  });

  it('is absent where none was written', () => {
    expect(readRefreshMark(aNode())).to.equal(undefined);
  });

  it('changes with a new grant and with a restart of the node', () => {
    const partition = (epoch: number, bootID: string) =>
      aPartition({
        granted: { gpus: [], epoch, planHash: '', deadline: '2026-01-01T00:00:00Z' },
        device: { ...aDevice(), bootID },
      });
    const keys = [partition(1, 'boot-a'), partition(2, 'boot-a'), partition(1, 'boot-b')].map((partition) =>
      changeKey(partition),
    );
    expect(new Set(keys).size).to.equal(3);
    expect(changeKey(aPartition())).to.equal('0@');
  });

  it('changes when a GPU is lost, comes back, or is changed by somebody else, though nothing was granted', () => {
    const of = (gpu: Parameters<typeof aGpu>[0]) =>
      changeKey(
        aPartition({
          granted: { gpus: [], epoch: 1, planHash: '', deadline: '2026-01-01T00:00:00Z' },
          device: aDevice(aGpu(gpu)),
        }),
      );
    const keys = [{ slices: ['1g.5gb@0'] }, { slices: ['1g.5gb@1'] }, { slices: ['1g.5gb@0'], error: 'GpuLost' }, {}];
    expect(new Set(keys.map(of)).size).to.equal(4);
    expect(of({ slices: ['1g.5gb@0'] })).to.equal(of({ slices: ['1g.5gb@0*'] }));
  });

  it('is the same for every try of a change that fails and leaves the device as it was', () => {
    const failed = (epoch: number, slices: readonly string[]) =>
      aPartition({
        granted: { gpus: [], epoch, planHash: '', deadline: '2026-01-01T00:00:00Z' },
        device: { ...aDevice(aGpu({ slices })), error: { code: 'InUse', message: 'busy' } },
      });
    expect(changeKey(failed(2, ['1g.5gb@0']))).to.equal(changeKey(failed(1, ['1g.5gb@0'])));
    expect(changeKey(failed(2, ['1g.5gb@0']))).not.to.equal(changeKey(failed(2, ['1g.5gb@1'])));
  });

  it('differs for each try that a DRA driver cannot tell apart: what was undone may have its UUID again', () => {
    const failed = (epoch: number, code: string, gpu?: string) => {
      const partition = aPartition({
        granted: { gpus: [], epoch, planHash: '', deadline: '2026-01-01T00:00:00Z' },
        device: {
          ...aDevice(aGpu({ slices: ['1g.5gb@0'] })),
          error: { code, message: '', ...(gpu !== undefined && { gpu }) },
        },
      });
      return changeKey({ ...partition, spec: { ...partition.spec, backend: 'DRA' } });
    };
    expect(failed(2, 'CommandFailed')).not.to.equal(failed(1, 'CommandFailed'));
    expect(failed(2, 'InUse', 'GPU-0')).not.to.equal(failed(1, 'InUse', 'GPU-0'));
    expect(failed(2, 'InUse')).to.equal(failed(1, 'InUse'));
    expect(failed(2, 'PlanChanged')).to.equal(failed(1, 'PlanChanged'));
  });

  it('differs between the stacks: a pod of the DRA driver has not replaced one of the device plugin', () => {
    const partition = aPartition({ device: aDevice(aGpu()) });
    expect(changeKey({ ...partition, spec: { ...partition.spec, backend: 'DRA' } })).not.to.equal(changeKey(partition));
  });
});
