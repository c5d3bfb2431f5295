import { expect } from 'chai';
import { useScratchFolder } from '../../device/scratch-folder.ts';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import type { FleetStatusView } from '../../../src/core/view/fleet.ts';
import { changingNode, fleet, policies } from '../../core/view/status-stories.ts';
import { eventually } from '../../support/eventually.ts';
import { fixtures, jsonRunner, run } from '../run.ts';
import { listOf, SpokenApi } from '../spoken-api.ts';

const execute = promisify(execFile);
const main = new URL('../../../src/cli/main.ts', import.meta.url).pathname;

describe('gpu-partition status', () => {
  const folder = useScratchFolder();
  let snapshot: string;

  before(async () => {
    snapshot = folder.path('cluster.yaml');
    const nodes = fleet.map(({ metadata }) => ({ apiVersion: 'v1', kind: 'Node', metadata }));
    const resources = { limits: { 'nvidia.com/mig-7g.40gb': '1' } };
    const spec = { containers: [{ name: 'main', resources }] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'train', namespace: 'team' }, spec };
    await writeFile(
      snapshot,
      stringify({ apiVersion: 'v1', kind: 'List', items: [...policies, ...fleet, ...nodes, pod] }),
    );
  });

  it('shows a saved cluster as people see it, with whole cells outside a terminal, and the same as data', async () => {
    const { code, stdout } = await run(['status', '--snapshot', snapshot]);
    const screen = await readFile(`${fixtures}status/fleet-80.txt`, 'utf8');
    const lines = stdout.split('\n');
    expect({ code, rows: lines.length }).to.deep.equal({ code: 0, rows: screen.split('\n').length });
    for (const [at, cut] of screen.split('\n').entries()) {
      expect(lines[at]?.startsWith(cut.replace(/…$/, '')), cut).to.equal(true);
    }
    for (const { status } of fleet) {
      const { reason, message = '' } = status?.conditions?.[0] ?? {};
      if (status?.phase !== 'Ready') expect(stdout).to.include(`${reason}: ${message}`.trim());
    }
    const { answer } = await jsonRunner<FleetStatusView>()(['status', '--snapshot', snapshot]);
    expect(answer.nodes).to.have.length(fleet.length);
    expect((await run(['status', 'gpu-node-7', '-o', 'yaml', '--snapshot', snapshot])).stdout).to.match(
      /^node: gpu-node-7\n/,
    );
  });

  it('wraps to COLUMNS where it does not write to a terminal, and cuts nothing', async () => {
    const widest = (text: string): number =>
      Math.max(...(text.split('GPU 0')[0] ?? '').split('\n').map(({ length }) => length));
    const describe = ['status', 'gpu-node-7', '--snapshot', snapshot];
    const before = process.env['COLUMNS'];
    try {
      process.env['COLUMNS'] = '60';
      expect(widest((await run(describe)).stdout)).to.be.within(50, 60);
      process.env['COLUMNS'] = '140';
      expect(widest((await run(describe)).stdout)).to.be.within(100, 140);
    } finally {
      if (before === undefined) delete process.env['COLUMNS'];
      else process.env['COLUMNS'] = before;
    }
    expect((await run(describe)).stdout).not.to.contain('…');
  });

  it('has one row for every node where that is asked for', async () => {
    const { stdout } = await run(['status', '-o', 'wide', '--snapshot', snapshot]);
    const rows = stdout.split('\n').filter((line) => /^gpu-node-\d /.test(line));
    expect(rows).to.have.length(fleet.length);
    expect(rows[0]).to.match(/^gpu-node-3 +inference +Failed +\d.* +0\/4 +Failed +GPU 0 \(A100.* +1 GPU: 2×1g\.5gb/);
  });

  it('shows one policy and its nodes, and says which policy may be meant', async () => {
    const { stdout } = await run(['status', '--policy', 'notebooks', '--snapshot', snapshot]);
    expect(stdout).to.contain('gpu-node-6').and.not.to.contain('gpu-node-7').and.not.to.contain('inference');
    const { answer } = await jsonRunner<FleetStatusView>()(['status', '--policy', 'notebooks', '--snapshot', snapshot]);
    expect(answer.policies.map(({ policy }) => policy)).to.deep.equal(['notebooks']);
    const wrong = await run(['status', '--policy', 'notebook', '--snapshot', snapshot]);
    expect([wrong.code, wrong.stderr]).to.deep.equal([2, 'error: no policy "notebook"; did you mean notebooks?\n']);
    expect((await run(['status', 'gpu-node-7', '--policy', 'notebooks', '--snapshot', snapshot])).code).to.equal(2);
  });

  it('describes a node: first its phase and why', async () => {
    const { stdout } = await run(['status', 'gpu-node-7', '--snapshot', snapshot]);
    const [title, phase, reason] = stdout.split('\n');
    expect(title).to.equal('gpu-node-7');
    expect(phase).to.match(/^ {2}phase +Updating, not Ready since /);
    expect(reason).to.match(/^ {2}reason +Draining: waiting for 1 pod to go: team\/train-0/);
  });

  it('tells of a node what Events were saved with it, or how to save them', async () => {
    const describe = async (...files: readonly string[]): Promise<string> =>
      (await run(['status', 'gpu-node-7', '--snapshot', snapshot, ...files])).stdout.replaceAll(/\s+/g, ' ');
    expect(await describe()).to.contain(
      'event the snapshot has no Events: kubectl get nodes,gpn,gpp,pods,pdb,events -A -o yaml saves them too',
    );
    const event = (node: string, message: string) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${node}.1`, namespace: 'default', creationTimestamp: '2026-01-01T12:00:02Z' },
      involvedObject: { kind: 'Node', name: node },
      type: 'Warning',
      reason: 'Kept',
      message,
    });
    const items = [event('gpu-node-7', 'two pods stay'), event('gpu-node-8', 'nothing of this node')];
    const file = folder.path('events.json');
    await writeFile(file, JSON.stringify({ kind: 'List', items }));
    expect(await describe(file))
      .to.match(/event 2026-01-01T12:00:02Z Kept: two pods stay/)
      .and.not.contain('of this node');
  });

  it('says so of a node that is deleted while it is read', async () => {
    const bare = { metadata: { name: 'n1' }, spec: {} };
    await using api = await SpokenApi.start((_, { pathname }) =>
      pathname.endsWith('/n1') ? 404 : listOf(...(pathname.endsWith('/gpunodepartitions') ? [bare] : [])),
    );
    const config = api.writeKubeconfig(folder.path('config'));
    expect(await run(['status', 'n1', '--kubeconfig', config])).to.deep.equal({
      code: 2,
      stdout: '',
      stderr: 'error: there is no GpuNodePartition n1\n',
    });
  });

  it('explains a pod of a saved cluster', async () => {
    const { code, stdout } = await run(['explain', 'pod', 'team/train', '--snapshot', snapshot]);
    expect(code).to.equal(1);
    expect(stdout).to.match(
      /^pod team\/train is pending: no node offers nvidia\.com\/mig-7g\.40gb; no GPU resource is offered/,
    );
    expect((await run(['explain', 'pod', 'team/other', '--snapshot', snapshot])).code).to.equal(2);
  });

  it('refuses to follow what does not change, or as data', async () => {
    for (const argv of [
      ['--watch', '--snapshot', snapshot],
      ['--watch', '-o', 'json'],
    ]) {
      const { code, stderr } = await run(['status', ...argv]);
      expect({ code, lines: stderr.trim().split('\n').length }).to.deep.equal({ code: 2, lines: 1 });
    }
  });

  for (const columns of [80, 120, 200]) {
    it(`fills a terminal of ${columns} columns and no more`, async function () {
      const tmux = (...args: string[]) => execute('tmux', ['-L', socket, ...args]);
      const socket = `status-${randomUUID()}`;
      const isThere = await execute('tmux', ['-V']).then(
        () => true,
        () => false,
      );
      if (!isThere) return this.skip();
      const { name } = changingNode.metadata;
      const command = `${process.execPath} ${main} status ${name} --snapshot ${snapshot}; sleep 100`;
      try {
        await tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(columns), '-y', '40', command);
        const wanted = await readFile(`${fixtures}status/node-changing-${columns}.txt`, 'utf8');
        const { stdout } = await eventually(
          () => tmux('capture-pane', '-p'),
          (screen) => screen.stdout.includes('no Events'),
          { timeoutMs: 50_000, what: 'the picture' },
        );
        // What happened to the node follows its picture.
        expect(stdout.slice(0, wanted.length)).to.equal(wanted);
        // In colour, where the terminal has some.
        expect((await tmux('capture-pane', '-p', '-e')).stdout).to.contain('\u001B[');
      } finally {
        await tmux('kill-server').catch(() => undefined);
      }
      return undefined;
    });
  }
});
