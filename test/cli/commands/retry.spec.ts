import { expect } from 'chai';
import { useScratchFolder } from '../../device/scratch-folder.ts';
import { run } from '../run.ts';
import { listOf, SpokenApi } from '../spoken-api.ts';

describe('gpu-partition retry', () => {
  const scratch = useScratchFolder();

  it('is used wrongly with what cannot be the name of a node, and asks nobody for it', async () => {
    for (const name of ['', '..', 'gpu-a1/status', 'GPU-A1']) {
      expect(await run(['retry', 'gpu-a1', name, '--kubeconfig', '/nowhere'])).to.deep.include({
        code: 2,
        stdout: '',
        stderr: `error: ${JSON.stringify(name)} is not the name of a node\n`,
      });
    }
  });

  it('takes either nodes or a policy', async () => {
    for (const names of [[], ['gpu-a1', '--policy', 'inference']]) {
      expect(await run(['retry', ...names, '--kubeconfig', '/nowhere'])).to.deep.include({
        code: 2,
        stdout: '',
        stderr: 'error: name nodes, or a policy with --policy\n',
      });
    }
    expect((await run(['retry', '--policy', 'A b', '--kubeconfig', '/nowhere'])).stderr).to.equal(
      'error: "A b" is not the name of a policy\n',
    );
  });

  it('cannot find out where there is no cluster', async () => {
    const { code, stderr } = await run(['retry', 'gpu-a1', '--kubeconfig', '/nowhere']);
    expect(code).to.equal(3);
    expect(stderr).to.match(/^error: no cluster to ask: /);
  });

  it('asks for the nodes that are there, and names one that is gone', async () => {
    const failed = (name: string) => ({
      metadata: { name },
      spec: { policy: { name: 'p' } },
      status: { device: { step: 'Failed', error: { code: 'InUse', message: 'in use' } } },
    });
    await using api = await SpokenApi.start((method, { pathname }) => {
      if (method === 'PATCH') return pathname.endsWith('/n1') ? 404 : { metadata: { name: 'n2' } };
      return listOf(...['n1', 'n2'].map(failed));
    });
    const config = api.writeKubeconfig(scratch.path('config'));
    const { code, stdout, stderr } = await run(['retry', '--policy', 'p', '--kubeconfig', config]);
    expect({ code, stderr }).to.deep.equal({ code: 1, stderr: 'node n1: there is no such Node any more\n' });
    expect(stdout).to.match(/^node n2: retry requested; .*: InUse: in use\n$/);
  });
});
