import { expect } from 'chai';

import { nodeFilesIn } from '../../../src/simulator/rig/node-files.ts';

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
