import { expect } from 'chai';
import { useScratchFolder } from '../../device/scratch-folder.ts';
import { run } from '../run.ts';
import { listOf, SpokenApi } from '../spoken-api.ts';

const taint = (key: string) => ({ key: `${key}/x`, effect: 'NoSchedule' });
const ours = { key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule' };

function aMarkedNode(name: string, ...taints: readonly object[]): object {
  return { metadata: { name, uid: name, labels: {}, annotations: {} }, spec: { taints: [ours, ...taints] } };
}

describe('gpu-partition release', () => {
  const scratch = useScratchFolder();

  it('passes over a node that is deleted meanwhile, and reads one again that somebody has changed', async () => {
    const patches: string[] = [];
    await using api = await SpokenApi.start((method, { pathname, searchParams }) => {
      const name = pathname.split('/').at(-1) ?? '';
      if (method === 'PATCH') {
        patches.push(name);
        if (name === 'gone') return 404;
        return name === 'changed' && patches.filter((one) => one === name).length === 1 ? 422 : { metadata: { name } };
      }
      if (name === 'kueue.x-k8s.io') return 404;
      if (name !== 'nodes') return listOf();
      const selected = searchParams.get('fieldSelector');
      if (selected === 'metadata.name=gone') return listOf();
      if (selected !== null) return listOf(aMarkedNode(selected.replace('metadata.name=', ''), taint('somebody')));
      return listOf(...['changed', 'gone', 'left'].map((one) => aMarkedNode(one)));
    });
    const config = api.writeKubeconfig(scratch.path('config'));
    const { code, stdout, stderr } = await run(['release', '--kubeconfig', config]);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout.split('\n').map((line) => line.split(':')[0])).to.deep.equal(['node changed', 'node left', '']);
    expect(patches).to.deep.equal(['changed', 'changed', 'gone', 'left']);
  });

  it('gives up on a node that changes again and again', async () => {
    await using api = await SpokenApi.start((method, { pathname }) => {
      if (method === 'PATCH') return 422;
      if (pathname.endsWith('/kueue.x-k8s.io')) return 404;
      return pathname.endsWith('/nodes') ? listOf(aMarkedNode('restless')) : listOf();
    });
    const { code, stderr } = await run(['release', '--kubeconfig', api.writeKubeconfig(scratch.path('restless'))]);
    expect(code).to.equal(3);
    expect(stderr).to.match(/^error: cannot change node restless: /);
  });
});
