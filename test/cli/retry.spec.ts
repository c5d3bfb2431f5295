import { expect } from 'chai';
import { run } from './run.ts';

describe('gpu-partition retry', () => {
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
});
