import { appendFileSync, existsSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { StandInGo, collect } from './stand-in-go.ts';

describe('the search for the programs of a control plane', function () {
  let go: StandInGo;

  beforeEach(() => {
    go = new StandInGo();
    go.install();
  });
  afterEach(() => go.remove());

  it('builds them once and finds them from then on', async () => {
    const first = await go.build();
    const second = await go.build();
    expect(first.code).to.equal(0);
    expect(second.stdout).to.equal(first.stdout);
    expect(first.stderr).to.contain('building').and.to.contain('of about 420 s');
    expect(second.stderr).to.equal('');
    expect(go.listBuilds()).to.have.length(1);
  });

  it('tells Go to leave go.sum alone, whatever GOFLAGS say', async () => {
    await go.build();
    expect(go.listBuilds()[0]).to.contain(' build -mod=readonly ');
  });

  it('stamps the version that go.mod names', async () => {
    await go.build();
    expect(go.listBuilds()[0]).to.match(/version\.gitVersion=v1\.(\d+)\.\d+ .*version\.gitMinor=\1 /);
  });

  it('builds once for several that ask at the same time, and says to the others that they wait @all', async () => {
    go.install({ isHeld: true });
    const told = new Set<number>();
    const builds = [0, 1, 2].map((index) => {
      const child = go.start();
      child.stderr?.on('data', (text: Buffer) => text.includes('waiting for another process') && told.add(index));
      return collect(child);
    });
    await eventually(
      () => told.size,
      (size) => size === 2,
      { what: 'two that wait' },
    );
    go.release();
    const all = await Promise.all(builds);
    expect(all.map(({ code }) => code)).to.deep.equal([0, 0, 0]);
    expect(new Set(all.map(({ stdout }) => stdout)).size).to.equal(1);
    expect(all.filter(({ stderr }) => stderr.includes('waiting for another process'))).to.have.length(2);
    expect(go.listBuilds()).to.have.length(1);
  });

  it('does not wait for a builder that was killed, and leaves nothing of its build @all', async () => {
    go.install({ buildSeconds: 30 });
    const killed = go.start();
    await eventually(
      () => go.listBuilds().length,
      (builds) => builds === 1,
      { timeoutMs: 10_000 },
    );
    const ended = collect(killed);
    killed.kill('SIGKILL');
    await ended;
    go.install();
    expect((await go.build()).code).to.equal(0);
    await eventually(
      () => go.listCache().filter((name) => !name.endsWith('-linux-amd64')),
      (rest) => rest.length === 0,
    );
    const pid = Number(go.listBuilds()[0]?.split(' ')[0]);
    await eventually(
      () => isGroupAlive(pid),
      (alive) => !alive,
      { timeoutMs: 20_000, what: 'the killed build' },
    );
  });

  it('does not wait for a lock whose holder is silent, though its pid is in use again @all', async () => {
    const folder = (await go.build()).stdout.trim();
    rmSync(folder, { recursive: true });
    writeFileSync(`${folder}.lock`, `${process.pid} ${Date.now()} somebody\n`);
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(`${folder}.lock`, longAgo, longAgo);
    expect((await go.build()).code).to.equal(0);
  });

  for (const [how, harm] of [
    ['lacks a program @all', (folder: string) => rmSync(join(folder, 'kube-scheduler'))],
    ['lacks the manifest @all', (folder: string) => rmSync(join(folder, 'manifest.json'))],
    ['has a file of another size @all', (folder: string) => appendFileSync(join(folder, 'control-plane'), 'x')],
    ['has a file with other bytes', (folder: string) => overwriteByte(join(folder, 'control-plane'))],
    ['is a file @all', (folder: string) => replaceByFile(folder)],
  ] as const) {
    it(`builds again if the cache ${how}`, async () => {
      const folder = (await go.build()).stdout.trim();
      harm(folder);
      expect((await go.build()).code).to.equal(0);
      expect(go.listBuilds()).to.have.length(2);
      expect(existsSync(join(folder, 'kube-scheduler'))).to.equal(true);
      expect((await go.build()).stderr).to.equal('');
    });
  }

  it('says so, and keeps nothing, where the build gives a program that does not answer', async () => {
    go.install({ builtScript: 'echo v0.0.0-master' });
    const { code, stderr } = await go.build();
    expect(code).to.equal(3);
    expect(stderr).to.contain('of no use').and.to.contain('v0.0.0-master');
    expect(go.listCache()).to.deep.equal([]);
  });

  it("shows Go's own words where the build fails", async () => {
    go.install({ fails: true });
    const { code, stderr } = await go.build();
    expect(code).to.equal(3);
    expect(stderr).to.contain('it does not compile');
    expect(go.listCache()).to.deep.equal([]);
  });

  it('says in one sentence what is missing without Go, and how to get it', async () => {
    const { code, stderr } = await go.build({ withGo: false });
    expect(code).to.equal(3);
    expect(stderr).to.match(/^There is no Go .*install Go 1\.\d+ or newer.*KUBEBUILDER_ASSETS.*setup-envtest.*\n$/);
  });

  it('uses what an earlier Go built on a machine without Go', async () => {
    const { stdout } = await go.build();
    expect(await go.build({ withGo: false })).to.deep.include({ code: 0, stdout });
  });

  it('says in one sentence that Go is too old', async () => {
    go.install({ version: 'go1.21.3' });
    const { code, stderr } = await go.build();
    expect(code).to.equal(3);
    expect(stderr).to.match(
      /^The control plane .* needs Go 1\.\d+\.\d+ or newer and this is go1\.21\.3: install Go.*\n$/,
    );
  });

  it('names what KUBEBUILDER_ASSETS lacks, and builds nothing instead', async () => {
    const { code, stderr } = await go.build({ assets: go.folder });
    expect(code).to.equal(3);
    expect(stderr).to.contain('lacks etcd, kube-apiserver, kubectl');
    expect(go.listBuilds()).to.deep.equal([]);
  });

  it('takes KUBEBUILDER_ASSETS as they are', async () => {
    const assets = (await go.build()).stdout.trim();
    expect(await go.build({ assets, withGo: false })).to.deep.equal({ code: 0, stdout: `${assets}\n`, stderr: '' });
  });
});

function isGroupAlive(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch {
    return false;
  }
}

function overwriteByte(file: string): void {
  const { size } = statSync(file);
  writeFileSync(file, `#!/bin/sh\n${'#'.repeat(size - 11)}\n`);
}

function replaceByFile(folder: string): void {
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
}
