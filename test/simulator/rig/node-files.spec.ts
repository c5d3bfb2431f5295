import { expect } from 'chai';

import { nodeFilesIn } from '../../../src/simulator/rig/node-files.ts';

describe('the files of a simulated node', () => {
  it('have a socket that the operating system can bind', () => {
    const { podResourcesSocket } = nodeFilesIn('/tmp/gpu-partition-rig-abcdef', 'gpu-node-1');
    expect(podResourcesSocket).to.match(/gpu-node-1.*\.sock$/);
  });

  it('are refused where the path of the socket would be too long, and say what to shorten', () => {
    const folder = `/tmp/${'x'.repeat(80)}`;
    const longest = 107 - `${folder}/`.length - '/kubelet.sock'.length;
    expect(nodeFilesIn(folder, 'n'.repeat(longest)).podResourcesSocket).to.have.length(107);
    expect(() => nodeFilesIn(folder, 'n'.repeat(longest + 1))).to.throw(RangeError, /108 bytes.*at most 107.*TMPDIR/s);
  });
});
