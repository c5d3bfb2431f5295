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

  it('cannot find out where there is no cluster', async () => {
    const { code, stderr } = await run(['retry', 'gpu-a1', '--kubeconfig', '/nowhere']);
    expect(code).to.equal(3);
    expect(stderr).to.match(/^error: no cluster to ask: /);
  });
});
