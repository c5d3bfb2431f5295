import { expect } from 'chai';
import { useScratchFolder } from '../../device/scratch-folder.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { stringify } from 'yaml';
import { fleet, policies } from '../../core/view/status-stories.ts';
import { eventually } from '../../support/eventually.ts';
import { run } from '../run.ts';

const main = new URL('../../../src/cli/main.ts', import.meta.url).pathname;

const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'gpu-node-1', labels: { pool: 'inference' } } };
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'train', namespace: 'team' } };

describe('gpu-partition ui', () => {
  const folder = useScratchFolder();

  it('opens a saved cluster, as kubectl prints it, until it is interrupted', async function () {
    const file = folder.path('cluster.yaml');
    await writeFile(file, stringify({ apiVersion: 'v1', kind: 'List', items: [...policies, ...fleet, node, pod] }));
    const child = spawn(process.execPath, [main, 'ui', '--snapshot', file]);
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await eventually(
      () => said,
      (text) => text.includes('\n'),
      { timeoutMs: 10_000, what: 'the address' },
    );
    const [address = ''] = said.split(' ');
    const found = (await (await fetch(new URL('fleet', address))).json()) as {
      nodes: { node: string; pool: string }[];
    };
    expect(found.nodes).to.have.length(fleet.length);
    expect(found.nodes.find((one) => one.node === 'gpu-node-1')?.pool).to.equal('inference');
    child.kill('SIGINT');
    expect((await once(child, 'close'))[0]).to.equal(0);
  });

  it('ends where its address cannot be written, since the page cannot be opened', async function () {
    const file = folder.path('cluster.yaml');
    await writeFile(file, stringify({ apiVersion: 'v1', kind: 'List', items: [...policies, ...fleet, node, pod] }));
    const child = spawn('sh', ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, main, 'ui', '--snapshot', file]);
    const closed = once(child, 'close');
    try {
      expect(await readText(child.stderr)).to.match(/^error: the output is incomplete: /);
      expect((await closed)[0]).to.equal(3);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('says that its port is taken', async () => {
    const file = folder.path('cluster.yaml');
    await writeFile(file, stringify({ apiVersion: 'v1', kind: 'List', items: [...policies, ...fleet, node, pod] }));
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      expect(await run(['ui', '--snapshot', file, '--port', `${port}`])).to.deep.equal({
        code: 3,
        stdout: '',
        stderr: `error: cannot serve the page: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
      });
    } finally {
      other.close();
    }
  });

  it('refuses a file that has no fleet in it', async () => {
    const file = folder.path('other.yaml');
    await writeFile(file, 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n');
    const { code, stderr } = await run(['ui', '--snapshot', file]);
    expect(code).to.equal(2);
    expect(stderr).to.contain('the snapshot has no Node; make it with: kubectl get ');
    expect((await run(['ui', '--snapshot', folder.path('none')])).code).to.equal(2);
  });
});
