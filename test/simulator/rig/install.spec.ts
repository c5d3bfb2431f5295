import { expect } from 'chai';
import { applyManifests, nodeFilesIn } from '../../../src/simulator/rig/install.ts';
import { useSharedCluster } from '../../support/cluster.ts';

describe('manifests that the simulator applies', () => {
  const cluster = useSharedCluster();

  it('are what kubectl makes of the same folder @all', async () => {
    await applyManifests(cluster(), 'config/default');
    const { code, stdout, stderr } = await cluster().kubectl(['diff', '-k', 'config/default']);
    expect(code, stdout + stderr).to.equal(0);
  });

  it('are not taken from a folder that only kubectl can render', async () => {
    const error = await applyManifests(cluster(), 'config/overlays/talos').catch(String);
    expect(error).to.include('config/overlays/talos/kustomization.yaml has "');
  });
});

describe('the files of a simulated node', () => {
  it('have a socket that the operating system can bind', () => {
    const { podResourcesSocket } = nodeFilesIn('/tmp/gpu-partition-rig-abcdef', 'gpu-node-1');
    expect(podResourcesSocket).to.match(/gpu-node-1.*\.sock$/);
  });

  it('have a short path where the name of the node is too long for one', () => {
    const name = 'n'.repeat(253);
    const { folder, podResourcesSocket } = nodeFilesIn('/tmp/gpu-partition-rig-abcdef', name);
    expect(podResourcesSocket.length).to.be.lessThan(108);
    expect(nodeFilesIn('/tmp/gpu-partition-rig-abcdef', name).folder).to.equal(folder);
    expect(nodeFilesIn('/tmp/gpu-partition-rig-abcdef', `${name}m`).folder).not.to.equal(folder);
  });

  it('are refused where the path of the socket would be too long even so, and say what to shorten', () => {
    const folder = `/tmp/${'x'.repeat(80)}`;
    const longest = 107 - `${folder}/`.length - '/kubelet.sock'.length;
    expect(nodeFilesIn(folder, 'n'.repeat(longest)).podResourcesSocket).to.have.length(107);
    expect(() => nodeFilesIn(folder, 'n'.repeat(longest + 1))).to.throw(RangeError, /115 bytes.*at most 107.*TMPDIR/s);
  });
});
