import { expect } from 'chai';
import { isUrgentNode, driverUpgrade } from '../../../src/core/node/snapshot.ts';
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

const state = 'nvidia.com/gpu-driver-upgrade-state';

describe('a driver upgrade', () => {
  it('is not under way without the labels, before it is begun, and once it is done', () => {
    expect(driverUpgrade({})).to.equal(undefined);
    for (const idle of ['', 'upgrade-done', 'upgrade-required']) {
      expect(driverUpgrade({ [state]: idle, 'nvidia.com/gpu.deploy.dcgm': 'true' }), idle).to.equal(undefined);
    }
  });

  it('is under way in every other state of the upgrade controller', () => {
    for (const busy of [
      'node-maintenance-required',
      'post-maintenance-required',
      'cordon-required',
      'wait-for-jobs-required',
      'pod-deletion-required',
      'drain-required',
      'pod-restart-required',
      'validation-required',
      'uncordon-required',
      'a-state-of-the-future',
    ]) {
      expect(driverUpgrade({ [state]: busy })).to.equal(
        `gpu-operator is upgrading the driver of this node (${state}=${busy}); waiting until it is upgrade-done`,
      );
    }
  });

  it('that failed says how to try it again', () => {
    expect(driverUpgrade({ [state]: 'upgrade-failed' })).to.equal(
      `the driver upgrade of this node failed (${state}=upgrade-failed): repair it, ` +
        'then set the label to upgrade-required to retry; waiting until it is upgrade-done',
    );
  });

  it('is under way while k8s-driver-manager has paused the clients, whatever the state says', () => {
    const paused = { 'nvidia.com/gpu.deploy.dcgm': 'paused-for-driver-upgrade' };
    expect(driverUpgrade({ ...paused, [state]: 'upgrade-done' })).to.equal(
      'k8s-driver-manager is replacing the driver of this node (paused-for-driver-upgrade: nvidia.com/gpu.deploy.dcgm); ' +
        'waiting until it restores this label',
    );
    expect(driverUpgrade({ ...paused, 'nvidia.com/gpu.deploy.a': 'paused-for-driver-upgrade' })).to.equal(
      'k8s-driver-manager is replacing the driver of this node ' +
        '(paused-for-driver-upgrade: nvidia.com/gpu.deploy.a, nvidia.com/gpu.deploy.dcgm); ' +
        'waiting until it restores these labels',
    );
  });

  it('is not what our own pause looks like', () => {
    expect(driverUpgrade({ 'nvidia.com/gpu.deploy.dcgm': 'paused-for-mig-change' })).to.equal(undefined);
  });
});
