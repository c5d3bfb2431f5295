import { expect } from 'chai';
import { isUrgentNode } from '../../../src/core/node/node-view.ts';
import { aPartition } from '../../support/builders.ts';
import { aNode, taints } from '../../support/node-builders.ts';

describe('a node is urgent', () => {
  const partition = aPartition({ device: { bootID: 'boot-1' } });
  const booted = (bootID: string) => ({ ...aNode(), status: { nodeInfo: { bootID } } });

  it('while it is closed, for a change or until its first layout is there', () => {
    expect(isUrgentNode(aNode({ taints: taints.closed }), undefined)).to.equal(true);
    expect(isUrgentNode(aNode({ taints: taints.startup }), undefined)).to.equal(true);
    expect(isUrgentNode(aNode({ labels: { 'gpupartition.dev/state': 'updating' } }), undefined)).to.equal(true);
  });

  it('when it has restarted since its agent read the GPUs, or its driver was replaced: it must be closed', () => {
    expect(isUrgentNode(booted('boot-2'), partition)).to.equal(true);
    const labels = { 'nvidia.com/gpu-driver-upgrade-state': 'uncordon-required' };
    expect(isUrgentNode(aNode({ labels }), partition)).to.equal(true);
  });

  it('in no other case, nor when a boot is unknown', () => {
    expect(isUrgentNode(booted('boot-1'), partition)).to.equal(false);
    expect(isUrgentNode(booted(''), partition)).to.equal(false);
    expect(isUrgentNode(booted('boot-2'), aPartition({ device: { bootID: 'unknown' } }))).to.equal(false);
    expect(isUrgentNode(booted('boot-2'), undefined)).to.equal(false);
    expect(isUrgentNode(aNode(), undefined)).to.equal(false);
  });
});
