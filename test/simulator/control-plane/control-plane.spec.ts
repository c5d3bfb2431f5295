import { expect } from 'chai';

import { createNamespace, uniqueName, useOwnCluster, useSharedCluster } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { pick } from '../../../src/simulator/control-plane/request.ts';

describe('a control plane of our own', () => {
  const cluster = useSharedCluster();

  it('runs the four programs of Kubernetes', () => {
    expect(cluster().pids()).to.have.all.keys('etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler');
  });

  it('says to kubectl the version that go.mod names', async () => {
    const { stdout } = await cluster().kubectl(['version', '-o', 'json']);
    const server: unknown = JSON.parse(stdout);
    expect(pick(server, 'serverVersion', 'gitVersion')).to.equal(pick(server, 'clientVersion', 'gitVersion'));
    expect(pick(server, 'serverVersion', 'gitVersion')).to.match(/^v1\.\d+\.\d+$/);
  });
});
