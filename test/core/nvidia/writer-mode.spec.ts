import { expect } from 'chai';
import { handOver, writerModeOf } from '../../../src/core/nvidia/feature-discovery/writer-mode.ts';
import type { WriterEvidence } from '../../../src/core/nvidia/feature-discovery/writer-mode.ts';

const managed = 'gpupartition.dev/managed-labels';
const nfd = 'nfd.node.kubernetes.io/feature-labels';

function modeOf(part: Partial<WriterEvidence>): string {
  return writerModeOf({ labels: {}, annotations: {}, before: undefined, ...part });
}

describe('the writer mode of a node', () => {
  it('is Patch where nothing tells of GPU Feature Discovery', () => {
    expect(modeOf({})).to.equal('Patch');
    expect(modeOf({ before: 'Patch' })).to.equal('Patch');
    expect(modeOf({ labels: { 'nvidia.com/gpu.count': '1' } })).to.equal('Patch');
  });

  it('is Verify where GFD has left its timestamp', () => {
    expect(modeOf({ labels: { 'nvidia.com/gfd.timestamp': '1700000000' }, before: 'Patch' })).to.equal('Verify');
  });

  it('is Verify where NFD owns a key of GFD, under an instance name too', () => {
    expect(modeOf({ annotations: { [nfd]: 'cpu-model.id,nvidia.com/gpu.product' } })).to.equal('Verify');
    expect(modeOf({ annotations: { [`gpu.${nfd}`]: 'nvidia.com/mig-1g.5gb.count' } })).to.equal('Verify');
  });

  it('is Patch where NFD owns other keys alone', () => {
    expect(modeOf({ annotations: { [nfd]: 'pci-10de.present,nvidia.com/gpu.present' } })).to.equal('Patch');
  });

  it('stays Verify when GFD vanishes', () => {
    expect(modeOf({ before: 'Verify' })).to.equal('Verify');
  });
});

describe('handing the labels over to GFD', () => {
  const labels = {
    'nvidia.com/gpu.count': '1',
    'nvidia.com/gpu.product': 'A100',
    'nvidia.com/mig-1g.5gb.count': '7',
    'nvidia.com/mig-2g.10gb.count': '1',
    'nvidia.com/gpu.machine': 'theirs',
  };

  it('drops the note and those of our keys that GFD is not going to write; the values of the others stay', () => {
    const annotations = { [managed]: 'gpu.count,gpu.product,mig-1g.5gb.count,mig-2g.10gb.count' };
    const predicted = ['nvidia.com/gpu.count', 'nvidia.com/gpu.product', 'nvidia.com/mig-1g.5gb.count'];
    expect(handOver({ labels, annotations, taints: [] }, predicted)).to.deep.equal({
      labels: { 'nvidia.com/mig-2g.10gb.count': undefined },
      annotations: { [managed]: undefined },
    });
  });

  it('leaves keys that NFD owns by now, and keys that were never ours', () => {
    const annotations = { [managed]: 'mig-1g.5gb.count,mig-2g.10gb.count', [nfd]: 'nvidia.com/mig-2g.10gb.count' };
    expect(handOver({ labels, annotations, taints: [] }, []).labels).to.deep.equal({
      'nvidia.com/mig-1g.5gb.count': undefined,
    });
  });

  it('removes no key that cannot be ours, even if the note names it', () => {
    const annotations = { [managed]: 'gfd.timestamp,gpu.present,gpu.deploy.dcgm' };
    const all = {
      'nvidia.com/gfd.timestamp': '1',
      'nvidia.com/gpu.present': 'true',
      'nvidia.com/gpu.deploy.dcgm': 'true',
    };
    expect(handOver({ labels: all, annotations, taints: [] }, []).labels).to.deep.equal({});
  });

  it('does not change if we never wrote a label', () => {
    expect(handOver({ labels, annotations: {}, taints: [] }, [])).to.deep.equal({});
  });
});
