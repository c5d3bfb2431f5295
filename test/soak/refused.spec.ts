import { expect } from 'chai';
import { explainRefused, findRefused } from './refused.ts';

const time = '2026-11-25T05:31:27.852Z';
const argv = ['mig', '-i', '0', '-dci', '-gi', '7'];
const line = JSON.stringify({ time, argv, event: 'end', rc: 19, processes: ['default/work-1/main'] });
const aWrite = (at: string, verb: string, resource: string, subresource: string, name: string, user = 'system:x') => ({
  user,
  verb,
  resource,
  subresource,
  name,
  namespace: '',
  code: 200,
  userAgent: '',
  time: `2026-11-25T05:31:${at}.000000Z`,
});

describe('a destroy that the device refuses as in use', () => {
  it('counts unless its node was disturbed at the time', () => {
    const atMs = Date.parse(time);
    expect(findRefused('s000', [line], [])).to.have.length(1);
    expect(findRefused('s000', [line], [{ node: 's000', fromMs: atMs - 1, untilMs: atMs + 1 }])).to.deep.equal([]);
    expect(findRefused('s000', [line.replace('-dci', '-cgi')], [])).to.deep.equal([]);
    expect(findRefused('s000', [line.replace('"rc":19', '"rc":0')], [])).to.deep.equal([]);
  });

  it('is told with the processes, when their pods were bound, and what was written of the node', () => {
    const writes = [
      aWrite('26', 'patch', 'nodes', '', 's000', 'system:serviceaccount:gpu-partition-system:gpu-partition-controller'),
      aWrite('27', 'create', 'pods', 'binding', 'work-1', 'system:kube-scheduler'),
      aWrite('27', 'create', 'pods', 'binding', 'work-2', 'system:kube-scheduler'),
      aWrite('28', 'patch', 'nodes', '', 's000'),
    ];
    expect(findRefused('s000', [line], []).map((one) => explainRefused(one, writes))).to.deep.equal([
      `s000 tried to destroy what is in use, at ${time}: mig -i 0 -dci -gi 7; default/work-1/main ran; ` +
        '2026-11-25T05:31:26.000000Z gpu-partition-controller patch nodes s000; ' +
        '2026-11-25T05:31:27.000000Z kube-scheduler create pods/binding work-1',
    ]);
  });
});
