import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './run.ts';

describe('gpu-partition explain pod', () => {
  it('cannot find out where there is no cluster', async () => {
    const { code, stderr } = await run(['explain', 'pod', 'team/train', '--kubeconfig', '/nonexistent/config']);
    expect(code).to.equal(3);
    expect(stderr).to.match(/^error: no cluster to ask: .*\/nonexistent\/config/);
  });

  it('cannot find out where the API server does not answer', async function () {
    const folder = await mkdtemp(join(tmpdir(), 'explain-'));
    try {
      const config = join(folder, 'config');
      await writeFile(config, JSON.stringify(unreachable));
      const { code, stderr } = await run(['explain', 'pod', 'team/train', '--kubeconfig', config]);
      expect(code).to.equal(3);
      expect(stderr).to.match(/^error: cannot read pod team\/train: /);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is used wrongly with half a name, or with two namespaces', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'explain-'));
    try {
      const config = join(folder, 'config');
      await writeFile(config, JSON.stringify(unreachable));
      for (const argv of [['team/'], ['a/b/c'], ['team/train', '-n', 'other']]) {
        const { code, stderr } = await run(['explain', 'pod', ...argv, '--kubeconfig', config]);
        expect({ code, lines: stderr.trim().split('\n').length }, argv.join(' ')).to.deep.equal({ code: 2, lines: 1 });
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

const unreachable = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'c',
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'u', user: { token: 't' } }],
};
